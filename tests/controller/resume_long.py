# SPDX-License-Identifier: MIT
# resume_long.py - the work of resume-long.sh: logs made by bench/long-log, and a model
# on this machine that ends the task with its first reply.
import http.server
import json
import os
import select
import shutil
import signal
import subprocess
import tempfile
import threading
import time

EVENTS = int(os.environ.get("RESUME_EVENTS", "20000"))
BUILD = os.environ["top_builddir"]


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    bodies = []
    hold = None      # "body": it is not read; "answer": there is none
    held = threading.Event()
    released = threading.Event()

    def log_message(self, *args):
        pass

    def do_GET(self):
        self.send_response(404)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def wait(self):
        Model.held.set()
        Model.released.wait(60)

    def do_POST(self):
        try:
            self.answer()
        except OSError:
            self.close_connection = True

    def answer(self):
        hold, length = Model.hold, int(self.headers["Content-Length"])
        if hold == "body":
            self.wait()
        Model.bodies.append(self.rfile.read(length))
        if len(Model.bodies[-1]) < length:
            raise OSError("the client has gone")
        if hold == "answer":
            self.wait()
        answer = json.dumps({
            "id": "x", "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": None, "tool_calls": [{
                    "id": "end", "type": "function", "function": {
                        "name": "finish", "arguments": "{\"message\": \"Done.\"}"}}]}}],
            "usage": {"prompt_tokens": 10, "completion_tokens": 2}}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)


count = 0


def tell(good, name, *details):
    global count
    count += 1
    print("%sok %d - %s" % ("" if good else "not ", count, name), flush=True)
    for d in [] if good else details:
        print("# " + str(d)[-2000:].replace("\n", "\n# "), flush=True)


class Used:
    """A program that has ended: what it used and printed."""

    def __init__(self, child):
        self.text = child.stderr.read().decode(errors="replace")
        child.stderr.close()
        _, status, usage = os.wait4(child.pid, 0)
        self.code = child.returncode = os.waitstatus_to_exitcode(status)
        self.seconds = usage.ru_utime + usage.ru_stime
        self.mib = usage.ru_maxrss / 1024


class Long:
    """The state directory of one long conversation."""

    def __init__(self, work, url, events):
        self.work, self.url, self.state = work, url, os.path.join(work, "long-%d" % events)
        os.mkdir(self.state, 0o700)
        used = Used(self.start("run", "-C", work, "-t", "Begin.", state=self.state))
        if used.code:
            raise SystemExit("Bail out! " + used.text)
        subprocess.run([os.path.join(BUILD, "bench/long-log"), self.directory(self.state),
                        str(events)], check=True, stdout=subprocess.DEVNULL)

    def directory(self, state):
        root = os.path.join(state, "mortise", "conversations")
        return os.path.join(root, os.listdir(root)[0])

    def copy(self, checkpoint=True):
        state = tempfile.mkdtemp(dir=self.work)
        shutil.rmtree(state)
        shutil.copytree(self.state, state)
        for name in () if checkpoint else ("events.index", "state.json"):
            os.unlink(os.path.join(self.directory(state), name))
        return state

    def start(self, *words, state, **more):
        env = dict(os.environ, XDG_STATE_HOME=state, OPENAI_API_KEY="sk-of-a-test")
        return subprocess.Popen(
            ["mortise", *words, "-q", "--model", "openai/m", "-o", "llm.base_url=" + self.url,
             "-o", "controller.max_iterations=1000000", "-o", "core.sync=none"], env=env,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, **more)

    def resume(self, *options, state=None, **more):
        state = state or self.copy(**more)
        return Used(self.start("resume", "-t", "Go on.", *options, state=state))


WINDOW = ["-o", "llm.max_input_tokens=128000"]


def check_costs(short, long):
    for name, options, more in (("whole history", [], {}),
                                ("condensed history", WINDOW, {}),
                                ("no checkpoint", WINDOW, {"checkpoint": False})):
        a, b = short.resume(*options, **more), long.resume(*options, **more)
        tell(a.code == 0 and b.code == 0, name + ": both logs are resumed", a.text, b.text)
        tell(b.seconds < 3 * a.seconds + 0.1, name + ": twice the events, not thrice the time",
             "%.2f s and %.2f s" % (a.seconds, b.seconds))
        if options and "address" not in os.environ.get("SANITIZE", ""):
            tell(b.mib < 40 + EVENTS / 400, name + ": memory", "%.0f MiB" % b.mib)


