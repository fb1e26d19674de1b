# SPDX-License-Identifier: MIT
# real-packs.py - see real-packs.sh.
import json, os, subprocess, tarfile, tempfile

prefix = os.environ["SKILL_PACKS"] + "/node_modules/"
tree = prefix + "@openhands/extensions"
ref = prefix + ".bin/skills-ref"
work = tempfile.mkdtemp(dir=os.environ["MORTISE_TEST_HOME"])
os.environ["XDG_DATA_HOME"] = work + "/data"
os.environ["MORTISE_SKILLS_BUNDLED"] = ""
count = 0


def report(name, faults):
    global count
    count += 1
    print("%s %d - %s" % ("not ok" if faults else "ok", count, name))
    for f in faults:
        print("#", f)


def mortise(*args):
    r = subprocess.run(["mortise", "skills", *args], capture_output=True, text=True)
    if r.returncode:
        raise SystemExit("Bail out! mortise skills %s: %s" % (" ".join(args), r.stderr))
    return r.stdout


def found():
    """SKILL.md files below the tree, by path."""
    return sorted(os.path.relpath(os.path.join(at, f), tree) for at, _, files in os.walk(tree)
                  for f in files if f.lower() == "skill.md")


def check(name, listed, problems, missing_prefix):
    """Each file is there, or a line says why not."""
    sources = {s["source"] for s in listed}
    lines = problems.splitlines()
    faults = []
    for path in found():
        full = missing_prefix + path
        if full not in sources and not any(l.startswith(full + ": ") for l in lines):
            faults.append(path)
    report("%s: %d of %d are listed, the others refused with a reason"
           % (name, sum(missing_prefix + p in sources for p in found()), len(found())),
           faults)


def check_words(name, listed, below):
    """Those that the reference takes for valid have its names and descriptions."""
    faults, good = [], 0
    ours = {s["source"]: s for s in listed}
    for path in found():
        directory = os.path.dirname(os.path.join(tree, path))
        s = ours.get(below + path)
        r = subprocess.run([ref, "read-properties", directory], capture_output=True, text=True)
        valid = subprocess.run([ref, "validate", directory], capture_output=True).returncode == 0
        if r.returncode or not s:
            if valid:
                faults.append("%s: valid, and not listed" % path)
            continue
        theirs = json.loads(r.stdout)
        good += valid
        for key in "name", "description":
            if s[key] != theirs[key]:
                faults.append("%s: %s is %r, by the reference %r"
                              % (path, key, s[key], theirs[key]))
    report("%s: names and descriptions are the reference's, of %d valid ones too"
           % (name, good), faults)


archive = work + "/extensions.tar.gz"
with tarfile.open(archive, "w:gz") as t:
    t.add(tree, "package")
listed = json.loads(mortise("show", archive, "--json"))
check("archive", listed, mortise("show", archive), "package/")
if os.path.exists(ref):
    check_words("archive", listed, "package/")
else:
    count += 1
    print("ok %d # SKIP skills-ref is not there" % count)
mortise("install", archive)
installed = json.loads(mortise("list", "--json", "-C", work))
report("installed: as many", [] if len(installed) == len(listed) else [len(installed)])
empty = [s["name"] for s in installed if mortise("show", s["name"], "-C", work).count("\n") < 4]
report("installed: each has a text", empty)
option = "skills.path=" + tree + "/skills"
os.environ["XDG_DATA_HOME"] = work + "/none"
here = [p[len("skills/"):] for p in found() if p.startswith("skills/")]
directory = json.loads(mortise("list", "--json", "-C", work, "-o", option))
problems = mortise("list", "--problems", "-C", work, "-o", option)
names = {s["source"] for s in directory}
report("directory: %d of %d" % (len(directory), len(here)),
       [p for p in here if tree + "/skills/" + p not in names
        and tree + "/skills/" + p not in problems])
print("1..%d" % count)
