# SPDX-License-Identifier: MIT
"""web.py PORTFILE: a web server with a few odd pages, until it is killed."""
import gzip
import http.server
import os
import sys
import time


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *args):
        pass

    def give(self, body, kind="text/html", code=200, **headers):
        self.send_response(code)
        if kind:
            self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        port = self.server.server_address[1]
        page = self.path.split("?")[0]
        if page == "/page":
            self.give(b"<title>A page</title><h1>Hi</h1><a href='/next'>on</a>")
        elif page == "/latin1":
            self.give(b"<p>gr\xfc\xdfe", "text/html; charset=iso-8859-1")
        elif page == "/meta":
            self.give(b"<meta charset=windows-1252><p>\x80 5")
        elif page == "/undeclared":
            self.give(b"<p>gr\xfc\xdfe")
        elif page == "/marked16":
            self.give("<p>gr\u00fc\u00dfe".encode("utf-16"))
        elif page == "/marked8":
            self.give(b"\xef\xbb\xbfgr\xc3\xbc\xc3\x9fe", "text/plain; charset=latin1")
        elif page == "/text":
            self.give(b"plain <b>text</b>", "text/plain")
        elif page == "/json":
            self.give(b'{"a": 1}', "application/json")
        elif page == "/binary":
            self.give(b"\x00\x01\x02" * 100, "application/octet-stream")
        elif page == "/big":
            self.give(b"0123456789" * 300000, "text/plain")
        elif page == "/bomb":
            self.give(gzip.compress(b"a" * 20000000), "text/plain",
                      Content_Encoding="gzip")
        elif page == "/gone":
            self.give(b"<p>not here", code=404)
        elif page == "/again":
            self.give(b"", code=302, Location="/again")
        elif page == "/to":
            self.give(b"", code=301, Location="/page")
        elif page == "/elsewhere":
            self.give(b"", code=302, Location="http://localhost:%d/page" % port)
        elif page == "/file":
            self.give(b"", code=302, Location="file:///etc/passwd")
        elif page == "/slow":
            time.sleep(30)


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
with open(sys.argv[1] + ".new", "w") as f:
    f.write(str(server.server_address[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
