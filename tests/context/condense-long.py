# SPDX-License-Identifier: MIT
"""condense-long.py - see condense-long.sh. A model of our own making looks at every
request it gets and keeps its own account."""
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading

STEPS = int(os.environ.get("CONDENSE_STEPS", "120"))
PRICE_IN, PRICE_OUT = 2e-6, 8e-6
FIRST, RULES = "FIRST-MESSAGE walk through the house", "RUNTIME_INFORMATION"

WIRINGS = {
    "noop": ("noop", [], None),
    "recent": ("r", ["condenser.r.plugin=recent", "condenser.r.max_events=20",
                     "condenser.r.keep_first=1"], 20),
    "amortized": ("a", ["condenser.a.plugin=amortized", "condenser.a.max_size=30",
                        "condenser.a.keep_first=3"], 30),
    "observation_masking": ("m", ["condenser.m.plugin=observation_masking",
                                  "condenser.m.attention_window=10"], None),
    "browser_output_masking": ("browser_output_masking", [], None),
    "conversation_window": ("conversation_window", [], 60),
    "llm": ("l", ["condenser.l.plugin=llm", "condenser.l.max_size=30",
                  "condenser.l.keep_first=3"], 30),
    "structured": ("s", ["condenser.s.plugin=structured", "condenser.s.max_size=30",
                         "condenser.s.keep_first=3"], 30),
    "llm_attention": ("t", ["condenser.t.plugin=llm_attention",
                            "condenser.t.max_size=30", "condenser.t.keep_first=3"], 30),
    "pipeline": ("m,l", ["condenser.m.plugin=observation_masking",
                         "condenser.m.attention_window=10", "condenser.l.plugin=llm",
                         "condenser.l.max_size=30", "condenser.l.keep_first=3"], 30),
}


class Account:
    """Counts and errors of the requests of one conversation."""

    def __init__(self, limit):
        self.lock = threading.Lock()
        self.limit = limit          # messages; then the window is full. None: never
        self.requests = self.condensations = self.refused = self.steps = 0
        self.most = 0
        self.cost = 0.0
        self.faults = []

    def fault(self, text):
        if len(self.faults) < 5:
            self.faults.append("request %d: %s" % (self.requests, text))


def text_of(message):
    content = message.get("content") or ""
    if isinstance(content, list):
        content = "".join(p.get("text", "") for p in content)
    return content


def check(account, messages):
    """Every call has its result right behind it, and no result is alone."""
    waiting = []
    for m in messages:
        if m["role"] == "tool":
            if m["tool_call_id"] not in waiting:
                account.fault("a result without its call: " + m["tool_call_id"])
            else:
                waiting.remove(m["tool_call_id"])
            continue
        if waiting:
            account.fault("calls without results: %s" % waiting)
        waiting = [c["id"] for c in m.get("tool_calls") or []]
    if waiting:
        account.fault("calls without results at the end: %s" % waiting)
    if messages[0]["role"] != "system":
        account.fault("no system text")
    users = [text_of(m) for m in messages if m["role"] == "user"]
    if not any(FIRST in u for u in users):
        account.fault("the first user message is gone")
    if not any(RULES in u for u in users):
        account.fault("the context of the workspace is gone")


