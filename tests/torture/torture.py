# SPDX-License-Identifier: MIT
# torture.py LIBRARY DIR SAMPLES - a scripted task with the n-th call of each kind
# failing: no crash, no hang, and nothing that was acknowledged is lost.
#
# For all calls: tests/torture/torture.py _build/dev/tests/torture/calls.so DIR 0
import glob
import json
import os
import random
import re
import shutil
import subprocess
import sys

library, directory, samples = sys.argv[1], sys.argv[2], int(sys.argv[3])
KINDS = ["memory", "write", "sync", "open", "fork"]
LIMIT = 60  # seconds: many times what a run takes
HOOKS = ["before-tool", "after-tool", "user-prompt", "stop", "session-start", "session-end"]
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


# Features that take part in the task: a setup script, a skill of the message, a rule for a file, hooks,
# the name of the repository.
FILES = {
    "script": SCRIPT,
    "hook": "#!/bin/sh\n{ cat; echo; } >>%s/hooked\n",
    "ws/.git/HEAD": "ref: refs/heads/main\n",
    "ws/.git/config": '[remote "origin"]\n\turl = https://example.org/one/two.git\n',
    "ws/.openhands/setup.sh": "echo preparing\n",
    "ws/.agents/skills/stripes.md": "---\nname: stripes\ntriggers: [task]\n---\nStripes.\n",
    "ws/.agents/skills/files.md": "---\nname: files\npaths: [made]\n---\nRules.\n",
}
OPTIONS = ["controller.setup=always", "controller.message_suffix=suffix"]


def prepare(work):
    shutil.rmtree(work, ignore_errors=True)
    for name in ("ws", "state", "run"):
        os.makedirs(os.path.join(work, name), 0o700)
    for name, text in FILES.items():
        path = os.path.join(work, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w") as f:
            f.write(text.replace("%s", work))
    os.chmod(os.path.join(work, "hook"), 0o700)


def options(work):
    hooks = ["hook.%s.event=%s" % (name, name) for name in HOOKS]
    hooks += ["hook.%s.command=%s/hook" % (name, work) for name in HOOKS]
    return [word for option in OPTIONS + hooks for word in ("-o", option)]


def run(kind, n):
    work = os.path.join(directory, "run")
    prepare(work)
    env = dict(os.environ, XDG_STATE_HOME=work + "/state", XDG_RUNTIME_DIR=work + "/run",
               LD_PRELOAD=os.path.abspath(library), TORTURE="%s:%d" % (kind, n),
               TORTURE_COUNT=work + "/count")
    words = ["mortise", "run", "--json", "-C", work + "/ws", "-m", "script:%s/script" % work,
             "-t", "a task"] + options(work)
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


# Members that differ between runs, and those that analyzers add: a failed analyzer
# leaves the risk unknown.
VARIES = {"id", "timestamp", "cause", "crc", "conversation", "session_id", "latency_ms",
          "before", "worked", "security_risk", "confirmation_state", "action_id"}


def plain(value):
    if isinstance(value, dict):
        return {name: plain(member) for name, member in value.items() if name not in VARIES
                and not (name == "action" and isinstance(member, int))}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value


def key(line):
    return json.dumps(plain(line), sort_keys=True)


def tells_failure(line):
    """An event or record that says that something failed."""
    extras = line.get("extras") or {}
    return line.get("observation") in ("error", "user_rejected") or \
        line.get("record") == "retry" or line.get("success") is False or bool(line.get("blocked")) or \
        (line.get("observation") == "agent_state_changed" and
         extras.get("agent_state") in ("error", "stopped"))


def of_call(line):
    """The call or its result, without the additions of the host for the model; or None."""
    if line.get("record") == "llm_reply" or line.get("tool_call_metadata"):
        return key({name: line[name] for name in line if name != "extended_content"})
    return None


def altered(text, told):
    """The first line that tells no failure and is not as in the undisturbed run; "".
    What else joins the conversation may be missing if the user is `told` so."""
    for line in lines(text):
        if tells_failure(line) or key(line) in expected:
            continue
        if not told or of_call(line) not in calls:
            return "not in the undisturbed run: %s" % key(line)
    return ""


def written(work):
    """The log, and the input of the hooks."""
    text = b""
    for name in glob.glob(work + "/state/mortise/conversations/*/events.jsonl") + \
            glob.glob(work + "/hooked"):
        with open(name, "rb") as f:
            text += f.read()
    return text


def fault(kind, n):
    """The error of a run whose n-th call fails, or an empty string."""
    work, code, out, err = run(kind, n)
    if code is None:
        return "it hangs"
    if code < 0 or code >= 128:
        return "signal: exit code %d: %s" % (code, err.decode("utf-8", "replace")[-300:])
    text = written(work)
    kept = set(ids(text))
    lost = [i for i in ids(out) if i not in kept]
    if lost:
        return "events that were shown are not in the log: %s" % lost
    told = err.strip() or re.search(rb'"level":"(warning|error)"', out)
    changed = altered(text, told)
    if changed:
        return changed
    # a failed call is reported to the model, and this one ignores it
    if code == 0 and not re.search(rb'"observation":"(error|user_rejected)"', text) and \
            not os.path.exists(work + "/ws/made"):
        return "success without the work"
    if code != 0 and not told and b'"error"' not in out:
        return "exit code %d without a word" % code
    return ""


random.seed(4711)
# a first run fills the caches of plugins
run("memory", 0)
work, code, out, err = run("memory", 0)
expected = {key(line) for line in lines(written(work))}
calls = {of_call(line) for line in lines(written(work))}  # None: of no call
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
