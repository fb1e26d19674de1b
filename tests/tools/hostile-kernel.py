# SPDX-License-Identifier: MIT
"""A Jupyter kernel that behaves badly: hostile-kernel.py HOW CONNECTION_FILE."""
import hashlib
import hmac
import json
import os
import signal
import sys
import time

import zmq

how = sys.argv[1]
with open(sys.argv[2]) as f:
    info = json.load(f)
if how == "gone":
    print("first line\nthis kernel cannot start", file=sys.stderr)
    sys.exit(7)
if how == "silent":
    time.sleep(600)
key = b"another" if how == "key" else info["key"].encode()
context = zmq.Context()


def bind(kind, name):
    s = context.socket(kind)
    s.linger = 0
    s.bind("%s://%s-%d" % (info["transport"], info["ip"], info[name + "_port"]))
    return s


shell, iopub = bind(zmq.ROUTER, "shell"), bind(zmq.PUB, "iopub")
stdin, control = bind(zmq.ROUTER, "stdin"), bind(zmq.ROUTER, "control")
count = 0


def send(socket, ids, kind, parent, content):
    global count
    count += 1
    header = {"msg_id": str(count), "msg_type": kind, "session": "s", "version": "5.3"}
    parts = [x if isinstance(x, bytes) else json.dumps(x).encode()
             for x in (header, parent, {}, content)]
    sign = hmac.new(key, b"".join(parts), hashlib.sha256).hexdigest().encode()
    socket.send_multipart(ids + [b"<IDS|MSG>", sign] + parts)


def garbage():
    yield [b""]
    yield [b"<IDS|MSG>"]
    yield [b"x"] * 200
    yield [b"<IDS|MSG>", b"0" * 64, b"{}", b"{}", b"{}", b"{}"]
    yield [b"<IDS|MSG>", b"", b"{}", b"{}", b"{}"]
    yield [b"<IDS|MSG>", b"\xff" * 64, b"\xff", b"{", b"{}", b"[]"]
    yield [os.urandom(100) for _ in range(8)]


def status(parent, state):
    send(iopub, [b"status"], "status", parent, {"execution_state": state})


def execute(ids, parent):
    """Respond to a cell. True: do not send the usual reply."""
    if how == "deaf":
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        return True
    if how == "garbage":
        for parts in garbage():
            for socket, to in ((iopub, []), (shell, ids), (stdin, ids)):
                socket.send_multipart(to + parts)
    if how == "endless":
        while True:
            iopub.send_multipart([b"<IDS|MSG>", b"nothing"])
    if how == "shapes":
        for kind in ("stream", "error", "display_data", "execute_result", "status",
                     "clear_output", "input_request", "nonsense"):
            for content in ({}, {"text": 5, "data": 5, "traceback": 5},
                            {"text": None, "data": {"image/png": "%%%"}, "ename": []},
                            {"data": {"text/plain": ["a", 5, "b"]}, "traceback": [5]},
                            {"data": {"image/png": ""}}, {"prompt": 5, "password": "x"}):
                send(iopub, [b"x"], kind, parent, content)
        send(iopub, [b"x"], "stream", parent, b'{"text":"bad \xff bytes\\u0000"}')
        send(iopub, [b"x"], "stream", parent, b'[1,2')
        send(iopub, [b"x"], "stream", {"msg_id": 5}, {"text": "\nof another"})
    return False


while True:
    parts = shell.recv_multipart()
    mark = parts.index(b"<IDS|MSG>")
    ids, parent = parts[:mark], json.loads(parts[mark + 2])
    status(parent, "busy")
    if parent["msg_type"] == "kernel_info_request":
        send(shell, ids, "kernel_info_reply", parent, {"status": "ok"})
    elif parent["msg_type"] == "execute_request":
        if execute(ids, parent):
            continue
        payload = [5, {"source": "page", "data": 5}, {"source": "page"}]
        send(shell, ids, "execute_reply", {"msg_id": "other"}, {"status": "ok"})
        send(shell, ids, "execute_reply", parent, {"status": "ok", "payload": payload})
    if how != "lost":
        status(parent, "idle")
