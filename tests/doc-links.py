# SPDX-License-Identifier: MIT
"""doc-links.py - see doc-links.sh."""
import glob
import os
import re

os.chdir(os.environ["top_srcdir"])
FILES = sorted(glob.glob("*.md") + glob.glob("doc/*.md") + glob.glob("*/README.md")
               + glob.glob("examples/*/README.md"))


def anchors(path):
    """The anchors that GitHub gives to the headings of a file."""
    with open(path, encoding="utf-8") as file:
        heads = re.findall(r"^#+ (.*)$", file.read(), re.M)
    return {re.sub(r"[^\w\- ]", "", head.lower()).replace(" ", "-") for head in heads}


def faults(path):
    with open(path, encoding="utf-8") as file:
        text = file.read()
    for place, anchor in re.findall(r"\]\(([^)#\s]*)(#[^)\s]*)?\)", text):
        if re.match(r"[a-z]+:", place):
            continue
        target = os.path.normpath(os.path.join(os.path.dirname(path), place)) if place else path
        if not os.path.exists(target):
            yield "%s: %s does not exist" % (path, place)
        elif anchor and target.endswith(".md") and anchor[1:] not in anchors(target):
            yield "%s: %s has no heading %s" % (path, target, anchor)


def missing_paths(path):
    """Files and directories that a table names in backticks. A bare name is next to the one
    before it; NAME, KIND and PROVIDER stand for any."""
    with open(path, encoding="utf-8") as file:
        lines = [line for line in file if line.startswith("| ")]
    for line in lines:
        directory = ""
        for name in re.findall(r"`([\w./-]+)`", line):
            if re.search(r"NAME|KIND|PROVIDER|SHA256", name) or not re.search(r"/|\.[ch]$|\.md$", name):
                continue
            places = [name, os.path.join("tests", name), os.path.join(directory, name)]
            found = [place for place in places if os.path.exists(place)
                     or os.path.exists(place + ".c") or glob.glob(place + "/")]
            if not found:
                yield "%s: `%s` does not exist" % (path, name)
            elif "/" in name:
                directory = os.path.dirname(found[0])


def report(number, name, found):
    for fault in found:
        print("# " + fault)
    print("%sok %d - %s" % ("not " if found else "", number, name))


print("1..3")
report(1, "links lead to files and headings", [f for path in FILES for f in faults(path)])
with open("doc/README.md", encoding="utf-8") as index:
    listed = set(re.findall(r"\]\(([^)#]+)", index.read()))
report(2, "doc/README.md lists every page",
       [path for path in glob.glob("doc/*.md")
        if os.path.basename(path) not in listed | {"README.md"}])
report(3, "the tables of CONTRIBUTING and architecture.md name what exists",
       [f for path in ("CONTRIBUTING.md", "doc/architecture.md") for f in missing_paths(path)])
