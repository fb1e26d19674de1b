# SPDX-License-Identifier: MIT
"""talk.py STEP... -- COMMAND...: hold a conversation over JSON lines.

Steps: message:TEXT, wait:STATE, rewind:N, recover:N, undo[:N], loop_recovery:N,
resume, pause, stop, or a command as JSON; fail:STEP must be refused. What comes is printed."""
import json
import subprocess
import sys
import threading

cut = sys.argv.index("--")
steps, command = sys.argv[1:cut], sys.argv[cut + 1:]
host = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
alarm = threading.Timer(60, host.kill)
alarm.start()


def line():
    text = host.stdout.readline()
    if not text:
        sys.exit("the host ended")
    print(text, end="")
    return json.loads(text)


def command_of(step):
    if step.startswith("{"):
        return json.loads(step)
    name, _, value = step.partition(":")
    if name == "loop_recovery":
        return {"type": "action", "action": {"action": name, "args": {"option": int(value)}}}
    members = {"message": "text", "rewind": "to", "recover": "option", "undo": "messages"}
    o = {"type": name}
    if value:
        o[members[name]] = value if name == "message" else int(value)
    return o


def send(step, good):
    host.stdin.write(json.dumps({**command_of(step), "id": step}) + "\n")
    host.stdin.flush()
    while True:
        got = line()
        see(got)
        if got.get("type") == "result":
            break
    if got["ok"] != good:
        sys.exit("%s: %s" % (step, got))


seen = []  # states that no one waited for yet


def see(got):
    if got.get("type") in ("state", "end"):
        seen.append(got["state"])


for step in steps:
    if step.startswith("wait:"):
        while step[5:] not in seen:
            see(line())
        del seen[:seen.index(step[5:]) + 1]
    elif step.startswith("fail:"):
        send(step[5:], False)
    else:
        del seen[:]
        send(step, True)
host.stdin.close()
for text in host.stdout:
    print(text, end="")
host.wait()
alarm.cancel()
