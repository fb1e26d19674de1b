# SPDX-License-Identifier: MIT
"""What the oracle of miniwob.py stands on: the pages, the tool as an MCP client calls
it, its tree as objects, its pictures as pixels."""
import ast
import base64
import http.server
import json
import os
import queue
import re
import struct
import subprocess
import threading
import zlib

SEED = "mortise"
# As benchmarks of MiniWoB++ do: no START cover, no display of the reward, time enough.
START = """<script>
addEventListener('load', () => setTimeout(() => {
  core.EPISODE_MAX_TIME = 1000000;
  const end = core.endEpisode;
  core.createDisplay = core.updateDisplay = core.countdownTimer = core.clearTimer =
    core.canvasClear = core.canvasDrawClick = core.hideDisplay = () => {};
  core.endEpisode = (...given) => {
    if (core.EP_TIMER === null) return;
    core.startEpisode = () => {};
    try { end(...given) } catch (e) {}
    fetch('/reward', { method: 'POST', body: JSON.stringify(
      [WOB_REWARD_GLOBAL, WOB_RAW_REWARD_GLOBAL, String(given[2] || '')]) });
  };
  for (const id of ['reward-display', 'click-canvas', 'sync-task-cover'])
    document.getElementById(id) && document.getElementById(id).remove();
  core.cover_div = document.createElement('div');
  Math.seedrandom('%s');
  core.startEpisodeReal();
}, 0));
</script>"""


class Site:
    """Serves a directory, with the start of an episode in each task, and hears rewards."""

    def __init__(self, directory):
        self.rewards = queue.Queue()
        self.seed = SEED
        site = self

        class Handler(http.server.SimpleHTTPRequestHandler):
            def __init__(self, *args):
                super().__init__(*args, directory=directory)

            def log_message(self, *args):
                pass

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                site.rewards.put(json.loads(body))
                self.send_response(204)
                self.end_headers()

            def do_GET(self):
                path = os.path.join(directory, self.path.lstrip("/").split("?")[0])
                if not self.path.startswith("/miniwob/") or not path.endswith(".html"):
                    super().do_GET()
                    return
                with open(path, encoding="utf-8") as f:
                    body = (f.read() + START % site.seed).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = "http://127.0.0.1:%d" % server.server_address[1]


class Fault(Exception):
    """The tool refused an action, or showed less than a policy needs."""


class Tool:
    """`mortise tools serve` with the browser alone."""

    def __init__(self, workspace, program="mortise"):
        self.process = subprocess.Popen(
            [program, "tools", "serve", "-C", workspace, "-o", "controller.tools=browser",
             "-o", "tool.browser.settle_time=60ms"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8")
        self.id = 0
        self.calls = 0
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {},
                                "clientInfo": {"name": "oracle", "version": "1"}})
        self.say({"method": "notifications/initialized"})

    def say(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.id += 1
        self.say({"id": self.id, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.id and "method" not in message:
                if "error" in message:
                    raise Fault(message["error"]["message"])
                return message["result"]
        raise Fault("the server ended")

    def call(self, code, whole=True):
        """@return the text and the picture, which may be None."""
        self.calls += 1
        result = self.ask("tools/call", {"name": "browser", "arguments": {
            "code": code, "whole": whole}})
        text = "\n".join(c["text"] for c in result["content"] if c["type"] == "text")
        picture = [c["data"] for c in result["content"] if c["type"] == "image"]
        if "BEGIN error message" in text or result.get("isError"):
            raise Fault(code + ": " + (re.search(
                r"BEGIN error message =+\n(.*)", text) or [0, text[:300]])[1])
        return text, base64.b64decode(picture[0]) if picture else None

    def close(self):
        self.process.stdin.close()
        self.process.wait(30)


# ---- the tree ---------------------------------------------------------------------------

LITERAL = r"(?:'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")"
LINE = re.compile(r"^(\t*)(?:\[(\w+)\] )?(\S+?)(?:,|(?= )|$)(?: (" + LITERAL + r"))?(?: value=("
                  + LITERAL + r"|[^,]*))?(.*)$")
PROPERTY = re.compile(r", (\w+)(?:=(" + LITERAL + r"|[^,]*))?")


def literal(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


class Node:
    """A line of the tree, and those below it."""

    def __init__(self, line):
        m = LINE.match(line)
        self.depth = len(m[1])
        self.bid, self.role = m[2], m[3]
        self.name = literal(m[4]) if m[4] else ""
        self.value = literal(m[5]) if m[5] else None
        rest = m[6] if m[6].startswith(",") else ", " + m[6].strip() if m[6] else ""
        self.properties = {p[1]: literal(p[2]) if p[2] else True
                           for p in PROPERTY.finditer(rest)}
        self.children, self.parent, self.line = [], None, line.strip()

    def all(self):
        yield self
        for child in self.children:
            yield from child.all()

    def text(self):
        """The words in it, in order."""
        if self.role == "StaticText" or not self.children:
            return str(self.name).strip()
        return " ".join(filter(None, (c.text() for c in self.children)))

    def __getitem__(self, name):
        return self.properties.get(name)


def tree_of(text):
    body = re.search(r"=+ BEGIN accessibility tree =+\n(.*)\n=+ END accessibility", text,
                     re.S)
    lines = body[1].split("\n") if body else []
    root = Node("RootWebArea ''")
    root.depth = -1
    path = [root]
    for line in lines:
        node = Node(line)
        while path[-1].depth >= node.depth:
            path.pop()
        node.parent = path[-1]
        path[-1].children.append(node)
        path.append(node)
    return root


# ---- pictures ---------------------------------------------------------------------------

def pixels(png, width=165, height=215):
    """The upper left part of a picture, as rows of (r, g, b)."""
    at, data, head = 8, b"", None
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            head = struct.unpack(">IIBBBBB", png[at + 8:at + 21])
        elif kind == b"IDAT":
            data += png[at + 8:at + 8 + size]
        at += size + 12
    step = {2: 3, 6: 4}[head[3]]
    data = zlib.decompress(data)
    stride = head[0] * step + 1
    used = min(width, head[0]) * step
    before = bytearray(used)
    rows = []
    for y in range(min(height, head[1])):
        kind = data[y * stride]
        row = bytearray(data[y * stride + 1:y * stride + 1 + used])
        for i in range(used if kind else 0):
            left = row[i - step] if i >= step else 0
            up = before[i]
            if kind == 1:
                row[i] = (row[i] + left) & 255
            elif kind == 2:
                row[i] = (row[i] + up) & 255
            elif kind == 3:
                row[i] = (row[i] + (left + up) // 2) & 255
            else:
                corner = before[i - step] if i >= step else 0
                p = left + up - corner
                best = min((abs(p - left), 0, left), (abs(p - up), 1, up),
                           (abs(p - corner), 2, corner))
                row[i] = (row[i] + best[2]) & 255
        before = row
        rows.append([tuple(row[i:i + 3]) for i in range(0, used, step)])
    return rows
