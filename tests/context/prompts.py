# SPDX-License-Identifier: MIT
"""prompts.py - see prompts.sh; prints the size of each part. A model of our own making keeps
the one request that it gets and ends the task."""
import http.server
import json
import os
import shutil
import subprocess
import tempfile
import threading

DONE = {"id": "r1", "model": "m", "usage": {"prompt_tokens": 1, "completion_tokens": 1},
        "choices": [{"index": 0, "finish_reason": "tool_calls", "message": {
            "role": "assistant", "content": None, "tool_calls": [
                {"id": "c1", "type": "function", "function": {
                    "name": "finish", "arguments": "{\"message\":\"ok\"}"}}]}}]}

# The working directory of the requests: 64 bytes, and 235 where the limit is that of a profile.
DIRECTORY = b"/home/user/projects/a-company/the-name-of-a-team/some-repository"
LONG = DIRECTORY + (b"/packages/a-directory-of-the-repository" * 5)[:171]
FULL = 8192
SMALL = 4096

# With the tools, skills and options as shipped: name, options, maximum size, what the system text contains, what it does not
CASES = [
    ("full", [], FULL, ["<WORK>", "<RISK>"], []),
    ("full, without a sandbox", ["sandbox.mode=off"], FULL, ["<WORK>", "<VERSION_CONTROL>", "five to seven", "<RISK>",
                        "node_modules", "sudo"], ["read in the sandbox", "<INTERACTION>", "<TASK_MANAGEMENT>"]),
    ("small in spite of a large window", ["agent.codeact.profile=small"], 4900, ["security_risk"], ["<WORK>"]),
    ("small window", ["llm.max_input_tokens=16384"], SMALL, ["security_risk"], ["<WORK>"]),
    ("a large window, whatever the model is called",
     ["llm.model=openai/gpt-4.1"], FULL, ["<WORK>"], []),
    ("full in spite of a small window",
     ["llm.max_input_tokens=16384", "agent.codeact.profile=full"], FULL, ["<WORK>"], []),
    ("interactive", ["agent.codeact.prompt=system_interactive"], 9000,
     ["<WORK>", "<INTERACTION>"], []),
    ("technical", ["agent.codeact.prompt=system_technical"], 9000,
     ["<WORK>", "<ENGINEERING>"], []),
    ("long horizon", ["agent.codeact.prompt=system_long_horizon"], 9500,
     ["<TASK_MANAGEMENT>", "<TASK_TRACKING_PERSISTENCE>"], []),
    ("plan", ["controller.plan=yes"], 9500, ["in task_tracker"], []),
    ("without analyzers", ["controller.analyzers="], FULL, ["<WORK>"], ["RISK"]),
]


class Model(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def do_POST(self):
        self.server.body = self.rfile.read(int(self.headers["Content-Length"]))
        data = json.dumps(DONE).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)
        self.wfile.flush()

    def log_message(self, *args):
        pass


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True
    body = b""


def first_request(options, top):
    model = [o.split("=", 1)[1] for o in options if o.startswith("llm.model=")]
    server = Server(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    command = ["mortise", "run", "-C", top, "--model", (model or ["openai/any-model"])[0],
               "-o", "llm.base_url=http://127.0.0.1:%d/v1" % server.server_port,
               "-o", "llm.stream=no", "-o", "llm.native_tool_calling=yes", "-t", "hi"]
    for option in options:
        command += ["-o", option]
    env = dict(os.environ, OPENAI_API_KEY="key-of-the-test", HOME=top)
    for kind in ("STATE", "CONFIG", "DATA"):  # no memory or skills of other tests
        env["XDG_%s_HOME" % kind] = os.path.join(top, kind.lower())
    done = subprocess.run(command, env=env, capture_output=True, text=True, timeout=120)
    server.shutdown()
    return server.body, done


def parts(body):
    """The size of each part of a request, as text."""
    def size(value):
        return len(json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode())

    request = json.loads(body)
    sizes = [("system text" if m["role"] == "system" else "message", size(m))
             for m in request["messages"]]
    sizes += [(t["function"]["name"], size(t)) for t in request["tools"]]
    return ", ".join("%s %d" % part for part in sizes)


def main():
    number = 0
    for name, options, most, has, has_not in CASES:
        top = tempfile.mkdtemp(prefix="mortise-prompts-")
        os.mkdir(os.path.join(top, "state"), 0o700)
        body, done = first_request(options, top)
        shutil.rmtree(top)
        body = body.replace(top.encode(), LONG if most in (FULL, SMALL) else DIRECTORY)
        number += 1
        faults = []
        if done.returncode or not body:
            faults.append("ends with %d: %s" % (done.returncode, done.stderr[-300:]))
        else:
            text = json.loads(body)["messages"][0]["content"]
            text = text if isinstance(text, str) else "".join(p["text"] for p in text)
            faults += ["lacks " + word for word in has if word not in text]
            faults += ["has " + word for word in has_not + ["{{", "}}"] if word in text]
            if len(body) >= most:
                faults.append("%d bytes, at most %d are allowed" % (len(body), most))
        for fault in faults:
            print("# " + fault)
        if body:
            print("# " + parts(body))
        print("%s %d - %s: %d bytes" % ("not ok" if faults else "ok", number, name,
                                        len(body)), flush=True)
    print("1..%d" % number)


main()
