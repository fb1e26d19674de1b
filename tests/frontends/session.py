# SPDX-License-Identifier: MIT
"""session.py - whole sessions over the socket and over standard input and
output, with a scripted model. Every line is checked against the schema."""
import json
import os
import select
import shutil
import signal
import socket
import subprocess
import tempfile
import time

WORK = tempfile.mkdtemp(prefix="frontends-")
os.environ["XDG_RUNTIME_DIR"] = os.path.join(WORK, "run")
os.mkdir(os.environ["XDG_RUNTIME_DIR"], 0o700)
LIMIT = 60
count = 0
lines_seen = []
commands_sent = []


def check(good, name):
    global count
    count += 1
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)
    return good


class Lines:
    """Lines out of a descriptor, with a deadline."""

    def __init__(self, fd):
        self.fd, self.buffer, self.over = fd, b"", False
        self.all = []

    def next(self, limit=LIMIT):
        end = time.monotonic() + limit
        while b"\n" not in self.buffer and not self.over:
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                return None
            try:
                piece = os.read(self.fd, 65536)
            except ConnectionResetError:
                piece = b""
            self.over = not piece
            self.buffer += piece
        if b"\n" not in self.buffer:
            return None
        text, self.buffer = self.buffer.split(b"\n", 1)
        line = json.loads(text)
        self.all.append(line)
        lines_seen.append(line)
        return line

    def until(self, want):
        while (line := self.next()) is not None:
            if want(line):
                return line
        return None


class Client(Lines):
    def __init__(self, conversation):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(os.path.join(os.environ["XDG_RUNTIME_DIR"], "mortise",
                                         conversation + ".sock"))
        super().__init__(self.socket.fileno())
        self.number = 0

    def send(self, kind, **members):
        self.number += 1
        command = {"type": kind, "id": self.number, **members}
        commands_sent.append(command)
        self.socket.sendall(json.dumps(command).encode() + b"\n")

    def ask(self, kind, **members):
        self.send(kind, **members)
        number = self.number
        return self.until(lambda l: l.get("type") == "result" and l.get("id") == number)


def script(name, *turns):
    path = os.path.join(WORK, name)
    with open(path, "w") as f:
        f.write("\n".join("[turn]\n" + turn + "\n" for turn in turns))
    return "script:" + path


def call(command, text="I look."):
    return f"text = {text}\n[call execute_bash]\ncommand = {command}"


FINISH = "text = Done.\n[call finish]\nmessage = all good"


def mortise(*words, **options):
    options.setdefault("stdin", subprocess.DEVNULL)
    options.setdefault("stdout", subprocess.PIPE)
    options.setdefault("stderr", subprocess.PIPE)
    return subprocess.Popen(["mortise", *words], cwd=WORK, **options)


def ended(process):
    try:
        return process.wait(LIMIT)
    except subprocess.TimeoutExpired:
        process.kill()
        return None


def is_event(kind, name):
    return lambda l: l.get(kind) == name


def is_state(name):
    return lambda l: l.get("type") == "state" and l["state"] == name


def wait_command(flag):
    return f"echo begun; while [ ! -e {flag} ]; do sleep 0.02; done; echo over"


