# The page of each paper (docs/papers) is what its rows make, and lacks nothing: no figure or table of the paper, no
# published value, no figure of its studies. That the tool sees what is missing is tried on a copy of the tree's parts.
. "$HERE/lib.sh"
TREE="$HERE/../.."
"$TREE/tools/paper-pages" --check >said || { cat said; fail "a page lacks something, or is old"; }
says said '^[0-9]+ papers, 0 things missing$'
mkdir -p copy/docs copy/tools
cp -R "$TREE/docs/papers" copy/docs/
cp "$TREE/tools/paper-pages" copy/tools/
for f in "$TREE"/*; do [ -e "copy/${f##*/}" ] || ln -s "$f" copy/; done
for f in "$TREE"/docs/*.md; do ln -s "$f" copy/docs/; done
copy/tools/paper-pages --check >said || { cat said; fail "a copy of the tree lacks something"; }
grep -v '^figure 8c,' copy/docs/papers/warped-gates.csv >rows && cp rows copy/docs/papers/warped-gates.csv
copy/tools/paper-pages --check >said && fail "a row was taken away unseen"
says said 'warped-gates: no row for figure 8c'
says said 'warped-gates:fig8c .*is made'
says said 'no row answers for the published values of "MICRO.46 fig 8c"'
says said 'warped-gates.md is not what its rows make'
finish
