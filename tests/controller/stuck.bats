#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# stuck.bats - an agent in a loop: it gets one hint, then stops, and the conversation
# can be used afterwards.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	run_it=(mortise run -C "$work/ws" --model "script:$work/script")
}

# same N TEXT: N turns with the same call.
same() {
	for ((i = 0; i < $1; i++)); do
		printf '[turn]\ntext = try %d\n[call execute_bash]\ncommand = %s\n\n' \
			"$i" "$2"
	done
}

finish() { printf '[turn]\n[call finish]\nmessage = Done now.\n'; }

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

count() { log | grep -c -- "$1" || true; }

@test "the model gets one hint, then headless exits with 7 and the reason" {
	{ same 8 "echo a"; finish; } >"$work/script"
	run "${run_it[@]}" -t go
	[ "$status" -eq 7 ]
	[[ "$output" == *"AgentStuckInLoopError: Agent got stuck in a loop"* ]]
	[[ "$output" == *"the same action had the same result, 4 times (execute_bash)"* ]]
	[ "$(count '"nudge":"repeating_action_observation"')" -eq 1 ]
	[ "$(count '"action":"run"')" -eq 5 ]
	[ "$(count '"observation":"loop_detection"')" -eq 1 ]
}

@test "a model that heeds the hint continues" {
	{ same 4 "echo a"; finish; } >"$work/script"
	run "${run_it[@]}" -t go
	[ "$status" -eq 0 ]
	[[ "$output" == *"Done now."* ]]
	[ "$(count '"nudge":')" -eq 1 ]
}

@test "the hint for the model is in the request" {
	cat >"$work/script" <<'EOF'
[turn]
[call execute_bash]
command = true

[turn]
[call execute_bash]
command = true

[turn]
[call execute_bash]
command = true

[turn]
[call execute_bash]
command = true

[turn]
expect last contains = You are repeating yourself
[call finish]
message = I see.
EOF
	run "${run_it[@]}" -t go
	[ "$status" -eq 0 ]
	[[ "$output" == *"I see."* ]]
}

@test "a resume after a loop can continue" {
	{ same 7 "echo a"; finish; } >"$work/script"
	run "${run_it[@]}" -t go
	[ "$status" -eq 7 ]
	run mortise resume -t "try something else"
	[ "$status" -eq 0 ]
	[[ "$output" == *"Done now."* ]]
}

@test "without a nudge, with other thresholds, by exit code, or not at all" {
	{ same 8 'echo $RANDOM'; finish; } >"$work/script"
	run "${run_it[@]}" -o controller.stuck_compare=exact \
		-o controller.stuck_identical=0 -t go
	[ "$status" -eq 0 ]
	run "${run_it[@]}" -o controller.stuck_compare=exit_code \
		-o controller.stuck_nudge=no -o controller.stuck_same=3 -t go
	[ "$status" -eq 7 ]
	[[ "$output" == *"3 times"* ]]
	{ same 8 'echo a'; finish; } >"$work/script"
	run "${run_it[@]}" -o controller.stuck_detection=off -t go
	[ "$status" -eq 0 ]
	run "${run_it[@]}" -o controller.stuck_thought=yes -t go
	[ "$status" -eq 0 ]
}

@test "two calls that alternate" {
	for i in 1 2 3 4 5; do same 1 "echo a"; same 1 "echo b"; done >"$work/script"
	run "${run_it[@]}" -o controller.stuck_nudge=no -t go
	[ "$status" -eq 7 ]
	[[ "$output" == *"two actions alternated"* ]]
	[ "$(count '"action":"run"')" -eq 6 ]
}

@test "calls that cannot be understood" {
	for i in 1 2 3 4 5 6; do printf '[turn]\n[call no_tool]\na = b\n\n'; done >"$work/script"
	run "${run_it[@]}" -t go
	[ "$status" -eq 7 ]
	[ "$(count '"nudge":"repeating_action_error"')" -eq 1 ]
	[ "$(count '"observation":"error"')" -eq 5 ]
}

# talk STEP...: an interactive run, in which the user takes these steps.
talk() {
	python3 "$top_srcdir/tests/controller/talk.py" "$@" -- \
		"${run_it[@]}" --json --keep
}

