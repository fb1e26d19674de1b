# SPDX-License-Identifier: MIT
"""aimock-long.py - conversations of 30 steps with aimock in each dialect that it
speaks, streamed and not, calm and through chaos. Called by aimock-long.sh with the
program llmock in $LLMOCK."""
import concurrent.futures
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

import wire

# name, model, path after the port, options, what of the reasoning comes back
DIALECTS = [
    ("chat", "openai/gpt-4.1", "/v1", [], None),
    ("reasoning_content", "deepseek/deepseek-reasoner", "/v1", [], "think of step %d"),
    ("responses", "openai/gpt-5", "/v1", ["llm.api=responses"], None),
    ("anthropic", "anthropic/claude-sonnet-4-5", "", [], "signature-%d"),
    ("gemini", "gemini/gemini-2.5-pro", "/v1beta", [], None),
    ("ollama", "ollama_chat/qwen3-coder", "", [], None),
    ("azure", "azure/gpt-4o", "", [], None),
    ("openrouter", "openrouter/anthropic/claude-sonnet-4", "/api/v1", [], None),
    # aimock cannot read the cache points of a list of tools
    ("bedrock", "bedrock/us.anthropic.claude-sonnet-4-5-20250929-v1:0", "",
     ["llm.prompt_cache=no"], "think of step %d"),
]

# Turn of the reply: what happens to the first request for it.
FAULTS = {
    3: {"response": {"error": {"message": "broken", "type": "server_error"}, "status": 500}},
    6: {"response": {"error": {"message": "slow down", "type": "rate_limit_error"},
                     "status": 429, "retryAfter": 1}},
    9: {"chaos": {"malformedRate": 1}},
    12: {"chaos": {"disconnectRate": 1}},
    15: {"truncateAfterChunks": 3},
    18: {"chaos": {"dropRate": 1}},
    21: {"response": {"error": {"message": "too busy", "type": "overloaded_error"},
                      "status": 503}},
    24: {"truncateAfterChunks": 1},
}
# What the log calls them, and whether only a stream can have it.
KINDS = [("internal", False), ("rate_limit", False), ("malformed", False), ("network", False),
         ("network", True), ("internal", False), ("overloaded", False), ("network", True)]


def usage_of(name, step):
    prompt, completion = 20000 + 1000 * step, 300 + step
    if name == "gemini" and step > 27:
        prompt += 200000  # where the dearer prices begin
    usage = {"prompt_tokens": prompt, "completion_tokens": completion}
    if name == "openrouter":
        usage["cost"] = round(0.0123 + step / 10000, 6)
    return usage


def turn_of(name, step):
    """How many replies aimock counts in a request; it takes each item of the Responses
    API for one of its own."""
    return 2 * step if name == "responses" else step


def fixtures(directory):
    made = []
    for name, *_ in DIALECTS:
        for context in ("calm", "chaos", "luck"):
            for stream in ("whole", "stream"):
                made += conversation(name, context, stream, directory)
    return {"fixtures": made}


def conversation(name, context, stream, directory):
    made = []
    place = "%s-%s-%s" % (name, context, stream)
    for step in range(wire.STEPS + 1):
        tool, arguments = wire.call_of(step, "%s/%s/work" % (directory, place))
        match = {"turnIndex": turn_of(name, step), "context": place}
        reply = {"content": "Step %d, said at some length." % step,
                 "toolCalls": [{"name": tool, "arguments": arguments, "id": "call_%d" % step}],
                 "usage": usage_of(name, step)}
        if name not in ("chat", "azure"):
            reply["reasoning"] = "Let me think of step %d." % step
        if name == "anthropic":
            reply["reasoningSignature"] = "signature-%d" % step
            reply["redactedThinking"] = ["redacted-%d" % step]
        if context == "chaos" and step in FAULTS:
            made.append({"match": dict(match, sequenceIndex=0), "response": reply, "chunkSize": 5,
                         **FAULTS[step]})
        made.append({"match": match, "response": reply, "chunkSize": 7 + step})
    return made


class Aimock:
    def __init__(self, directory):
        path = directory + "/fixtures.json"
        with open(path, "w") as f:
            json.dump(fixtures(directory), f)
        self.log = open(directory + "/aimock.log", "w+")
        self.child = subprocess.Popen(
            shlex.split(os.environ["LLMOCK"]) + ["-p", "0", "-f", path, "--journal-max", "0"],
            stdout=self.log, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            env=dict(os.environ, AIMOCK_STRICT_TURN_INDEX="1"))
        deadline = time.monotonic() + 60
        self.port = None
        while not self.port and time.monotonic() < deadline and self.child.poll() is None:
            time.sleep(0.05)
            with open(self.log.name) as f:
                found = re.search(r"127\.0\.0\.1:(\d+)", f.read())
            self.port = found and int(found.group(1))

    def journal(self, test):
        with urllib.request.urlopen("http://127.0.0.1:%d/__aimock/journal?testId=%s"
                                    % (self.port, test)) as answer:
            return json.load(answer)

    def stop(self):
        self.child.terminate()
        self.child.wait()
        self.log.close()