def check_facts(long):
    """A condensed history is sent the same with the facts that are kept and without."""
    base, sent = long.copy(), []
    first = long.resume(*WINDOW, state=base)
    path = os.path.join(long.directory(base), "events.facts")
    tell(first.code == 0 and os.path.exists(path), "facts of events are kept", first.text)
    with open(path, "rb") as f:
        whole = f.read()
    for text in (whole, None, whole[:-1], whole.replace(b"MTFACTS2", b"MTFACTS1", 1)):
        state = tempfile.mkdtemp(dir=long.work)
        shutil.rmtree(state)
        shutil.copytree(base, state)
        path = os.path.join(long.directory(state), "events.facts")
        os.unlink(path)
        if text is not None:
            with open(path, "wb") as f:
                f.write(text)
        Model.bodies.clear()
        used = long.resume(*WINDOW, state=state)
        sent.append((used.code, list(Model.bodies)))
        shutil.rmtree(state)
    for got, name in zip(sent[1:], ("no facts", "damaged facts", "older facts")):
        tell(got == sent[0] and sent[0][0] == 0, name + ": the same requests",
             [len(b) for b in got[1]], [len(b) for b in sent[0][1]])


def total_of(directory):
    """Tokens and dollars of all replies, added up in the order of the log."""
    tokens, dollars = 0, 0.0
    with open(os.path.join(directory, "events.jsonl"), "rb") as f:
        for line in f:
            if line.startswith(b'{"record":"llm_reply"'):
                usage = json.loads(line)["usage"]
                tokens += usage.get("input", 0) + usage.get("output", 0)
                dollars += usage.get("cost", 0)
    return tokens, dollars


def damaged(text):
    """Another sum, in a checkpoint that is well-formed."""
    assert '\\"input\\":' in text, text
    return text.replace('\\"input\\":', '\\"input\\":1', 1)


def older(text):
    state = json.loads(text)
    state.pop("state", None)
    return json.dumps(state)


def of_another_log(text):
    state = json.loads(text)
    kept = state["state"]["replies"]
    sums = json.loads(kept["text"])
    sums["count"] -= 1
    kept["text"] = json.dumps(sums)
    return json.dumps(state)


def check_sums(long):
    """The account is the same whatever the checkpoint holds, and so are its limits."""
    stale = os.path.join(long.directory(long.state), "state.json")
    base = long.copy()
    first = long.resume(state=base)
    directory = long.directory(base)
    with open(os.path.join(directory, "state.json")) as f:
        whole = f.read()
    tell(first.code == 0 and '"replies"' in whole, "the checkpoint has the sums", whole[:300])
    with open(stale) as f:
        stale = f.read()
    tokens, dollars = total_of(directory)
    wanted = None
    for name, text in (("whole", whole), ("none", None), ("stale", stale),
                       ("damaged", damaged(whole)), ("older", older(whole)),
                       ("of another log", of_another_log(whole))):
        got = []
        for options in ([], ["-o", "controller.max_tokens=%d" % tokens],
                        ["-o", "controller.max_tokens=%d" % (tokens + 1)],
                        ["-o", "controller.max_budget=%r" % dollars],
                        ["-o", "controller.max_budget=%r" % (dollars + 1e-6)]):
            state = tempfile.mkdtemp(dir=long.work)
            shutil.rmtree(state)
            shutil.copytree(base, state)
            path = os.path.join(long.directory(state), "state.json")
            os.unlink(path)
            if text is not None:
                with open(path, "w") as f:
                    f.write(text)
            used = long.resume(*options, state=state)
            got.append((used.code, [line.split("(")[0] + line.split("(")[-1].split(" s;")[0]
                                    .rpartition(",")[0] if "steps" in line else line
                                    for line in used.text.splitlines() if " tokens in" in line]))
            shutil.rmtree(state)
        wanted = wanted or got
        tell([code for code, _ in got] == [0, 4, 0, 4, 0] and got == wanted,
             "checkpoint %s: the same account, the same limits" % name, got, wanted)


def wait_for(child, condition):
    deadline = time.monotonic() + 60
    while child.poll() is None and time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.001)
    return False


def catches(pid, number):
    """Does the process handle the signal?"""
    try:
        with open("/proc/%d/status" % pid) as f:
            caught = next(line for line in f if line.startswith("SigCgt:"))
    except (OSError, StopIteration):
        return False
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


def shows_files(child):
    """A process that protects its memory shows its open files to root alone."""
    try:
        os.listdir("/proc/%d/fd" % child.pid)
        return True
    except PermissionError:
        return False
    except OSError:
        return True


def reads_log(pid):
    try:
        return any(os.readlink("/proc/%d/fd/%s" % (pid, fd)).endswith("/events.jsonl")
                   for fd in os.listdir("/proc/%d/fd" % pid))
    except OSError:
        return False


