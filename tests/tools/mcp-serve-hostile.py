# SPDX-License-Identifier: MIT
"""mcp-serve-hostile.py CASE URL [ARGUMENT...]: what a hostile or careless client of
`mortise tools serve --http` does; see mcp-serve-hostile.bats."""
import json
import socket
import sys
import threading
import time

TOKEN = "Authorization: Bearer a-token-for-the-tests\r\n"
WAIT = 60  # seconds for an answer
case, url, arguments = sys.argv[1], sys.argv[2], sys.argv[3:]
host, port = url[7:-4].split(":")


def connect():
    s = socket.create_connection((host, int(port)), timeout=WAIT)
    s.settimeout(WAIT)
    return s


def head(length, token=TOKEN, more=""):
    return ("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
            + token + more + "Content-Length: %d\r\n\r\n" % length).encode()


def send(s, message, more=""):
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    s.sendall(head(len(body), more=more) + body)


def read_until(s, mark):
    got = b""
    while mark not in got:
        more = s.recv(65536)
        if not more:
            break
        got += more
    return got


def answer(message, more="", s=None):
    """The response to one request, with its head."""
    s = s or connect()
    send(s, message, more)
    got = read_until(s, b"\r\n\r\n")
    top, body = got.split(b"\r\n\r\n", 1)
    for line in top.split(b"\r\n"):
        if line.lower().startswith(b"content-length:"):
            while len(body) < int(line.split(b":")[1]):
                body += s.recv(65536)
    return top.decode() + "\n" + body.decode()


def call(number, tool, arguments=None, meta=None):
    params = {"name": tool, "arguments": arguments or {}}
    if meta:
        params["_meta"] = meta
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def session(capabilities=None):
    """The header of a new session."""
    got = answer({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": capabilities or {},
        "clientInfo": {"name": "t", "version": "1"}}})
    name = [line for line in got.split("\n") if line.startswith("Mcp-Session-Id")]
    return name[0].strip() + "\r\n" if name else ""


def ends(s):
    """The server closes the connection."""
    try:
        while s.recv(65536):
            pass
    except ConnectionError:
        pass


def ids():
    """Ids that are not one, and large ones."""
    ping = {"jsonrpc": "2.0", "method": "ping"}
    for bad in ({}, [], [1], True, "x" * 2000, "y" * (2 << 20)):
        got = answer({**ping, "id": bad})
        assert '"id":null,"error":{"code":-32600' in got, got[-300:]
        got = answer({**ping, "id": bad}, "MCP-Protocol-Version: none\r\n")
        assert '"id":null,"error":{"code":-32600' in got, got[-300:]
    for valid in (0, -1, 1.5, "", "x" * 1000):
        got = answer({**ping, "id": valid})
        assert '"result":{}' in got, got[-300:]
    big = answer({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "capabilities": {"x": ["y"] * 100000}}})
    assert '"protocolVersion"' in big, big[-300:]


def body_of_strangers():
    """Without the token no body is read."""
    s = connect()
    s.sendall(head(16 << 20, token=""))
    got = read_until(s, b"\r\n\r\n")
    assert b" 401 " in got, got
    ends(s)
    s = connect()
    s.sendall(head(16 << 20).replace(b"Host: localhost", b"Host: evil.example"))
    assert b" 403 " in read_until(s, b"\r\n\r\n")
    ends(s)


def idle_connections():
    """More connections than there is room for, each with half of a request: who has a
    request is served."""
    idle = []
    for _ in range(150):
        s = connect()
        try:
            s.sendall(b"POST /mcp HTTP/1.1\r\n")
        except ConnectionError:
            pass
        idle.append(s)
    for _ in range(3):
        got = answer({"jsonrpc": "2.0", "id": 1, "method": "ping"})
        assert '"result":{}' in got, got
    for s in idle:
        s.close()


def cancelled():
    """A cancelled call ends its response, in each form, and leaves room for others."""
    known = session()
    for events in (True, False):
        accept = "Accept: application/json%s\r\n" % (", text/event-stream" if events else "")
        for number in range(70):
            s = connect()
            send(s, call(number, "execute_bash", {"command": "sleep 600"},
                         {"progressToken": number}), known + accept)
            got = answer({"jsonrpc": "2.0", "method": "notifications/cancelled",
                          "params": {"requestId": number}}, known)
            while " 202 " not in got.split("\n")[0]:
                raise SystemExit(got)
            ends_or_202(s)
            s.close()


