# SPDX-License-Identifier: MIT
# torture.py LIBRARY DIR SAMPLES - a scripted task with the n-th call of each kind
# failing: no crash, no hang, and nothing that was acknowledged is lost.
#
# For all calls: tests/torture/torture.py _build/dev/tests/torture/calls.so DIR 0
import glob
import json
import os
import random
import shutil
import subprocess
import sys

library, directory, samples = sys.argv[1], sys.argv[2], int(sys.argv[3])
KINDS = ["memory", "write", "sync", "open", "fork"]
LIMIT = 60  # seconds: many times what a run takes
SCRIPT = """[turn]
text = I look.
usage = input 10, output 2
[call execute_bash]
command = echo one
[call think]
thought = two calls

[turn]
[call str_replace_editor]
command = create
path = %s/ws/made
file_text = text

[turn]
[call finish]
message = done
"""


def run(kind, n):
    work = os.path.join(directory, "run")
    shutil.rmtree(work, ignore_errors=True)
    for name in ("ws", "state", "run"):
        os.makedirs(os.path.join(work, name), 0o700)
    with open(os.path.join(work, "script"), "w") as f:
        f.write(SCRIPT % work)
    env = dict(os.environ, XDG_STATE_HOME=work + "/state", XDG_RUNTIME_DIR=work + "/run",
               LD_PRELOAD=os.path.abspath(library), TORTURE="%s:%d" % (kind, n),
               TORTURE_COUNT=work + "/count")
    words = ["mortise", "run", "--json", "-C", work + "/ws", "-m", "script:%s/script" % work,
             "-t", "a task"]
    try:
        done = subprocess.run(words, env=env, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=LIMIT)
    except subprocess.TimeoutExpired:
        return work, None, b"", b""
    return work, done.returncode, done.stdout, done.stderr


def ids(text):
    found = []
    for line in text.decode("utf-8", "replace").splitlines():
        try:
            found.append(json.loads(line)["id"])
        except (ValueError, KeyError, TypeError):
            pass
    return found


def lines(text):
    """The whole lines of a log."""
    found = []
    for line in text.decode("utf-8", "replace").splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            pass
    return found


def plain(args):
    """Arguments without what the analyzers add: one that fails leaves the risk unknown."""
    return {name: args[name] for name in args or {}
            if name not in ("security_risk", "confirmation_state")}


def steps(text):
    """What the log says of each call: the action, its observation, and the reply."""
    found = {}
    for line in lines(text):
        call = (line.get("tool_call_metadata") or {}).get("tool_call_id")
        if line.get("record") == "llm_reply":
            key = line["response_id"]
            found[key] = {name: line.get(name) for name in ("text", "calls", "usage")}
        elif call and "action" in line:
            found["action " + call] = {"action": line["action"], "args": plain(line.get("args"))}
        elif call and "observation" in line:
            found["observation " + call] = {
                "observation": line["observation"], "content": line.get("content")}
    return found


def altered(text):
    """The first step that is not an error and not as in the undisturbed run; ""."""
    for key, step in steps(text).items():
        if step.get("observation") != "error" and step != expected.get(key):
            return "%s is %s" % (key, json.dumps(step))
    return ""


def fault(kind, n):
    """What is wrong with a run whose n-th call fails; ""."""
    work, code, out, err = run(kind, n)
    if code is None:
        return "it hangs"
    if code < 0 or code >= 128:
        return "signal: exit code %d: %s" % (code, err.decode("utf-8", "replace")[-300:])
    logs = glob.glob(work + "/state/mortise/conversations/*/events.jsonl")
    kept, text = set(), b""
    for log in logs:
        with open(log, "rb") as f:
            text += f.read()
    kept.update(ids(text))
    lost = [i for i in ids(out) if i not in kept]
    if lost:
        return "events that were shown are not in the log: %s" % lost
    changed = altered(text)
    if changed:
        return changed
    # a failed call is reported to the model, and this one ignores it
    if code == 0 and b'"observation":"error"' not in text and \
            not os.path.exists(work + "/ws/made"):
        return "success without the work"
    if code != 0 and not err.strip() and b'"level":"error"' not in out and \
            b'"error"' not in out:
        return "exit code %d without a word" % code
    return ""


random.seed(4711)
# a first run fills the caches of plugins
run("memory", 0)
work, code, out, err = run("memory", 0)
with open(glob.glob(work + "/state/mortise/conversations/*/events.jsonl")[0], "rb") as f:
    expected = steps(f.read())
cases = []
for kind in KINDS:
    work, code, out, err = run(kind, 0)
    with open(work + "/count") as f:
        total = int(f.read())
    print("# %s: %d calls" % (kind, total))
    every = list(range(1, total + 1))
    share = samples // len(KINDS)
    if samples and share + 8 < total:
        # the first ones fail inside of libraries that start
        every = every[:8] + random.sample(every[8:], share)
    cases += [(kind, n) for n in every]
print("1..%d" % len(cases))
bad = 0
for number, (kind, n) in enumerate(cases, 1):
    what = fault(kind, n)
    bad += bool(what)
    print("%s %d - %s %d%s" % ("not ok" if what else "ok", number, kind, n,
                               ": " + what.replace("\n", " ") if what else ""))
    sys.stdout.flush()
print("# %d cases, %d failed" % (len(cases), bad))
sys.exit(bad > 0)