def test_socket():
    """Message, pause, resume, since, status, action, stop over the socket."""
    model = script("one", call(wait_command("never")), call("echo again"), FINISH, FINISH)
    p = mortise("run", "--json", "--keep", "-m", model)
    out = Lines(p.stdout.fileno())
    hello = out.next()
    check(hello["type"] == "hello" and hello["protocol"] == 1 and hello["state"] == "loading",
          "a conversation that waits for its first message")
    c = Client(hello["conversation"])
    check(c.next()["pid"] == p.pid, "hello over the socket")
    check(c.ask("subscribe", since=-1, live=True)["ok"], "subscribe")
    r = c.ask("message", text="do it")
    check(r["ok"], "message")
    check([l["args"]["content"] for l in c.all if l.get("action") == "message"] == ["do it"]
          and any(l.get("id") == r["event"] and l.get("action") == "message" for l in c.all),
          "its event has the id of the result")
    check(c.until(lambda l: l.get("type") == "output" and "begun" in l["text"]), "live output")
    check(c.ask("status")["busy"], "status: busy")
    check(not c.ask("action", action={"action": "run", "args": {"command": "ls"}})["ok"],
          "no action of ours while the agent is at work")
    check(c.ask("pause")["ok"], "pause")
    check(out.until(is_state("paused"))["exit_code"] == 130, "the other side hears of it")
    check(c.ask("pause")["ok"] is False, "a second pause has nothing to do")
    late = Client(hello["conversation"])
    late.next()
    late.ask("subscribe", since=r["event"] - 1)
    check(late.until(is_state("paused")), "a later client receives the past and the state")
    ids = [l["id"] for l in late.all if "type" not in l]
    check(ids == list(range(r["event"], r["event"] + len(ids))) and len(ids) > 3,
          "every event after `since`, in order")
    end = time.monotonic() + LIMIT
    while late.ask("status")["busy"] and time.monotonic() < end:
        time.sleep(0.02)
    r = late.ask("action", action={"action": "run", "args": {"command": "echo by hand"}})
    check(r["ok"], "an action of ours while it is paused")
    seen = late.until(lambda l: l.get("observation") == "run" and "by hand" in l["content"])
    check(seen and seen["cause"] == r["event"], "and its observation")
    r = late.ask("action", action={"action": "write",
                                   "args": {"path": "./by-hand", "content": "one"}})
    seen = late.until(is_event("observation", "write"))
    check(r["ok"] and seen["extras"]["path"].endswith("/by-hand")
          and open(seen["extras"]["path"]).read() == "one\n",
          "a relative path of V0's write is in the shell's directory")
    late.socket.close()
    check(c.ask("resume")["ok"], "resume")
    check(c.until(is_state("finished"))["exit_code"] == 0, "it continues to the end")
    check(c.ask("message", text="once more")["ok"], "a message after the end")
    check(c.until(is_state("finished")), "and it continues again")
    check(p.poll() is None, "the process stays")
    check(c.ask("stop")["ok"], "stop")
    check(c.until(is_event("type", "end"))["exit_code"] == 130, "the end, with exit code")
    check(c.next() is None and c.over, "is the last line")
    check(out.until(is_event("type", "end")) and ended(p) == 130, "the process ends with it")
    check(not os.path.exists(os.path.join(os.environ["XDG_RUNTIME_DIR"], "mortise",
                                          hello["conversation"] + ".sock")),
          "and the socket is gone")
    check([l for l in out.all if "type" not in l] == [l for l in c.all if "type" not in l],
          "both received the same events")
    c.socket.close()


def test_pause_ends_run():
    """A client's pause and stop end `run` with the right code."""
    for kind, state in ("pause", "paused"), ("stop", "stopped"):
        p = mortise("run", "-m", script("two", call(wait_command("never")), FINISH), "-t", "go")
        identity = only_open(p)
        c = Client(identity)
        c.ask("subscribe", since=-1)
        c.until(is_event("action", "run")) or c.all
        check(c.ask(kind)["ok"], kind)
        check(c.until(is_event("type", "end"))["state"] == state, f"ends as {state}")
        check(ended(p) == 130, f"run ends with 130 after {kind}")
        c.socket.close()
    os.close(os.open(os.path.join(WORK, "never"), os.O_CREAT))
    p = mortise("resume", "--json", identity)
    check(ended(p) == 0, "resume continues the conversation")
    out = Lines(p.stdout.fileno())
    hello = out.next()
    first = out.until(lambda l: "type" not in l)
    check(first["id"] > 3 and hello["conversation"] == identity, "and tells what is new alone")
    out.until(lambda l: False)
    os.unlink(os.path.join(WORK, "never"))


