#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""ffi-model.py - a model that keeps a database by the C functions of sqlite3:
it gives back the handles that it was given. Prints its port; the transcript of
what it saw goes to the file that is named."""
import http.server
import json
import re
import sys

TRANSCRIPT = sys.argv[1]
SQL = ("CREATE TABLE t (n INTEGER, word TEXT);"
       "INSERT INTO t VALUES (1, 'one'), (2, 'zwölf')")


def handle(text):
    return re.search(r"0x[0-9a-f]+", text).group()


class Model:
    """Each step sees the result of the one before and says the next call."""

    def __init__(self):
        self.step = 0
        self.seen = []
        self.db = self.statement = None

    def next(self, result):
        self.seen.append(result)
        self.step += 1
        calls = [
            lambda: ("db_open", {"file": ":memory:"}),
            lambda: self.opened(result),
            lambda: ("db_run", {"db": self.db, "sql": "INSERT INTO nowhere VALUES (1)"}),
            lambda: ("db_why", {"db": self.db}),
            lambda: ("db_query", {"db": self.db, "sql": "SELECT word FROM t ORDER BY n"}),
            lambda: self.asked(result),
            lambda: ("db_text", {"statement": self.statement, "column": 0}),
            lambda: ("db_step", {"statement": self.statement}),
            lambda: ("db_text", {"statement": self.statement, "column": 0}),
            lambda: ("db_step", {"statement": self.statement}),
            lambda: ("db_end", {"statement": self.statement}),
            lambda: ("db_step", {"statement": self.statement}),
            lambda: ("db_step", {"statement": "0x1234"}),
            lambda: ("db_close", {"db": self.db}),
            lambda: ("finish", {"message": "Done."}),
        ]
        return calls[self.step - 1]()

    def opened(self, result):
        self.db = handle(result)
        return "db_run", {"db": self.db, "sql": SQL}

    def asked(self, result):
        self.statement = handle(result)
        return "db_step", {"statement": self.statement}


MODEL = Model()


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        content = request["messages"][-1]["content"]
        if isinstance(content, list):
            content = "".join(part.get("text", "") for part in content)
        name, args = MODEL.next(content)
        with open(TRANSCRIPT, "w", encoding="utf-8") as out:
            json.dump(MODEL.seen, out)
        body = json.dumps({
            "id": "r", "object": "chat.completion", "model": "m",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": None, "tool_calls": [{
                    "id": f"call_{MODEL.step}", "type": "function",
                    "function": {"name": name, "arguments": json.dumps(args)}}]}}],
        }).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
    print(server.server_port, flush=True)
    server.serve_forever()
