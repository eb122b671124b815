# The Debian packages: made from the build, looked at by lintian, installed in a clean root and used there.
. "$HERE/lib.sh"
build=$(dirname "$WARPWATT")
source=$HERE/../..
for tool in dh lintian mmdebstrap; do
    command -v $tool >/dev/null || { echo "skipped: $tool is not installed"; exit 77; }
done
nm -D "$build/libwarpwatt.so.0" | grep -q __asan && { echo "skipped: this build has sanitizers, which are no package's"; exit 77; }
"$source/tools/deb" "$build" >out 2>err || { fail "makes packages"; tail -5 err; finish; }
[ "$(sed 's/_.*//' out | LC_ALL=C sort | tr '\n' ' ')" = "libwarpwatt-dev libwarpwatt0 warpwatt warpwatt-cuda " ] || fail "other packages: $(cat out)"
cp "$build"/deb/*.deb .
# no errors; warnings are shown
lintian --fail-on error -- *.deb >said 2>&1 || fail "lintian"
grep -E '^E:' said && fail "lintian has errors"
# what the stand-ins are called stays off the linker's path; the command is complete without them there
for p in warpwatt warpwatt-cuda libwarpwatt0 libwarpwatt-dev; do dpkg-deb -c "$p"_*.deb >"$p.list"; done
grep -E 'lib(cuda|cudart)\.so' warpwatt-cuda.list | grep -qv usr/lib/warpwatt/ && fail "libcuda.so lies elsewhere"
grep -q 'usr/lib/[^/]*/libwarpwatt.so.0' libwarpwatt0.list || fail "libwarpwatt.so.0 is not there"
for c in $("$WARPWATT" completion --names commands); do
    grep -q "man1/warpwatt-$c.1.gz" warpwatt.list || fail "no man page of $c"
done

cat >inside.sh <<'IN'
set -e
cd /tmp
dpkg -i ./*.deb >dpkg.log 2>&1 || { cat dpkg.log; exit 7; }
warpwatt --version
warpwatt run -g gt240 vectorAdd >page
grep -q 'cycles' page
warpwatt run --quiet --functional hotspot
warpwatt savings warped-gates | grep -q ^mechanism
warpwatt studies | grep -q ^origami
warpwatt workloads hotspot >/dev/null
ldconfig -p | grep libcuda && exit 3
tcc /usr/share/doc/libwarpwatt-dev/examples/saxpy.c -o saxpy $(pkg-config --cflags --libs warpwatt)
./saxpy gtx480-micro46 warped-gates | tee said
[ "$(grep -c 'right,' said)" = 2 ]
dpkg --verify warpwatt warpwatt-cuda libwarpwatt0 libwarpwatt-dev >changed
[ -s changed ] && exit 4
dpkg --purge libwarpwatt-dev libwarpwatt0 warpwatt warpwatt-cuda >/dev/null 2>&1
[ -e /usr/lib/warpwatt ] && exit 5
[ -e /usr/share/warpwatt ] && exit 6
echo used and removed
IN
# the machine's own archive and proxies; nothing of the root is kept
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
sources=$(ls /etc/apt/sources.list.d/*.sources /etc/apt/sources.list 2>/dev/null | head -1)
timeout 300 mmdebstrap --variant=essential --dpkgopt=force-unsafe-io --dpkgopt="path-exclude=/usr/share/locale/*" \
    --include=tcc,libc6-dev,pkg-config,libjs-chart.js,libcyaml-dev,libjansson4,libsqlite3-0,libssl3,libxml2,libelf1,libyaml-0-2 \
    --setup-hook='for f in /etc/apt/apt.conf.d/*registry* /etc/apt/apt.conf.d/*proxy*; do [ ! -f "$f" ] || cp "$f" "$1/etc/apt/apt.conf.d/"; done' \
    --customize-hook="cp ./*.deb inside.sh \"\$1/tmp/\"" --customize-hook='chroot "$1" sh /tmp/inside.sh' "$codename" /dev/null "$sources" >log 2>&1
code=$?
if [ $code != 0 ] && grep -qE 'apt-get .*update|Unable to fetch|Failed to fetch|Temporary failure|EUID|unshare|mount' log && ! grep -q '^warpwatt ' log; then
    [ "$failures" = 0 ] || finish
    echo "skipped: no clean root can be made here: $(grep -E '^(E|W):' log | tail -1)"
    exit 77
fi
[ $code = 0 ] || { fail "in a clean root: exit code $code"; tail -15 log; }
grep -q 'used and removed' log || fail "did not come to the end"
finish
