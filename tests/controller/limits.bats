#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# limits.bats - cost, tokens and time, counted over replies, calls, waits and hooks of
# whole conversations.

setup() {
	export MORTISE_CONTROLLER_ON_ASK=stop
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	for i in 1 2 3 4; do
		printf '[turn]\nusage = input 1000, output 100\n[call execute_bash]\ncommand = touch %s\n\n' "$i"
	done >"$work/script"
	printf '[turn]\nusage = input 1000, output 100\n[call finish]\nmessage = All is well.\n' >>"$work/script"
	run_it=(mortise run -C "$work/ws" --model "script:$work/script")
	priced=(-o llm.input_cost_per_token=0.001 -o llm.output_cost_per_token=0.01)
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }
made() { (cd "$work/ws" && echo *); }

# ends_with REASON: exit code 4, and the reason for user, model and log
ends_with() {
	[ "$status" -eq 4 ]
	[[ "$output" == *"$1"* ]]
	log | grep '"observation":"error"' | grep -q "stopped by a limit. $1"
	log | grep '"agent_state":"error"' | tail -n 1 | grep -q "\"reason\":\"$1"
}

@test "max_budget: the cost of the replies, also after a resume" {
	run "${run_it[@]}" "${priced[@]}" -o controller.max_budget=3.5 -t go
	ends_with "Agent reached maximum budget for conversation.Current budget: 4.00, max budget: 3.50"
	[ "$(made)" = "1" ]
	run mortise resume
	ends_with "Agent reached maximum budget for conversation.Current budget: 8.00, max budget: 7.50"
	[ "$(made)" = "1 3" ]
	run mortise resume
	[ "$status" -eq 0 ]
}

@test "max_budget = 0 disables the limit; a negative one is refused" {
	run "${run_it[@]}" "${priced[@]}" -o controller.max_budget=0 -t go
	[ "$status" -eq 0 ]
	run "${run_it[@]}" "${priced[@]}" -o controller.max_budget=-1 -t go
	[ "$status" -eq 2 ]
}

@test "a reply of unknown price gives a notice if the budget is limited" {
	run "${run_it[@]}" -o controller.max_budget=1 -t go
	[ "$status" -eq 0 ]
	[[ "$output" == *"the price of script:"*"is unknown"* ]]
}

@test "max_tokens: input and output tokens" {
	run "${run_it[@]}" -o controller.max_tokens=2000 -t go
	ends_with "Agent reached maximum tokens. Current tokens: 2200, max tokens: 2000"
	[ "$(made)" = "1" ]
	run mortise resume
	ends_with "Agent reached maximum tokens. Current tokens: 4400, max tokens: 4200"
}

@test "max_time: a command that does not exit is cancelled" {
	printf '[turn]\n[call execute_bash]\ncommand = touch here; sleep 1000\n' >"$work/script"
	run "${run_it[@]}" -o controller.max_time=1100ms -t go
	ends_with "Agent reached maximum time of work. Current time: "
	[[ "$output" =~ 'Current time: 1.'[1-9][0-9]*' s, max time: 1.1 s' ]]
	[ -e "$work/ws/here" ]
	log | grep '"observation":"error"' | grep -q "The call was not finished"
}

@test "max_time: ends the wait for a model that does not respond" {
	printf '[turn]\ndelay = 1000s\ntext = late\n' >"$work/script"
	run "${run_it[@]}" -o controller.max_time=300ms -t go
	ends_with "Agent reached maximum time of work."
}

@test "max_time: ends the wait for a retry" {
	printf '[turn]\nerror = rate_limit\nerror wait = 50s\n' >"$work/script"
	run "${run_it[@]}" -o controller.max_time=300ms -t go
	ends_with "Agent reached maximum time of work."
	log | grep -q '"agent_state":"rate_limited"'
}

@test "max_time: ends hooks that do not exit" {
	run "${run_it[@]}" -o controller.max_time=300ms -o hook.x.event=before-tool \
		-o hook.x.command=sleep,1000 -t go
	ends_with "Agent reached maximum time of work."
	[ "$(made)" = "*" ]
}

@test "max_time: waiting for the user does not count" {
	run "${run_it[@]}" -o controller.max_time=20s -o controller.confirmation=always \
		-t go </dev/null
	[ "$status" -eq 8 ]
}

@test "\"resume\" raises a limit for the user, not in headless mode" {
	run python3 "$top_srcdir/tests/controller/talk.py" message:go wait:error resume \
		wait:finished -- "${run_it[@]}" --json --keep -o controller.max_calls=2
	[ "$status" -eq 0 ]
	[ "$(made)" = "1 2 4" ]
	rm -rf "$work"/ws/* "$work/state/mortise"
	{ # input after the end of a run comes too late
		for ((i = 0; i < 500; i++)); do
			grep -q '"agent_state":"error"' "$work/out" 2>/dev/null && break
			sleep 0.02
		done
		echo '{"type":"resume"}'
	} | "${run_it[@]}" --json -o controller.max_calls=2 -t go >"$work/out" || status=$?
	[ "$status" -eq 4 ]
	[ "$(made)" = "1 2" ]
}

@test "a message that is /exit finishes, without a request" {
	run python3 "$top_srcdir/tests/controller/talk.py" "message: /exit" wait:finished \
		-- "${run_it[@]}" --json --keep
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(log | grep -c '"record":"llm_reply"')" -eq 0 ]
	[ "$(log | grep -c '"action":"finish"')" -eq 1 ]
	run mortise resume -t /exit
	[ "$status" -eq 0 ]
	[ "$(log | grep -c '"record":"llm_reply"')" -eq 0 ]
}
