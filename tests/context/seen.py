# SPDX-License-Identifier: MIT
"""seen.py FILE PORT-FILE - a model that only calls finish, and writes what it is sent
to FILE, a request a line."""
import http.server
import json
import os
import sys

CALL = {"id": "c1", "type": "function",
        "function": {"name": "finish", "arguments": "{\"message\": \"Done.\"}"}}


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(sys.argv[1], "ab") as f:
            f.write(body.replace(b"\n", b" ") + b"\n")
        reply = json.dumps({
            "id": "r", "model": "m", "usage": {"prompt_tokens": 1, "completion_tokens": 1},
            "choices": [{"finish_reason": "tool_calls",
                         "message": {"role": "assistant", "tool_calls": [CALL]}}],
        }).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(reply)))
        self.end_headers()
        self.wfile.write(reply)


server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[2] + ".new", "w") as out:
    out.write(str(server.server_port))
os.rename(sys.argv[2] + ".new", sys.argv[2])
server.serve_forever()
