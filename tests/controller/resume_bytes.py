# SPDX-License-Identifier: MIT
# resume_bytes.py - the work of resume-bytes.sh: a model on this machine that
# answers by the number of its replies in the request, and keeps every body.
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading

# Both are written after the events that they know.
UNWRITTEN = shutil.ignore_patterns("events.index", "state.json")

TURNS = [
    [("execute_bash", {"command": "echo one; export A=1"})],
    [("execute_bash", {"command": "printf 'a\\nb\\n' > t.txt; cat t.txt"}),
     ("think", {"thought": "two calls in one reply"})],
    [("str_replace_editor", {"command": "view", "path": "@/t.txt"})],
    [("no_such_tool", {"x": 1}), ("execute_bash", {"command": "echo three"})],
    [("execute_bash", {"wrong": True})],
    [("finish", {"message": "done"})],
]


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bodies = []
    workspace = ""

    def log_message(self, *args):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = json.loads(body)
        turn = sum(m["role"] == "assistant" for m in request["messages"])
        Model.bodies.append((turn, body))
        calls = [{"id": "call_%d_%d" % (turn, i), "type": "function",
                  "function": {"name": name, "arguments":
                               json.dumps(args).replace("@", Model.workspace)}}
                 for i, (name, args) in enumerate(TURNS[turn])]
        answer = json.dumps({
            "id": "chatcmpl-%d" % turn, "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": "turn %d" % turn, "tool_calls": calls}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


def mortise(state, *words):
    env = dict(os.environ, XDG_STATE_HOME=state, OPENAI_API_KEY="sk-of-a-test")
    return subprocess.run(["mortise", *words], env=env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)


class Result:
    def __init__(self, returncode, stderr):
        self.returncode, self.stderr = returncode, stderr


def approving(state, *words):
    """The same with a user who approves everything, and changes the first command."""
    env = dict(os.environ, XDG_STATE_HOME=state, OPENAI_API_KEY="sk-of-a-test")
    p = subprocess.Popen(["mortise", *words, "-o", "controller.confirmation=always",
                          "-o", "controller.on_ask=stop"], env=env,
                         stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                         text=True)
    asked = None
    for text in p.stdout:
        line = json.loads(text)
        waits = line.get("waits")
        if not waits or waits["action"] == asked or line["type"] == "end":
            continue
        asked = waits["action"]
        answer = {"type": "confirm", "hash": waits["hash"]}
        if "`echo one;" in waits["scopes"][0]["text"]:
            answer["arguments"] = {"command": "echo changed; export A=1"}
        p.stdin.write(json.dumps(answer) + "\n")
        p.stdin.flush()
    return Result(p.wait(), p.stderr.read())


def conversation(state):
    root = os.path.join(state, "mortise", "conversations")
    return os.path.join(root, os.listdir(root)[0])


count = 0


def tell(good, name, *details):
    global count
    count += 1
    print("%sok %d - %s" % ("" if good else "not ", count, name))
    if not good:
        for d in details:
            print("# " + str(d)[:2000].replace("\n", "\n# "))


def first_difference(a, b):
    for i, (x, y) in enumerate(zip(a, b)):
        if x != y:
            return "from byte %d:\n%s\n%s" % (i, a[i - 60:i + 200], b[i - 60:i + 200])
    return "lengths %d and %d" % (len(a), len(b))


def check_cut(work, whole, lines, n, wanted, run):
    """The log ends after its record n: resume from there."""
    state = work + "-cut%d" % n
    shutil.copytree(whole, state, ignore=UNWRITTEN)
    log = os.path.join(conversation(state), "events.jsonl")
    with open(log, "wb") as f:
        f.write(b"".join(lines[:n]))
    last = json.loads(lines[n - 1])
    Model.bodies = []
    words = ["resume", "--json"]
    if not any(b'"action":"message"' in line for line in lines[:n]):
        words += ["-t", "go"]
    result = run(state, *words)
    name = "cut after record %d (%s)" % (
        n, last.get("action") or last.get("observation") or last.get("record"))
    tell(result.returncode == 0, name + " ends well", result.returncode, result.stderr)
    with open(log, "rb") as f:
        kept = f.read().startswith(b"".join(lines[:n]))
    tell(kept, name + " keeps every whole record")
    if last.get("record") == "dispatch":
        return  # the result of the call is unknown: the model gets a notice
    for turn, body in Model.bodies:
        if body != wanted.get(turn):
            tell(False, name + " sends the same bytes", "turn %d" % turn,
                 first_difference(body, wanted.get(turn, b"")))
            return
    tell(True, name + " sends the same bytes")


def check_all(work, workspace, url, run, name):
    whole = os.path.join(work, name)
    os.mkdir(whole, 0o700)
    Model.bodies = []
    result = run(whole, "run", "--json", "-m", "openai/test", "-o", url, "-C", workspace,
                 "-t", "go")
    tell(result.returncode == 0, "the uninterrupted run ends well", result.stderr)
    wanted = dict(Model.bodies)
    tell(len(wanted) == len(TURNS), "it asks once a turn", sorted(wanted))
    with open(os.path.join(conversation(whole), "events.jsonl"), "rb") as f:
        lines = f.readlines()
    for n in range(1, len(lines)):
        check_cut(os.path.join(work, name), whole, lines, n, wanted, run)
    return wanted


def main():
    work = tempfile.mkdtemp()
    workspace = os.path.join(work, "ws")
    os.mkdir(workspace)
    Model.workspace = workspace
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = "llm.base_url=http://127.0.0.1:%d/v1" % server.server_port
    check_all(work, workspace, url, mortise, "whole")
    wanted = check_all(work, workspace, url, approving, "approved")
    tell(b"Executed command: echo changed" in wanted[1] and b"echo one" in wanted[1],
         "the model reads what it asked for and what ran")
    print("1..%d" % count)
    shutil.rmtree(work)


main()