@test "interactive: paused, an instruction, and it continues" {
	{ same 5 "echo a"; same 1 "echo b"; finish; } >"$work/script"
	run talk message:go wait:paused message:"try b" wait:finished stop
	[ "$status" -eq 0 ]
	[[ "$output" == *"the agent is stuck in a loop"* ]]
}

@test "interactive: just continuing is possible" {
	{ same 8 "echo a"; finish; } >"$work/script"
	run talk message:go wait:paused resume wait:finished stop
	[ "$status" -eq 0 ]
}

@test "interactive: back to before the loop" {
	{ same 1 "echo first"; same 5 "echo a"; finish; } >"$work/script"
	run talk message:go wait:paused recover:1 wait:awaiting_user_input \
		message:other wait:finished stop
	[ "$status" -eq 0 ]
	log | grep -q '{"record":"rewind","to":'
	run mortise conversations export last "$work/out.json"
	[ "$status" -eq 0 ]
	grep -q "echo first" "$work/out.json"
	run -1 grep -q "echo a" "$work/out.json"
	run -1 grep -q "repeating yourself" "$work/out.json"
}

@test "interactive: the last message again" {
	{ same 5 "echo a"; finish; } >"$work/script"
	run talk message:"do it" wait:paused recover:2 wait:finished stop
	[ "$status" -eq 0 ]
	run mortise conversations export last "$work/out.json"
	[ "$(grep -c '"content": "do it"' "$work/out.json")" -eq 1 ]
	run -1 grep -q "echo a" "$work/out.json"
}

@test "interactive: stop; and without a loop nothing is recovered" {
	{ same 5 "echo a"; finish; } >"$work/script"
	run talk message:go fail:recover:1 wait:paused fail:recover:4 \
		loop_recovery:3 wait:stopped
	[ "$status" -eq 0 ]
}

@test "the same command is a loop though a number in its output changes" {
	{ same 6 'date +%N'; finish; } >"$work/script"
	run "${run_it[@]}" -t go
	[ "$status" -eq 7 ]
	[ "$(count '"loop_type":"repeating_action_observation"')" -eq 1 ]
	for same in output normalized; do
		rm -r "$work/state/mortise"
		run "${run_it[@]}" -o controller.stuck_compare=$same -t go
		[ "$status" -eq 7 ]
	done
	rm -r "$work/state/mortise"
	run "${run_it[@]}" -o controller.stuck_compare=exact -t go
	[ "$status" -eq 0 ]
}

@test "the same command eight times is a loop whatever its output" {
	{ same 12 'echo x >>f; tr -d "\n" <f'; finish; } >"$work/script"
	run "${run_it[@]}" -t go
	[ "$status" -eq 7 ]
	[ "$(count '"nudge":"repeating_action"')" -eq 1 ]
	[[ "$output" == *"the same action was repeated, 8 times (execute_bash)"* ]]
	rm -r "$work/state/mortise"
	run "${run_it[@]}" -o controller.stuck_identical=0 -t go
	[ "$status" -eq 0 ]
}

@test "waiting for a command that runs is not a loop" {
	mkfifo "$work/ws/a"
	{
		printf '[turn]\n[call execute_bash]\ncommand = cat a\ntimeout := 0.2\n'
		for ((i = 0; i < 12; i++)); do
			printf '[turn]\n[call execute_bash]\ncommand =\ntimeout := 0.1\n'
		done
		printf '[turn]\n[call execute_bash]\ncommand = C-c\nis_input := true\n'
		finish
	} >"$work/script"
	run "${run_it[@]}" -t go
	[ "$status" -eq 0 ]
	[ "$(count '"nudge":')" -eq 0 ]
}

@test "a loop is found across a limit, a resume and a message" {
	{ same 9 "echo a"; finish; } >"$work/script"
	run "${run_it[@]}" -t go -o controller.stuck_nudge=no -o controller.max_iterations=2
	[ "$status" -eq 4 ]
	run mortise resume -C "$work/ws" last -t more -m "script:$work/script" \
		-o controller.tools+=background_job
	echo "$output"
	[ "$status" -eq 7 ]
	[ "$(count '"action":"system"')" -eq 2 ]
	[ "$(count '"action":"run"')" -eq 4 ]
}
