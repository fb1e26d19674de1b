# SPDX-License-Identifier: MIT
# mutations.py COUNT - one file of a finished conversation is damaged at random:
# events.jsonl in half of the cases, else meta.json, events.index, or state.json. Bytes
# are overwritten, removed, zeroed, or appended; lines are doubled or swapped; the file is
# cut. `show` and `resume` end without a crash or a hang, and a failure has a message.
# If events.index or state.json is damaged, every event is shown as it was. Which events
# a damaged log loses is not checked here: tests/events/test-repair.c does.
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

count = int(sys.argv[1])
random.seed(int(os.environ.get("MUTATIONS_SEED", "1")))
work = tempfile.mkdtemp()
script = os.path.join(work, "script")
FILES = ["events.jsonl", "events.jsonl", "events.jsonl", "meta.json", "events.index",
         "state.json"]


def flip(data):
    for _ in range(random.choice([1, 1, 2, 8])):
        data[random.randrange(len(data))] = random.randrange(256)
    return data


def hole(data):
    at = random.randrange(len(data))
    del data[at:at + random.choice([1, 20, 600, 5000])]
    return data


def double(data):
    lines = data.splitlines(keepends=True)
    n = random.randrange(len(lines))
    lines.insert(random.randrange(len(lines) + 1), lines[n])
    return bytearray(b"".join(lines))


def swap(data):
    lines = data.splitlines(keepends=True)
    a, b = random.randrange(len(lines)), random.randrange(len(lines))
    lines[a], lines[b] = lines[b], lines[a]
    return bytearray(b"".join(lines))


def cut(data):
    return data[:random.randrange(len(data))]


def zeros(data):
    at = random.randrange(len(data)) & ~511
    data[at:at + 512] = bytes(len(data[at:at + 512]))
    return data


def longer(data):
    return data + bytes(random.randrange(256) for _ in range(random.randrange(1, 3000)))


HARMS = [flip, flip, hole, double, swap, cut, zeros, longer]


def mortise(state, *words):
    env = dict(os.environ, XDG_STATE_HOME=state, XDG_RUNTIME_DIR=os.path.join(work, "run"))
    return subprocess.run(["mortise", *words], env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=60)


def events(out):
    found = {}
    for line in out.decode("utf-8", "replace").splitlines():
        try:
            event = json.loads(line)
        except ValueError:
            return None
        found[event["id"]] = line
    return found


def fault(original, whole, place, state):
    """The error of a conversation whose file was damaged, or an empty string."""
    shown = mortise(state, "conversations", "show", place, "--json", "--all")
    gone = mortise(state, "resume", "--json", place, "-m", "script:" + script, "-t", "on")
    for name, done in (("show", shown), ("resume", gone)):
        if done.returncode < 0 or done.returncode >= 124:
            return "%s ended with %d" % (name, done.returncode)
        if done.returncode != 0 and not done.stderr.strip():
            return "%s failed without a sentence" % name
    if shown.returncode != 0:
        return "" if whole is None else "show: " + shown.stderr.decode()
    found = events(shown.stdout)
    if found is None:
        return "show printed what is not JSON"
    # None: the log itself is damaged
    lost = [i for i in original if whole and found.get(i) != original[i]]
    return "events %s are not as they were" % lost if lost else ""


def main():
    for name in ("ws", "state", "run"):
        os.mkdir(os.path.join(work, name), 0o700)
    with open(script, "w") as f:
        for i in range(6):
            f.write("[turn]\n[call execute_bash]\ncommand = echo %d\n\n" % i)
        f.write("[turn]\n[call finish]\nmessage = done\n\n" * 20)
    state = os.path.join(work, "state")
    done = mortise(state, "run", "-q", "-C", work + "/ws", "-m", "script:" + script, "-t", "go")
    print("1..%d" % (count + 1))
    print("%sok 1 - a conversation" % ("" if done.returncode == 0 else "not "))
    place = os.listdir(state + "/mortise/conversations")[0]
    original = events(mortise(state, "conversations", "show", place, "--json", "--all").stdout)
    bad = 0
    for n in range(count):
        hurt = os.path.join(work, "hurt")
        shutil.rmtree(hurt, ignore_errors=True)
        shutil.copytree(state, hurt)
        name, harm = random.choice(FILES), random.choice(HARMS)
        path = os.path.join(hurt, "mortise/conversations", place, name)
        with open(path, "rb") as f:
            data = bytearray(f.read())
        with open(path, "wb") as f:
            f.write(harm(data))
        whole = None if name in ("events.jsonl", "meta.json") else True
        try:
            what = fault(original, whole, place, hurt)
        except subprocess.TimeoutExpired:
            what = "it hangs"
        bad += bool(what)
        print("%sok %d - %s of %s%s" % ("not " if what else "", n + 2, harm.__name__, name,
                                       ": " + what.replace("\n", " ") if what else ""))
    shutil.rmtree(work, ignore_errors=True)
    return bad > 0


sys.exit(main())
