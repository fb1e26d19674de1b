#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# steering-polling.bats - waiting for a command is not a loop; polling it with a repeated
# command is a loop, and the hint names the call that waits.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cd "$work"
	run_it=(mortise run -C ws --model "script:$work/script"
		-o tool.bash.no_change_timeout=100ms)
}

call() { printf '[turn]\n[call execute_bash]\ncommand = %s\n\n' "$1"; }
finish() { printf '[turn]\n%s\n[call finish]\nmessage = Done.\n' "$1"; }
log() { cat state/mortise/conversations/*/events.jsonl; }

@test "twenty patient waits by the empty command are not a loop" {
	{
		call 'until [ -e go ]; do sleep 0.05; done; echo over'
		for _ in {1..20}; do call ''; done
		call 'C-c' | sed '/^command/a is_input := true'
		finish
	} >script
	run "${run_it[@]}" -t go
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(log | grep -c '"nudge"' || true)" -eq 0 ]
	[ "$(log | grep -c '"observation":"run"')" -eq 22 ]
	[ "$(log | grep -c 's, now as job 1 in the background; ')" -eq 1 ]
	[ "$(log | grep -c 's, as job 1. An empty command waits on.\]')" -eq 20 ]
}

@test "twenty waits for a job are not a loop" {
	{
		printf '[turn]\n[call background_job]\ndo = start\ncommand = until [ -e go ]; do sleep 0.05; done\n\n'
		for _ in {1..20}; do
			printf '[turn]\n[call background_job]\ndo = wait\nid := 1\ntimeout := 0.05\n\n'
		done
		finish
	} >script
	run "${run_it[@]}" -o controller.tools+=background_job -t go
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(log | grep -c '"nudge"' || true)" -eq 0 ]
}

@test "eight polls are a loop whatever their results; the hint names the waiting call" {
	{
		for _ in {1..8}; do call 'head -c 8 /dev/urandom | base64 | tr 0-9 a-j'; done
		printf '[turn]\nexpect last contains = call 8 times in a row.\n'
		printf 'expect last contains = execute_bash with an empty command waits for it; that never counts as repetition.\n'
		printf 'expect last contains = until CONDITION; do sleep 5; done\n'
		printf 'expect last lacks = background_job\nexpect last lacks = result was the same\n'
		printf '[call finish]\nmessage = Done.\n'
	} >script
	run "${run_it[@]}" -t go
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "the hint describes results, tools and failures correctly" {
	{
		for n in 1 2 3 4; do call "echo at \$((RANDOM))"; done
		printf '[turn]\nexpect last contains = apart from numbers, times and addresses\n'
		printf 'expect last contains = background_job with do=wait\n'
		printf '[call finish]\nmessage = Done.\n'
	} >script
	run "${run_it[@]}" -o controller.tools+=background_job -t go
	echo "$output"
	[ "$status" -eq 0 ]
	{
		for n in 1 2 3 4; do printf '[turn]\n[call no_such_tool]\na = b\n\n'; done
		printf '[turn]\nexpect last contains = it failed each time\n'
		printf 'expect last lacks = empty command\nexpect last lacks = Repeating it\n'
		printf '[call finish]\nmessage = Done.\n'
	} >script
	run "${run_it[@]}" -t go
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "the hint advises to wait, and waiting then is not a loop" {
	{
		call 'until [ -e go ]; do sleep 0.05; done'
		for _ in {1..20}; do call ''; done
		call 'C-c' | sed '/^command/a is_input := true'
		for _ in {1..4}; do call 'echo a'; done
		finish 'expect last contains = never counts as repetition'
	} >script
	run "${run_it[@]}" -t go
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(log | grep -c '"nudge"')" -eq 1 ]
}
