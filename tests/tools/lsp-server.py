#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A language server of words: lsp-server.py MODE [FILE].

A word that follows `def` is a definition, a line with `BAD` is an error. MODE says how it
misbehaves; FILE gets a line for each start. `held`: errors are published once FILE-release
exists; FILE-holds says that it is waited for."""
import json
import os
import re
import sys
import time
import urllib.parse

mode = sys.argv[1] if len(sys.argv) > 1 else "good"
if len(sys.argv) > 2:
    with open(sys.argv[2], "a") as f:
        f.write("started\n")
out = sys.stdout.buffer
texts = {}
root = ""
encoding = "utf-16"
units = {"utf-16": ("utf-16-le", 2), "utf-8": ("utf-8", 1), "utf-32": ("utf-32-le", 4)}


def raw(data):
    try:
        out.write(data)
        out.flush()
    except BrokenPipeError:
        sys.exit()


def send(message):
    data = json.dumps({"jsonrpc": "2.0", **message}).encode()
    raw(b"Content-Length: %d\r\nContent-Type: x\r\n\r\n" % len(data) + data)


def read():
    length = 0
    while True:
        line = sys.stdin.buffer.readline()
        if not line:
            sys.exit()
        if line == b"\r\n":
            return json.loads(sys.stdin.buffer.read(length))
        if line.lower().startswith(b"content-length:"):
            length = int(line.split(b":")[1])


def column(line, at):
    name, size = units[encoding]
    return len(line[:at].encode(name)) // size


def index(line, column):
    name, size = units[encoding]
    return len(line.encode(name)[: column * size].decode(name))


def files():
    for directory, _, names in os.walk(root):
        for name in sorted(names):
            if name.endswith(".words"):
                uri = "file://" + urllib.parse.quote(os.path.join(directory, name))
                with open(os.path.join(directory, name), encoding="utf-8") as f:
                    yield uri, texts.get(uri, f.read())


def uses(word, definition):
    pattern = (r"\bdef " if definition else r"\b") + "(" + word + r")\b"
    for uri, text in files():
        for n, line in enumerate(text.split("\n")):
            for m in re.finditer(pattern.replace("(", "(?P<w>"), line):
                yield uri, {"start": {"line": n, "character": column(line, m.start("w"))},
                            "end": {"line": n, "character": column(line, m.end("w"))}}


def word_at(params):
    uri, at = params["textDocument"]["uri"], params["position"]
    line = texts[uri].split("\n")[at["line"]]
    start = index(line, at["character"])
    return re.match(r"\w+", line[start:]).group()


def publish(uri, version):
    found = []
    for n, line in enumerate(texts[uri].split("\n")):
        if "BAD" in line:
            at = {"line": n, "character": column(line, line.index("BAD"))}
            found.append({"range": {"start": at, "end": at}, "severity": 1,
                          "message": "bad: " + line.strip()})
    send({"method": "textDocument/publishDiagnostics",
          "params": {"uri": uri, "version": version, "diagnostics": found}})
    if mode == "whole-project":
        for n in range(1200):
            at = {"line": n, "character": 0}
            send({"method": "textDocument/publishDiagnostics",
                  "params": {"uri": "file://%s/%s/%d.words" % (root, version, n),
                             "diagnostics": [{"range": {"start": at, "end": at},
                                              "message": "other"}] * (n % 2)}})


def rename(word, name):
    changes = {}
    for uri, where in uses(word, False):
        changes.setdefault(uri, []).append({"range": where, "newText": name})
    place = {"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}}
    if mode == "outside-edit":
        changes["file:///etc/passwd"] = [{"range": place, "newText": "x"}]
    elif mode == "escape-edit":
        changes["file://" + root + "/link.words"] = [{"range": place, "newText": "x"}]
    elif mode == "other-uri":
        changes["http://example.org/x"] = [{"range": place, "newText": "x"}]
    elif mode == "overlap":
        uri = next(iter(changes))
        changes[uri] = [{"range": place, "newText": "x"}, {"range": place, "newText": "y"}]
    elif mode == "no-line":
        place["end"]["line"] = 10 ** 9
        changes[next(iter(changes))].append({"range": place, "newText": "x"})
    elif mode == "backwards":
        place["start"], place["end"] = place["end"], place["start"]
        changes[next(iter(changes))] = [{"range": place, "newText": "x"}]
    elif mode == "create":
        return {"documentChanges": [{"kind": "create", "uri": "file://" + root + "/n"}]}
    return {"documentChanges": [{"textDocument": {"uri": uri, "version": None},
                                 "edits": edits} for uri, edits in changes.items()]}


def result(method, params):
    if method in ("textDocument/definition", "textDocument/references"):
        if mode == "outside":
            place = {"start": {"line": 3, "character": 4}}
            return {"uri": "file:///etc/passwd", "range": place}
        if mode == "not-locations":
            return [{"uri": 7}]
        if mode == "many":
            place = {"start": {"line": 0, "character": 0}}
            return [{"uri": "file://" + root + "/%d.words" % n, "range": place}
                    for n in range(20000)]
        return [{"uri": u, "range": r}
                for u, r in uses(word_at(params), method.endswith("definition"))]
    if method == "textDocument/rename":
        return rename(word_at(params), params["newName"])
    return None


def hostile():
    """What some modes send in place of every answer but the first."""
    if mode == "garbage":
        raw(b"Traceback (most recent call last):\nno such module\n")
    elif mode == "endless-headers":
        while True:
            raw(b"X-Header: yes\r\n")
    elif mode == "long-header":
        while True:
            raw(b"x" * 4096)
    elif mode == "huge":
        raw(b"Content-Length: 99999999999999999999999\r\n\r\n{")
    elif mode == "negative":
        raw(b"Content-Length: -5\r\n\r\n{}")
    elif mode == "no-length":
        raw(b"Content-Type: x\r\n\r\n{}")
    elif mode == "not-json":
        raw(b"Content-Length: 5\r\n\r\n[1,2]")
    elif mode == "deep":
        raw(b"Content-Length: 200001\r\n\r\n" + b'{"a":' + b"[" * 199996)
    elif mode == "half":
        raw(b"Content-Length: 500\r\n\r\n{")
        sys.exit(3)
    elif mode == "exits":
        sys.stderr.write("first line\nthe index is corrupt\n")
        sys.exit(3)
    elif mode == "killed":
        os.kill(os.getpid(), 9)
    elif mode == "wrong-ids":
        while True:
            send({"id": "other", "result": None})
    elif mode == "flood":
        while True:
            send({"method": "window/logMessage", "params": {"message": "x" * 1000}})
    elif mode == "asks":
        while True:
            send({"id": 1, "method": "workspace/configuration",
                  "params": {"items": [{}] * 100}})
    elif mode == "silent":
        time.sleep(1000)
    else:
        return False
    return True


def index_files():
    send({"id": "p", "method": "window/workDoneProgress/create", "params": {"token": 1}})
    send({"method": "$/progress", "params": {"token": 1, "value": {"kind": "begin"}}})


indexed = mode != "indexing"
while True:
    m = read()
    method, params = m.get("method", ""), m.get("params")
    if method == "initialize":
        root = params["rootPath"]
        if mode == "no-start":
            time.sleep(1000)
        if mode == "refuses":
            send({"id": m["id"], "error": {"code": 1, "message": "no license"}})
            continue
        offered = params["capabilities"]["general"]["positionEncodings"]
        encoding = mode if mode in offered else "utf-16"
        send({"id": 99, "result": "not asked for"})
        send({"id": m["id"], "result": {"capabilities": {
            "positionEncoding": encoding, "textDocumentSync": 1,
            "renameProvider": mode != "no-rename"}}})
    elif method in ("textDocument/didOpen", "textDocument/didChange"):
        uri = params["textDocument"]["uri"]
        texts[uri] = (params["textDocument"]["text"] if method.endswith("Open")
                      else params["contentChanges"][0]["text"])
        if mode == "held" and "BAD" in texts[uri]:
            open(sys.argv[2] + "-holds", "w").close()
            while not os.path.exists(sys.argv[2] + "-release"):
                time.sleep(0.02)
        if mode != "no-diagnostics":
            publish(uri, params["textDocument"]["version"])
    elif method == "textDocument/didClose":
        texts.pop(params["textDocument"]["uri"], None)
    elif method == "exit":
        sys.exit()
    elif "id" in m and method:
        if hostile():
            continue
        if not indexed:
            index_files()
            send({"id": m["id"], "result": []})
            send({"method": "$/progress",
                  "params": {"token": 1, "value": {"kind": "end"}}})
            indexed = True
        elif mode == "modified":
            mode = "good"
            send({"id": m["id"], "error": {"code": -32801, "message": "modified"}})
        elif mode == "fails":
            send({"id": m["id"], "error": {"code": 1, "message": "cannot\nrename"}})
        else:
            send({"id": m["id"], "result": result(method, params)})
