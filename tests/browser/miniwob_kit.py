# SPDX-License-Identifier: MIT
"""The base of the oracle of miniwob.py: the pages, the tool as an MCP client calls it,
its tree as objects, its screenshots as pixels."""
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
PIECE = re.compile(r"(?:\[(\w+)\] ?)?([A-Za-z][\w-]*)?(?: ?(" + LITERAL + r"))?(?: value=(" + LITERAL
                   + r"|[^\s,]+))?(?: -> (\S*[^\s,:]))?((?:, \w+(?:=(?:" + LITERAL
                   + r"|[^\s,]+))?)*)")
PROPERTY = re.compile(r", (\w+)(?:=(" + LITERAL + r"|[^\s,]+))?")
ACTORS = ("button", "link", "textbox", "searchbox", "combobox", "listbox", "option", "checkbox",
          "radio", "switch", "slider", "spinbutton", "tab", "menuitem", "treeitem")


def literal(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


class Node:
    """An element or a text of the tree, and those in it."""

    def __init__(self, piece, offscreen=False, role=None):
        bid, kind, name, value, url, rest = piece
        self.bid = bid
        self.role = role or kind or ("generic" if bid else "StaticText")
        self.name = literal(name) if name else ""
        self.value = literal(value) if value else None
        self.properties = {p[1]: literal(p[2]) if p[2] else True
                           for p in PROPERTY.finditer(rest or "")}
        if url:
            self.properties["url"] = url
        if self.role in ACTORS:
            self.properties["clickable"] = True
        if self.bid:
            self.properties["visible"] = not offscreen
        self.children, self.parent = [], None
        if bid and name and not kind and not role:
            self.add(Node((None, None, name, None, None, None)))

    def add(self, child):
        child.parent = self
        self.children.append(child)

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


def cell_of(pieces):
    """A cell of a row: its text, or a cell with a bid, and elements."""
    own = pieces[0] if pieces and pieces[0][0] and not pieces[0][1] else None
    cell = Node(own or (None, None, None, None, None, None), role="cell")
    for piece in pieces[1:] if own else pieces:
        cell.add(Node(piece))
    cell.name = cell.name or " ".join(c.name for c in cell.children if c.name)
    return cell


def node_of(line):
    """A line. The cells of a row and the options of a list are on the line, too."""
    offscreen = line.startswith("~")
    line = line[offscreen:]
    m = PIECE.match(line)
    node, at, cells = Node(m.groups(), offscreen), m.end(), []
    while line.startswith((": ", " | ", " "), at):
        if line.startswith((": ", " | "), at):
            cells.append([])
            at += 2 if line[at] == ":" else 3
        else:
            at += 1
        m = PIECE.match(line, at)
        if not cells or m.end() == at and not line.startswith(" | ", at):
            break
        if m.end() > at:
            cells[-1].append(m.groups())
        at = m.end()
    for pieces in cells:
        node.add(cell_of(pieces) if node.role == "row" else Node(pieces[0], role="option"))
    return node


def tree_of(text):
    body = re.search(r"=+ BEGIN accessibility tree =+\n(.*)\n=+ END accessibility", text,
                     re.S)
    root = Node((None, "root", None, None, None, None))
    path = [root]
    for line in body[1].split("\n") if body else []:
        node = node_of(line.lstrip("\t"))
        if len(path) > 1:  # what is in the page is not indented
            del path[len(line) - len(line.lstrip("\t")) + 2:]
        path[-1].add(node)
        path.append(node)
    for node in root.all():
        node.depth = node.parent.depth + 1 if node.parent else -1
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
