#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# results-errors.bats - every failed result has is_error set in the request.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
}

@test "is_error is set for a failed command, edit and unknown tool, not for others" {
	python3 "$top_srcdir/tests/model/errors-model.py" "$work/seen" "$work/port" &
	server=$!
	until_true test -s "$work/port"
	run env ANTHROPIC_API_KEY=test-key-123 mortise run -C "$work/ws" \
		--model anthropic/claude-sonnet-4-5 -o llm.stream=no \
		-o "llm.base_url=http://127.0.0.1:$(cat "$work/port")" -t go
	kill "$server"
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
	# the results of the last request, in the order of the calls
	tail -n 1 "$work/seen" | jq -c '[.messages[].content | arrays | .[]
		| select(.type == "tool_result") | .is_error // false]' >"$work/errors"
	cat "$work/errors"
	[ "$(cat "$work/errors")" = '[false,true,true,true,true,true,true,false,true]' ]
}
