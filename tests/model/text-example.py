# SPDX-License-Identifier: MIT
"""text-example.py WORKSPACE OPTION...: checks the example that a model without native tool
calls reads, by the rules that it reads and the schemas of the tools. A server on the loopback
interface takes the request."""
import http.server
import json
import re
import subprocess
import sys
import threading

DONE = {"id": "r1", "model": "m", "usage": {"prompt_tokens": 1, "completion_tokens": 1},
        "choices": [{"index": 0, "finish_reason": "stop", "message": {
            "role": "assistant", "content": "Done."}}]}
faults = []


class Model(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.server.body = self.rfile.read(int(self.headers["Content-Length"]))
        data = json.dumps(DONE).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


def check(good, what):
    if not good:
        faults.append(what)


def text_of(message):
    content = message["content"]
    return content if isinstance(content, str) else "".join(p.get("text", "") for p in content)


def request(workspace, options):
    server = http.server.HTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    command = ["mortise", "run", "-C", workspace, "--model", "openai/any-model",
               "-o", "llm.base_url=http://127.0.0.1:%d/v1" % server.server_port,
               "-o", "llm.stream=no", "-o", "llm.native_tool_calling=no", "-t", "Look around."]
    for option in options:
        command += ["-o", option]
    subprocess.run(command, check=True, timeout=120)
    server.shutdown()
    return json.loads(server.body)["messages"]


def check_call(name, body, described):
    """One call against the description of its tool in the same request."""
    check(name in described, "%s is not offered" % name)
    parameters = described.get(name, {})
    given = dict(re.findall(r"<parameter=(\w+)>(.*?)</parameter>\n", body, re.S))
    for parameter, required in parameters.items():
        check(not required or parameter in given, "%s lacks %s" % (name, parameter))
    for parameter, value in given.items():
        check(parameter in parameters, "%s has no parameter %s" % (name, parameter))
        check(value.strip(), "%s: %s is empty" % (name, parameter))
        check(not re.search(r"\.\.\.|<path>|your text here", value),
              "%s: %s is a placeholder" % (name, parameter))
    check(not re.sub(r"<parameter=\w+>.*?</parameter>\n", "", body, flags=re.S).strip(),
          "%s: something stands between the parameters" % name)


def described_in(text):
    found = {}
    for name, body in re.findall(r"---- BEGIN FUNCTION #\d+: (\S+) ----\n(.*?)---- END", text,
                                 re.S):
        found[name] = {p: kind == "required" for p, kind in
                       re.findall(r"^  \(\d+\) (\w+) \([^)]*?, (required|optional)\)", body,
                                  re.M)}
    return found


def main():
    messages = request(sys.argv[1], sys.argv[2:])
    described = described_in(text_of(messages[0]))
    user = next(text_of(m) for m in messages if m["role"] == "user")
    example = user[user.index("START OF EXAMPLE"):user.index("END OF EXAMPLE")]
    turns = re.findall(r"^ASSISTANT: (.*?)(?=^USER: |^----|\Z)", example, re.S | re.M)
    check(described, "no tool is described")
    check(len(turns) > 1, "the example has no turns")
    for turn in turns:
        calls = re.findall(r"<function=(\w+)>\n(.*?)</function>", turn, re.S)
        check(len(calls) == 1, "a reply has %d calls" % len(calls))
        check(turn.split("<function=")[0].strip(), "a reply does not say why it calls")
        check(turn.rstrip().endswith("</function>"), "a reply has words after its call")
        for name, body in calls:
            check_call(name, body, described)
    results = re.findall(r"EXECUTION RESULT of \[(\w+)\]:", example)
    check(all(name in described for name in results), "a result is of another tool")
    if "clock.py" in example:
        made = re.search(r"clock\.py</parameter>|> \S*clock\.py <<", example)
        used = re.search(r"python3 clock\.py", example)
        check(made and (not used or made.start() < used.start()),
              "the example runs a file before it is written")
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


main()
