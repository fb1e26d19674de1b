# SPDX-License-Identifier: MIT
"""site.py DIR PORTFILE: the pages of DIR and a few that are made up, until it
is ended."""
import http.server
import json
import os
import sys
import threading
import time
import urllib.parse

FRUIT = ["apple", "apricot", "banana", "cherry", "grape", "lemon", "lime", "mango"]
PDF = (b"%PDF-1.1\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n"
       b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
       b"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]>>endobj\n"
       b"trailer<</Root 1 0 R>>\n%%EOF\n")


class Handler(http.server.SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def give(self, body, kind="text/html; charset=utf-8", code=200, **headers):
        body = body.encode() if isinstance(body, str) else body
        self.send_response(code)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        url = urllib.parse.urlparse(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        made_up = getattr(self, "get_" + url.path.strip("/"), None)
        if made_up:
            made_up(query)
        else:
            super().do_GET()

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/login":
            form = dict(urllib.parse.parse_qsl(body.decode()))
            if form.get("user") == "ada" and form.get("password") == "s3cret":
                self.give("", code=303, Location="/account", Set_Cookie="user=ada")
            else:
                self.give("", code=303, Location="/login.html?wrong=1")
        else:
            files = [part.split(b"filename=\"")[1].split(b"\"")[0].decode()
                     for part in body.split(b"\r\n") if b"filename=" in part]
            self.give("<p role=status>Got " + ", ".join(files) + ", holds mark: "
                      + str(b"the mark" in body))

    def get_account(self, query):
        if self.headers.get("Cookie", "").find("user=ada") < 0:
            self.give("", code=303, Location="/login.html?first=1")
        else:
            self.give("<title>Account</title><h1>Hello ada</h1>"
                      "<a href=/logout>Log out</a>")

    def get_logout(self, query):
        self.give("", code=303, Location="/login.html",
                  Set_Cookie="user=; Max-Age=0")

    def get_suggest(self, query):
        time.sleep(0.15)
        found = [f for f in FRUIT if f.startswith(query.get("q", "").lower())]
        self.give(json.dumps(found), "application/json")

    def get_rows(self, query):
        time.sleep(0.05)
        start = int(query.get("from", 0))
        self.give(json.dumps([f"row {i}" for i in range(start, start + 20)]),
                  "application/json")

    def get_report(self, query):
        self.give("a,b\n1,2\n", "text/csv",
                  Content_Disposition="attachment; filename=report.csv")

    def get_paper(self, query):
        self.give(PDF, "application/pdf")

    def get_slow(self, query):
        time.sleep(float(query.get("s", 0.4)))
        self.give("<title>Slow</title><p>came late")

    def get_picture(self, query):
        time.sleep(0.4)
        self.give("<svg xmlns='http://www.w3.org/2000/svg' width='30' height='30'>"
                  "<rect width='30' height='30' fill='red'/></svg>", "image/svg+xml",
                  Cache_Control="no-store")

    def get_hang(self, query):
        time.sleep(3600)

    def get_moved(self, query):
        self.give("", code=302, Location="/hello.html")

    def get_port(self, query):
        """A page with a frame of another site: the same server by another name."""
        port = self.server.server_address[1]
        self.give(f"<title>Sites</title><p>outside<iframe title=other width=400 height=200 "
                  f"src='http://localhost:{port}/counter.html'></iframe>"
                  f"<iframe title=boxed sandbox=allow-scripts width=400 height=200 "
                  f"src='http://127.0.0.1:{port}/counter.html'></iframe>")


def main():
    os.chdir(sys.argv[1])
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    parent = os.getppid()
    with open(sys.argv[2] + ".new", "w", encoding="ascii") as f:
        f.write(f"{server.server_address[1]}\n")
    os.rename(sys.argv[2] + ".new", sys.argv[2])
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while os.getppid() == parent:
        time.sleep(0.5)


main()
