# Man pages and shell completion, which are made from the tables of the command line.
. "$HERE/lib.sh"
build=$(dirname "$WARPWATT")
PATH=$build:$PATH

# every command has a page that names every option of its help, and a reader of man pages has nothing to say
run 0 completion --names commands
commands=$(cat out)
[ "$(printf '%s\n' "$commands" | wc -l)" -gt 15 ] || fail "few commands: $commands"
run 0 manual -o man
for c in $commands; do
    [ -s "man/warpwatt-$c.1" ] || { fail "no man page of $c"; continue; }
    sed 's/\\-/-/g; s/\\f[BIR]//g' "man/warpwatt-$c.1" >page
    "$WARPWATT" help "$c" >help || fail "help $c"
    "$WARPWATT" "$c" --help >same || fail "$c --help"
    cmp -s help same || fail "help $c is not $c --help"
    says help "^usage: warpwatt $c"
    for o in $(sed -n 's/^  \(-.,\|   \) \(--[a-z-]*\).*/\2/p' help); do
        grep -q -e "$o" page || fail "warpwatt-$c.1 lacks $o"
        for shell in bash zsh; do
            grep -q -e "$o" "$build/completion/"*warpwatt || fail "$shell completion lacks $o of $c"
        done
    done
    grep -q "warpwatt.-$c (1)" man/warpwatt.1 || fail "warpwatt.1 lacks $c"
    if command -v groff >/dev/null; then
        groff -man -Tutf8 -ww "man/warpwatt-$c.1" >/dev/null 2>said
        [ -s said ] && fail "groff about warpwatt-$c.1: $(head -3 said)"
    fi
    cmp -s "man/warpwatt-$c.1" "$build/man/warpwatt-$c.1" || fail "the built page of $c is another one"
done
run 2 manual nonsense
one_sentence err
run 2 completion tcsh
one_sentence err
run 2 gpus --nonsense
one_sentence err

# names come from the lists
run 0 completion --names gpus
says out '^gtx480$'
run 0 completion --names workloads
says out '^hotspot$'
run 0 completion --names studies
says out '^origami$'
run 0 completion --names keys
says out '^sm\.scheduler=$'
run 0 completion --names savings
says out '^warped-gates$'

# what bash offers for a line that ends in the word to complete
offered() {
    bash -c '. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }
        _warpwatt; printf "%s\n" "${COMPREPLY[@]}"' - "$build/completion/warpwatt" "$@"
}
is() { want=$1; shift; got=$(offered "$@" | sort | tr '\n' ' '); [ "$got" = "$want" ] || fail "bash offers \`$got\` for $*, not \`$want\`"; }
touch notes.txt
mkdir folder
is 'chip compare completion ' warpwatt c
is '--functional ' warpwatt run --fu
is 'gtx480 gtx480-16sm gtx480-micro46 gtx480-ptxplus ' warpwatt run -g gtx480
is 'gto gty ' warpwatt run --scheduler gt
is 'hotspot ' warpwatt run -g gtx480 hots
is 'sm.scheduler= sm.scheduler_interval= sm.schedulers= ' warpwatt run -s sm.scheduler
is 'gpu-keys ' warpwatt reference gp
is 'folder ' warpwatt run -o fo
is 'notes.txt ' warpwatt doctor -- notes
is 'origami ' warpwatt study orig
if command -v fish >/dev/null; then
    fished() { HOME=$TMP XDG_CONFIG_HOME=$TMP fish --no-config -c "source $build/completion/warpwatt.fish; complete -C '$1'" | cut -f1 | tr '\n' ' '; }
    [ "$(fished 'warpwatt run --fu')" = '--functional ' ] || fail "fish offers $(fished 'warpwatt run --fu')"
    [ "$(fished 'warpwatt run --scheduler gt')" = 'gto gty ' ] || fail "fish offers $(fished 'warpwatt run --scheduler gt')"
    fished 'warpwatt chip -g gtx7' | grep -q gtx780 || fail "fish does not offer gtx780"
else
    echo "not looked at: fish (not installed)"
fi
if command -v zsh >/dev/null; then
    # a terminal of its own, in which the line is typed and completed
    cat >typed.zsh <<'ZSH'
zmodload zsh/zpty
zpty shell "PATH=$PATH TERM=dumb zsh -f -i"
zpty -w shell 'PS1=; PS2=; autoload -Uz compinit; compinit -D -u; . '$1'; LISTMAX=1000; zstyle ":completion:*" list-separator " "; echo re""ady'
while zpty -r shell line; do [[ $line == *ready* ]] && break; done
zpty -w -n shell $2$'\t'
sleep ${3:-1}
zpty -w -n shell $'\C-a\C-kecho do\\ne\n'
out=
while zpty -r shell line; do out+=$line; [[ $line == done* ]] && break; done
print -r -- $out
zpty -d shell
ZSH
    zshed() { timeout 20 zsh -f typed.zsh "$build/completion/_warpwatt" "$1" 2>&1 | tr -d '\r\a'; }
    zshed 'warpwatt run --functi' | grep -q -e '--functional' || fail "zsh does not offer --functional: $(zshed 'warpwatt run --functi' | cat -v)"
    zshed 'warpwatt chip -g gtx7' | grep -q gtx780 || fail "zsh does not offer gtx780"
else
    echo "not looked at: zsh (not installed)"
fi

# the version and the commit
run 0 --version
says out '^warpwatt [0-9]+\.[0-9]+\.[0-9]+'
# a build in a git tree says a commit that the tree knows
if git -C "$HERE" rev-parse HEAD >/dev/null 2>&1; then
    says out '\([0-9a-f]{12,}(-dirty)?\)$'
    commit=$(sed 's/.*(\([0-9a-f]*\).*/\1/' out)
    git -C "$HERE" cat-file -e "$commit^{commit}" || fail "the tree knows no commit $commit"
fi
finish