def ends_or_202(s):
    s.settimeout(WAIT)
    got = s.recv(65536)
    assert not got or b" 202 " in got or b"text/event-stream" in got, got


def streams():
    """A session with several streams gets an announcement once."""
    path, = arguments
    known = session()
    listening = []
    for _ in range(3):
        s = connect()
        s.sendall(("GET /mcp HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n"
                   + TOKEN + known + "\r\n").encode())
        read_until(s, b"\r\n\r\n")
        listening.append(s)
    got = answer({"jsonrpc": "2.0", "id": 1, "method": "resources/subscribe",
                  "params": {"uri": "file://" + path}}, known)
    assert '"result"' in got, got
    with open(path, "a") as file:
        file.write("more\n")
    counts = {}

    def listen(n):
        counts[n] = 0
        try:
            while True:
                more = listening[n].recv(65536)
                if not more:
                    break
                counts[n] += more.count(b"resources/updated")
        except OSError:
            pass

    threads = [threading.Thread(target=listen, args=(n,)) for n in range(3)]
    for t in threads:
        t.start()
    until = time.monotonic() + WAIT
    while not any(counts.values()) and time.monotonic() < until:
        time.sleep(0.05)
    answer({"jsonrpc": "2.0", "id": 2, "method": "ping"}, known)
    s = connect()  # the end of the session ends its streams
    s.sendall(("DELETE /mcp HTTP/1.1\r\nHost: localhost\r\n" + TOKEN + known
               + "\r\n").encode())
    assert b" 200 " in read_until(s, b"\r\n\r\n")
    for t in threads:
        t.join()
    assert sum(1 for n in counts.values() if n) == 1, counts


def sessions():
    """Thousands of sessions: the least recently used are forgotten, and the server
    stays."""
    first, used = session(), session()
    s = connect()
    for number in range(3000):
        got = answer({"jsonrpc": "2.0", "id": number, "method": "initialize",
                      "params": {"protocolVersion": "2025-11-25",
                                 "capabilities": {"x": "y" * 1000}}}, s=s)
        assert "Mcp-Session-Id" in got, got
        if number % 100 == 0:
            got = answer({"jsonrpc": "2.0", "id": 1, "method": "ping"}, used)
            assert " 200 " in got, got
    got = answer({"jsonrpc": "2.0", "id": 1, "method": "ping"}, first)
    assert " 404 " in got, got


def same_ids():
    """Calls with the same id at the same time, of one session and of two."""
    known = [session(), session()]
    open_calls = []
    for n in range(6):
        s = connect()
        send(s, call(1, "execute_bash", {"command": "echo call-%d" % n}), known[n % 2])
        open_calls.append(s)
    for n, s in enumerate(open_calls):
        got = read_until(s, b"call-%d" % n)
        assert b"call-%d" % n in got, got


def silent_client():
    """A client that is asked and does not answer does not block its toolset."""
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}}}
    headers = ("MCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n"
               "Mcp-Name: do\r\n")
    asks = {"what": "ask", "params": {"question": "Which?"}}
    got = answer(call(1, "do", asks, meta), headers)
    assert "input_required" in got, got
    state = got.split('"requestState":"')[1].split('"')[0]
    got = answer(call(2, "do", {"what": "echo", "text": "served"}, meta), headers)
    assert "served" in got, got
    again = call(3, "do", asks, meta)
    again["params"]["requestState"] = state
    got = answer(again, headers)
    assert "unknown or expired requestState" in got, got


def slow_reader():
    """Clients that do not read: the others are served, and memory has a limit."""
    known = session()
    slow = []
    for n in range(8):
        s = connect()
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        send(s, call(n, "execute_bash",
                     {"command": "yes hello | head -c 20000000; echo"},
                     {"progressToken": n}), known)
        slow.append(s)
    got = answer({"jsonrpc": "2.0", "id": 99, "method": "ping"}, known)
    assert '"result":{}' in got, got
    got = answer(call(100, "execute_bash", {"command": "echo served"}), known)
    assert "served" in got, got
    for s in slow:
        s.close()


globals()[case]()
