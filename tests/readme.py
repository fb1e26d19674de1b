# SPDX-License-Identifier: MIT
"""readme.py - see readme.sh."""
import os
import re
import subprocess
import sys

os.chdir(os.environ["top_srcdir"])


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def rows(heading):
    """The rows of the first table after a heading line, as lists of cells."""
    found = []
    for line in read("README.md").split("\n%s\n" % heading, 1)[1].split("\n"):
        if line.startswith("|"):
            found.append([cell.strip() for cell in line.strip("|").split("|")])
        elif found:
            break
    return found[2:]


def difference(what, listed, real):
    """What only one of two lists has, and what README.md names twice."""
    for item in sorted(set(listed) | set(real)):
        if listed.count(item) != 1 or item not in real:
            yield "%s: %d times in README.md, %sin %s" % (
                item, listed.count(item), "" if item in real else "not ", what)


def packages():
    listed = [name for row in rows("## Install") for name in re.findall(r"`([^`]+)`", row[1])]
    real = re.findall(r"^(?:build|full) (\S+)$", read("packages/debian"), re.M)
    return difference("packages/debian", listed, real)


def modules():
    listed = [name for row in rows("## Install") for name in re.findall(r"`([^`]+)`", row[2])]
    real = re.findall(r"PKG_CHECK_MODULES\(\[\w+\], \[([^\]]+)\]", read("configure.ac"))
    return difference("configure.ac", listed, real)


def figures():
    if subprocess.call([sys.executable, "-B", "bench/readme", "--check"]):
        yield "README.md does not have the figures of bench/figures.json; run bench/readme"


def report(number, name, found):
    for fault in found:
        print("# " + fault)
    print("%sok %d - %s" % ("not " if found else "", number, name))


print("1..3")
report(1, "the table of dependencies lists the packages to build", list(packages()))
report(2, "the table of dependencies lists what configure looks for", list(modules()))
report(3, "the figures are those of bench/figures.json", list(figures()))
