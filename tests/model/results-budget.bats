#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# results-budget.bats - the results of one reply have a limit together: the longest are cut,
# and name a file with the rest.
bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_TMPDIR"
	mkdir -p ws state
	chmod 700 state
	export XDG_STATE_HOME=$PWD/state
	options=(-o 'controller.tools=bash, finish')
	cat >replies <<-'EOR'
	[{"calls": [["execute_bash", {"command": "echo short"}],
	            ["execute_bash", {"command": "seq 1 2000"}],
	            ["execute_bash", {"command": "seq 1 4500"}]]},
	 {"calls": [["execute_bash", {"command": "echo on"}]]},
	 {"calls": [["finish", {"message": "Done."}]]},
	 {"calls": [["finish", {"message": "Again."}]]}]
	EOR
}

steer() {
	run python3 "$top_srcdir/tests/model/steer.py" replies "$@" -- \
		mortise "${command[@]}" --json --keep-alive -C ws --model openai/gpt-4.1 \
		"${options[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
}
# messages N FILTER: of the messages of the n-th request.
messages() { jq -sr ".[$1 - 1].messages | $2" requests; }
# result N: of the second request, without the time that a slow machine takes
result() { messages 2 "[.[] | select(.role == \"tool\")][$1].content" | grep -v '^\[took '; }

@test "the longest results of a reply are cut, and the rest is in a file" {
	command=(run)
	options+=(-o controller.max_turn_chars=12000)
	steer message:go wait:finished prefix stop
	[ "$(result 0)" = short ]
	# 8,893 characters are more than half of the limit
	[[ "$(result 1 | grep omitted)" == *" of 2,000 lines omitted; full output: "*"/spool/"*"]" ]]
	[[ "$(result 2 | grep omitted)" == *" of 4,500 lines omitted; full output: "*"/spool/"*"]" ]]
	file=$(result 2 | grep omitted | sed 's/.*full output: //; s/]$//')
	[ "$(cat "$file")" = "$(seq 1 4500)" ]
	[ "$(messages 2 '[.[] | select(.role == "tool").content | length] | add')" -lt 12600 ]
	# the first and last lines are kept
	[ "$(result 2 | head -n 1)" = 1 ]
	[ "$(result 2 | tail -n 1)" = 4500 ]
}

@test "a result that fits next to the longest one is whole" {
	command=(run)
	options+=(-o controller.max_turn_chars=25000)
	steer message:go wait:finished prefix stop
	[ "$(result 1)" = "$(seq 1 2000)" ]
	[[ "$(result 2 | grep omitted)" == *" of 4,500 lines omitted; full output: "* ]]
}

@test "a resumed conversation sends the same bytes" {
	command=(run)
	options+=(-o controller.max_turn_chars=12000)
	steer message:go wait:finished stop
	rm state/mortise/conversations/*/spool/result-*
	command=(resume)
	steer message:more wait:finished prefix stop
	[ "$(messages 4 '.[-1].content')" = more ]
	file=$(result 2 | grep omitted | sed 's/.*full output: //; s/]$//')
	[ "$(cat "$file")" = "$(seq 1 4500)" ]
}

@test "by default, results of less than 100,000 characters are whole" {
	command=(run)
	steer message:go wait:finished prefix stop
	[ "$(result 2)" = "$(seq 1 4500)" ]
}

@test "a small context window has room for at most a quarter of results" {
	command=(run)
	options+=(-o llm.max_input_tokens=8000)
	steer message:go wait:finished prefix stop
	[ "$(messages 2 '[.[] | select(.role == "tool").content | length] | add')" -lt 8400 ]
	[[ "$(result 2 | grep omitted)" == *" of 4,500 lines omitted; full output: "* ]]
	[ "$(result 2 | tail -n 1)" = 4500 ]
	command=(resume)
	steer message:more wait:finished prefix stop
}
