# SPDX-License-Identifier: MIT
"""model.py - a model server on localhost that streams what a plan says. The port is
written to the file PORT. The n-th entry of the JSON list PLAN is the n-th reply:

    sentences   numbered sentences to send, as deltas of a token each
    paragraph   sentences in each paragraph; default: all
    text        text to send, instead of numbered sentences
    delta       bytes of a delta; default: 4
    stall       after so many deltas nothing more comes
    hold        after so many deltas nothing comes before the file PLAN.go is there
    call        name and arguments of a tool call behind the text

All of a reply is sent in one write, or two.
"""
import http.server
import json
import os
import sys
import time


def sentences(entry):
    each = entry.get("paragraph", entry["sentences"])
    parts = []
    for n in range(1, entry["sentences"] + 1):
        end = "\n\n" if n % each == 0 else " "
        parts.append("This is sentence %d of them." % n + end)
    return "".join(parts)


def chunk(delta, reason=None):
    choice = {"index": 0, "delta": delta, "finish_reason": reason}
    return "data: %s\n\n" % json.dumps({"id": "r", "object": "chat.completion.chunk",
                                        "choices": [choice]})


def call(entry):
    name, arguments = entry["call"]
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"index": 0, "id": "c%d" % id(entry), "type": "function",
                            "function": function}]}


def stream(entry):
    text = sentences(entry) if "sentences" in entry else entry.get("text", "")
    size = entry.get("delta", 4)
    parts = [chunk({"role": "assistant", "content": text[i:i + size]})
             for i in range(0, len(text), size)]
    if "stall" in entry:
        return "".join(parts[:entry["stall"]])
    if "call" in entry:
        parts.append(chunk(call(entry)))
    parts.append(chunk({}, "tool_calls" if "call" in entry else "stop"))
    return "".join(parts) + "data: [DONE]\n\n"


class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        entry = plan.pop(0) if plan else {"text": "Nothing more is planned."}
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.send(stream(entry), entry.get("hold"))
        if "stall" in entry:
            self.rfile.read(1)  # until the client closes

    def send(self, text, hold):
        at = 0
        for _ in range(hold or 0):
            at = text.index("\n\n", at) + 2
        self.wfile.write(text[:at].encode())
        self.wfile.flush()
        while hold and not os.path.exists(sys.argv[2] + ".go"):
            time.sleep(0.05)
        self.wfile.write(text[at:].encode())
        self.wfile.flush()

    def log_message(self, *args):
        pass


with open(sys.argv[2]) as f:
    plan = json.load(f)
server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
server.daemon_threads = True
with open(sys.argv[1] + ".new", "w") as f:
    f.write(str(server.server_address[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
