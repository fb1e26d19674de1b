#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# goal.bats - `run --until` and the command `goal`: the agent continues until a command
# succeeds, a limit is reached or it gives up.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	run_it=(mortise run -C "$work/ws" --model "script:$work/script" -t go)
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }
checks() { log | jq -c 'select(.action == "run" and .source == "environment")' | wc -l; }

finishes() { printf '[turn]\n%s[call finish]\nmessage = %s\n\n' "${2:+$2
}" "$1"; }
acts() { printf '[turn]\n[call execute_bash]\ncommand = %s\n\n' "$1"; }

@test "the agent continues until the command succeeds" {
	{
		printf '[turn]\nexpect user contains = Work until this command succeeds\n'
		printf 'expect user contains = test -e done\n'
		printf '[call finish]\nmessage = first try\n\n'
		printf '[turn]\nexpect user contains = looking\n'
		printf 'expect last contains = exited with code 1\n'
		# changes of the agent to its shell do not matter
		printf '[call execute_bash]\ncommand = touch done; cd /; exec 3<&-\n\n'
		finishes "second try"
	} >"$work/script"
	run "${run_it[@]}" --until 'echo looking; test -e done'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"second try"* ]]
	[ "$(checks)" -eq 2 ]
}

@test "a command that succeeds at once ends the run, and its exit ends no shell" {
	finishes done >"$work/script"
	run "${run_it[@]}" --until 'exit 0'
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(checks)" -eq 1 ]
}

@test "a limit ends the run, and the resumed conversation has the same goal" {
	{
		finishes one
		acts 'echo two'
		acts 'touch done'
		finishes three
	} >"$work/script"
	run "${run_it[@]}" --until 'test -e done' --max-steps 2
	echo "$output"
	[ "$status" -eq 4 ]
	run mortise resume
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(checks)" -eq 2 ]
}

@test "an agent that finishes again and again without acting has given up" {
	for i in 1 2 3 4 5; do finishes "try $i"; done >"$work/script"
	run "${run_it[@]}" --until false
	echo "$output"
	[ "$status" -eq 5 ]
	[[ "$output" == *"the goal \`false\` was not reached"* ]]
	[ "$(checks)" -eq 3 ]
}

@test "subagents do not have the goal of their parent" {
	{
		printf '[turn]\n[call delegate_tasks]\ntasks = ["one"]\n\n'
		finishes done
	} >"$work/script"
	run "${run_it[@]}" --until true -o controller.tools+=delegate_tasks \
		-o controller.max_depth=1
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(checks)" -eq 1 ]
}

@test "the policy applies to the command, and a project cannot set it" {
	finishes done >"$work/script"
	run "${run_it[@]}" --until 'touch made' \
		-o 'analyzer.policy.rule.no=deny command=touch* reason=not here'
	echo "$output"
	[ "$status" -eq 5 ]
	[[ "$output" == *"not here"* ]]
	[ ! -e "$work/ws/made" ]
	mkdir "$work/ws/.mortise"
	printf '[controller]\nuntil = touch made\n' >"$work/ws/.mortise/mortise.ini"
	run mortise config trust -C "$work/ws"
	[ "$status" -ne 0 ]
	[[ "$output" == *"cannot set \`until\`"* ]]
}

@test "/goal: set, shown, reached, removed" {
	{
		printf '[turn]\nexpect user contains = Work until this command succeeds'
		printf ' (exit code 0): `test -e done`\n[call finish]\nmessage = early\n\n'
		acts 'touch done'
		finishes done
	} >"$work/script"
	{
		echo '{"type":"goal","id":1}'
		echo '{"type":"goal","command":"test -e done","id":2}'
		echo '{"type":"goal","id":3}'
	} | mortise run -C "$work/ws" --model "script:$work/script" --json --keep-alive \
		>"$work/out"
	cat "$work/out"
	grep -q 'No goal is set' "$work/out"
	grep -q 'Goal set: test -e done' "$work/out"
	grep -q 'Goal: test -e done' "$work/out"
	[ -e "$work/ws/done" ]
	[ "$(checks)" -eq 2 ]
}