BOUND = 10 # seconds; bench/run resume has the real figure


def check_opening(number, long):
    global count
    child = long.start("resume", "-t", "Go on.", state=long.copy(checkpoint=False))
    wait_for(child, lambda: not shows_files(child) or reads_log(child.pid))
    if shows_files(child):
        check_signal(number, "while the log is opened", child,
                     lambda: reads_log(child.pid), (-number, 128 + number))
        return
    count += 1
    child.kill()
    Used(child)
    print("ok %d - %s while the log is opened # SKIP only root sees the open files of mortise"
          % (count, signal.Signals(number).name), flush=True)


def check_signal(number, name, child, condition, codes):
    reached = wait_for(child, condition)
    began = time.monotonic()
    if reached:
        child.send_signal(number)
    try:
        child.wait(BOUND)
    except subprocess.TimeoutExpired:
        child.kill()
    text = child.stderr.read().decode(errors="replace")
    child.stderr.close()
    child.wait()
    tell(reached and child.returncode in codes, "%s %s" % (signal.Signals(number).name, name),
         "reached" if reached else "not reached", child.returncode,
         "%.2f s" % (time.monotonic() - began), text)


def check_reading(number, long, whole):
    """Sent when the signals are handled, just before the history is read."""
    Model.bodies.clear()
    child = long.start("resume", "-t", "Go on.", state=long.copy())
    reached = wait_for(child, lambda: catches(child.pid, number))
    child.send_signal(number)
    used = Used(child)
    tell(reached and used.code == 128 + number and used.seconds < 0.7 * whole.seconds,
         "%s while the history is read" % signal.Signals(number).name, used.code,
         "%.2f s of %.2f s" % (used.seconds, whole.seconds), used.text)


def await_moment(pid, moment):
    """Wait until a process has used so many processor seconds, or has ended: what else
    runs on the machine makes no difference."""
    while True:
        with open("/proc/%d/stat" % pid) as f:
            fields = f.read().rpartition(")")[2].split()
        used = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        if used >= moment or fields[0] == "Z":
            return
        time.sleep(0.001)


MOMENTS = 8


def check_moments(number, long, whole):
    """A signal at any moment of a resume ends it."""
    ended, late = 0, []
    for n in range(MOMENTS):
        moment = whole.seconds * n / MOMENTS
        child = long.start("resume", "-t", "Go on.", state=long.copy())
        await_moment(child.pid, moment)
        os.kill(child.pid, number) # send_signal would reap a child that has ended
        used = Used(child)
        ended += used.code in (-number, 128 + number)
        if used.code not in (-number, 128 + number, 0) or used.seconds > moment + 0.4 * whole.seconds + 0.2:
            late.append((n, used.code, used.seconds, used.text))
    tell(not late and ended >= MOMENTS / 2, "%s at %d moments of a resume" %
         (signal.Signals(number).name, MOMENTS), "%d ended" % ended, late, whole.seconds)


def check_signals(long):
    whole = long.resume()
    for number in (signal.SIGTERM, signal.SIGINT):
        check_moments(number, long, whole)
        check_opening(number, long)
        check_reading(number, long, whole)
        for hold in ("body", "answer"):
            Model.hold, Model.held, Model.released = hold, threading.Event(), threading.Event()
            child = long.start("resume", "-t", "Go on.", state=long.copy())
            check_signal(number, "while the %s of a request is awaited" % hold, child,
                         Model.held.is_set, (128 + number,))
            Model.hold = None
            Model.released.set()
        for word in ("show", "export"):
            check_command(number, long, word)


def check_command(number, long, word):
    """A command whose output is not read: it blocks in the middle of it."""
    state = long.copy()
    env = dict(os.environ, XDG_STATE_HOME=state)
    child = subprocess.Popen(["mortise", "conversations", word,
                              os.path.basename(long.directory(state))], env=env,
                             stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.PIPE)
    check_signal(number, "in conversations " + word, child,
                 lambda: select.select([child.stdout], [], [], 0)[0], (-number, 128 + number))
    child.stdout.close()


def main():
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = "http://127.0.0.1:%d/v1" % server.server_address[1]
    work = tempfile.mkdtemp(dir=os.environ["MORTISE_TEST_HOME"], prefix="resume-long.")
    try:
        short, long = Long(work, url, EVENTS // 2), Long(work, url, EVENTS)
        check_costs(short, long)
        check_signals(long)
        check_facts(long)
        check_sums(short)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print("1..%d" % count)


main()
