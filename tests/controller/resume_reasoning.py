# SPDX-License-Identifier: MIT
"""resume_reasoning.py - the work of resume-reasoning.sh: a conversation in each dialect
that has reasoning to send back, killed while a request is out, and cut after each
reply in its log."""
import concurrent.futures
import json
import os
import shutil
import subprocess
import sys
import tempfile

import faults
import wire

# Both are written after the events that they know.
UNWRITTEN = shutil.ignore_patterns("events.index", "state.json")

CALLS = [("execute_bash", {"command": "echo one"}),
         ("think", {"thought": "a call without a runner"}),
         ("execute_bash", {"command": "echo two"}),
         ("finish", {"message": "done"})]
KILLED_AT = 2


def thought(step):
    return "Let me think of step %d." % step


class Reasoner(faults.Chat):
    """Chat completions with the reasoning as a text next to the content."""
    name, model, path = "reasoning_content", "deepseek/deepseek-reasoner", "/v1"
    sealed = '"reasoning_content":"Let me think of step %d."'

    @classmethod
    def stream(cls, step, text, tool, args, usage):
        chunks = [{"choices": [{"index": 0, "delta": {"reasoning_content": t}}]}
                  for t in faults.halves(thought(step))]
        return faults.sse(*chunks) + super().stream(step, text, tool, args, usage)


class Bedrock:
    name, model, path = "bedrock", "bedrock/anthropic.claude-sonnet-4-5-v1:0", ""
    options, whole_only, sealed = ["llm.thinking_budget=2048"], True, '"signed-%d"'
    turns = faults.Anthropic.turns

    @staticmethod
    def whole(step, text, tool, args, usage):
        content = [{"reasoningContent": {"reasoningText": {"text": thought(step),
                                                           "signature": "signed-%d" % step}}},
                   {"reasoningContent": {"redactedContent": "ZGF0YQ=="}}, {"text": text},
                   {"toolUse": {"toolUseId": "tooluse_%d" % step, "name": tool,
                                "input": json.loads(args)}}]
        return {"output": {"message": {"role": "assistant", "content": content}},
                "stopReason": "tool_use", "usage": usage}

    @staticmethod
    def usage(step):
        return {"inputTokens": 100, "outputTokens": 10, "totalTokens": 110}, {}


class Ollama:
    name, model, path = "ollama", "ollama_chat/qwen3", ""
    options, whole_only = ["llm.max_input_tokens=100000"], True
    sealed = '"thinking":"Let me think of step %d."'
    turns = faults.Chat.turns

    @staticmethod
    def whole(step, text, tool, args, usage):
        return dict(usage, model="qwen3", done=True, done_reason="stop", message={
            "role": "assistant", "content": text, "thinking": thought(step),
            "tool_calls": [{"function": {"name": tool, "arguments": json.loads(args)}}]})

    @staticmethod
    def usage(step):
        return {"prompt_eval_count": 100, "eval_count": 10}, {}


DIALECTS = (Reasoner, faults.Anthropic, faults.Gemini, faults.Responses, Bedrock, Ollama)


class Model(faults.Model):
    """Keeps the requests by what they ask for, and never answers the one at the gate."""

    def __init__(self, dialect):
        super().__init__(dialect, "", {})
        self.bodies = []

    def __call__(self, asked, client):
        body = asked.json()
        stream = bool(body.get("stream")) or ":stream" in asked.path
        step = self.dialect.turns(body)
        self.bodies.append((step, asked.body))
        if self.gate == step:
            self.gate = None
            self.held.set()
            client.recv(1)  # until they are gone
            return
        self.good(client, step, stream)

    def reply(self, step, stream):
        usage, count = self.dialect.usage(step)
        tool, args = CALLS[step]
        made = (self.dialect.stream if stream else self.dialect.whole)(
            step, "Step %d." % step, tool, json.dumps(args), usage)
        return (made if stream else [json.dumps(made)]), count


