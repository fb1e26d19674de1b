#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# steering-stop.bats - messages and pauses while the agent works: unsent calls are
# refused, and the message follows the results.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cd "$work"
	options=(-o controller.confirmation=never)
	# Two calls, of which the first waits until it is stopped.
	cat >replies <<-'EOR'
	[{"text": "I run both.", "calls": [
		["execute_bash", {"command": "echo begun; touch started; sleep 1000"}],
		["execute_bash", {"command": "touch second"}]]},
	 {"calls": [["finish", {"message": "Stopped."}]]}]
	EOR
}

# steer STEP...: an agent with a user who takes these steps.
steer() {
	run python3 "$top_srcdir/tests/model/steer.py" replies "$@" -- \
		mortise run --json --keep-alive -C ws --model openai/gpt-4.1 "${options[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
}

# messages N FILTER: of the messages of the n-th request.
messages() { jq -sr ".[$1 - 1].messages | $2" requests; }

log() { cat state/mortise/conversations/*/events.jsonl; }

@test "a message interrupts the running call and refuses the calls after it" {
	steer message:go exists:ws/started message:STOP wait:finished prefix stop
	[ ! -e ws/second ]
	[[ "$(messages 2 '.[-3].content')" == *"begun"*"[Interrupted by the user after "*" s]"* ]]
	run -1 grep -c 'was cancelled' requests
	[[ "$(messages 2 '.[-2].content')" == *"not run, because the user sent a message first"* ]]
	[ "$(messages 2 '.[-2].tool_call_id')" = call_0_1 ]
	[ "$(messages 2 '.[-1] | .role, .content' | head -n 2 | tr '\n' ' ')" = "user STOP " ]
}

@test "a queued message waits for the running call, and refuses the calls after it" {
	sed -i 's/sleep 1000/until [ -e go ]; do sleep 0.05; done; echo whole/' replies
	steer message:go exists:ws/started queue:"rather the other" touch:ws/go wait:finished prefix stop
	[ ! -e ws/second ]
	[[ "$(messages 2 '.[-3].content')" == *"begun"*"whole"* ]]
	run -1 grep -c Interrupted requests
	[[ "$(messages 2 '.[-2].content')" == *"not run, because the user sent a message first"* ]]
	[ "$(messages 2 '.[-1].content')" = "rather the other" ]
}

@test "a message that comes while the model replies follows the reply" {
	cat >replies <<-'EOR'
	[{"hold": true, "text": "I do it.", "calls": [["execute_bash", {"command": "touch first"}]]},
	 {"calls": [["finish", {"message": "Stopped."}]]}]
	EOR
	steer message:go requests:1 message:STOP release wait:finished prefix stop
	[ ! -e ws/first ]
	[ "$(messages 2 '[.[-3:][].role] | join(" ")')" = "assistant tool user" ]
	[[ "$(messages 2 '.[-2].content')" == *"not run, because the user sent a message first"* ]]
	[ "$(messages 2 '.[-3].content')" = "I do it." ]
}

@test "a message that comes while the model answers follows the answer" {
	cat >replies <<-'EOR'
	[{"hold": true, "text": "All is well."}, {"calls": [["finish", {"message": "Stopped."}]]}]
	EOR
	steer message:go requests:1 message:"and now?" release wait:finished prefix stop
	[ "$(messages 2 '[.[-2:][].role] | join(" ")')" = "assistant user" ]
	[ "$(messages 2 '.[-1].content')" = "and now?" ]
}

@test "a pause interrupts the running call and refuses the calls after it" {
	steer message:go exists:ws/started pause wait:paused resume wait:finished prefix stop
	[ ! -e ws/second ]
	[[ "$(messages 2 '.[-2].content')" == *"[Interrupted by the user after "*" s]"* ]]
	run -1 grep -c 'was cancelled' requests
	[[ "$(messages 2 '.[-1].content')" == *"not run, because the user paused the agent first"* ]]
}

@test "calls that run in parallel end, and keep their order" {
	cat >replies <<-'EOR'
	[{"calls": [["execute_bash", {"command": "touch started; sleep 1000"}],
		["think", {"thought": "a"}], ["execute_bash", {"command": "touch second"}],
		["finish", {"message": "no"}]]},
	 {"calls": [["finish", {"message": "Stopped."}]]}]
	EOR
	steer message:go exists:ws/started message:STOP wait:finished prefix stop
	[ "$(messages 2 '[.[-5:][].role] | join(" ")')" = "tool tool tool tool user" ]
	[ "$(messages 2 '[.[-5:-1][].tool_call_id] | join(" ")')" = "call_0_0 call_0_1 call_0_2 call_0_3" ]
	[ ! -e ws/second ]
}

@test "a call that waits for approval is rejected, and the calls after it do not run" {
	options=(-o controller.confirmation=always)
	steer message:go wait:awaiting_user_confirmation message:STOP wait:finished prefix stop
	[ ! -e ws/started ]
	[ ! -e ws/second ]
	[ "$(messages 2 '.[-1].content')" = STOP ]
	[ "$(messages 2 '[.[-4:][].role] | join(" ")')" = "assistant tool tool user" ]
}

@test "a message that was accepted survives a kill before it is delivered" {
	steer message:go exists:ws/started queue:"think of the moon" kill
	[ "$(log | jq -c 'select(.action == "message" and .source == "user")' | wc -l)" -eq 1 ]
	run python3 "$top_srcdir/tests/model/steer.py" replies resume wait:finished prefix stop -- \
		mortise resume --json --keep-alive last
	echo "$output"
	[ "$status" -eq 0 ]
	[ ! -e ws/second ]
	[ "$(messages 2 '.[-1].content')" = "think of the moon" ]
	[[ "$(messages 2 '.[-2].content')" == *"not run, because the user sent a message first"* ]]
	[[ "$(messages 2 '.[-3].content')" == *"interrupted when the process ended"* ]]
	[ "$(log | jq -c 'select(.action == "message" and .source == "user")' | wc -l)" -eq 2 ]
}

@test "a message to a delegate refuses the calls of the delegate" {
	cat >replies <<-'EOR'
	[{"calls": [["delegate", {"agent": "helper", "task": "look"}]]},
	 {"calls": [["execute_bash", {"command": "touch started; sleep 1000"}],
		["execute_bash", {"command": "touch second"}]]},
	 {"calls": [["finish", {"message": "Half done."}]]},
	 {"calls": [["finish", {"message": "Stopped."}]]}]
	EOR
	options=(-o controller.delegates=helper -o controller.helper.agent=codeact
		-o controller.tools+=delegation -o controller.confirmation=never)
	steer message:go exists:ws/started message:STOP wait:finished stop
	[ ! -e ws/second ]
	[ "$(messages 3 '.[-1].content')" = STOP ]
	[[ "$(messages 3 '.[-2].content')" == *"not run, because the user sent a message first"* ]]
}
