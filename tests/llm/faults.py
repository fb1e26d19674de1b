# SPDX-License-Identifier: MIT
"""faults.py - conversations of 30 steps with models of our own making, through
everything that goes wrong on the way, and through a stop in the middle of a stream.
Called by faults.sh."""
import concurrent.futures
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

import wire


def sse(*events, named=False):
    return ["%sdata: %s\n\n" % ("event: %s\n" % e["type"] if named else "",
                                e if isinstance(e, str) else json.dumps(e)) for e in events]


def halves(text):
    return text[:len(text) // 2], text[len(text) // 2:]


class Chat:
    name, model, path = "chat", "openai/gpt-4.1", "/v1"
    overloaded = sse({"error": {"message": "The engine is overloaded", "type": "overloaded_error",
                                "code": 503}})

    @staticmethod
    def turns(body):
        return sum(m["role"] == "assistant" for m in body["messages"])

    @staticmethod
    def call(step, tool, args):
        return {"id": "call_%d" % step, "type": "function",
                "function": {"name": tool, "arguments": args}}

    @classmethod
    def stream(cls, step, text, tool, args, usage):
        def chunk(delta, reason=None, **more):
            return {"id": "chat-%d" % step, "object": "chat.completion.chunk", "choices": [
                {"index": 0, "delta": delta, "finish_reason": reason}], **more}
        first, second = halves(args)
        parts = [chunk({"role": "assistant", "content": t}) for t in halves(text)]
        if tool:
            call = dict(cls.call(step, tool, first), index=0)
            parts += [chunk({"tool_calls": [call]}),
                      chunk({"tool_calls": [{"index": 0, "function": {"arguments": second}}]})]
        parts += [chunk({}, "tool_calls" if tool else "stop"),
                  {"id": "chat-%d" % step, "choices": [], "usage": usage}]
        return sse(*parts, "[DONE]")

    @classmethod
    def whole(cls, step, text, tool, args, usage):
        message = {"role": "assistant", "content": text}
        if tool:
            message["tool_calls"] = [cls.call(step, tool, args)]
        return {"id": "chat-%d" % step, "object": "chat.completion", "usage": usage, "choices": [
            {"index": 0, "message": message, "finish_reason": "tool_calls" if tool else "stop"}]}

    @staticmethod
    def empty(step, stream):
        made = {"id": "chat-%d" % step, "choices": [],
                "usage": {"prompt_tokens": 1, "completion_tokens": 0}}
        return sse(made, "[DONE]") if stream else dict(made, object="chat.completion")

    @staticmethod
    def usage(step):
        read = 1000 * step
        return ({"prompt_tokens": 20000 + read, "completion_tokens": 100 + step,
                 "prompt_tokens_details": {"cached_tokens": read}},
                {"input": 20000 + read, "output": 100 + step, "cache_read": read})

    @staticmethod
    def error(status, kind, message):
        return {"error": {"message": message, "type": kind, "code": None, "param": None}}


class Anthropic:
    name, model, path = "anthropic", "anthropic/claude-sonnet-4-5", ""
    overloaded = sse({"type": "error", "error": {"type": "overloaded_error",
                                                 "message": "Overloaded"}}, named=True)

    @staticmethod
    def turns(body):
        return sum(m["role"] == "assistant" for m in body["messages"])

    @staticmethod
    def blocks(step, text, tool, args):
        found = [{"type": "thinking", "thinking": "Let me think of step %d." % step,
                  "signature": "signed-%d" % step}, {"type": "text", "text": text}]
        if tool:
            found.append({"type": "tool_use", "id": "toolu_%d" % step, "name": tool,
                          "input": json.loads(args)})
        return [b for b in found if b.get("text") != ""]

    @classmethod
    def stream(cls, step, text, tool, args, usage):
        events = [{"type": "message_start", "message": {
            "id": "msg_%d" % step, "type": "message", "role": "assistant", "content": [],
            "usage": dict(usage, output_tokens=1)}}]
        for i, block in enumerate(cls.blocks(step, text, tool, args)):
            if block["type"] == "thinking":
                start = dict(block, thinking="", signature="")
                deltas = [{"type": "thinking_delta", "thinking": t}
                          for t in halves(block["thinking"])]
                deltas.append({"type": "signature_delta", "signature": block["signature"]})
            elif block["type"] == "text":
                start, deltas = dict(block, text=""), [{"type": "text_delta", "text": t}
                                                       for t in halves(text)]
            else:
                start, deltas = dict(block, input={}), [
                    {"type": "input_json_delta", "partial_json": t} for t in halves(args)]
            events.append({"type": "content_block_start", "index": i, "content_block": start})
            events += [{"type": "content_block_delta", "index": i, "delta": d} for d in deltas]
            events.append({"type": "content_block_stop", "index": i})
        events += [{"type": "message_delta", "usage": {"output_tokens": usage["output_tokens"]},
                    "delta": {"stop_reason": "tool_use" if tool else "end_turn"}},
                   {"type": "message_stop"}]
        return sse(*events, named=True)

    @classmethod
    def whole(cls, step, text, tool, args, usage):
        return {"id": "msg_%d" % step, "type": "message", "role": "assistant", "usage": usage,
                "content": cls.blocks(step, text, tool, args),
                "stop_reason": "tool_use" if tool else "end_turn"}

    @staticmethod
    def usage(step):
        read = 1000 * step
        return ({"input_tokens": 2000, "output_tokens": 100 + step,
                 "cache_read_input_tokens": read, "cache_creation_input_tokens": 0},
                {"input": 2000 + read, "output": 100 + step, "cache_read": read})

    @staticmethod
    def error(status, kind, message):
        return {"type": "error", "error": {"type": kind, "message": message}}


class Gemini:
    name, model, path = "gemini", "gemini/gemini-2.5-pro", "/v1beta"
    overloaded = sse({"error": {"code": 503, "message": "The model is overloaded.",
                                "status": "UNAVAILABLE"}})

    @staticmethod
    def turns(body):
        return sum(c["role"] == "model" for c in body["contents"])

    @staticmethod
    def parts(step, text, tool, args):
        return [{"text": "Let me think of step %d." % step, "thought": True},
                {"text": text},
                {"functionCall": {"name": tool, "args": json.loads(args)},
                 "thoughtSignature": "c2lnbmVkLT%04d" % step}]

    @classmethod
    def made(cls, step, parts, usage, reason=None):
        candidate = {"content": {"role": "model", "parts": parts}, "index": 0}
        if reason:
            candidate["finishReason"] = reason
        return {"candidates": [candidate], "usageMetadata": usage, "responseId": "g%d" % step}

    @classmethod
    def stream(cls, step, text, tool, args, usage):
        thought, said, call = cls.parts(step, text, tool, args)
        pieces = [thought] + [{"text": t} for t in halves(text)] + [call]
        return sse(*[cls.made(step, [p], usage) for p in pieces],
                   cls.made(step, [{"text": ""}], usage, "STOP"))

    @classmethod
    def whole(cls, step, text, tool, args, usage):
        return cls.made(step, cls.parts(step, text, tool, args), usage, "STOP")

    @staticmethod
    def usage(step):
        read = 1000 * step
        return ({"promptTokenCount": 2000 + read, "candidatesTokenCount": 100,
                 "thoughtsTokenCount": step, "cachedContentTokenCount": read,
                 "totalTokenCount": 2100 + read + step},
                {"input": 2000 + read, "output": 100 + step, "cache_read": read})

    @staticmethod
    def error(status, kind, message):
        return {"error": {"code": status, "message": message, "status": "INTERNAL"
                          if status != 429 else "RESOURCE_EXHAUSTED"}}


class Responses:
    name, model, path = "responses", "openai/gpt-5", "/v1"
    options = ["llm.api=responses"]
    overloaded = sse({"type": "response.failed", "sequence_number": 9, "response": {
        "id": "resp", "object": "response", "status": "failed", "output": [], "error": {
            "code": "server_is_overloaded", "message": "The engine is overloaded"}}}, named=True)

    @staticmethod
    def turns(body):
        return sum(i.get("type") == "function_call" for i in body["input"])

    @staticmethod
    def items(step, text, tool, args):
        return [{"type": "reasoning", "id": "rs_%d" % step, "summary": [],
                 "encrypted_content": "sealed-%d" % step},
                {"type": "message", "id": "msg_%d" % step, "role": "assistant",
                 "status": "completed",
                 "content": [{"type": "output_text", "text": text, "annotations": []}]},
                {"type": "function_call", "id": "fc_%d" % step, "call_id": "call_%d" % step,
                 "name": tool, "arguments": args, "status": "completed"}]

    @classmethod
    def whole(cls, step, text, tool, args, usage):
        return {"id": "resp_%d" % step, "object": "response", "status": "completed",
                "output": cls.items(step, text, tool, args), "usage": usage}

    @classmethod
    def stream(cls, step, text, tool, args, usage):
        events = [{"type": "response.created", "response": {
            "id": "resp_%d" % step, "object": "response", "status": "in_progress", "output": []}}]
        for i, item in enumerate(cls.items(step, text, tool, args)):
            deltas, start = [], dict(item)
            if item["type"] == "message":
                start["content"] = []
                deltas = [{"type": "response.output_text.delta", "content_index": 0, "delta": t}
                          for t in halves(text)]
            elif item["type"] == "function_call":
                start["arguments"] = ""
                deltas = [{"type": "response.function_call_arguments.delta", "delta": t}
                          for t in halves(args)]
            events.append({"type": "response.output_item.added", "output_index": i,
                           "item": start})
            events += [dict(d, item_id=item["id"], output_index=i) for d in deltas]
            events.append({"type": "response.output_item.done", "output_index": i, "item": item})
        events.append({"type": "response.completed",
                       "response": cls.whole(step, text, tool, args, usage)})
        return sse(*[dict(e, sequence_number=i) for i, e in enumerate(events)], named=True)

    @staticmethod
    def usage(step):
        read = 1000 * step
        return ({"input_tokens": 20000 + read, "output_tokens": 100 + step,
                 "input_tokens_details": {"cached_tokens": read},
                 "output_tokens_details": {"reasoning_tokens": 10},
                 "total_tokens": 20100 + read + step},
                {"input": 20000 + read, "output": 100 + step, "cache_read": read})

    error = Chat.error


# What goes back with the history, as it came.
SEALED = {Anthropic: '"signed-%d"', Gemini: '"c2lnbmVkLT%04d"', Responses: '"sealed-%d"'}


# Reply: what happens to the first requests for it, and what the log calls that. The ones
# after the bar are of streams alone.
FAULTS = {
    2: ("dropped", "network"),
    5: ("limited", "rate_limit"),
    8: ("limited_ms", "rate_limit"),
    11: ("broken", "internal"),
    14: ("malformed", "malformed"),
    17: ("empty", "malformed"),
    20: ("cut", "network"),
    # |
    23: ("overloaded", "overloaded"),
    26: ("cut_early", "network"),
    28: ("silent_end", "malformed"),
}
STREAM_ONLY = ("overloaded", "cut_early", "silent_end")


def happens(fault, dialect, stream):
    # An Anthropic reply without content is a reply: it may have nothing to add.
    return (stream or fault not in STREAM_ONLY) and (fault != "empty" or dialect is Chat)


class Model:
    """Answers as `dialect` does; each fault of `faults` happens once."""

    def __init__(self, dialect, work, faults):
        self.dialect, self.work, self.faults = dialect, work, dict(faults)
        self.billed, self.at, self.gate = [], [], None
        self.held = threading.Event()

    def __call__(self, asked, client):
        body = asked.json()
        stream = bool(body.get("stream")) or ":stream" in asked.path
        step = self.dialect.turns(body)
        fault = self.faults.pop(step, (None,))[0]
        if not happens(fault, self.dialect, stream):
            fault = None
        self.at.append((step, fault, time.monotonic()))
        getattr(self, fault or "good")(client, step, stream)

    # ---- answers

    def reply(self, step, stream):
        usage, count = self.dialect.usage(step)
        tool, args = wire.call_of(step, self.work)
        text = "Step %d, said at some length." % step
        made = (self.dialect.stream if stream else self.dialect.whole)(
            step, text, tool, json.dumps(args), usage)
        return (made if stream else [json.dumps(made)]), count

    def head(self, client, status=200, kind="text/event-stream", size=None, more=""):
        client.sendall(("HTTP/1.1 %d X\r\nContent-Type: %s\r\n%sConnection: close\r\n%s\r\n" % (
            status, kind, more, "" if size is None else "Content-Length: %d\r\n" % size)).encode())

    def send(self, client, pieces, stream, whole=None):
        """As one chunk each, `whole` of them; all of them end well."""
        text = [p.encode() for p in pieces]
        if not stream:
            self.head(client, kind="application/json", size=len(text[0]))
            client.sendall(text[0] if whole is None else text[0][:len(text[0]) // 2])
            return
        self.head(client, more="Transfer-Encoding: chunked\r\n")
        for piece in text[:whole]:
            client.sendall(b"%x\r\n%s\r\n" % (len(piece), piece))
        if whole is None:
            client.sendall(b"0\r\n\r\n")

    def fail(self, client, status, kind, message, more=""):
        body = json.dumps(self.dialect.error(status, kind, message)).encode()
        self.head(client, status, "application/json", len(body), more)
        client.sendall(body)

    def good(self, client, step, stream):
        pieces, count = self.reply(step, stream)
        if self.gate == step and stream:
            self.send(client, pieces, stream, 3)
            self.gate = None
            self.held.set()
            client.recv(1)  # until they hang up
            return
        self.billed.append(count)
        self.send(client, pieces, stream)

    # ---- faults

    def dropped(self, client, step, stream):
        wire.reset(client)

    def limited(self, client, step, stream):
        self.fail(client, 429, "rate_limit_error", "Slow down", "Retry-After: 1\r\n")

    def limited_ms(self, client, step, stream):
        self.fail(client, 429, "rate_limit_error", "Slow down",
                  "Retry-After-Ms: 300\r\nRetry-After: 20\r\n")

    def broken(self, client, step, stream):
        self.fail(client, 500, "api_error", "Internal error")

    def malformed(self, client, step, stream):
        body = b"{malformed: <<<"
        self.head(client, 200, "application/json", len(body))
        client.sendall(body)

    def empty(self, client, step, stream):
        made = self.dialect.empty(step, stream)
        self.send(client, made if stream else [json.dumps(made)], stream)

    def cut(self, client, step, stream):
        self.send(client, self.reply(step, stream)[0], stream, 4)
        if step % 2:
            wire.reset(client)

    def cut_early(self, client, step, stream):
        self.head(client, more="Transfer-Encoding: chunked\r\n")

    def silent_end(self, client, step, stream):
        """Ends as if it were whole, without the events that end a reply."""
        self.head(client)
        for piece in self.reply(step, stream)[0][:3]:
            client.sendall(piece.encode())

    def overloaded(self, client, step, stream):
        self.send(client, self.reply(step, stream)[0][:3] + self.dialect.overloaded, stream)


def start(directory, dialect, stream, faults):
    place = tempfile.mkdtemp(prefix=dialect.name + ".", dir=directory)
    model = Model(dialect, place + "/work", faults)
    server = wire.Wire(model)
    run = wire.Run(place, dialect.model, "http://127.0.0.1:%d%s" % (server.port, dialect.path),
                   ["llm.stream=" + ("yes" if stream else "no"), "llm.retries=5",
                    *getattr(dialect, "options", [])])
    return model, server, run


def warmer(model, requests):
    """The attempt after an empty reply, which has another temperature; take it out."""
    for i, (_, fault, _) in enumerate(model.at):
        if fault == "empty":
            first, second = requests[i].json(), requests.pop(i + 1).json()
            return second.pop("temperature", None) == 1 and first == second
    return True


def judge(dialect, model, server, run):
    faults, requests = [], list(server.requests)

    def want(what, is_so):
        if not is_so:
            faults.append(what)
    bill = wire.bill(dialect.model, model.billed)
    want("no other temperature after an empty reply", warmer(model, requests))
    wrong = wire.prefix_fault(requests)
    want("it ends with %s" % run.code, run.code == 0)
    want("its last state is %s" % run.ended(), run.ended() == "finished")
    want("the work is not as it should be", wire.is_done(run.work))
    want("the log says $%.6f, the bill is $%.6f" % (run.cost(), bill),
         abs(run.cost() - bill) < 1e-9)
    want(wrong, not wrong)
    if dialect in SEALED:
        last = server.requests[-1].body.decode()
        want("the signatures do not go back",
             all(last.count(SEALED[dialect] % k) == 1 for k in range(wire.STEPS)))
    return faults


def waits(model, fault):
    return [model.at[i + 1][2] - model.at[i][2] for i in range(len(model.at) - 1)
            if model.at[i][1] == fault]


def through_faults(tap, directory, dialect, stream):
    model, server, run = start(directory, dialect, stream, FAULTS)
    run.go()
    found = judge(dialect, model, server, run)
    wanted = [kind for fault, kind in FAULTS.values() if happens(fault, dialect, stream)]
    retries = [r["kind"] for r in run.records() if r.get("record") == "retry"]
    if retries != wanted:
        found.append("retries for %s, not %s" % (", ".join(retries), ", ".join(wanted)))
    if [w for w in waits(model, "limited") if w < 1]:
        found.append("Retry-After is not kept")
    if [w for w in waits(model, "limited_ms") if not 0.3 <= w < 20]:
        found.append("retry-after-ms is not kept")
    server.stop()
    tap.say("%s, %s, through %d faults" % (dialect.name, "streamed" if stream else "whole",
                                           len(wanted)), found, run.output)


def stopped(tap, directory, dialect, how):
    """A stop in the middle of a reply; then the conversation is resumed."""
    model, server, run = start(directory, dialect, True, {})
    model.gate = 12
    argv = run.argv + ["--json"] if how == "command" else run.argv
    child = subprocess.Popen(argv, env=run.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, text=True)
    found = []
    if not model.held.wait(60):
        found.append("it never came to the stream")
    if how == "command":
        child.stdin.write('{"type":"stop"}\n')
        child.stdin.flush()
    else:
        child.send_signal(signal.SIGINT)
    try:
        run.output = child.communicate(timeout=30)[0]
    except subprocess.TimeoutExpired:
        child.kill()
        run.output = child.communicate()[0]
        found.append("it did not stop")
    if how == "signal" and child.returncode != 130:
        found.append("it ended with %d" % child.returncode)
    asked = len(server.requests)
    run.go(["mortise", "resume"] + sum((["-o", a] for i, a in enumerate(run.argv)
                                        if run.argv[i - 1] == "-o"), []))
    found += judge(dialect, model, server, run)
    if len(server.requests) <= asked or server.requests[asked].json() != \
            server.requests[asked - 1].json():
        found.append("the first request after it is another one than the last before it")
    server.stop()
    tap.say("%s, stopped by %s in a stream and resumed" % (dialect.name, how), found, run.output)


def tried(job, tap, directory, dialect, how):
    try:
        job(tap, directory, dialect, how)
    except Exception as e:  # one conversation's trouble is not the others'
        tap.say("%s, %s" % (dialect.name, how), ["%s: %s" % (type(e).__name__, e)])


def main():
    directory = tempfile.mkdtemp(prefix="faults.")
    tap = wire.Tap(12)
    try:
        jobs = [(through_faults, dialect, stream) for stream in (True, False)
                for dialect in (Chat, Anthropic, Gemini, Responses)]
        jobs += [(stopped, dialect, how) for dialect in (Chat, Anthropic)
                 for how in ("signal", "command")]
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for job, dialect, how in jobs:
                pool.submit(tried, job, tap, directory, dialect, how)
    finally:
        if os.environ.get("KEEP"):
            print("# kept: " + directory)
        else:
            shutil.rmtree(directory, ignore_errors=True)
    return tap.failed > 0


if __name__ == "__main__":
    sys.exit(main())
