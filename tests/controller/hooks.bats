#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# hooks.bats - hooks in whole conversations, with real scripts.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/home"
	chmod 700 "$work/state" "$work/home"
	export XDG_STATE_HOME=$work/state HOME=$work/home
	cat >"$work/script" <<'EOF'
[turn]
[call execute_bash]
command = echo from-the-tool

[turn]
[call finish]
message = First end.

[turn]
[call finish]
message = Second end.
EOF
	cat >"$work/hook" <<'EOF'
#!/bin/sh
dir=$(dirname "$0")
cat >"$dir/read.$MORTISE_HOOK_EVENT"
env >"$dir/env.$MORTISE_HOOK_EVENT"
[ ! -e "$dir/out.$MORTISE_HOOK_EVENT" ] || cat "$dir/out.$MORTISE_HOOK_EVENT"
[ ! -e "$dir/err.$MORTISE_HOOK_EVENT" ] || cat "$dir/err.$MORTISE_HOOK_EVENT" >&2
code=0
[ ! -e "$dir/code.$MORTISE_HOOK_EVENT" ] || code=$(cat "$dir/code.$MORTISE_HOOK_EVENT")
rm -f "$dir/code.once.$MORTISE_HOOK_EVENT"
exit "$code"
EOF
	chmod 755 "$work/hook"
	run_it=(mortise run -C "$work/ws" --model "script:$work/script")
}

# hook EVENT [SETTING...] : options for one hook of EVENT
hook() {
	hooks+=(-o "hook.h$1.event=$1" -o "hook.h$1.command=$work/hook")
	for s in "${@:2}"; do
		hooks+=(-o "hook.h$1.$s")
	done
}

never_in_log() { [ "$(log | grep -c -- "$1")" = 0 ]; }

