# The page of a study in headless Chromium, 1200 and 400 pixels wide: no script error, every chart has
# ink, nothing sticks out at the side, and the pictures are not one colour. PNGs stay in $TMP.
. "$HERE/lib.sh"
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    echo "skipped: no chromium (tools/setup test installs it)"
    exit 77
fi
run 0 study gpusimpow --size small --db "$TMP/results.db" -o page
# opens from a file, offline: nothing of the page lies elsewhere
lacks page/index.html '(src|href)="(https?:)?//'
open_page() { # WIDTH ARGS...: a frame of that width, for the browser's own window is never under 500 wide
    width=$1; shift
    cat >frame$width.html <<END
<!DOCTYPE html><body style="margin:0"><iframe id="f" src="page/index.html" style="border:0;width:${width}px;height:5000px"></iframe>
<script>onload = function () { setTimeout(function () {
  var d = document.getElementById("f").contentDocument;
  document.body.dataset.inner = d.body.dataset.charts + "; overflow " + d.body.dataset.overflow + "; tables " +
    d.querySelectorAll("section table caption").length + "; window " + d.defaultView.innerWidth + "."; }, 200); };</script>
END
    HOME=$TMP timeout 120 "$browser" --no-sandbox --headless=new --disable-gpu --hide-scrollbars --allow-file-access-from-files \
        --user-data-dir="$TMP/profile" --enable-logging=stderr --virtual-time-budget=5000 "$@" "file://$TMP/frame$width.html" 2>log$width
}
for width in 1200 400; do
    open_page $width --window-size=1250,5000 --dump-dom >dom$width || fail "chromium at $width"
    says dom$width 'data-inner="10 of 10; overflow 0; tables 19; window '$width'\.'
    lacks log$width 'Uncaught|CONSOLE.*[Ee]rror'
    open_page $width --window-size=$((width < 500 ? 500 : width)),5000 --screenshot="$TMP/page$width.png" >/dev/null
    [ "$(wc -c <page$width.png)" -gt 60000 ] || fail "page$width.png is nearly empty"
done
# a page whose charts cannot be drawn is noticed: the library taken out
python3 - <<'END'
import re
t = open('page/index.html').read()
i = t.index('/*!\n * Chart.js') if '/*!\n * Chart.js' in t else t.index('Chart.js')
j = t.index('</script>', i)
open('page/index.html', 'w').write(t[:i] + t[j:])
END
open_page 400 --window-size=1250,5000 --dump-dom >domx
lacks domx 'data-inner="8 of 8'
says log400 'Chart is not defined'
finish
