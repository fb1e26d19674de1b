# SPDX-License-Identifier: MIT
# model.py DIR - a model on this machine that thinks once and then finishes. It
# writes its port to DIR/port, each request to DIR/requests and its path to
# DIR/paths.
import http.server
import json
import os
import sys

directory = sys.argv[1]


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.send_error(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        turn = sum(m["role"] == "assistant" for m in json.loads(body)["messages"])
        with open(os.path.join(directory, "requests"), "ab") as out:
            out.write(body + b"\n")
        with open(os.path.join(directory, "paths"), "a") as out:
            out.write(self.path + "\n")
        call = ({"name": "finish", "arguments": "{\"message\":\"done\"}"} if turn else
                {"name": "think", "arguments": "{\"thought\":\"a secret plan\"}"})
        answer = json.dumps({
            "id": "reply-%d-%d" % (turn, len(body)), "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": "a turn", "tool_calls": [
                    {"id": "call_%d_%d" % (turn, len(body)), "type": "function",
                     "function": call}]}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
with open(os.path.join(directory, "port.new"), "w") as out:
    out.write(str(server.server_address[1]))
os.rename(os.path.join(directory, "port.new"), os.path.join(directory, "port"))
server.serve_forever()
