# SPDX-License-Identifier: MIT
"""steer.py REPLIES STEP... -- COMMAND...: hold a conversation over JSON lines, with a
model on this machine that keeps every request.

REPLIES is a JSON list of {"text", "calls": [[NAME, ARGUMENTS]], "hold": true,
"error": MESSAGE, "code": CODE}; a held reply waits for the step `release`. The n-th request gets the
n-th reply. The requests are written to the file `requests`, one per line, and the bytes of
the n-th to `body-N`.

Steps: message:TEXT, queue:TEXT, btw:TEXT, pause, resume, stop; wait:STATE; answer (of a
side question); exists:FILE; glob:PATTERN; touch:FILE; requests:N; event:TEXT (a line that contains it); kill;
prefix (each request repeats the messages of the one before). What comes is printed."""
import glob
import http.server
import json
import os
import signal
import subprocess
import sys
import threading
import time

cut = sys.argv.index("--")
replies = json.loads(open(sys.argv[1]).read())
steps, command = sys.argv[2:cut], sys.argv[cut + 1:]
requests, released = [], threading.Semaphore(0)
lock = threading.Lock()


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def answer(self, status, body):
        body = json.dumps(body).encode()
        try:
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        except OSError:
            pass  # the request was cancelled

    def do_GET(self):
        self.answer(404, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        request = json.loads(body)
        with lock:
            turn = len(requests)
            with open("body-%d" % (turn + 1), "wb") as f:
                f.write(body)
            with open("requests", "a") as f:
                f.write(json.dumps(request) + "\n")
            requests.append(request)  # last: a step that waits for it may end this process
        if turn >= len(replies):
            self.answer(400, {"error": {"message": "no reply %d" % turn}})
            return
        reply = replies[turn]
        if reply.get("hold"):
            released.acquire()
        if "error" in reply:
            self.answer(400, {"error": {"message": reply["error"],
                                        "code": reply.get("code", "context_length_exceeded")}})
            return
        calls = [{"id": "call_%d_%d" % (turn, i), "type": "function",
                  "function": {"name": name, "arguments": json.dumps(args)}}
                 for i, (name, args) in enumerate(reply.get("calls", []))]
        message = {"role": "assistant", "content": reply.get("text", "")}
        if calls:
            message["tool_calls"] = calls
        self.answer(200, {
            "id": "chatcmpl-%d" % turn, "object": "chat.completion",
            "choices": [{"index": 0, "message": message,
                         "finish_reason": "tool_calls" if calls else "stop"}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2}})


if os.path.exists("requests"):
    for old in open("requests"):
        requests.append(json.loads(old))
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
server.daemon_threads = True
threading.Thread(target=server.serve_forever, daemon=True).start()
host = subprocess.Popen(
    [*command, "-o", "llm.base_url=http://127.0.0.1:%d/v1" % server.server_port,
     "-o", "llm.stream=no", "-o", "llm.proxy="],
    env=dict(os.environ, OPENAI_API_KEY="sk-of-a-test"),
    stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
alarm = threading.Timer(60, host.kill)
alarm.start()
lines, more = [], threading.Condition()


def read():
    for text in host.stdout:
        print(text.rstrip("\n")[:700], flush=True)
        with more:
            lines.append(json.loads(text))
            more.notify_all()
    with more:
        lines.append(None)
        more.notify_all()


reader = threading.Thread(target=read)
reader.start()
at = 0  # lines that no step has waited for yet


def give_up(why):
    try:
        why += " (exit code %d)" % host.wait(1)
    except subprocess.TimeoutExpired:
        host.kill()
    print("steer.py: " + why, flush=True)
    os._exit(1)


def await_line(test, why):
    """Wait for a line that passes the test, among those that come from `at` on."""
    global at
    with more:
        while True:
            while at < len(lines):
                got = lines[at]
                if got is None:
                    give_up("the host ended: " + why)
                at += 1
                if test(got):
                    return got
            if not more.wait(60):
                give_up("no line for 60 s: " + why)


def await_true(test, why):
    for _ in range(3000):
        if test():
            return
        time.sleep(0.02)
    give_up("waited in vain: " + why)


def send(kind, **members):
    host.stdin.write(json.dumps({"type": kind, "id": "%s %s" % (kind, members), **members})
                     + "\n")
    host.stdin.flush()
    got = None
    while got is None:
        with more:
            found = [o for o in lines if o and o.get("type") == "result"
                     and o.get("id") == "%s %s" % (kind, members)]
            if found:
                got = found[-1]
            elif lines and lines[-1] is None:
                give_up("the host ended: " + kind)
            elif not more.wait(60):
                give_up("no line for 60 s: " + kind)
    if not got["ok"]:
        give_up("%s: %s" % (kind, got))


def is_prefix():
    for n in range(1, len(requests)):
        old, new = requests[n - 1]["messages"], requests[n]["messages"]
        if new[:len(old)] != old:
            give_up("request %d does not repeat the messages of the one before" % (n + 1))


for step in steps:
    name, _, value = step.partition(":")
    if name == "wait":
        await_line(lambda o: o.get("type") in ("state", "end") and o["state"] == value, step)
    elif name == "event":
        await_line(lambda o: "type" not in o and value in json.dumps(o), step)
    elif name == "answer":
        await_line(lambda o: o.get("type") == "side_answer", step)
    elif name == "exists":
        await_true(lambda: os.path.exists(value), step)
    elif name == "glob":
        await_true(lambda: glob.glob(value), step)
    elif name == "touch":
        open(value, "w").close()
    elif name == "requests":
        await_true(lambda: len(requests) >= int(value), step)
    elif name == "release":
        released.release()
    elif name == "kill":
        host.send_signal(signal.SIGKILL)
        break
    elif name == "prefix":
        is_prefix()
    elif name == "queue":
        send("message", text=value, queue=True)
    elif name in ("message", "btw"):
        send(name, text=value)
    else:
        send(name)
host.stdin.close()
host.wait()
reader.join()
alarm.cancel()
sys.exit(0)
