# SPDX-License-Identifier: MIT
"""wire.py - a conversation of many steps over HTTP, for tests: a server that keeps
each request as it came, the task, mortise itself, and what must be true after it.

It works out the bill on its own, from the model table and the usage that was sent."""
import fnmatch
import json
import os
import re
import socket
import socketserver
import struct
import subprocess
import sys
import threading
import time

TOP = os.environ.get("top_srcdir", ".")
STEPS = 30  # calls of tools; one reply more finishes
REPLY_TIMEOUT = 60


# ---- the server ----------------------------------------------------------

class Request:
    def __init__(self, number, head, body):
        lines = head.decode("latin-1").split("\r\n")
        self.number, self.body, self.when = number, body, time.monotonic()
        self.method, self.path, _ = lines[0].split(" ", 2)
        self.headers = dict((k.lower(), v.strip()) for k, v in
                            (line.split(":", 1) for line in lines[1:] if ":" in line))

    def json(self):
        return json.loads(self.body)


class Wire(socketserver.ThreadingTCPServer):
    """One request a connection: kept, then answered by answer(request, socket)."""
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, answer):
        super().__init__(("127.0.0.1", 0), Handler)
        self.port, self.answer, self.requests = self.server_address[1], answer, []
        self.lock = threading.Lock()
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], OSError):
            super().handle_error(request, client_address)

    def stop(self):
        self.shutdown()
        self.server_close()


class Handler(socketserver.BaseRequestHandler):
    def handle(self):
        data = b""
        while b"\r\n\r\n" not in data:
            more = self.request.recv(65536)
            if not more:
                return
            data += more
        head, body = data.split(b"\r\n\r\n", 1)
        size = re.search(rb"(?i)^content-length: *(\d+)", head, re.M)
        while size and len(body) < int(size.group(1)):
            more = self.request.recv(65536)
            if not more:
                return
            body += more
        with self.server.lock:
            asked = Request(len(self.server.requests), head, body)
            self.server.requests.append(asked)
        self.server.answer(asked, self.request)


def reset(s):
    """Close it so that the other side gets an error."""
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


def passed_on(port):
    """An answer() that asks the server at `port`, byte for byte."""
    def answer(asked, client):
        headers = {k: v for k, v in asked.headers.items() if k not in ("connection", "expect")}
        headers["connection"] = "close"
        head = "%s %s HTTP/1.1\r\n" % (asked.method, asked.path)
        head += "".join("%s: %s\r\n" % h for h in headers.items()) + "\r\n"
        with socket.create_connection(("127.0.0.1", port), REPLY_TIMEOUT) as server:
            server.sendall(head.encode("latin-1") + asked.body)
            try:
                data = b""
                while b"\r\n\r\n" not in data and (more := server.recv(65536)):
                    data += more
                head, end, rest = data.partition(b"\r\n\r\n")
                head = re.sub(rb"(?i)\r\n(connection|keep-alive):[^\r]*", b"", head)
                data = head + b"\r\nConnection: close" + end + rest if end else data
                while data:
                    client.sendall(data)
                    data = server.recv(65536)
            except OSError:
                reset(client)
    return answer


# ---- the task --------------------------------------------------------------

TASK = "Fill the two files step by step."
FINISH = ("finish", {"message": "Both files are full."})


def call_of(step, work):
    """The tool call of a step: real commands and real edits, none of which may be lost or
    done twice."""
    notes = work + "/notes.txt"
    if step == STEPS:
        return FINISH
    if step == 1:
        return "str_replace_editor", {"command": "create", "path": notes, "file_text": "note 1\n"}
    if step % 3 == 1:
        return "str_replace_editor", {"command": "insert", "path": notes, "insert_line": step // 3,
                                      "new_str": "note %d" % step}
    return "execute_bash", {"command": "echo step %d >> steps.txt; wc -l < steps.txt" % step}


def is_done(work):
    """Whether the files show that each call ran once and in order."""
    def lines(name):
        try:
            with open(os.path.join(work, name)) as f:
                return f.read().splitlines()
        except OSError:
            return None
    return (lines("steps.txt") == ["step %d" % k for k in range(STEPS) if k % 3 != 1]
            and lines("notes.txt") == ["note %d" % k for k in range(STEPS) if k % 3 == 1])


# ---- mortise ----------------------------------------------------------------

