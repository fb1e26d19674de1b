#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An MCP server over HTTP with sessions: mcp-session.py STATUS LOG. The first line
of LOG is its address. GET /forget ends every session; a request with one that is
over is answered with STATUS (404, or 400 as some servers do)."""
import json
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

status = int(sys.argv[1])
sessions = set()
made = 0
log = open(sys.argv[2], "a", encoding="utf-8")


def note(text):
    log.write(text + "\n")
    log.flush()


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def say(self, code, doc=None, **headers):
        body = json.dumps(doc).encode() if doc is not None else b""
        self.send_response(code)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        if self.path == "/forget":
            sessions.clear()
            self.say(200)
        else:
            self.say(405)

    def do_DELETE(self):
        note("deleted")
        sessions.discard(self.headers.get("Mcp-Session-Id"))
        self.say(200)

    def do_POST(self):
        global made
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        session = self.headers.get("Mcp-Session-Id")
        method = message["method"]
        answer = {"jsonrpc": "2.0", "id": message.get("id")}
        if method == "initialize":
            made += 1
            sessions.add("s%d" % made)
            note("session s%d" % made)
            self.say(200, {**answer, "result": {
                "protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                "serverInfo": {"name": "s", "version": "1"}}}, Mcp_Session_Id="s%d" % made)
        elif session not in sessions:
            self.say(status if session else 400, {
                "jsonrpc": "2.0", "id": None,
                "error": {"code": -32000, "message": "Bad Request: No valid session ID"}})
        elif "id" not in message:
            self.say(202)
        elif method == "tools/list":
            self.say(200, {**answer, "result": {"tools": [
                {"name": "change", "description": "", "inputSchema": {"type": "object"}}]}})
        elif method == "tools/call":
            note("call in " + session)
            self.say(200, {**answer, "result": {
                "content": [{"type": "text", "text": "changed in " + session}]}})
        else:
            self.say(200, {**answer, "error": {"code": -32601, "message": "no"}})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
note("http://127.0.0.1:%d" % server.server_address[1])
server.serve_forever()