def difference(got, want):
    for i, (x, y) in enumerate(zip(got, want)):
        if x != y:
            return "from byte %d: %s, not %s" % (i, got[i - 60:i + 200], want[i - 60:i + 200])
    return "%d bytes, not %d" % (len(got), len(want))


def killed(model, run):
    """Kill it while a request is in progress, then resume it."""
    model.gate = KILLED_AT
    child = subprocess.Popen(run.argv, env=run.env, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    reached = model.held.wait(60)
    child.kill()
    child.wait()
    if not reached:
        return ["it never came to the request"]
    held = model.bodies[-1]
    asked = len(model.bodies)
    run.go(["mortise", "resume"])
    if run.code:
        return ["resumed, it ends with %d" % run.code]
    if model.bodies[asked] != held:
        return ["the first request after it: " + difference(model.bodies[asked][1], held[1])]
    return []


def goes_back(dialect, last):
    form = getattr(dialect, "sealed", None) or faults.SEALED[dialect]
    return ["the reasoning of step %d does not go back" % k
            for k in range(len(CALLS) - 1) if last.count(form % k) != 1]


def dir_of(state):
    root = state + "/mortise/conversations"
    return os.path.join(root, os.listdir(root)[0])


def cut_after(model, run, wanted, lines, n):
    """The log ends with its record n, a reply."""
    state = "%s/cut%d" % (run.directory, n)
    shutil.copytree(run.env["XDG_STATE_HOME"], state, ignore=UNWRITTEN)
    with open(dir_of(state) + "/events.jsonl", "wb") as f:
        f.writelines(lines[:n])
    model.bodies = []
    done = subprocess.run(["mortise", "resume"], env=dict(run.env, XDG_STATE_HOME=state),
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=60)
    found = ["cut after record %d it ends with %d: %s" % (n, done.returncode, done.stdout)
             ] if done.returncode else []
    if not model.bodies:
        found.append("cut after record %d no request is sent" % n)
    return found + ["cut after record %d, turn %d: %s" % (n, turn, difference(body, wanted[turn]))
                    for turn, body in model.bodies if body != wanted[turn]]


def one(tap, directory, dialect):
    model = Model(dialect)
    server = wire.Wire(model)
    place = tempfile.mkdtemp(prefix=dialect.name + ".", dir=directory)
    run = wire.Run(place, dialect.model, "http://127.0.0.1:%d%s" % (server.port, dialect.path),
                   ["llm.stream=" + ("no" if hasattr(dialect, "whole_only") else "yes"),
                    "llm.retries=1", *getattr(dialect, "options", [])], "go")
    found = killed(model, run)
    tap.say(dialect.name + ", killed and resumed", found, run.output or "")
    if not found:
        wanted = dict(model.bodies)
        tap.say(dialect.name + ", the reasoning goes back",
                goes_back(dialect, wanted[max(wanted)].decode()), wanted[max(wanted)].decode())
        with open(dir_of(run.env["XDG_STATE_HOME"]) + "/events.jsonl", "rb") as f:
            lines = f.readlines()
        ends = [n + 1 for n, line in enumerate(lines)
                if json.loads(line).get("record") == "llm_reply"][:-1]
        for n in ends:
            found += cut_after(model, run, wanted, lines, n)
        tap.say("%s, cut after %d replies" % (dialect.name, len(ends)),
                found if len(ends) == len(CALLS) - 1 else ["there are %d replies" % len(ends)])
    server.stop()


def tried(tap, directory, dialect):
    try:
        one(tap, directory, dialect)
    except Exception as e:  # one dialect's trouble is not the others'
        tap.say(dialect.name, ["%s: %s" % (type(e).__name__, e)])


def main():
    directory = tempfile.mkdtemp(prefix="resume.")
    tap = wire.Tap(3 * len(DIALECTS))
    with concurrent.futures.ThreadPoolExecutor(3) as pool:
        for dialect in DIALECTS:
            pool.submit(tried, tap, directory, dialect)
    shutil.rmtree(directory, ignore_errors=True)
    return tap.failed > 0


if __name__ == "__main__":
    sys.exit(main())