def billed(name, journal):
    """The usages of the replies that aimock says it has given whole."""
    found = []
    for entry in journal:
        r = entry["response"]
        if r["status"] != 200 or r.get("chaosAction") or r.get("interrupted"):
            continue
        u = r["fixture"]["response"]["usage"]
        found.append({"input": u["prompt_tokens"], "output": u["completion_tokens"]})
        if "cost" in u:
            found[-1]["cost"] = u["cost"]
        if name == "ollama":
            found[-1] = {"input": 0, "output": 0}  # it counts nothing there
    return found


def judge(name, model, context, stream, back, run, requests, journal):
    faults = []

    def want(what, is_so):
        if not is_so:
            faults.append(what)
    failed = len(requests) - wire.STEPS - 1
    usages = billed(name, journal)
    cost = wire.bill(model, usages) if name != "ollama" else 0
    retries = [r["kind"] for r in run.records() if r.get("record") == "retry"]
    want("it ends with %s" % run.code, run.code == 0)
    want("its last state is %s" % run.ended(), run.ended() == "finished")
    want("the work is not as it should be", wire.is_done(run.work))
    want("%d replies in the log" % len(run.replies()), len(run.replies()) == wire.STEPS + 1)
    want("aimock gave %d whole replies" % len(usages), len(usages) == wire.STEPS + 1)
    want("%d requests failed" % failed, failed == 0 if context == "calm" else failed > 0)
    want("%d retries in the log of %d" % (len(retries), failed), len(retries) == failed)
    want("the log says $%.6f, the bill is $%.6f" % (run.cost(), cost),
         abs(run.cost() - cost) < 1e-9)
    want("it shows $%.4f, the bill is $%.6f" % (run.cost_shown(), cost),
         abs(run.cost_shown() - cost) < 0.005)
    wrong = wire.prefix_fault(requests)
    want(wrong, not wrong)
    last = requests[-1].body.decode() if requests else ""
    if back:
        want("its reasoning does not go back",
             all(last.count(back % k) >= 1 for k in range(wire.STEPS)))
    if name == "anthropic":
        want("redacted thinking does not go back",
             all(last.count('"redacted-%d"' % k) == 1 for k in range(wire.STEPS)))
    if context == "chaos":
        wanted = [kind for kind, cut in KINDS if stream or not cut]
        want("retries for %s, not %s" % (", ".join(retries), ", ".join(wanted)),
             retries == wanted)
        want("it was never rate_limited", "rate_limited" in run.states())
        limited = [i for i, e in enumerate(journal) if e["response"]["status"] == 429]
        want("no 429", limited)
        want("Retry-After is not kept",
             all(requests[i + 1].when - requests[i].when >= 1 for i in limited))
    return faults


def one(tap, mock, directory, dialect, context, stream):
    name, model, path, options, back = dialect
    test = "%s-%s-%s" % (name, context, "stream" if stream else "whole")
    server = wire.Wire(wire.passed_on(mock.port))
    headers = ["X-Test-Id: " + test, "X-AIMock-Context: " + test]
    if context == "luck":
        headers += ["X-AIMock-Chaos-Drop: 0.1", "X-AIMock-Chaos-Malformed: 0.1",
                    "X-AIMock-Chaos-Disconnect: 0.1"]
    run = wire.Run("%s/%s" % (directory, test), model, "http://127.0.0.1:%d%s" % (server.port, path),
                   ["llm.retries=30", "llm.stream=" + ("yes" if stream else "no"),
                    "llm.extra_headers=" + ", ".join(headers), *options])
    began = time.monotonic()
    try:
        run.go()
        asked = [r for r in server.requests if r.path != "/api/show"]  # how much it reads
        faults = judge(name, model, context, stream, back, run, asked, mock.journal(test))
    except Exception as e:  # one conversation's trouble is not the others'
        faults = ["%s: %s" % (type(e).__name__, e)]
    server.stop()
    tap.say("%s, %d requests, $%.4f, %.1f s" % (test, len(server.requests), run.cost(),
                                                time.monotonic() - began),
            faults, run.output or "")


def main():
    only = sys.argv[1:]
    directory = tempfile.mkdtemp(prefix="aimock-long.")
    jobs = [(d, context, stream) for d in DIALECTS for context in ("calm", "chaos", "luck")
            for stream in (True, False) if not only or d[0] in only]
    tap = wire.Tap(len(jobs))
    mock = Aimock(directory)
    try:
        with concurrent.futures.ThreadPoolExecutor(3) as pool:
            for job in jobs:
                pool.submit(one, tap, mock, directory, *job)
    finally:
        mock.stop()
        if os.environ.get("KEEP"):
            print("# kept: " + directory)
        else:
            shutil.rmtree(directory, ignore_errors=True)
    return tap.failed > 0


if __name__ == "__main__":
    sys.exit(main())
