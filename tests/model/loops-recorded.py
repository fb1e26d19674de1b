# SPDX-License-Identifier: MIT
"""loops-recorded.py VECTORS: import recorded runs and resume them with a model that would
finish: are the loops found that were recorded, and no others? Rules as in OpenHands."""
import json
import os
import subprocess
import sys

RULES = ["controller.stuck_compare=exit_code", "controller.stuck_compare_thought=yes",
         "controller.stuck_identical=0", "controller.stuck_nudge=no"]


def linked(history):
    """The events with ids and causes: the recordings leave out some of them. None: the
    last action has no result, so that resuming would execute it."""
    events, action = [], None
    for i, event in enumerate(history):
        event = dict(event, id=i)
        event.pop("cause", None)
        if "observation" in event and action is not None:
            event["cause"], action = action, None
        elif event.get("action") not in (None, "message", "null"):
            action = i
        events.append(event)
    return events if action is None else None


def loop_of(number, case, history):
    """The loop that resuming reports; None: the model was asked."""
    home = os.path.abspath(str(number))
    os.makedirs(home + "/ws")
    os.mkdir(home + "/state", 0o700)
    env = dict(os.environ, XDG_STATE_HOME=home + "/state")
    with open(home + "/run.json", "w") as f:
        json.dump(history, f)
    with open(home + "/script", "w") as f:
        f.write("[turn]\n[call finish]\nmessage = Asked.\n")
    subprocess.run(["mortise", "conversations", "import", home + "/run.json"], env=env,
                   check=True, stdout=subprocess.DEVNULL)
    command = ["mortise", "resume", "-j", "-C", home + "/ws", "-m", "script:" + home + "/script",
               "last"]
    if not case["headless"]:
        command.append("-k")
    for rule in RULES:
        command += ["-o", rule]
    host = subprocess.Popen(command, env=env, text=True, stdout=subprocess.PIPE,
                            stdin=subprocess.DEVNULL if case["headless"] else subprocess.PIPE)
    if not case["headless"]:
        host.stdin.write('{"type":"resume","id":"1"}\n')
        host.stdin.flush()
    loop, asked = None, False
    for line in host.stdout:
        event = json.loads(line)
        if event.get("observation") == "loop_detection":
            loop = event["extras"]["loop_type"]
        asked = asked or event.get("action") == "finish"
        if host.stdin and event.get("type") == "state" and event["state"] in ("paused", "finished"):
            host.stdin.close()
    status = host.wait()
    if not loop and not asked:
        raise SystemExit("%s: neither a loop nor a request (exit code %d)" % (case["name"], status))
    if case["headless"] and status != (7 if loop else 0):
        raise SystemExit("%s: exit code %d" % (case["name"], status))
    return loop


with open(sys.argv[1]) as f:
    cases = [c for c in json.load(f)["cases"] if c["version"] == "v0" and c["history"]]
found = wrong = skipped = 0
for number, case in enumerate(cases):
    history = linked(case["history"])
    if history is None:
        skipped += 1
        continue
    want = case["analysis"]["loop_type"] if case["stuck"] else None
    got = loop_of(number, case, history)
    if got != want:
        print("%d %s: %s, not %s" % (number, case["name"], got, want))
    found += got is not None and got == want
    wrong += got != want
print("%d loops found, %d wrong, %d without a last result" % (found, wrong, skipped))
sys.exit(wrong != 0)
