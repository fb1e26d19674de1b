# SPDX-License-Identifier: MIT
# confirm_cuts.py - the work of confirm-cuts.sh: a conversation in which actions
# wait for the user, its log cut after each record, and resumed from there.
import json
import os
import shutil
import subprocess
import tempfile

# Both are written after the events that they know.
UNWRITTEN = shutil.ignore_patterns("events.index", "state.json")

SCRIPT = """
[turn]
[call execute_bash]
command = echo one
[call think]
thought = two calls

[turn]
[call execute_bash]
command = echo two; true

[turn]
[call execute_bash]
command = echo three; true

[turn]
[call str_replace_editor]
command = view
path = /tmp

[turn]
[call finish]
message = done
"""
# The n-th turn of a script is the n-th reply of the conversation.
BOSS = """
[turn]
[call execute_bash]
command = echo one

[turn]
[call delegate]
agent = worker
task = look

[turn]
[turn]
[turn]

[turn]
error = rate_limit
error times = 1
error wait = 20ms
[call execute_bash]
command = echo after; true

[turn]
[call finish]
message = done
"""
WORKER = """
[turn]
[turn]

[turn]
error = rate_limit
error times = 1
error wait = 20ms
[call execute_bash]
command = echo work; true

[turn]
[call execute_bash]
command = echo more; true

[turn]
[call finish]
message = the work is done
"""
WIRING = """
[llm]
retry_min_wait = 10ms
[controller]
tools = bash, finish, delegate
delegates = worker
[controller.worker]
tools = bash, finish
llm = worker
[llm.worker]
model = script:%s
"""
# A confirm is completed with the hash of the action that waits.
ANSWERS = [{"type": "confirm", "arguments": {"command": "echo changed"}},
           {"type": "reject", "reason": "not two"},
           {"type": "reject"}, {"type": "message", "text": "continue"},
           {"type": "confirm", "always": True}]

count = 0


def tell(good, name, *details):
    global count
    count += 1
    print("%sok %d - %s" % ("" if good else "not ", count, name))
    if not good:
        for d in details:
            print("# " + str(d)[:3000].replace("\n", "\n# "))


def environment(state):
    return dict(os.environ, XDG_STATE_HOME=state)


def conversation(state):
    root = os.path.join(state, "mortise", "conversations")
    return os.path.join(root, os.listdir(root)[0])


def read_log(state):
    with open(os.path.join(conversation(state), "events.jsonl"), "rb") as f:
        return f.readlines()


def whole_run(state, workspace, script, answers, *flags):
    """Answer each question when it is asked."""
    p = subprocess.Popen(["mortise", "run", "--json", "--keep", "-m", "script:" + script,
                          "-o", "controller.confirmation=always", "-C", workspace,
                          "-t", "go", *flags], env=environment(state), text=True,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    answers = list(answers)
    for text in p.stdout:
        line = json.loads(text)
        if line.get("type") != "state":
            continue
        if line["state"] in ("awaiting_user_confirmation", "awaiting_user_input") and answers:
            answer = answers.pop(0)
            if answer["type"] == "confirm":
                answer = dict(answer, hash=line["waits"]["hash"])
            p.stdin.write(json.dumps(answer) + "\n")
            p.stdin.flush()
        if line["state"] == "finished":
            p.stdin.close()
    return p.wait()


def waiting(records):
    """The id of the action that waits, as the records say; None."""
    last = None
    for r in records:
        if r.get("args", {}).get("confirmation_state") == "awaiting_confirmation" \
                or r.get("confirmation_state") == "awaiting_confirmation":
            last = r["id"]
        elif r.get("confirms") == last or (last is not None and r.get("cause") == last):
            last = None
    return last


def check_log(name, records):
    """Nothing was sent without approval; each answer had its effect."""
    by_id = {r["id"]: r for r in records if "id" in r}
    sent = [r["action"] for r in records if r.get("record") == "dispatch"]
    bad = [i for i in sent if "confirms" not in by_id[i]
           or (by_id[i].get("confirmation_state")
               or by_id[i]["args"].get("confirmation_state")) == "rejected"]
    tell(not bad, name + " runs only what was confirmed", bad)
    causes = {r.get("cause") for r in records if "observation" in r}
    open_ = [r["id"] for r in records if "confirms" in r and r["id"] not in causes]
    tell(not open_, name + " carries out every answer", open_)


def check_cut(work, whole, lines, n):
    state = os.path.join(work, "cut%d" % n)
    shutil.copytree(whole, state, ignore=UNWRITTEN)
    with open(os.path.join(conversation(state), "events.jsonl"), "wb") as f:
        f.write(b"".join(lines[:n]))
    before = [json.loads(line) for line in lines[:n]]
    last = before[-1]
    name = "cut after record %d (%s)" % (
        n, last.get("action") or last.get("observation") or last.get("record"))
    words = [] if any(r.get("action") == "message" for r in before) else ["-t", "go"]
    result = subprocess.run(["mortise", "resume", "--json", *words], env=environment(state),
                            stdin=subprocess.DEVNULL, capture_output=True, text=True,
                            timeout=60)
    out = [json.loads(line) for line in result.stdout.splitlines()]
    log = read_log(state)
    tell(log[:n] == lines[:n], name + " keeps every whole record")
    expected = waiting(before)
    end = out[-1] if out else {}
    if expected is not None:
        tell(result.returncode == 8 and end.get("waits", {}).get("action") == expected
             and end["state"] == "awaiting_user_confirmation",
             name + " still waits for event %d" % expected, end, result.stderr)
        tell(len([r for r in map(json.loads, log[n:]) if "id" in r]) == 0,
             name + " adds no event", *log[n:])
    else:
        tell(result.returncode in (0, 8), name + " continues", result.returncode, end,
             result.stderr)
    check_log(name, [json.loads(line) for line in log])
    shutil.rmtree(state)


def write(path, text):
    with open(path, "w") as f:
        f.write(text)
    return path


def cut_all(work, workspace, script, answers, *flags):
    whole = os.path.join(work, "whole")
    os.mkdir(whole, 0o700)
    tell(whole_run(whole, workspace, script, answers, *flags) == 0,
         "the uninterrupted run ends well")
    lines = read_log(whole)
    check_log("the uninterrupted run", [json.loads(line) for line in lines])
    for n in range(1, len(lines)):
        check_cut(work, whole, lines, n)
    shutil.rmtree(whole)
    return lines


def main():
    work = tempfile.mkdtemp()
    workspace = os.path.join(work, "ws")
    os.mkdir(workspace)
    cut_all(work, workspace, write(os.path.join(work, "script"), SCRIPT), ANSWERS)
    worker = write(os.path.join(work, "worker"), WORKER)
    wiring = write(os.path.join(work, "wiring.ini"), WIRING % worker)
    lines = cut_all(work, workspace, write(os.path.join(work, "boss"), BOSS),
                    [{"type": "confirm"}] * 4, "--config", wiring)
    text = b"".join(lines)
    tell(text.count(b'"agent_state":"rate_limited"') == 2
         and text.count(b'"confirms"') == 4 and b"the work is done" in text,
         "with a delegate, answers and waits for the model")
    print("1..%d" % count)
    shutil.rmtree(work)


main()
