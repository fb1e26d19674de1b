#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# steering-agent.bats - the agent, its tools or its prompt change: the request has the new
# prompt and tools, and a message names the changes.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cd "$work"
	cat >replies <<-'EOR'
	[{"calls": [["execute_bash", {"command": "true"}]]},
	 {"calls": [["finish", {"message": "Done."}]]},
	 {"calls": [["finish", {"message": "Done again."}]]},
	 {"calls": [["finish", {"message": "And again."}]]}]
	EOR
	steer message:go wait:finished stop -- \
		mortise run --json --keep-alive -C ws --model openai/gpt-4.1 \
		-o controller.confirmation=never
}

steer() {
	run python3 "$top_srcdir/tests/model/steer.py" replies "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

again() { steer message:more wait:finished stop -- mortise resume --json --keep-alive "$@" last; }
request() { jq -esr ".[$1 - 1] | $2" requests; }
systems() {
	jq -sc '[.[] | select(.action == "system")] | length' \
		state/mortise/conversations/*/events.jsonl
}

@test "nothing changes: the same prompt and tools, and no message" {
	again
	[ "$(request 3 '.messages[0], .tools')" = "$(request 2 '.messages[0], .tools')" ]
	run -1 grep -q "changed the configuration" requests
	[ "$(systems)" -eq 1 ]
}

@test "another agent: its prompt, its tools, and a message" {
	again -o controller.agent=readonly
	[ "$(systems)" -eq 2 ]
	[ "$(request 3 '[.messages[] | select(.role == "system")] | length')" -eq 1 ]
	[ "$(request 3 '.messages[0].role')" = system ]
	[ "$(request 3 '.messages[0].content')" != "$(request 2 '.messages[0].content')" ]
	request 3 '.tools[].function.name' >third
	run -1 grep -x execute_bash third
	request 3 '.messages[-1].content' >told
	grep -q "You are now the agent readonly (before: codeact)" told
	grep -q "Removed tools: execute_bash" told
	grep -q "New tools: .*view" told
}

@test "another tool: it is offered and named, and it stays after the next resume" {
	again -o controller.tools+=apply_patch
	grep -qx apply_patch <(request 3 '.tools[].function.name')
	request 3 '.messages[-1].content' >told
	grep -q "New tools: apply_patch\." told
	run -1 grep -q "You are now" told
	again
	grep -qx apply_patch <(request 4 '.tools[].function.name')
	[ "$(systems)" -eq 2 ]
	[ "$(grep -o "New tools: apply_patch" <(request 4 '.messages') | wc -l)" -eq 1 ]
}

@test "another prompt" {
	again -o controller.system_suffix="Speak Latin."
	[[ "$(request 3 '.messages[0].content')" == *"Speak Latin." ]]
	[[ "$(request 3 '.messages[-1].content')" == *"instructions at the start of the conversation are new"* ]]
}

@test "another model alone changes nothing else" {
	again -o llm.temperature=0.5
	[ "$(systems)" -eq 1 ]
	[ "$(request 3 '.messages[0], .tools')" = "$(request 2 '.messages[0], .tools')" ]
}
