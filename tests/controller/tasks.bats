#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tasks.bats - tools that the controller implements: the task list, a request to
# condense, a question to the user.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	run_it=(mortise run -C "$work/ws" --model "script:$work/script")
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

plan='[{"title":"Look","status":"done","notes":"seen"},{"id":"b","title":"Mend"}]'

@test "a plan is kept, viewed, and copied to TASKS.md" {
	cat >"$work/script" <<-END
	[turn]
	[call task_tracker]
	command = view
	[turn]
	expect last contains = No task list found
	[call task_tracker]
	command = plan
	task_list = $plan
	[turn]
	expect last contains = updated with 2 item(s)
	[call task_tracker]
	command = view
	[turn]
	expect last contains = 1. ✅ Look
	expect last contains = 2. ⏳ Mend
	[call task_tracker]
	command = erase
	[turn]
	expect last contains = Unknown command: erase
	[call finish]
	message = Done.
	END
	run "${run_it[@]}" -o 'controller.tools+=tasks' -t go
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *$'  [x] Look\n  [ ] Mend'* ]]
	[ "$(cat "$work"/state/mortise/conversations/*/TASKS.md)" \
		= $'# Task List\n\n1. ✅ Look\n   seen\n\n2. ⏳ Mend' ]
	[ "$(log | jq -c 'select(.action == "task_tracking" and .args.command == "plan")
		| [.args.task_list[].id]')" = '["task-1","b"]' ]
	log | jq -se 'any(.[]; .observation == "task_tracking" and .extras.command == "view"
		and (.extras.task_list | length) == 2)' >/dev/null
}

@test "plan = yes enables the task list and explains its use" {
	printf '[turn]\n[call finish]\nmessage = Done.\n' >"$work/script"
	run "${run_it[@]}" -o controller.plan=yes -o controller.tools=bash,finish -t go
	[ "$status" -eq 0 ]
	[ "$(log | jq -c 'select(.action == "system") | [.args.tools[].function.name]')" \
		= '["execute_bash","finish","recall","task_tracker"]' ]
	log | jq -se '.[0].args.content | contains("exactly one task in progress")'
	run "${run_it[@]}" -o controller.plan=yes -o 'controller.tools+=task_tracker' -t go
	[ "$status" -eq 0 ]
}

@test "the newest list survives a condensation" {
	{
		printf '[turn]\n[call task_tracker]\ncommand = plan\ntask_list = %s\n' "$plan"
		for n in 1 2 3 4 5 6; do
			printf '[turn]\n[call execute_bash]\ncommand = echo %s\n' "$n"
		done
		printf '[turn]\n[call request_condensation]\n'
		printf '[turn]\nexpect any contains = updated with 2 item(s)\n'
		printf '[call finish]\nmessage = Done.\n'
	} >"$work/script"
	run "${run_it[@]}" -o 'controller.tools+=tasks, request_condensation' -t go \
		-o controller.condensers=conversation_window
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(log | jq -c 'select(.action == "condensation_request") | .tool_call_metadata.function_name')" \
		= '"request_condensation"' ]
	[ "$(log | jq -c 'select(.action == "condensation")' | wc -l)" -eq 1 ]
}

asks() {
	cat >"$work/script" <<-'END'
	[turn]
	text = Before I continue:
	[call ask_user]
	question = Red or blue?
	[call execute_bash]
	command = touch too-early
	[turn]
	expect last contains = blue
	[call finish]
	message = It is blue.
	END
}

@test "ask_user waits for the user; nothing of the same reply runs after it" {
	asks
	run timeout 60 python3 "$top_srcdir/tests/controller/talk.py" message:go \
		wait:awaiting_user_input message:blue wait:finished stop -- \
		"${run_it[@]}" -o 'controller.tools+=ask_user' --json --keep
	echo "$output"
	[ "$status" -eq 0 ]
	[ ! -e "$work/ws/too-early" ]
	[ "$(log | jq -c 'select(.action == "message" and .source == "agent")
		| [.args.content, .args.wait_for_response]')" \
		= '["Before I continue:\nRed or blue?",true]' ]
}

@test "ask_user: the answer may come after a restart" {
	asks
	timeout 60 python3 "$top_srcdir/tests/controller/talk.py" message:go \
		wait:awaiting_user_input -- \
		"${run_it[@]}" -o 'controller.tools+=ask_user' --json --keep
	id=$(basename "$work"/state/mortise/conversations/*)
	run mortise resume "$id" -t blue
	echo "$output"
	[ "$status" -eq 0 ]
	[ ! -e "$work/ws/too-early" ]
	[[ "$output" == *"It is blue."* ]]
}

@test "ask_user: without a user the agent is asked to decide, twice" {
	for n in 1 2 3; do
		printf '[turn]\n[call ask_user]\nquestion = What now, %s?\n' "$n"
	done >"$work/script"
	run "${run_it[@]}" -o 'controller.tools+=ask_user' -t go
	echo "$output"
	[ "$status" -ne 0 ]
	[ "$(log | jq -c 'select(.action == "message" and .source == "environment")' | wc -l)" -eq 2 ]
	[[ "$output" == *"What now, 1?"* ]]
	[[ "$output" == *"no user is available to answer"* ]]
}
