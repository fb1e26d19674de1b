#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An MCP server over its standard streams that behaves as its first argument says.

Further arguments: a file to which it appends a line when it starts."""
import json
import os
import sys
import time

mode = sys.argv[1]
if len(sys.argv) > 2:
    with open(sys.argv[2], "a", encoding="utf-8") as f:
        f.write("started %d\n" % os.getpid())
starts = 0
if len(sys.argv) > 2:
    starts = len(open(sys.argv[2], encoding="utf-8").readlines())

TOOLS = [
    {"name": "plain", "description": "Says its argument.",
     "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
     "annotations": {"readOnlyHint": True}},
    {"name": "dotted.name/x", "description": "", "inputSchema": {"type": "object"}},
    {"name": "write", "description": "Changes something.", "inputSchema": {"type": "object"}},
    {"name": "structured", "description": "A number.", "inputSchema": {"type": "object"},
     "outputSchema": {"type": "object", "properties": {"n": {"type": "integer"}},
                      "required": ["n"]}},
    {"name": "no_schema", "description": "Left out."},
]
if mode == "task":
    TOOLS[0]["execution"] = {"taskSupport": "required"}
    TOOLS[2]["execution"] = {"taskSupport": "optional"}


waiting = []  # what the client said while an answer was waited for


def put(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def answer(request, result):
    put({"jsonrpc": "2.0", "id": request["id"], "result": result})


def text(request, what):
    answer(request, {"content": [{"type": "text", "text": what}],
                     "resultType": "complete"})


def refuse(request, code, what, data=None):
    put({"jsonrpc": "2.0", "id": request["id"],
         "error": {"code": code, "message": what, "data": data}})


grown = False
subscription = None


def grow():
    """There is one more tool from now on."""
    global grown
    if not grown:
        TOOLS.append({"name": "grown", "description": "Is new.",
                      "inputSchema": {"type": "object"}})
    grown = True
    params = {}
    if mode == "grows-modern":
        params = {"_meta": {"io.modelcontextprotocol/subscriptionId": subscription}}
    if mode == "grows" or subscription is not None:
        put({"jsonrpc": "2.0", "method": "notifications/tools/list_changed",
             "params": params})


def media(request):
    picture = ("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9"
               "awAAAABJRU5ErkJggg==")
    answer(request, {"resultType": "complete", "content": [
        {"type": "text", "text": "before"},
        {"type": "image", "mimeType": "image/png", "data": picture},
        {"type": "image", "mimeType": "image/png", "data": "no base64!"},
        {"type": "audio", "mimeType": "audio/wav", "data": "AAAA"},
        {"type": "resource", "resource": {"uri": "a:b", "text": "inside"}},
        {"type": "resource", "resource": {"uri": "a:c", "blob": "AAAA"}},
        {"type": "resource_link", "uri": "a:d", "name": "linked"},
        {"type": "from the future", "x": 1}, 7, {}]})


def tools(request):
    """Pages of two."""
    if mode == "many":
        names = ["thing_%d" % i for i in range(100)]
        answer(request, {"tools": [{"name": n, "description": "Does %s." % n,
                                    "inputSchema": {"type": "object", "properties": {
                                        "text": {"type": "string"}}}} for n in names]})
        return
    at = int(request.get("params", {}).get("cursor", "0"))
    result = {"tools": TOOLS[at:at + 2], "resultType": "complete", "ttlMs": 0,
              "cacheScope": "private"}
    if at + 2 < len(TOOLS):
        result["nextCursor"] = str(at + 2)
    if mode == "same-cursor":
        result["nextCursor"] = "0"
    answer(request, result)


def reply():
    """The next answer of the client; what else it says waits."""
    while True:
        message = json.loads(sys.stdin.readline())
        if "id" in message and "method" not in message:
            return message
        waiting.append(message)


def call(request):
    params = request["params"]
    name, args = params["name"], params.get("arguments", {})
    if mode == "die-in-call" or (mode == "die-once" and starts == 1):
        sys.stderr.write("about to die\n")
        sys.stderr.flush()
        os._exit(7)
    if mode == "silent-call":
        return
    if mode in ("grows", "grows-modern"):
        grow()
    if mode == "media":
        media(request)
        return
    if mode == "cancelled":
        note("called %s" % json.dumps(request["id"]))
        return
    if mode == "flood":
        for i in range(50000):
            put({"jsonrpc": "2.0", "method": "notifications/message",
                 "params": {"level": "info", "data": "x" * 100}})
            if i % 100 == 0:
                sys.stderr.write("noise " * 100 + "\n")
    if mode == "huge-line":
        sys.stdout.write("x" * (20 << 20) + "\n")
        sys.stdout.flush()
    if mode == "wrong-ids":
        put({"jsonrpc": "2.0", "id": 999999, "result": {"content": []}})
        put({"jsonrpc": "2.0", "id": str(request["id"]), "result": {"content": []}})
        put({"jsonrpc": "2.0", "id": None, "error": {"code": 1, "message": "what?"}})
    if mode == "malformed":
        sys.stdout.write("{\"jsonrpc\": \n[1,2\nplain words\n\xff\xfe\n{}\n[]\nnull\n")
        put({"jsonrpc": "2.0", "id": {"no": "id"}, "result": 7})
    if mode in ("null-result", "list-result", "text-error"):
        put({"jsonrpc": "2.0", "id": request["id"],
             **{"null-result": {"result": None}, "list-result": {"result": []},
                "text-error": {"error": "out of order"}}[mode]})
        return
    if mode == "progress":
        token = params["_meta"]["progressToken"]
        for i in range(3):
            put({"jsonrpc": "2.0", "method": "notifications/progress",
                 "params": {"progressToken": token, "progress": i, "total": 3,
                            "message": "step"}})
    if mode == "ask":
        put({"jsonrpc": "2.0", "id": "q1", "method": "elicitation/create",
             "params": {"message": "Your name?", "requestedSchema": {
                 "type": "object", "properties": {"name": {"type": "string"}}}}})
        put({"jsonrpc": "2.0", "id": "q2", "method": "sampling/createMessage", "params": {}})
        put({"jsonrpc": "2.0", "id": "q3", "method": "roots/list"})
        put({"jsonrpc": "2.0", "id": "q4", "method": "ping"})
        got = {}
        while len(got) < 4:
            one = reply()
            got[one["id"]] = one
        text(request, "elicit %s, sampling %s, roots %d, ping %s" % (
            got["q1"]["result"]["action"], got["q2"]["error"]["code"],
            len(got["q3"]["result"]["roots"]), got["q4"]["result"]))
        return
    if mode in ("form", "form-modern", "form-formats"):
        form = {"message": "Some facts, please.", "requestedSchema": {
            "type": "object", "properties": {
                "name": {"type": "string", "title": "Your name"},
                "size": {"type": "integer", "default": 7},
                "color": {"type": "string", "oneOf": [{"const": "red", "title": "Red"},
                                                       {"const": "blue", "title": "Blue"}]},
                "sure": {"type": "boolean"}}}}
        if mode == "form-formats":
            form["requestedSchema"]["properties"] = {
                "mail": {"type": "string", "format": "email"},
                "day": {"type": "string", "format": "date"}}
        if mode != "form-modern":
            put({"jsonrpc": "2.0", "id": "q1", "method": "elicitation/create", "params": form})
            text(request, json.dumps(reply()["result"]))
        elif "inputResponses" not in params:
            answer(request, {"resultType": "input_required", "inputRequests": {
                "f": {"method": "elicitation/create", "params": form}}})
        else:
            text(request, json.dumps(params["inputResponses"]["f"]))
        return
    if mode == "input":
        if "inputResponses" not in params:
            answer(request, {"resultType": "input_required", "requestState": "s t\u00e4te",
                             "inputRequests": {"a": {"method": "roots/list"}}})
        else:
            text(request, "state %s roots %d" % (
                params["requestState"], len(params["inputResponses"]["a"]["roots"])))
        return
    if mode == "error":
        refuse(request, -32000, "it is broken")
    elif name == "structured":
        answer(request, {"content": [], "resultType": "complete",
                         "structuredContent": {"n": "one" if mode == "lies" else 1}})
    elif name == "write":
        answer(request, {"content": [{"type": "text", "text": "no such place"}],
                         "isError": True, "resultType": "complete"})
    else:
        text(request, "%s %s" % (name, json.dumps(args)))


def note(line):
    with open(sys.argv[2], "a", encoding="utf-8") as notes:
        notes.write(line + "\n")


def main():
    global subscription
    if mode == "never":
        while True:
            time.sleep(1000)
    if mode == "dies-at-once":
        sys.stderr.write("no license\n")
        sys.exit(3)
    if mode == "child":
        if os.fork() == 0:
            while True:
                time.sleep(1000)
    sys.stderr.write("hello from the server\n")
    while True:
        line = json.dumps(waiting.pop(0)) if waiting else sys.stdin.readline()
        if not line:
            break
        request = json.loads(line)
        method = request.get("method")
        modern = mode in ("modern", "input", "form-modern", "grows-modern")
        if method == "notifications/cancelled":
            note("cancelled %s" % json.dumps(request["params"]["requestId"]))
        if method == "subscriptions/listen":
            subscription = str(request["id"])
            put({"jsonrpc": "2.0", "method": "notifications/subscriptions/acknowledged",
                 "params": {"_meta": {"io.modelcontextprotocol/subscriptionId": subscription},
                            "notifications": request["params"]["notifications"]}})
            continue
        if method == "server/discover" and modern:
            answer(request, {"supportedVersions": ["2026-07-28"], "ttlMs": 0,
                             "capabilities": {"tools": {"listChanged": True}},
                             "resultType": "complete", "cacheScope": "private"})
        elif method == "server/discover" and mode == "old-only":
            os._exit(1)
        elif method == "server/discover":
            refuse(request, -32601, "no such method")
        elif method == "initialize":
            version = request["params"]["protocolVersion"]
            answer(request, {"protocolVersion": "1999-01-01" if mode == "ancient" else version,
                             "capabilities": {"tools": {}},
                             "serverInfo": {"name": "hostile", "version": "1"}})
        elif method == "tools/list" and mode == "silent-list":
            pass
        elif method == "tools/list":
            tools(request)
        elif method == "tools/call":
            meta = request["params"].get("_meta", {})
            if modern and "io.modelcontextprotocol/clientCapabilities" not in meta:
                refuse(request, -32021, "no capabilities")
            else:
                call(request)
        elif method and "id" in request:
            refuse(request, -32601, "no such method")


main()
