"""Compares the grammar of tree-sitter with the language's own parser: both accept a program, or both refuse it.

usage: tree_sitter.py CONTEXTURE TREE_SITTER GRAMMAR FOLDER

The programs are all files `*.as` of the repository (those in `editors` are tests of colours), the AgentScript blocks of its documents, and each of the
valid ones with one token left out. FOLDER is where the latter two are written.
"""

import concurrent.futures
import pathlib
import random
import re
import subprocess
import sys

# What the own parser also looks at is not in a grammar: the meaning of numbers, names that are used twice, limits of
# size, and old forms that are valid expressions today.
NOT_GRAMMAR = {
    "AS1006": "the suffix of a number",
    "AS1007": "the size of a number",
    "AS1013": "the depth of nesting",
    "AS1017": "a call within the left side of an assignment",
    "AS1018": "the name of a type",
    "AS1021": "statements of other languages, most of which read as several statements",
    "AS1023": "the size of a file",
    "AS1025": "two fields of one name",
    "AS1026": "two keys of one name",
    "AS1030": "what a bound applies to",
    "AS1031": "shapes that contain themselves",
    "AS3006": "a budget of nothing",
    "AS3007": "a word that looks like a unit, and is a statement of its own",
    "AS3013": "two clauses of one kind",
    "AS3014": "budgets of `use one of`",
    "AS7001": "`use x < n`, which shows a comparison",
    "AS7004": "the name of an option",
}
# Of each program, as many copies with one token left out.
CUT = 6
MOST_CUT_DIFFERENCES = 0.025
TOKEN = re.compile(r'"""[\s\S]*?"""|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|(?://|--).*|\w+|[-=!<>+]=|->|[^\s\w]')
HEADS = ("import ", "agent ", "main ", "func ", "shape ")


def blocks(page):
    """The AgentScript blocks of a page; one that is not a whole program is the body of a function."""
    for text in re.findall(r"^```agentscript[^\n]*\n(.*?)^```$", page.read_text(), re.M | re.S):
        whole = any(line.startswith(HEADS) for line in text.splitlines())
        yield text if whole else f"main func(input) {{\n{text}}}\n"


def tracked(*patterns):
    listed = subprocess.run(["git", "ls-files", "-z", "--", *patterns], check=True, capture_output=True, text=True)
    return [pathlib.Path(name) for name in listed.stdout.split("\0") if name]


def cuts(text, chance):
    """The text with one token left out, several times."""
    tokens = [found for found in TOKEN.finditer(text) if not found[0].startswith(("//", "--"))]
    for found in chance.sample(tokens, min(CUT, len(tokens))):
        yield text[: found.start()] + text[found.end() :]


def own_codes(contexture, path):
    """The codes of the faults that the own parser finds."""
    done = subprocess.run([contexture, "parse", path], capture_output=True, text=True, timeout=60)
    return set(re.findall(r"^error\[(AS\d+)\]", done.stderr, re.M))


def refused(tree_sitter, grammar, folder, paths):
    """The paths in which tree-sitter finds a fault."""
    listed = folder / "paths.txt"
    listed.write_text("".join(f"{path.resolve()}\n" for path in paths))
    command = [tree_sitter, "parse", "--quiet", "--grammar-path", grammar, "--paths", listed]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    found = {line.split("\t")[0].rstrip() for line in done.stdout.splitlines() if "(ERROR" in line or "(MISSING" in line}
    return {path for path in paths if str(path.resolve()) in found}


def write(folder, name, texts):
    for at, text in enumerate(texts):
        path = folder / f"{name}_{at}.as"
        path.write_text(text)
        yield path


def compare(contexture, tree_sitter, grammar, folder, paths):
    """The programs on which the two differ, and the number of those that both accept."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        codes = list(pool.map(lambda path: own_codes(contexture, path), paths))
    bad = refused(tree_sitter, grammar, folder, paths)
    different = []
    for path, found in zip(paths, codes):
        if not found and path in bad:
            different.append(f"{path}: valid, but tree-sitter refuses it")
        elif found - NOT_GRAMMAR.keys() and path not in bad:
            different.append(f"{path}: {', '.join(sorted(found))}, but tree-sitter accepts it")
    return different, [path for path, found in zip(paths, codes) if not found]


def main(contexture, tree_sitter, grammar, folder):
    grammar, folder = pathlib.Path(grammar), pathlib.Path(folder)
    pages = enumerate(tracked("README.md", "docs/*.md", "crates/script/src/codes/*.md"))
    paths = tracked("*.as", ":!editors")
    for at, page in pages:
        paths += write(folder, f"block_{at}_{page.stem}", blocks(page))
    different, valid = compare(contexture, tree_sitter, grammar, folder, paths)
    print(f"{len(paths)} programs, {len(valid)} of them valid, {len(different)} differences")
    chance = random.Random(16)
    mutated = []
    for at, path in enumerate(valid):
        mutated += write(folder, f"cut_{at}_{path.stem}", cuts(path.read_text(), chance))
    more, still = compare(contexture, tree_sitter, grammar, folder, mutated)
    print(f"{len(mutated)} programs with a token less, {len(still)} of them valid, {len(more)} differences")
    print("\n".join(different + more[:20]))
    # Some halves of a clause are names to the grammar, as in `use max 2k`: they may be few.
    return 1 if different or len(more) > MOST_CUT_DIFFERENCES * len(mutated) else 0


sys.exit(main(*sys.argv[1:]))
