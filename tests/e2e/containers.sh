# The two descriptions of a container take the same steps, so that what was seen of one holds for the other. With
# WARPWATT_CONTAINERS=1 and buildah (and an image debian:12 that it can get) the OCI one is built and used: minutes.
. "$HERE/lib.sh"
source=$HERE/../..
oci=$source/docs/containers/Containerfile def=$source/docs/containers/warpwatt.def
# the steps, one a line; the places where each puts the packages have one name
steps() { sed -e 's/^ *//' -e 's, *\\$,,' -e '/^$/d' -e 's,/tmp/\*\.deb,DEBS,;s,/tmp/,DEBS/,g;s,/debs/,DEBS/,g;s,/debs,DEBS,'; }
awk '/^RUN /{ on = 1; sub("^RUN ", "") } on { last = $0; print } on && !/\\$/ { on = 0 }' "$oci" | steps |
    sed -e 's/ && */\n/g' -e 's/ *&&$//' | sed '/^$/d' >oci.steps
awk '/^%/{ on = /^%post/; next } /^(Bootstrap|From|Stage):/{ on = 0 } on' "$def" | steps | grep -vx 'cd /src' >def.steps
[ "$(wc -l <oci.steps)" -ge 9 ] || fail "only $(wc -l <oci.steps) steps are read from the Containerfile"
diff oci.steps def.steps || fail "the Containerfile and warpwatt.def take other steps"
for f in "$oci" "$def"; do
    [ "$(grep -cE '^(FROM|From:) debian:12' "$f")" = 2 ] || fail "$f begins elsewhere"
done
if [ -n "${WARPWATT_CONTAINERS:-}" ]; then
    buildah bud --isolation chroot --network host -t warpwatt-test -f "$oci" "$source" >log 2>&1 || { fail "buildah"; tail -20 log; }
    c=$(buildah from --pull-never localhost/warpwatt-test) && buildah run "$c" -- warpwatt run hotspot >said 2>&1
    says said 'results checked'
    buildah rm "$c" >/dev/null
fi
finish
