#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An MCP server over HTTP that wants a login, with the authorization server that
gives it: mcp-oauth.py LOG. The first line of LOG is its address.

GET /control/expire forgets the access tokens, /control/revoke the refresh tokens."""
import base64
import hashlib
import json
import os
import secrets
import subprocess
import sys
import tempfile
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlencode, urlsplit

log = open(sys.argv[1], "a", encoding="utf-8")
clients, codes, access, refresh = {}, {}, {}, {}


def note(text):
    log.write(text + "\n")
    log.flush()


TOOLS = [
    {"name": "who", "description": "Says which token came.",
     "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "admin", "description": "Needs more.", "inputSchema": {"type": "object"}},
]


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
        url = urlsplit(self.path)
        query = {k: v[0] for k, v in parse_qs(url.query).items()}
        if url.path == "/.well-known/oauth-protected-resource/mcp":
            self.say(200, {"resource": BASE + "/mcp", "authorization_servers": [BASE],
                           "scopes_supported": ["read"]})
        elif url.path == "/.well-known/oauth-authorization-server":
            self.say(200, {"issuer": BASE, "authorization_endpoint": BASE + "/authorize",
                           "token_endpoint": BASE + "/token",
                           "registration_endpoint": BASE + "/register",
                           "code_challenge_methods_supported": ["S256"],
                           "token_endpoint_auth_methods_supported":
                           ["none", "client_secret_basic", "private_key_jwt"],
                           "authorization_response_iss_parameter_supported": True})
        elif url.path == "/authorize":
            code = secrets.token_urlsafe(8)
            assert query["redirect_uri"] in clients[query["client_id"]]
            codes[code] = query
            note("authorize scope=%s" % query.get("scope"))
            back = {"code": code, "state": query["state"], "iss": BASE}
            self.say(302, Location=query["redirect_uri"] + "?" + urlencode(back))
        elif url.path == "/control/expire":
            access.clear()
            self.say(200, {})
        elif url.path == "/control/revoke":
            refresh.clear()
            self.say(200, {})
        else:
            self.say(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        if self.path == "/register":
            doc = json.loads(body)
            name = "client-%d" % (len(clients) + 1)
            clients[name] = doc["redirect_uris"]
            note("register %s" % name)
            self.say(201, {"client_id": name, "token_endpoint_auth_method": "none"})
        elif self.path == "/token":
            self.token({k: v[0] for k, v in parse_qs(body.decode()).items()})
        else:
            self.mcp(json.loads(body))

    def token(self, form):
        if form["grant_type"] == "client_credentials":
            scope = form.get("scope", "") if self.is_client(form) else None
        elif form["grant_type"] == "refresh_token":
            scope = refresh.pop(form["refresh_token"], None)
        else:
            asked = codes.pop(form["code"], None)
            digest = hashlib.sha256(form["code_verifier"].encode()).digest()
            right = base64.urlsafe_b64encode(digest).decode().rstrip("=")
            good = (asked and asked["code_challenge"] == right and
                    asked["resource"] == form["resource"] == BASE + "/mcp")
            scope = asked.get("scope", "") if good else None
        note("token %s" % form["grant_type"])
        if scope is None:
            self.say(400, {"error": "invalid_grant", "error_description": "no longer valid"})
            return
        token, again = "at-" + secrets.token_urlsafe(8), "rt-" + secrets.token_urlsafe(8)
        access[token], refresh[again] = scope, scope
        self.say(200, {"access_token": token, "token_type": "Bearer", "expires_in": 3600,
                       "refresh_token": again, "scope": scope})

    def is_client(self, form):
        """By its secret, or by what it signed: the key is in the file PUBLIC_KEY."""
        if "client_assertion" not in form:
            basic = base64.b64encode(b"machine:geheim-0815").decode()
            return self.headers.get("Authorization") == "Basic " + basic
        def raw(text):
            return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
        head, body, signature = form["client_assertion"].split(".")
        claims = json.loads(raw(body))
        algorithm = json.loads(raw(head))["alg"]
        note("assertion %s" % algorithm)
        with tempfile.TemporaryDirectory() as directory:
            with open(directory + "/text", "w", encoding="utf-8") as f:
                f.write(head + "." + body)
            with open(directory + "/signature", "wb") as f:
                f.write(raw(signature))
            hashed = ["-digest", "sha256"] if algorithm == "RS256" else []
            good = subprocess.run(
                ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", os.environ["PUBLIC_KEY"],
                 "-rawin", "-in", directory + "/text", "-sigfile", directory + "/signature", *hashed],
                stdout=subprocess.DEVNULL, check=False).returncode == 0
        return (good and claims["iss"] == claims["sub"] == "machine" and
                claims["aud"] == BASE and claims["exp"] > time.time() and
                form["resource"] == BASE + "/mcp")

    def mcp(self, message):
        token = self.headers.get("Authorization", "").removeprefix("Bearer ")
        where = 'Bearer resource_metadata="%s/.well-known/oauth-protected-resource/mcp"' % BASE
        scope = access.get(token)
        name = message.get("params", {}).get("name")
        if scope is None:
            self.say(401, {"error": "invalid_token"}, WWW_Authenticate=where)
        elif name == "admin" and "admin" not in scope.split():
            self.say(403, {"error": "insufficient_scope"}, WWW_Authenticate=where +
                     ', error="insufficient_scope", scope="admin"')
        elif "id" not in message:
            self.say(202)
        elif message["method"] == "initialize":
            self.answer(message, {"protocolVersion": "2025-11-25", "capabilities":
                                  {"tools": {}}, "serverInfo": {"name": "o", "version": "1"}})
        elif message["method"] == "tools/list":
            self.answer(message, {"tools": TOOLS})
        elif message["method"] == "tools/call":
            self.answer(message, {"content": [{"type": "text", "text": "%s with %s" %
                                               (name, scope)}]})
        else:
            self.say(200, {"jsonrpc": "2.0", "id": message["id"],
                           "error": {"code": -32601, "message": "no"}})

    def answer(self, message, result):
        self.say(200, {"jsonrpc": "2.0", "id": message["id"], "result": result})


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
BASE = "http://127.0.0.1:%d" % server.server_address[1]
note(BASE)
server.serve_forever()
