# SPDX-License-Identifier: MIT
"""proxy.py - one question to a model on this machine, by TLS and through a proxy, as
the environment and the configuration say. Called by proxy.sh."""
import json
import os
import shutil
import socket
import socketserver
import ssl
import subprocess
import sys
import tempfile
import threading

import wire

ANSWER = json.dumps({"id": "c", "object": "chat.completion", "choices": [
    {"index": 0, "message": {"role": "assistant", "content": "Hello"}, "finish_reason": "stop"}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 1}}).encode()


def certificates(directory):
    """A certificate authority in ca.pem and hashed/, and a server's that it signed."""
    def openssl(*words):
        subprocess.run(["openssl", *words], cwd=directory, check=True, stdout=subprocess.DEVNULL,
                       stderr=subprocess.DEVNULL)
    openssl("req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", "ca.key", "-out", "ca.pem",
            "-days", "2", "-subj", "/CN=A test", "-addext", "keyUsage=critical,keyCertSign")
    openssl("req", "-newkey", "rsa:2048", "-nodes", "-keyout", "server.key", "-out", "server.csr",
            "-subj", "/CN=localhost")
    with open(directory + "/names", "w") as f:
        f.write("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.pem", "-CAkey", "ca.key",
            "-CAcreateserial", "-out", "server.pem", "-days", "2", "-extfile", "names")
    os.mkdir(directory + "/hashed")
    shutil.copy(directory + "/ca.pem", directory + "/hashed/ca.pem")
    openssl("rehash", "hashed")


class Server(socketserver.ThreadingTCPServer):
    """Gives `handle(socket)` each connection."""
    allow_reuse_address = True
    daemon_threads = True

    def __init__(self, handle):
        super().__init__(("127.0.0.1", 0), None)
        self.port, self.handle = self.server_address[1], handle
        threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True).start()

    def finish_request(self, request, client_address):
        try:
            self.handle(request)
        except OSError:
            pass


def head_of(client):
    data = b""
    while b"\r\n\r\n" not in data:
        more = client.recv(4096)
        if not more:
            return b"", b""
        data += more
    return data.split(b"\r\n\r\n", 1)


class Model:
    """Answers by TLS, or without."""

    def __init__(self, directory):
        self.context = None
        if directory:
            self.context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self.context.load_cert_chain(directory + "/server.pem", directory + "/server.key")
        self.asked = 0
        self.port = Server(self.handle).port

    def handle(self, client):
        if self.context:
            client = self.context.wrap_socket(client, server_side=True)
        head, body = head_of(client)
        size = [int(line.split(b":")[1]) for line in head.split(b"\r\n")
                if line.lower().startswith(b"content-length:")]
        while size and len(body) < size[0]:
            body += client.recv(65536)
        self.asked += 1
        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                       b"Content-Length: %d\r\nConnection: close\r\n\r\n" % len(ANSWER) + ANSWER)
        client.close()


class Proxy:
    """Passes on what is asked by CONNECT, and counts it. With `wanted` it wants these
    words of Proxy-Authorization."""

    def __init__(self, wanted=None):
        self.wanted, self.seen = wanted, []
        self.port = Server(self.handle).port

    def handle(self, client):
        head, rest = head_of(client)
        lines = head.decode("latin-1").split("\r\n")
        self.seen.append(lines[0])
        if self.wanted and "Proxy-Authorization: " + self.wanted not in lines:
            client.sendall(b"HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n")
            return
        name, port = lines[0].split(" ")[1].split(":")
        # without /etc/hosts nothing else knows this name
        name = "127.0.0.1" if name == "localhost" else name
        with socket.create_connection((name, int(port)), 10) as server:
            client.sendall(b"HTTP/1.1 200 Connected\r\nVia: a proxy\r\n\r\n")
            server.sendall(rest)
            back = threading.Thread(target=pass_on, args=(server, client), daemon=True)
            back.start()
            pass_on(client, server)
            back.join(10)


def pass_on(source, target):
    try:
        while data := source.recv(65536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def ask(port, scheme="https", host="localhost", env=None, **options):
    """Asks once. Returns the exit code and what was printed."""
    clean = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")
             and k not in ("SSL_CERT_FILE", "SSL_CERT_DIR", "CURL_CA_BUNDLE")}
    argv = ["mortise", "models", "test", "some", "-o",
            "llm.base_url=%s://%s:%d/v1" % (scheme, host, port), "-o", "llm.retries=1",
            "-o", "llm.stream=no"]
    for key, value in options.items():
        argv += ["-o", "llm.%s=%s" % (key, value)]
    done = subprocess.run(argv, env=dict(clean, **(env or {})), stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60)
    return done.returncode, done.stdout