class Run:
    """One conversation in a directory of its own."""

    def __init__(self, directory, model, base, options=(), task=TASK):
        self.directory, self.work = directory, directory + "/work"
        os.makedirs(self.work, exist_ok=True)
        self.argv = ["mortise", "run", "-C", self.work, "-m", model]
        settings = ["llm.base_url=" + base, "llm.api_key_env=MOCK_KEY",
                    "llm.native_tool_calling=yes", "llm.retry_min_wait=1ms",
                    "llm.retry_max_wait=2ms", *options]
        for s in settings:
            self.argv += ["-o", s]
        self.argv += ["-t", task]
        self.env = dict(os.environ, XDG_STATE_HOME=directory + "/state", MOCK_KEY="key-of-the-mock",
                        AWS_ACCESS_KEY_ID="AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY="secret-of-the-mock",
                        AWS_REGION="us-east-1")
        self.code = self.output = None

    def go(self, argv=None, timeout=30):
        done = subprocess.run(argv or self.argv, env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=timeout)
        self.code, self.output = done.returncode, done.stdout
        return self.code

    def records(self):
        base = self.directory + "/state/mortise/conversations"
        found = []
        for name in sorted(os.listdir(base)) if os.path.isdir(base) else []:
            with open(os.path.join(base, name, "events.jsonl")) as f:
                found += [json.loads(line) for line in f]
        return found

    def replies(self):
        return [r for r in self.records() if r.get("record") == "llm_reply"]

    def states(self):
        return [r["extras"]["agent_state"] for r in self.records()
                if r.get("observation") == "agent_state_changed"]

    def ended(self):
        return (self.states() or [None])[-1]

    def cost(self):
        return sum(r["usage"].get("cost", 0) for r in self.replies())

    def cost_shown(self):
        shown = re.search(r"\$([0-9.]+)", self.output)
        return float(shown.group(1)) if shown else 0.0


# ---- the bill -----------------------------------------------------------------

def prices_of(model):
    """The *_price keys and long_from of a model, read from the table itself."""
    full = model.lower()
    name = full.rsplit("/", 1)[1].split(":")[0] if "/" in full else full
    found, counts = {}, False
    with open(TOP + "/data/models.ini") as f:
        for line in f:
            line = line.strip()
            if line.startswith("["):
                globs = [g.strip().lower() for g in line[1:line.rindex("]")].split(",")]
                counts = any(fnmatch.fnmatchcase(full if "/" in g else name, g) for g in globs)
            elif counts and "=" in line and not line.startswith(";"):
                key, value = (part.strip() for part in line.split("=", 1))
                if key.endswith("_price") or key == "long_from":
                    found[key] = float(value)
    return found


def bill(model, usages):
    """US dollars for a list of {input, output, cache_read, cost}."""
    prices, total = prices_of(model), 0.0
    for u in usages:
        if "cost" in u:
            total += u["cost"]
            continue
        is_long = u["input"] > prices.get("long_from", float("inf"))

        def price(kind):
            plain = prices.get(kind + "_price")
            return prices.get("long_%s_price" % kind, plain) if is_long else plain
        read = u.get("cache_read", 0)
        total += ((u["input"] - read) * price("input") + u["output"] * price("output")
                  + (read * price("cache_read") if read else 0)) / 1e6
    return total


# ---- the requests ---------------------------------------------------------------

def without_marks(value):
    """A request without the marks of prompt caches, which move on."""
    if isinstance(value, dict):
        return {k: without_marks(v) for k, v in value.items() if k != "cache_control"}
    if isinstance(value, list):
        return [without_marks(v) for v in value
                if not (isinstance(v, dict) and list(v) == ["cachePoint"])]
    return value


def prefix_fault(requests):
    """What is wrong with the order of requests; None: each extends the one before it, or
    is the same bytes once more."""
    before = None
    for asked in requests:
        body = without_marks(asked.json())
        key = next(k for k in ("messages", "input", "contents") if k in body)
        turns = body.pop(key)
        if before and asked.body != before[2]:
            if body != before[0]:
                return "request %d differs outside its messages" % asked.number
            if len(turns) <= len(before[1]) or turns[:len(before[1])] != before[1]:
                return "request %d does not extend the one before it" % asked.number
        before = body, turns, asked.body
    return None


# ---- TAP ----------------------------------------------------------------------

class Tap:
    def __init__(self, plan):
        self.number, self.failed, self.lock = 0, 0, threading.Lock()
        print("1..%d" % plan, flush=True)

    def say(self, name, faults, details=""):
        with self.lock:
            self.number += 1
            self.failed += bool(faults)
            for line in faults + (details.splitlines()[-40:] if faults else []):
                print("# " + line)
            print("%sok %d - %s" % ("not " if faults else "", self.number, name), flush=True)
