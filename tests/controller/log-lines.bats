#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# log-lines.bats - messages about events, steps and states in the program's own log.

bats_require_minimum_version 1.5.0
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	printf '[turn]\n[call execute_bash]\ncommand = echo a\n\n[turn]\ntext = Done.\n' \
		>"$work/script"
	run_it=(mortise run -q -C "$work/ws" --model "script:$work/script")
	unset LOG_ALL_EVENTS
}

# Every event of the log has its line.
has_all_events() {
	local id last

	last=$(jq -s 'map(.id // empty) | max' "$work"/state/mortise/conversations/*/events.jsonl)
	[ "$last" -gt 4 ]
	for ((id = 0; id <= last; id++)); do
		grep -q " info event: {\"id\":$id[,}]" "$1"
	done
}

@test "LOG_ALL_EVENTS writes a line for every event, as core.log_all_events does" {
	LOG_ALL_EVENTS=true "${run_it[@]}" -t go 2>"$work/err"
	has_all_events "$work/err"
	rm -r "$work/state/mortise"
	LOG_ALL_EVENTS=1 "${run_it[@]}" -t go 2>"$work/err"
	has_all_events "$work/err"
	rm -r "$work/state/mortise"
	"${run_it[@]}" -o core.log_all_events=yes -t go 2>"$work/err"
	has_all_events "$work/err"
}

@test "without it, or with another value, no event has a line" {
	"${run_it[@]}" -t go 2>"$work/err"
	[ ! -s "$work/err" ]
	LOG_ALL_EVENTS=false "${run_it[@]}" -t go 2>"$work/err"
	[ ! -s "$work/err" ]
}

@test "debug: a line for each step, each blocked step with its reason, each state" {
	"${run_it[@]}" -o core.log_level=debug -t go 2>"$work/err"
	[ "$(grep -c ' controller: step level=0 local=' "$work/err")" -eq 2 ]
	grep -q ' controller: step level=0 local=1 global=1 events=' "$work/err"
	grep -q ' controller: step level=0 local=2 global=2 events=' "$work/err"
	grep -q ' debug controller: blocked step level=0 reason=a request is in progress' "$work/err"
	grep -q ' debug controller: blocked step level=0 reason=an action is pending' "$work/err"
	grep -q ' debug controller: blocked step level=0 reason=finished' "$work/err"
	grep -q ' debug controller: state loading -> running reason=' "$work/err"
	grep -q ' debug controller: state running -> finished reason=' "$work/err"
}

@test "a user message that starts no step is a warning" {
	printf '[turn]\ntext = One.\n\n[turn]\ntext = Two.\n' >"$work/script"
	mkfifo "$work/in"
	"${run_it[@]}" --json --keep -o controller.max_iterations=1 <"$work/in" \
		>"$work/out" 2>"$work/err" 3>&- &
	exec 4>"$work/in"
	echo '{"type":"message","text":"hi"}' >&4
	until_true grep -q '"type":"state","state":"awaiting_user_input"' "$work/out"
	[ ! -s "$work/err" ]
	echo '{"type":"message","text":"again"}' >&4
	exec 4>&-
	wait $! || true
	grep -q ' warning controller: user message did not start a step: state=error reason=Agent reached maximum iteration' \
		"$work/err"
}

@test "a message whose step failed does not warn of a missing step" {
	printf 'no script\n' >"$work/bad.script"
	run --separate-stderr mortise run -m "script:$work/bad.script" -t hello
	[ "$status" -eq 3 ]
	[[ "$output" == *'(1 step, '* ]]
	[[ "$stderr" != *'did not start a step'* ]]
}

@test "a message whose step waits for the tools of a server does not warn" {
	cat >"$work/server.py" <<'END'
import json
import sys

for line in sys.stdin:
    m = json.loads(line)
    result = {"tools": [{"name": "one", "inputSchema": {"type": "object"}}]}
    if m["method"] == "initialize":
        result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                  "serverInfo": {"name": "s", "version": "1"}}
    if "id" in m:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
END
	export XDG_CACHE_HOME=$work/cache
	"${run_it[@]}" -o mcp.s.command=python3 -o "mcp.s.args=$work/server.py" \
		-o core.log_level=debug -t go 2>"$work/err"
	grep -q ' blocked step level=0 reason=waiting for a tool list' "$work/err"
	run -1 grep 'did not start a step' "$work/err"
}

@test "a reasoning effort that a model cannot take is a warning" {
	local model

	for model in anthropic/claude-sonnet-4-5 openai/gpt-4.1; do
		run mortise run -q -C "$work/ws" -m $model -o llm.base_url=http://127.0.0.1:9 \
			-o llm.retries=1 -o llm.reasoning_effort=high -t go
		[[ "$output" == *" warning llm: $model does not support reasoning_effort, so it is not sent; remove it from [llm], or set thinking_budget"* ]]
	done
	run mortise run -q -C "$work/ws" -m openai/gpt-5 -o llm.base_url=http://127.0.0.1:9 \
		-o llm.retries=1 -o llm.reasoning_effort=high -t go
	[[ "$output" != *"does not support reasoning_effort"* ]]
}