def main():
    directory = tempfile.mkdtemp(prefix="proxy.")
    certificates(directory)
    model, plain = Model(directory), Model(None)
    ca, hashed = directory + "/ca.pem", directory + "/hashed"
    trusted = {"SSL_CERT_FILE": ca}
    # name, arguments of ask(), does it answer, is the proxy asked, what is said
    cases = [
        ("an untrusted certificate", {}, False, False, "certificate"),
        ("ca_path names a file", {"ca_path": ca}, True, False, ""),
        ("ca_path names a directory", {"ca_path": hashed}, True, False, ""),
        ("ca_path names a directory without it", {"ca_path": directory}, False, False, "certificate"),
        ("SSL_CERT_FILE", {"env": trusted}, True, False, ""),
        ("CURL_CA_BUNDLE", {"env": {"CURL_CA_BUNDLE": ca}}, True, False, ""),
        ("SSL_CERT_DIR", {"env": {"SSL_CERT_DIR": hashed}}, True, False, ""),
        ("ca_path beats the environment", {"ca_path": directory, "env": trusted}, False, False,
         "certificate"),
        ("another name than the certificate's", {"ca_path": ca, "host": "127.0.0.2"}, False, False,
         ""),
        ("https_proxy", {"ca_path": ca, "env": {"https_proxy": "http://127.0.0.1:%d"}}, True,
         True, ""),
        ("HTTPS_PROXY", {"ca_path": ca, "env": {"HTTPS_PROXY": "http://127.0.0.1:%d"}}, True,
         True, ""),
        ("no_proxy", {"ca_path": ca, "env": {"https_proxy": "http://127.0.0.1:%d",
                                             "no_proxy": "example.org,localhost"}}, True, False,
         ""),
        ("no_proxy for others", {"ca_path": ca, "env": {"https_proxy": "http://127.0.0.1:%d",
                                                        "no_proxy": "example.org"}}, True, True,
         ""),
        ("the option proxy", {"ca_path": ca, "proxy": "http://127.0.0.1:%d"}, True, True, ""),
        ("the option beats the environment",
         {"ca_path": ca, "proxy": "http://127.0.0.1:%d",
          "env": {"https_proxy": "http://127.0.0.1:1"}}, True, True, ""),
        ("a proxy that is not there", {"ca_path": ca, "env": {"https_proxy": "http://127.0.0.1:1"}},
         False, False, ""),
        ("an untrusted certificate, behind a proxy",
         {"env": {"https_proxy": "http://127.0.0.1:%d"}}, False, True, "certificate"),
        ("https_proxy is not for http", {"scheme": "http", "env": {
            "https_proxy": "http://127.0.0.1:1"}}, True, False, ""),
        ("a proxy with a password", {"ca_path": ca, "proxy": "http://me:sesame@127.0.0.1:%d"},
         True, True, ""),
        ("a proxy with another password", {"ca_path": ca, "proxy": "http://me:opensez@127.0.0.1:%d"},
         False, True, ""),
    ]
    tap = wire.Tap(len(cases))
    for name, given, answers, passes, says in cases:
        proxy = Proxy("Basic bWU6c2VzYW1l" if "password" in name else None)
        given = json.loads(json.dumps(given).replace("%d", str(proxy.port)))
        to = plain if given.get("scheme") == "http" else model
        before, found = to.asked, []
        try:
            code, output = ask(to.port, **given)
        except subprocess.TimeoutExpired:
            code, output = None, "it hangs"
        if (code == 0) != answers or (to.asked > before) != answers:
            found.append("it ends with %s, asked %d times" % (code, to.asked - before))
        want = "CONNECT %s:%d HTTP/1.1" % (given.get("host", "localhost"), to.port)
        if bool(proxy.seen) != passes or any(line != want for line in proxy.seen):
            found.append("the proxy saw %s" % proxy.seen)
        if says not in output:
            found.append("it does not say `%s`" % says)
        if "sesame" in output or "opensez" in output:
            found.append("it tells the password of the proxy")
        tap.say(name, found, output)
    shutil.rmtree(directory)
    return tap.failed > 0


if __name__ == "__main__":
    sys.exit(main())
