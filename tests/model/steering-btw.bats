#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# steering-btw.bats - a side question: the model reads the conversation, which the
# question and its answer do not change.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cd "$work"
	cat >replies <<-'EOR'
	[{"calls": [["execute_bash", {"command": "touch started; until [ -e go ]; do sleep 0.05; done"}]]},
	 {"text": "It waits for a file."},
	 {"calls": [["finish", {"message": "Done."}]]},
	 {"error": "no such model"}]
	EOR
}

steer() {
	run python3 "$top_srcdir/tests/model/steer.py" replies "$@" -- \
		mortise run --json --keep-alive -C ws --model openai/gpt-4.1 \
		-o controller.confirmation=never
	echo "$output"
	[ "$status" -eq 0 ]
}

log() { cat state/mortise/conversations/*/events.jsonl; }
request() { jq -esr ".[$1 - 1] | $2" requests; }

@test "a question while a call runs: answered, and not part of the conversation" {
	steer message:go exists:ws/started btw:"What do you wait for?" answer \
		touch:ws/go wait:finished stop
	[[ "$output" == *'"type":"side_answer","question":"What do you wait for?","text":"It waits for a file."'* ]]
	[[ "$(request 2 '.messages[-1].content')" == *"What do you wait for?"* ]]
	[ "$(request 2 '.messages[0]')" = "$(request 1 '.messages[0]')" ]
	[ "$(request 2 '.tools')" = "$(request 1 '.tools')" ]
	request 3 '.messages' >third
	run -1 grep -q "What do you wait for" third
	run -1 grep -q "It waits for a file" third
	[ "$(request 3 '.messages[-2:][].role' | tr '\n' ' ')" = "assistant tool " ]
	log | jq -se 'map(select(.action or .observation)) |
		length > 0 and all(.[]; tostring | contains("waits for a file") | not)' >/dev/null
}

@test "its cost is counted, also after a restart" {
	steer message:go exists:ws/started btw:"And now?" answer touch:ws/go wait:finished stop
	[[ "$output" == *'"type":"end"'*'"calls":3'* ]]
	[ "$(log | jq -s '[.[] | select(.plugin == "side questions") | .text | fromjson | .input] | last')" -eq 10 ]
	run python3 "$top_srcdir/tests/model/steer.py" replies stop -- \
		mortise resume --json --keep-alive last
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *'"type":"end"'*'"calls":3'* ]]
}

@test "a question that cannot be answered says why" {
	steer message:go exists:ws/started btw:"And now?" answer touch:ws/go wait:finished \
		btw:"Once more?" answer stop
	[[ "$output" == *'"question":"Once more?","error":"'*"no such model"* ]]
}
