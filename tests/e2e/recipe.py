"""Carries out the recipes of docs/ in a copy of the tree, from their very text.

What a page says in these words is done, in its order; the rest is for people:
    In `FILE`, behind `TEXT`:      the block below is put behind the first line that begins so
    In `FILE`, before `TEXT`:      ... before it
    a new file `FILE`:             the block below is the file
    `FILE`, `OLD` becomes `NEW`    the first OLD of the file
    ```sh                          every command is run; none may fail
    ```text                        each line stands somewhere in what the commands before it said
usage: recipe.py TREE PAGE
"""
import re
import subprocess
import sys

tree, page = sys.argv[1], sys.argv[2]
name = page.rsplit('/', 1)[-1]
text = open(page).read()
done = {'place': 0, 'file': 0, 'become': 0, 'command': 0, 'line': 0}


def fail(why):
    sys.exit('%s: %s' % (name, why))


def place(path, how, mark, block):
    lines = open(tree + '/' + path).read().split('\n')
    at = next((i for i, l in enumerate(lines) if l.strip().startswith(mark)), None)
    if at is None:
        fail('no line of %s begins with `%s`' % (path, mark))
    if how == 'behind':  # a statement or row may go on
        at += 1
        while at < len(lines) and lines[at - 1].rstrip()[-1:] not in (')', ';', ',', '}'):
            at += 1
    lines[at:at] = block.rstrip('\n').split('\n') + ([''] if block.endswith('\n\n') else [])
    open(tree + '/' + path, 'w').write('\n'.join(lines))
    done['place'] += 1


def run(block):
    said = ''
    for command in block.strip().split('\n'):
        r = subprocess.run(command, shell=True, cwd=tree, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said += r.stdout
        done['command'] += 1
        if r.returncode:
            fail('`%s` ended with %d:\n%s' % (command, r.returncode, r.stdout[-4000:]))
    return said


said, at = '', 0
for m in re.finditer(r'^```(\w*)\n(.*?)^```$', text, re.M | re.S):
    words = ' '.join(text[at:m.start()].split())
    at = m.end()
    for path, old, new in re.findall(r'`([\w/.-]+)`, `([^`]+)` becomes `([^`]+)`', words):
        content = open(tree + '/' + path).read()
        if old not in content:
            fail('%s has no `%s`' % (path, old))
        open(tree + '/' + path, 'w').write(content.replace(old, new, 1))
        done['become'] += 1
    kind, block = m.group(1), m.group(2)
    if kind == 'sh':
        said = run(block)
    elif kind == 'text':
        for line in block.strip().split('\n'):
            done['line'] += 1
            if line.strip() not in said:
                fail('`%s` does not stand in what the commands said:\n%s' % (line, said[-4000:]))
    else:
        to = re.search(r'In `([\w/.-]+)`, (behind|before) `([^`]+)`:$', words)
        new = re.search(r'a new file `([\w/.-]+)`:$', words, re.I)
        if to:
            place(to.group(1), to.group(2), to.group(3), block)
        elif new:
            path = tree + '/' + new.group(1)
            subprocess.run(['mkdir', '-p', path.rsplit('/', 1)[0]], check=True)
            open(path, 'w').write(block)
            done['file'] += 1
        else:
            fail('the block after "...%s" says not where it goes' % words[-60:])
if not done['command'] or not done['line']:
    fail('nothing was run, or nothing was looked at')
print('%s: %s' % (name, ', '.join('%d %s' % (n, k) for k, n in done.items() if n)))
