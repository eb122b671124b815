# The gallery: pages of programs, comparisons and studies from what is kept, an index, and links that hold.
. "$HERE/lib.sh"
export WARPWATT
gallery="$HERE/../../tools/gallery"
only='vectorAdd,schedulers,roofline,board has'
"$gallery" -o g --db none.db --only "$only" >out 2>err || fail "the gallery: $(cat err)"
says out 'index.html: 2 pages' # of the studies nothing is kept
says g/index.html 'vectorAdd'; says g/index.html '<small>lrr, gto, two_level</small>'; says g/index.html 'warpwatt study roofline` runs it'
lacks g/index.html 'href="studies'
says g/comparisons/three-schedulers-on-bfs/index.html '"name":"two_level"'
# a second time nothing is run, and what a study has kept since is there
before=$(cat g/programs/*/record.jsonl | sha256sum)
run 0 study roofline --size small --db some.db --figures speed-a40 -o s
"$gallery" -o g --db some.db --only "$only" >out 2>err || fail "the gallery again: $(cat err)"
says out 'index.html: 3 pages'; says g/index.html 'href="studies/roofline/index.html"'
[ "$before" = "$(cat g/programs/*/record.jsonl | sha256sum)" ] || fail "a kept run was made again"
"$gallery" --check g || fail "its links"
rm -r g/programs/*/index.html
! "$gallery" --check g 2>err || fail "a broken link passes"
says err 'programs/vectoradd-memory/index.html leads nowhere'
! "$gallery" --check nowhere 2>err || fail "no gallery is one"
! "$gallery" -o h --only 'no such title' >out 2>err || fail "an empty gallery"; says err 'no title has'
! WARPWATT=nowhere/warpwatt "$gallery" -o h 2>err || fail "without a command"; says err 'there is no command'
finish
