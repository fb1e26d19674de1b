# SPDX-License-Identifier: MIT
"""errors-model.py FILE PORT-FILE - answers in the form of Anthropic: first with calls that
succeed and fail, then with finish; writes what it is sent to FILE, a request a line."""
import http.server
import json
import os
import sys

CALLS = [
    ("execute_bash", {"command": "true", "security_risk": "LOW"}),
    ("execute_bash", {"command": "false", "security_risk": "LOW"}),
    ("execute_bash", {"command": "true", "mood": "good", "security_risk": "LOW"}),
    ("str_replace_editor", {"command": "view", "path": "/not-there/at-all"}),
    ("no_such_tool", {}),
    ("execute_bash", {"command": "y", "is_input": True, "security_risk": "LOW"}),
    ("execute_bash", {"command": "", "security_risk": "LOW"}),
    ("execute_bash", {"command": "read x", "security_risk": "LOW"}),
    ("execute_bash", {"command": "echo refused", "security_risk": "LOW"}),
]
FINISH = [("finish", {"message": "Done."})]
asked = 0


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def do_POST(self):
        global asked
        body = self.rfile.read(int(self.headers["Content-Length"]))
        with open(sys.argv[1], "ab") as f:
            f.write(body.replace(b"\n", b" ") + b"\n")
        calls = FINISH if asked else CALLS
        asked += 1
        reply = json.dumps({
            "id": "r%d" % asked, "type": "message", "role": "assistant", "model": "m",
            "stop_reason": "tool_use", "stop_sequence": None,
            "usage": {"input_tokens": 1, "output_tokens": 1},
            "content": [{"type": "tool_use", "id": "c%d-%d" % (asked, i), "name": name,
                         "input": args} for i, (name, args) in enumerate(calls)],
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
