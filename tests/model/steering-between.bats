#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# steering-between.bats - messages and results that arrive late are read: a message
# during the check of a goal, results of background tasks during the last
# request, a message during the last request of a delegate; and a fork does not repeat a
# message that waited.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	all=$work/state/mortise/conversations
	cd "$work"
	options=(-o controller.confirmation=never)
}

teardown() { touch "$work/ws/go"; }

# steer STEP...: an agent with a user who takes these steps.
steer() {
	run python3 "$top_srcdir/tests/model/steer.py" replies "$@" -- \
		mortise run --json --keep-alive -C ws --model openai/gpt-4.1 "${options[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
}

# last N: the last message of the n-th request.
last() { jq -sr ".[$1 - 1].messages[-1].content" requests; }

@test "a message during the check of a goal is read, although the goal is reached" {
	cat >replies <<-'EOR'
		[{"calls": [["finish", {"message": "One."}]]},
		 {"calls": [["finish", {"message": "Two."}]]}]
	EOR
	options+=(-o 'controller.until=touch checking; until [ -e go ]; do sleep 0.05; done')
	steer message:go exists:ws/checking message:"and b" touch:ws/go requests:2 wait:finished stop
	[ "$(jq -s '.[1].messages | map(select(.content == "and b")) | length' requests)" -eq 1 ]
}

# The subagents of the parent have ended and the parent has recorded it.
are_settled() { grep -qF '\"open\":[]' "$all"/*/events.jsonl; }
until_settled() { until_true are_settled && touch ended; }

agent_one() { # waits for the file `go`, then reports
	cat >one <<-'END'
		[turn]
		[call execute_bash]
		command = until [ -e go ]; do sleep 0.05; done

		[turn]
		[call finish]
		message = the report
	END
}

@test "background results that come during the last request are read" {
	cat >m.ini <<-END
		[controller]
		tools = bash, finish, delegate_tasks
		delegates = one
		[controller.one]
		llm = one
		[llm.one]
		model = script:$work/one
	END
	agent_one
	cat >replies <<-'EOR'
		[{"calls": [["delegate_tasks", {"tasks": [{"task": "x", "agent": "one"}], "background": true}]]},
		 {"hold": true, "calls": [["finish", {"message": "Early."}]]},
		 {"calls": [["finish", {"message": "Read."}]]}]
	EOR
	options+=(--config m.ini)
	until_settled &
	steer message:go requests:2 touch:ws/go exists:ended release requests:3 stop
	wait
	[[ "$(last 3)" == *"ran in the background ended"*"the report"* ]]
}

@test "background results wait for the agent that started the tasks" {
	cat >m.ini <<-END
		[controller]
		tools = bash, finish, delegate, delegate_tasks
		delegates = one, helper
		[controller.one]
		llm = one
		[controller.helper]
		tools = bash, finish
		[llm.one]
		model = script:$work/one
	END
	agent_one
	cat >replies <<-'EOR'
		[{"calls": [["delegate_tasks", {"tasks": [{"task": "x", "agent": "one"}], "background": true}]]},
		 {"calls": [["delegate", {"agent": "helper", "task": "y"}]]},
		 {"hold": true, "calls": [["execute_bash", {"command": "echo on"}]]},
		 {"calls": [["finish", {"message": "Helped."}]]},
		 {"calls": [["finish", {"message": "Read."}]]}]
	EOR
	options+=(--config m.ini)
	until_settled &
	steer message:go requests:3 touch:ws/go exists:ended release requests:5 stop
	wait
	[ "$(jq -s '.[3].messages | tostring | contains("ran in the background")' requests)" = false ]
	[[ "$(last 4)" == *on* ]]
	[[ "$(jq -sr '.[4].messages | tostring' requests)" == *"ran in the background ended"*"the report"* ]]
}

@test "a message during the last request of a delegate that fails is read by its parent" {
	cat >m.ini <<-END
		[controller]
		tools = finish, delegate
		delegates = one
		[controller.one]
		tools = finish
	END
	cat >replies <<-'EOR'
		[{"calls": [["delegate", {"agent": "one", "task": "x"}]]},
		 {"hold": true, "error": "it is broken", "code": "invalid_request_error"},
		 {"calls": [["finish", {"message": "Read."}]]}]
	EOR
	options+=(--config m.ini)
	steer message:go requests:2 queue:rather release requests:3 wait:finished stop
	[ "$(last 3)" = rather ]
	[[ "$(jq -sr '.[2].messages[-2].content' requests)" == *"encountered an error"* ]]
}

@test "a fork does not repeat a message that waited at its last event" {
	cat >replies <<-'EOR'
		[{"calls": [["execute_bash", {"command": "touch started; until [ -e go ]; do sleep 0.05; done"}]]},
		 {"calls": [["finish", {"message": "One."}]]},
		 {"calls": [["finish", {"message": "Two."}]]}]
	EOR
	steer message:go exists:ws/started queue:rather touch:ws/go wait:finished stop
	[ "$(last 2)" = rather ]
	result=$(jq 'select(.observation == "run").id' "$all"/*/events.jsonl)
	fork=$(mortise fork -q --at "$result" "$(ls "$all")")
	run python3 "$top_srcdir/tests/model/steer.py" replies message:other wait:finished stop -- \
		mortise resume --json --keep-alive "$fork"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(last 3)" = other ]
	[ "$(jq -s '.[2].messages | map(select(.content == "rather")) | length' requests)" -eq 0 ]
}