def call(number, name, arguments):
    return {"id": "call_%d" % number, "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)}}


def answer(account, body):
    """The next reply: two calls at every third step, so that batches are cut too."""
    messages = body["messages"]
    tools = {t["function"]["name"] for t in body.get("tools", [])}
    if "create_state_summary" in tools:
        account.condensations += 1
        return {"role": "assistant", "content": None, "tool_calls": [
            call(10 ** 6 + account.requests, "create_state_summary",
                 {"user_context": "SUMMARY of the walk", "completed_tasks": "some",
                  "pending_tasks": "the rest"})]}
    if not tools:
        account.condensations += 1
        if "response_format" in body:
            return {"role": "assistant", "content": json.dumps({"ids": [5, 6, 7]})}
        return {"role": "assistant", "content": "SUMMARY of the walk"}
    check(account, messages)
    account.most = max(account.most, len(messages))
    account.steps += 1
    if account.steps > STEPS:
        return {"role": "assistant", "content": "Done.", "tool_calls": [
            call(account.steps * 10, "finish", {"message": "walked"})]}
    names = [call(account.steps * 10 + i, "bash", {"command": "echo room %d" % account.steps})
             for i in range(2 if account.steps % 3 == 0 else 1)]
    return {"role": "assistant", "content": "on to room %d" % account.steps,
            "tool_calls": names}


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def reply(self, status, value):
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def do_POST(self):
        account = self.server.account
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with account.lock:
            account.requests += 1
            if account.limit and len(body["messages"]) > account.limit:
                account.refused += 1
                return self.reply(400, {"error": {
                    "message": "This model's maximum context length is exceeded",
                    "type": "invalid_request_error", "code": "context_length_exceeded"}})
            message = answer(account, body)
            used = {"prompt_tokens": 100 * len(body["messages"]), "completion_tokens": 20}
            account.cost += (used["prompt_tokens"] * PRICE_IN
                             + used["completion_tokens"] * PRICE_OUT)
        return self.reply(200, {
            "id": "r%d" % account.requests, "model": "walker", "usage": used,
            "choices": [{"index": 0, "finish_reason": "stop", "message": message}]})

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64


def run(name, top):
    wired, options, most = WIRINGS[name]
    account = Account(40 if name == "conversation_window" else None)
    server = Server(("127.0.0.1", 0), Model)
    server.account = account
    threading.Thread(target=server.serve_forever, daemon=True).start()
    state = os.path.join(top, name)
    os.makedirs(state, mode=0o700)
    workspace = os.path.join(top, name + "-ws")
    os.mkdir(workspace)
    command = ["mortise", "run", "-C", workspace, "--model", "openai/walker",
               "-o", "llm.base_url=http://127.0.0.1:%d/v1" % server.server_port,
               "-o", "llm.input_cost_per_token=%r" % PRICE_IN,
               "-o", "llm.output_cost_per_token=%r" % PRICE_OUT,
               "-o", "llm.stream=no", "-o", "llm.native_tool_calling=yes",
               "-o", "core.sync=none",
               "-o", "controller.stuck_detection=no", "-o", "controller.condensers=" + wired,
               "-o", "controller.max_iterations=100000", "-t", FIRST]
    for option in options:
        command += ["-o", option]
    env = dict(os.environ, XDG_STATE_HOME=state, OPENAI_API_KEY="key-of-the-test")
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=600)
    server.shutdown()
    return account, done, state, most


def report(number, good, text):
    print("%s %d - %s" % ("ok" if good else "not ok", number, text), flush=True)
    return number + 1


def cost_of(state):
    """The sum of the log: what replies and condensers cost."""
    total = 0.0
    for directory, _, files in os.walk(state):
        if "events.jsonl" not in files:
            continue
        spent = 0.0
        with open(os.path.join(directory, "events.jsonl"), encoding="utf-8") as lines:
            for line in lines:
                record = json.loads(line)
                if record.get("record") == "llm_reply":
                    total += record.get("usage", {}).get("cost", 0)
                if record.get("record") == "state" and record.get("plugin") == "condensers":
                    spent = json.loads(record["text"]).get("cost", 0)
        total += spent
    return total


def main():
    top = tempfile.mkdtemp(prefix="mortise-condense-")
    number = 1
    for name in WIRINGS:
        account, done, state, most = run(name, top)
        for fault in account.faults:
            print("# " + fault)
        if done.returncode:
            print("# " + done.stdout[-1500:].replace("\n", "\n# "))
            print("# " + done.stderr[-500:].replace("\n", "\n# "))
        number = report(number, done.returncode == 0, name + ": ends well")
        number = report(number, not account.faults, name + ": every request is whole")
        number = report(number, most is None or account.most <= most + 6,
                        "%s: at most %d messages in a request" % (name, account.most))
        bill = cost_of(state)
        number = report(number, abs(bill - account.cost) < 1e-9,
                        "%s: %d requests, %d to condense, $%.6f are logged as $%.6f"
                        % (name, account.requests, account.condensations, account.cost,
                           bill))
    print("1..%d" % (number - 1))
    shutil.rmtree(top)


main()