def only_open(process):
    """Id of the conversation of a process, when it is open."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        result = subprocess.run(["mortise", "ps", "--json"], capture_output=True, check=True)
        for line in result.stdout.splitlines():
            if json.loads(line)["pid"] == process.pid:
                return json.loads(line)["conversation"]
        time.sleep(0.02)
    raise SystemExit("Bail out! no conversation opened")


def test_stdin():
    """Commands on standard input; its end; rubbish."""
    p = mortise("run", "--json", "-t", "go", "-m", script("three", call(wait_command("flag")),
                FINISH), stdin=subprocess.PIPE)
    out = Lines(p.stdout.fileno())
    out.until(is_event("action", "run"))
    p.stdin.write(b'rubbish\n{"type":"status","id":"s"}\n{"type":"stat')
    p.stdin.flush()
    check("error" in out.until(is_event("type", "result")), "rubbish on standard input")
    check(out.until(is_event("id", "s"))["state"] == "running", "harms nothing")
    p.stdin.close()
    os.close(os.open(os.path.join(WORK, "flag"), os.O_CREAT))
    end = out.until(is_event("type", "end"))
    check(sum(m["calls"] for m in end["models"]) > 0, f"with a bill: {end['models']}")
    check(end["state"] == "finished",
          "the end of the input is not the end")
    check(ended(p) == 0, "exit code 0")
    p = mortise("run", "--json", "-t", "go", "-m", script("four", call(wait_command("never")),
                FINISH), stdin=subprocess.PIPE)
    out = Lines(p.stdout.fileno())
    out.until(is_event("action", "run"))
    p.stdin.write(b'{"type":"pause"}\n')
    p.stdin.flush()
    check(out.until(is_event("type", "end"))["state"] == "paused" and ended(p) == 130,
          "paused by standard input")
    p = mortise("run", "--json", "-m", script("five", FINISH), stdin=subprocess.PIPE)
    p.stdin.write(b"the task\n")
    p.stdin.close()
    out = Lines(p.stdout.fileno())
    check(out.until(is_event("type", "end")) and ended(p) == 0
          and not any(l.get("type") == "result" for l in out.all),
          "a task on standard input is not a command")
    with open(os.path.join(WORK, "commands"), "w") as f:
        f.write('{"type":"message","text":"from a file"}\n')
    with open(os.path.join(WORK, "commands")) as f:
        p = mortise("run", "--json", "--keep", "-m", script("six", FINISH), stdin=f)
        out = Lines(p.stdout.fileno())
        check(out.until(is_event("type", "end"))["state"] == "finished" and ended(p) == 0,
              "commands from a file; with --keep their end is the end")


def test_closed_output():
    """No client reads: pause, report it, exit with a code."""
    for words in ["--json"], []:
        p = mortise("run", *words, "-t", "go", "-m",
                    script("seven", *[call(f"echo {i}") for i in range(300)], FINISH))
        p.stdout.readline()
        p.stdout.close()
        code = ended(p)
        text = p.stderr.read().decode()
        check(code == 1 and "mortise resume" in text,
              f"closed output of run {' '.join(words)}: {code}")


def test_signals():
    p = mortise("run", "--json", "--keep", "-t", "go", "-m",
                script("eight", call(wait_command("never")), FINISH))
    out = Lines(p.stdout.fileno())
    out.until(is_event("action", "run"))
    p.send_signal(signal.SIGINT)
    check(out.until(is_state("paused")), "Ctrl-C pauses")
    p.send_signal(signal.SIGINT)
    check(out.until(is_event("type", "end")) and ended(p) == 130, "a second one ends it")


def test_join():
    """resume of a conversation that is open joins it."""
    p = mortise("run", "--json", "--keep", "-t", "go", "-m",
                script("nine", FINISH, call("echo more"), FINISH))
    out = Lines(p.stdout.fileno())
    identity = out.next()["conversation"]
    out.until(is_state("finished"))
    second = mortise("resume", identity, "-t", "and more")
    code = ended(second)
    text = second.stdout.read().decode()
    check(code == 0 and "$ echo more" in text and "all good" in text, "resume joins")
    check(f"process {p.pid} has" in second.stderr.read().decode(), "and says so")
    second = mortise("resume", "--json", identity, "-t", "no turn is left")
    code = ended(second)
    check(code == 3, f"with the exit code of the result: {code}")
    lines = Lines(second.stdout.fileno())
    lines.until(lambda l: False)
    check(not any(l.get("type") == "result" for l in lines.all) and len(lines.all) > 2,
          "results of its own commands are not shown")
    check(p.poll() is None, "the owner stays")
    p.send_signal(signal.SIGTERM)
    check(ended(p) is not None, "until it is asked to leave")


def questions(client):
    line = client.until(is_event("type", "questions"))
    return line["open"] if line else None


def server_flags(mode):
    server = os.path.join(os.environ["top_srcdir"], "tests/tools/mcp-hostile.py")
    flags = ["-o", "mcp.form.command=python3", "-o", "mcp.form.args=" + server + ", " + mode]
    subprocess.run(["mortise", "mcp", "status", *flags], check=True, capture_output=True)
    return flags


def test_formats():
    """A form whose fields have a format: what does not fit is asked for again."""
    flags = server_flags("form-formats")
    p = mortise("run", "--json", "--keep", "-t", "go", "-m",
                script("ask", "[call plain]\ntext = x", FINISH), *flags,
                "-o", "controller.confirmation=never", stdin=subprocess.PIPE)
    out = Lines(p.stdout.fileno())
    c = Client(out.next()["conversation"])
    c.ask("subscribe", since=-1)
    for text in "ada at home", "ada@example.org", "2026-02-30", "2026-02-28":
        q = questions(c)
        while not q:
            q = questions(c)
        check(c.ask("answer", question=q[0]["question"], text=text)["ok"], text)
    seen = c.until(lambda l: l.get("observation") == "mcp")
    got = json.loads(seen["content"])
    check(got == {"action": "accept", "content": {"mail": "ada@example.org",
                                                  "day": "2026-02-28"}},
          f"formats are checked: {got}")
    p.send_signal(signal.SIGTERM)
    ended(p)


def test_input():
    """What a client types reaches the command that runs."""
    # While a command waits in `read`, the call returns: this one sleeps until there is a line.
    command = ("for i in {1..600}; do read -t 0 && break; sleep 0.1; done; "
               "read -r -t 60 answer; echo \"got $answer\"")
    p = mortise("run", "--json", "--keep", "-t", "go", "-m",
                script("input", "[call execute_bash]\ncommand = " + command, FINISH),
                "-o", "controller.confirmation=never", stdin=subprocess.PIPE)
    out = Lines(p.stdout.fileno())
    c = Client(out.next()["conversation"])
    c.ask("subscribe", since=-1)
    def seen(want):
        return next((l for l in c.all if want(l)), None)

    end = time.monotonic() + LIMIT
    while not seen(lambda l: l.get("observation") == "run") and time.monotonic() < end:
        c.ask("input", text="a line\n")  # what comes before the command begins is lost
        c.next(0.2)
    got = seen(lambda l: l.get("observation") == "run")
    check(got and "got a line" in got["content"], "what a client types reaches the command")
    check(seen(is_state("finished")) or c.until(is_state("finished")), "it ends")
    check(not c.ask("input", text="x")["ok"], "input without a tool that runs")
    p.send_signal(signal.SIGTERM)
    ended(p)


def test_questions():
    """A server of tools asks the user, through the client of the conversation."""
    for mode in "form", "form-modern":
        flags = server_flags(mode)
        p = mortise("run", "--json", "--keep", "-t", "go", "-m",
                    script("ask", *["[call plain]\ntext = x"] * 3, FINISH), *flags,
                    stdin=subprocess.PIPE)
        out = Lines(p.stdout.fileno())
        c = Client(out.next()["conversation"])
        c.ask("subscribe", since=-1)
        values = []
        for wanted in "name", "size", "color", "color again", "sure":
            q = questions(c)
            while not q:
                q = questions(c)
            values.append(q[0])
            text = {"name": "Ada", "size": "", "color": "green", "color again": "blue",
                    "sure": "yes"}[wanted]
            check(c.ask("answer", question=q[0]["question"], text=text)["ok"], wanted)
        check("Some facts, please." in values[0]["text"] and "Your name" in values[0]["text"]
              and "choices" not in values[0] and values[2]["choices"] == ["red", "blue"]
              and values[4]["choices"] == ["yes", "no"], "a question a field, with choices")
        seen = c.until(lambda l: l.get("observation") == "mcp")
        got = json.loads(seen["content"])
        check(got == {"action": "accept", "content": {"name": "Ada", "size": 7,
                                                      "color": "blue", "sure": True}},
              f"{mode}: what the server got: {got}")
        q = questions(c)
        while not q:
            q = questions(c)
        late = Client(out.all[0]["conversation"])
        late.next()
        late.ask("subscribe")
        check(questions(late) == q, "a later client receives the question too")
        check(not late.ask("answer", question=q[0]["question"] + 1, text="x")["ok"],
              "a question that was not asked")
        check(late.ask("answer", question=q[0]["question"])["ok"], "no answer")
        seen = c.until(lambda l: l.get("observation") == "mcp")
        check(json.loads(seen["content"]) == {"action": "decline"}, "is declined")
        late.socket.close()
        q = questions(c)
        while not q:
            q = questions(c)
        servers = c.ask("mcp")["servers"]
        check([(s["name"], s["tools"], s["lists"]) for s in servers] == [("form", 4, True)],
              f"mcp: {servers}")
        check(c.ask("pause")["ok"] and questions(c) == [], "a pause takes the question back")
        c.ask("stop")
        check(ended(p) == 130, "the end")
        c.socket.close()
    p = mortise("run", "--json", "-t", "go", "-m",
                script("ask", "[call plain]\ntext = x", FINISH), *flags)
    out = Lines(p.stdout.fileno())
    seen = out.until(lambda l: l.get("observation") == "mcp")
    check("decline" in seen["content"] and ended(p) == 0, "no user: declined")


def test_schema():
    try:
        import jsonschema
    except ImportError:
        print(f"ok {count + 1} # SKIP no python3-jsonschema")
        return count + 1
    path = os.path.join(os.environ["top_srcdir"], "doc/conversation-protocol.schema.json")
    with open(path) as f:
        schema = json.load(f)
    jsonschema.Draft202012Validator.check_schema(schema)

    def validator(which):
        return jsonschema.Draft202012Validator({**schema, "$ref": "#/$defs/" + which})
    bad = [l for l in lines_seen if not validator("out").is_valid(l)]
    check(not bad and len(lines_seen) > 200, f"{len(lines_seen)} lines are as the schema says")
    for line in bad[:5]:
        print("#", json.dumps(line)[:300])
    check(all(validator("in").is_valid(c) for c in commands_sent), "and the commands")
    check(not validator("in").is_valid({"type": "mesage"})
          and not validator("out").is_valid({"type": "result", "ok": False}),
          "the schema refuses what is wrong")
    types = {l.get("type", "event") for l in lines_seen}
    check(types >= {"event", "hello", "state", "reply", "output", "result", "end", "delta",
                    "notice"} - {"delta", "notice"}, f"types seen: {' '.join(sorted(types))}")
    return count


test_socket()
test_pause_ends_run()
test_stdin()
test_closed_output()
test_signals()
test_join()
test_formats()
test_input()
test_questions()
total = test_schema()
print(f"1..{total}")
shutil.rmtree(WORK)