# until_so COMMAND...: for at most 20 seconds
until_so() {
	for _ in $(seq 400); do
		if "$@"; then return 0; fi
		sleep 0.05
	done
	return 1
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

@test "before a tool: the hook reads the call, and exit code 2 blocks it" {
	hook before-tool
	echo 2 >"$work/code.PreToolUse"
	echo "not on a Friday" >"$work/err.PreToolUse"
	run "${run_it[@]}" "${hooks[@]}" -t "go"
	[ "$status" -eq 0 ]
	jq -e '.tool_name == "execute_bash" and .tool_input.command == "echo from-the-tool"
		and .event_type == "PreToolUse" and (.session_id | length > 0)
		and has("tool_response") and .tool_response == null
		and has("message") and .message == null' \
		"$work/read.PreToolUse"
	grep -q '^OPENHANDS_TOOL_NAME=execute_bash$' "$work/env.PreToolUse"
	grep -q "^OPENHANDS_PROJECT_DIR=$work/ws$" "$work/env.PreToolUse"
	log | grep '"observation":"user_rejected"' | grep -q 'not on a Friday'
	log | grep '"record":"hook"' | grep -q '"blocked":true'
	never_in_log '"record":"dispatch"'
}

@test "a matcher selects the tools" {
	hook before-tool matcher=str_replace_editor
	echo 2 >"$work/code.PreToolUse"
	run "${run_it[@]}" "${hooks[@]}" -t "go"
	[ "$status" -eq 0 ]
	[ ! -e "$work/read.PreToolUse" ]
	[[ "$output" == *from-the-tool* ]]
}

@test "a hook that fails blocks the call, unless it may fail" {
	hook before-tool
	echo 1 >"$work/code.PreToolUse"
	run "${run_it[@]}" "${hooks[@]}" -t "go"
	log | grep '"observation":"user_rejected"' | grep -q 'failed with exit code 1'
	rm -rf "$work/state/mortise"
	run "${run_it[@]}" "${hooks[@]}" -o hook.hbefore-tool.on_failure=allow -t "go"
	[ "$status" -eq 0 ]
	log | grep -q '"record":"dispatch"'
	[[ "$output" == *"hook hbefore-tool failed"* ]]
}

@test "a hook that is missing or times out has failed" {
	run "${run_it[@]}" -o hook.x.event=before-tool -o hook.x.command=/not/there -t go
	log | grep '"observation":"user_rejected"' | grep -q 'cannot run'
	rm -rf "$work/state/mortise"
	run "${run_it[@]}" -o hook.x.event=before-tool -o hook.x.shell=yes \
		-o hook.x.timeout=200ms -o 'hook.x.command=sleep 1000 & sleep 1000' -t go
	log | grep '"observation":"user_rejected"' | grep -q 'timed out'
}

@test "after a tool: the text of the hook is part of the result" {
	hook after-tool
	echo '{"additionalContext": "and the moon is full"}' >"$work/out.PostToolUse"
	run "${run_it[@]}" "${hooks[@]}" -t "go"
	[ "$status" -eq 0 ]
	jq -e '.tool_response.content | contains("from-the-tool")' "$work/read.PostToolUse"
	log | grep '"observation":"run"' | grep 'from-the-tool' | grep -q 'moon is full'
}

@test "a prompt: context is added, a denial leaves nothing in the log" {
	hook user-prompt
	echo '{"additionalContext": "it is May"}' >"$work/out.UserPromptSubmit"
	run "${run_it[@]}" "${hooks[@]}" -t "what now"
	[ "$status" -eq 0 ]
	[ "$(jq -r .message "$work/read.UserPromptSubmit")" = "what now" ]
	log | grep '"action":"message"' | grep -q 'what now.*it is May'
	rm -rf "$work/state/mortise"
	echo '{"decision": "deny", "reason": "no such words"}' >"$work/out.UserPromptSubmit"
	run "${run_it[@]}" "${hooks[@]}" -t "password1"
	[ "$status" -ne 0 ]
	[[ "$output" == *"no such words"* ]]
	never_in_log 'password1'
}

@test "stop: a denial makes the agent continue, but not forever" {
	hook stop
	echo '{"decision": "deny", "reason": "the tests have not run"}' >"$work/out.Stop"
	run "${run_it[@]}" "${hooks[@]}" -t "go"
	log | grep '"action":"message"' | grep -q 'the tests have not run'
	log | grep -q 'Second end'
	[[ "$output" == *"no turn"* || "$status" -ne 0 ]]
	{
		for i in 1 2 3 4 5 6 7 8; do
			printf '[turn]\n[call finish]\nmessage = End %s.\n\n' "$i"
		done
	} >"$work/script"
	rm -rf "$work/state/mortise"
	run "${run_it[@]}" "${hooks[@]}" -t "go"
	[ "$status" -eq 0 ]
	[ "$(log | grep -c '"action":"finish"')" -eq 6 ]
}

@test "stop: an answer without a call is an end too" {
	printf '[turn]\ntext = I think %s.\n\n' 1 2 3 4 5 6 7 8 9 >"$work/script"
	hook stop
	run "${run_it[@]}" "${hooks[@]}" -t "go"
	[ "$status" -eq 0 ]
	jq -e '.event_type == "Stop" and .stop_hook_active == false' "$work/read.Stop"
	rm -rf "$work/state/mortise"
	echo '{"decision": "deny", "reason": "not yet"}' >"$work/out.Stop"
	run python3 "$top_srcdir/tests/controller/talk.py" message:go wait:awaiting_user_input \
		-- "${run_it[@]}" --json --keep "${hooks[@]}"
	[ "$(log | grep '"source":"environment"' | grep -c '"content":"not yet"')" -eq 5 ]
	log | tail -n 1 | grep -q awaiting_user_input
}

@test "stop: undo reverts the user message, not that of the hook" {
	printf '[turn]\ntext = I think %s.\n\n' 1 2 3 4 5 6 7 8 9 >"$work/script"
	hook stop
	echo '{"decision": "deny", "reason": "not yet"}' >"$work/out.Stop"
	run python3 "$top_srcdir/tests/controller/talk.py" message:"begin" \
		wait:awaiting_user_input undo stop -- "${run_it[@]}" --json --keep "${hooks[@]}"
	[ "$status" -eq 0 ]
	echo "$output" | grep -qF '"text":"begin"'
	run ! grep -F '"text":"not yet"' <<<"$output"
}

@test "stop: a message sent while the hooks run is read" {
	printf '[turn]\n[call finish]\nmessage = %s.\n\n' One Two >"$work/script"
	cat >"$work/slow" <<'EOF'
#!/bin/sh
cd "$(dirname "$0")"
[ ! -e started ] || exit 0
: >started
for i in $(seq 500); do [ ! -e said ] || exit 0; sleep 0.02; done
EOF
	chmod 755 "$work/slow"
	: >"$work/out"
	{
		until_so test -e "$work/started"
		echo '{"type":"message","text":"and more"}'
		until_so grep -q 'and more' "$work/out"
		: >"$work/said"
	} | "${run_it[@]}" --json -o hook.x.event=stop -o "hook.x.command=$work/slow" -t go \
		>"$work/out"
	[ "$(log | grep -c '"action":"finish"')" -eq 2 ]
}

@test "a hook runs again if the process ended while it ran" {
	set -m
	hooks=(-o hook.x.event=before-tool -o hook.x.shell=yes
		-o "hook.x.command=echo \$\$ >$work/asked; [ -e $work/yes ] || exec sleep 1000")
	"${run_it[@]}" "${hooks[@]}" -t go >"$work/out" 2>&1 3>&- &
	pid=$!
	until_so test -s "$work/asked"
	kill -9 "$pid"
	wait "$pid" || true
	kill "$(cat "$work/asked")"
	never_in_log '"record":"dispatch"'
	: >"$work/yes"
	rm "$work/asked"
	run mortise resume "${hooks[@]}"
	[ "$status" -eq 0 ]
	[ -e "$work/asked" ]
	[[ "$output" == *from-the-tool* ]]
}

@test "a hook refuses one call: the others of a reply run, after kill -9 too" {
	cat >"$work/script" <<'EOF'
[turn]
[call execute_bash]
command = touch first
[call execute_bash]
command = touch second

[turn]
[call finish]
message = Done.
EOF
	cat >"$work/guard" <<'EOF'
#!/bin/sh
case $(cat) in *first*) exit 2 ;; esac
EOF
	chmod 755 "$work/guard"
	hooks=(-o hook.x.event=before-tool -o "hook.x.command=$work/guard")
	run "${run_it[@]}" "${hooks[@]}" -t go
	[ "$status" -eq 0 ]
	[ -e "$work/ws/second" ]
	[ ! -e "$work/ws/first" ]
	# as if the process had exited after the denial of the first call
	rm "$work/ws/second"
	file=$(echo "$work"/state/mortise/conversations/*/events.jsonl)
	head -n "$(grep -n '"observation":"user_rejected"' "$file" | cut -d: -f1)" "$file" \
		>"$work/cut"
	cat "$work/cut" >"$file"
	rm -f "${file%/*}/state.json" "${file%/*}/events.index"
	run mortise resume "${hooks[@]}"
	[ "$status" -eq 0 ]
	[ -e "$work/ws/second" ]
	[ ! -e "$work/ws/first" ]
}

@test "the session: begins with the first message, ends with the process" {
	hook session-start
	hook session-end
	echo '{"additionalContext": "the branch is main"}' >"$work/out.SessionStart"
	run "${run_it[@]}" "${hooks[@]}" -t "go"
	[ "$status" -eq 0 ]
	log | grep '"action":"message"' | grep -q 'go.*the branch is main'
	jq -e '.event_type == "SessionEnd"' "$work/read.SessionEnd"
}

@test "secrets are masked in the output of hooks" {
	hook after-tool
	echo '{"additionalContext": "it is s3cr3t-value"}' >"$work/out.PostToolUse"
	export OUR_SECRET=s3cr3t-value
	run "${run_it[@]}" "${hooks[@]}" -o grant.x.env=OUR_SECRET -o grant.x.tools=bash -t go
	[ -z "$(grep -rl 's3cr3t-value' "$work/state")" ]
	log | grep '"observation":"run"' | grep -q 'secret_hidden'
	[ "$(grep -c OUR_SECRET "$work/env.PostToolUse")" = 0 ]
}

@test "hooks.json: of the home directory, of a project only when trusted" {
	mkdir "$work/ws/.openhands" "$work/home/.openhands"
	echo '{"hooks": {"PreToolUse": [{"matcher": "execute_*", "hooks": []},
		{"matcher": "/execute_.*/", "hooks":
		[{"type": "command", "command": "exit 2"}]}]}}' >"$work/ws/.openhands/hooks.json"
	echo '{"stop": [{"hooks": [{"command": "touch '"$work"'/home-ran"}]}]}' \
		>"$work/home/.openhands/hooks.json"
	run "${run_it[@]}" -t go
	[ "$status" -eq 0 ]
	[[ "$output" == *"is not trusted"* ]]
	[[ "$output" == *from-the-tool* ]]
	[ -e "$work/home-ran" ]
	rm "$work/home-ran"
	mortise config trust -C "$work/ws"
	rm -rf "$work/state/mortise/conversations"
	run "${run_it[@]}" -t go
	log | grep -q '"observation":"user_rejected"'
	[ ! -e "$work/home-ran" ]
	echo '{"PreToolUs": []}' >"$work/ws/.openhands/hooks.json"
	mortise config trust -C "$work/ws"
	run "${run_it[@]}" -t go
	[ "$status" -ne 0 ]
	[[ "$output" == *"unknown hook event PreToolUs"* ]]
}

@test "Ctrl-C kills a hook immediately" {
	set -m
	"${run_it[@]}" -o hook.x.event=before-tool -o hook.x.shell=yes \
		-o "hook.x.command=echo \$\$ >$work/pid; sleep 1000" -t go >"$work/out" 2>&1 &
	pid=$!
	for _ in $(seq 200); do
		[ ! -s "$work/pid" ] || break
		sleep 0.05
	done
	[ -s "$work/pid" ]
	kill -INT "$pid"
	wait "$pid" || true
	run ! kill -0 "$(cat "$work/pid")" 2>/dev/null
}
