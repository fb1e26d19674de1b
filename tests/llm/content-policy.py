# SPDX-License-Identifier: MIT
"""content-policy.py - a server answers as OpenAI, Azure, Anthropic and a LiteLLM proxy do
when they refuse a request for its content or withhold the reply; the built program has to say so, end with exit
code 3, ask no second time, and give clients the status of OpenHands. Called by
content-policy.sh."""
import json
import os
import subprocess
import tempfile

import wire

OPENAI = {"error": {"message": "Your request was rejected as a result of our safety system.",
                    "type": "invalid_request_error", "param": None,
                    "code": "content_policy_violation"}}
AZURE = {"error": {"message": "The response was filtered due to the prompt triggering Azure "
                              "OpenAI's content management policy. Please modify your prompt "
                              "and retry.",
                   "type": None, "param": "prompt", "code": "content_filter", "status": 400,
                   "innererror": {"code": "ResponsibleAIPolicyViolation",
                                  "content_filter_result": {"violence": {
                                      "filtered": True, "severity": "high"}}}}}
ANTHROPIC = {"type": "error", "request_id": "req_1",
             "error": {"type": "invalid_request_error",
                       "message": "Output blocked by content filtering policy"}}
PROXY = {"error": {"message": "litellm.BadRequestError: litellm.ContentPolicyViolationError: "
                              "AzureException - filtered", "type": None, "param": None,
                   "code": "400"}}

# Some answer with nothing but the reason why they stopped.
SILENT_CHAT = {"id": "c", "object": "chat.completion", "choices": [
    {"index": 0, "finish_reason": "content_filter",
     "message": {"role": "assistant", "content": ""}}],
    "usage": {"prompt_tokens": 5, "completion_tokens": 0}}
SILENT_CLAUDE = {"id": "m", "type": "message", "role": "assistant", "model": "x", "content": [],
                 "stop_reason": "refusal", "stop_sequence": None,
                 "usage": {"input_tokens": 5, "output_tokens": 0}}

CASES = [
    ("OpenAI", "openai/gpt-4.1", "/v1", OPENAI),
    ("Azure", "azure/gpt-4.1", "", AZURE),
    ("Anthropic", "anthropic/claude-sonnet-4-5", "", ANTHROPIC),
    ("a LiteLLM proxy", "litellm_proxy/gpt-4.1", "/v1", PROXY),
    ("an empty answer of OpenAI's form", "azure/gpt-4.1", "", SILENT_CHAT),
    ("an empty answer of Claude", "anthropic/claude-sonnet-4-5", "", SILENT_CLAUDE),
]


def refuse(body):
    status = b"400 Bad Request" if "error" in body else b"200 OK"

    def answer(request, s):
        text = json.dumps(body).encode()
        s.sendall(b"HTTP/1.1 %s\r\nContent-Type: application/json\r\nConnection: close\r\n"
                  b"Content-Length: %d\r\n\r\n%s" % (status, len(text), text))
    return answer


def run(model, path, body):
    server = wire.Wire(refuse(body))
    with tempfile.TemporaryDirectory() as work:
        env = dict(os.environ, XDG_STATE_HOME=work, POLICY_KEY="key-of-a-policy-test")
        done = subprocess.run(
            ["mortise", "run", "-C", work, "-m", model, "--json", "-t", "go",
             "-o", "llm.base_url=http://127.0.0.1:%d%s" % (server.port, path),
             "-o", "llm.api_key_env=POLICY_KEY", "-o", "llm.stream=no"],
            env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=wire.REPLY_TIMEOUT, check=False)
    server.stop()
    return done, len(server.requests)


def main():
    number = 0
    for name, model, path, body in CASES:
        done, requests = run(model, path, body)
        wanted = {
            "exit code 3": done.returncode == 3,
            "it says why": "refuses the content because of its policy" in done.stdout + done.stderr,
            "clients know the status":
                "STATUS$ERROR_LLM_CONTENT_POLICY_VIOLATION" in done.stdout,
            "it is asked once": requests == 1,
        }
        for what, holds in wanted.items():
            number += 1
            print("%s %d - %s: %s" % ("ok" if holds else "not ok", number, name, what))
        if not all(wanted.values()):
            print("# exit code %d, %d requests" % (done.returncode, requests))
            for line in (done.stdout + done.stderr).splitlines()[-4:]:
                print("# " + line[:400])
    print("1..%d" % number)


main()
