#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# models-flow.bats - retries, fallbacks and rules for several models, in whole
# conversations.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	run_it=(mortise run -C "$work/ws" -o llm.retry_min_wait=1ms
		-o llm.retry_max_wait=1ms)
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }
states() { # the states of the log, in order
	log | jq -r 'select(.observation == "agent_state_changed")
		| .extras.agent_state' | tr '\n' ' '
}
retries() { log | grep -c '^{"record":"retry"' || true; }
says() { grep -q -e "$1" "$work"/state/mortise/conversations/*/events.jsonl; }

done_after() { # done_after FILE ERROR TIMES
	printf '[turn]\nerror = %s: busy just now\nerror times = %s\n' "$2" "$3" >"$1"
	printf '[call finish]\nmessage = all done\n' >>"$1"
}

@test "a rate limit is a state while there are attempts left" {
	done_after "$work/s" rate_limit 2
	run "${run_it[@]}" -m "script:$work/s" -t hi
	[ "$status" -eq 0 ]
	[[ "$output" == *"busy just now"*"retrying in 0 s"* ]]
	[ "$(states)" = "running rate_limited running rate_limited running finished " ]
	[ "$(retries)" = 2 ]
	log | jq -se 'any(.record == "retry" and .attempts == 2 and .kind == "rate_limit"
		and .wait_ms >= 1 and (.error | contains("busy just now")))'
}

@test "other waits are records of the log" {
	done_after "$work/s" overloaded 3
	run "${run_it[@]}" -m "script:$work/s" --json -t hi
	[ "$status" -eq 0 ]
	[ "$(states)" = "running finished " ]
	[ "$(retries)" = 3 ]
	[ "$(grep -c '"type":"retry"' <<<"$output")" = 3 ]
}

@test "a permanent rate limit is an error after the configured attempts" {
	done_after "$work/s" rate_limit 0
	run "${run_it[@]}" -m "script:$work/s" -o llm.retries=3 -t hi
	[ "$status" -eq 3 ]
	[ "$(states)" = "running rate_limited running rate_limited running error " ]
	[ "$(retries)" = 2 ]
}

@test "an exhausted quota is not retried" {
	done_after "$work/s" quota 1
	run "${run_it[@]}" -m "script:$work/s" -t hi
	[ "$status" -eq 3 ]
	[[ "$output" == *"top it up"* ]]
	[ "$(retries)" = 0 ]
}

@test "an interrupt during a wait pauses immediately; resume continues" {
	done_after "$work/s" rate_limit 1
	"${run_it[@]}" -o llm.retry_min_wait=1h -o llm.retry_max_wait=1h \
		-m "script:$work/s" -t hi >"$work/out" 2>&1 </dev/null 3>&- &
	pid=$!
	until_true says '"rate_limited"'
	kill -INT "$pid"
	status=0
	wait "$pid" || status=$?
	[ "$status" -eq 130 ] || { cat "$work/out"; false; }
	[ "$(states)" = "running rate_limited paused " ]
	done_after "$work/s" rate_limit 0
	sed -i '/^error/d' "$work/s"
	run mortise resume -q
	[ "$status" -eq 0 ]
	[ "$output" = "all done" ]
}

@test "a process that was killed in a wait is resumed again" {
	for kind in rate_limit network; do
		rm -rf "$work/state/mortise"
		done_after "$work/s" "$kind" 1
		"${run_it[@]}" -o llm.retry_min_wait=1h -o llm.retry_max_wait=1h \
			-m "script:$work/s" -t hi >/dev/null 2>&1 </dev/null 3>&- &
		pid=$!
		until_true says '^{"record":"retry"'
		[ "$kind" = network ] || until_true says '"rate_limited"'
		kill -KILL "$pid"
		wait "$pid" || true
		sed -i '/^error/d' "$work/s"
		run mortise resume -q
		[ "$status" -eq 0 ]
		[ "$output" = "all done" ]
		[[ "$(states)" == *"running finished " ]]
	done
}

@test "when a model fails permanently, the next one in the list is used, with a notice" {
	done_after "$work/first" overloaded 9
	printf '[turn]\nusage = input 10, output 5, cost 0.25\n[call finish]\nmessage = by two\n' \
		>"$work/second"
	run "${run_it[@]}" -m "script:$work/first" -o llm.retries=2 \
		-o llm.fallback=two -o "llm.two.model=script:$work/second" -t hi
	[ "$status" -eq 0 ]
	[[ "$output" == *"busy just now"*"falling back to"* ]]
	[[ "$output" == *"by two"* ]]
	log | jq -se 'any(.record == "llm_reply" and (.model | endswith("/second")))'
	log | jq -se 'any(.record == "retry" and .model and (.model | endswith("/second")))'
	# meta.json has the configuration of the agent, so that it continues with it
	mortise resume -t again >"$work/out" 2>&1 || true
	jq -e '.spec.settings | index("llm.fallback=two")' \
		"$work"/state/mortise/conversations/*/meta.json
}

@test "the cost of each model is reported, also after a resume" {
	cat >"$work/first" <<-'END'
		[turn]
		usage = input 7, output 1, cost 0.125
		[call think]
		thought = hm

		[turn]
		error = overloaded

		[turn]
		error = overloaded
	END
	cat >"$work/second" <<-'END'
		[turn]
		[call think]
		thought = not asked

		[turn]
		usage = input 10, output 5, cost 0.25
		[call finish]
		message = by two

		[turn]
		usage = input 10, output 5, cost 0.25
		[call finish]
		message = by two again
	END
	run "${run_it[@]}" -m "script:$work/first" -o llm.retries=1 \
		-o llm.fallback=two -o "llm.two.model=script:$work/second" -t hi
	[ "$status" -eq 0 ]
	[[ "$output" == *"17 tokens in, 6 out, \$0.3750"* ]]
	[[ "$output" == *"/first: 1 response, 7 tokens in, 1 out, \$0.1250"* ]]
	[[ "$output" == *"/second: 1 response, 10 tokens in, 5 out, \$0.2500"* ]]
	run mortise resume -t again
	[[ "$output" == *"by two again"* ]]
	[[ "$output" == *"27 tokens in, 11 out, \$0.6250"* ]]
	[[ "$output" == *"/second: 2 responses, 20 tokens in, 10 out, \$0.5000"* ]]
}

@test "a history that exceeds the window is condensed, or the error says how" {
	printf '[turn]\nerror = history: odd calls\n' >"$work/s"
	run "${run_it[@]}" -m "script:$work/s" -o controller.condensers=noop -t hi
	[ "$status" -eq 3 ]
	[[ "$output" == *"odd calls"*"add one to \`condensers\`"* ]]
	log | grep -q '"action":"condensation_request"'
}

@test "a rule chooses the model of a request" {
	printf '[turn]\n[call finish]\nmessage = by one\n' >"$work/one"
	printf '[turn]\n[call finish]\nmessage = by two\n' >"$work/two"
	wide=(-m "script:$work/one" -o "llm.wide.model=script:$work/two"
		-o controller.router=size)
	run "${run_it[@]}" "${wide[@]}" -o "router.size.rules=tokens > 1000000: wide" \
		-q -t hi
	[ "$output" = "by one" ]
	run "${run_it[@]}" "${wide[@]}" -o "router.size.rules=tokens > 10: wide" -q -t hi
	[ "$output" = "by two" ]
	run mortise resume -q -t more
	jq -e '.spec.settings | index("router.size.rules=tokens > 10: wide")' \
		"$(ls -td "$work"/state/mortise/conversations/*/ | head -1)meta.json"
}

@test "an agent has a model of its own; wrong names are refused" {
	printf '[turn]\n[call finish]\nmessage = by one\n' >"$work/one"
	printf '[turn]\n[call finish]\nmessage = by two\n' >"$work/two"
	two=(-o "llm.model=script:$work/one" -o "llm.two.model=script:$work/two")
	run "${run_it[@]}" "${two[@]}" -o controller.llm=two -q -t hi
	[ "$output" = "by two" ]
	run "${run_it[@]}" "${two[@]}" -o agent.codeact.llm=two -q -t hi
	[ "$output" = "by two" ]
	run "${run_it[@]}" "${two[@]}" -o condenser.noop.llm=two -q -t hi
	[ "$output" = "by one" ]
	run "${run_it[@]}" "${two[@]}" -o controller.llm=tow -q -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown section [llm.tow]; did you mean \`two\`?"* ]]
	run "${run_it[@]}" "${two[@]}" -o agent.codeact.llm=missing -q -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown section [llm.missing]"* ]]
	run "${run_it[@]}" "${two[@]}" -o condenser.noop.llm=missing -q -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown section [llm.missing]"* ]]
	run "${run_it[@]}" "${two[@]}" -o controller.router=missing -q -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown section [router.missing]"* ]]
	run "${run_it[@]}" "${two[@]}" -o router.x.ruels=y -q -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == *"did you mean"*"rules"* ]]
}

@test "the keys of all models are hidden" {
	export KEY_OF_TWO=sk-second-secret-0123456789
	printf '[turn]\n[call finish]\nmessage = it is sk-second-secret-0123456789\n' \
		>"$work/one"
	run "${run_it[@]}" -m "script:$work/one" -o llm.fallback=two \
		-o llm.two.model=openai/gpt-4.1 -o llm.two.api_key_env=KEY_OF_TWO -q -t hi
	[ "$status" -eq 0 ]
	[[ "$output" == "it is "* ]]
	[[ "$output" != *second-secret* ]]
	log >"$work/log"
	run -1 grep -q second-secret "$work/log"
}

@test "a request longer than the window is not sent: the history is to be condensed" {
	printf '[turn]\n[call finish]\nmessage = all done\n' >"$work/s"
	run "${run_it[@]}" -m "script:$work/s" -o llm.max_input_tokens=20 -t hi
	[ "$status" -eq 3 ]
	[[ "$output" == *"request not sent"*"no configured condenser"* ]]
	says '"action":"condensation_request"'
	run -1 says '"record":"llm_reply"'
	run "${run_it[@]}" -m "script:$work/s" -o llm.max_input_tokens=1000000 -t hi
	[ "$status" -eq 0 ]
}

@test "the usage of each model is in the last line, and reported afterwards" {
	printf '[turn]\n[call finish]\nmessage = all done\n' >"$work/s"
	run "${run_it[@]}" -m "script:$work/s" --json -t hi
	[ "$status" -eq 0 ]
	tail -n 1 <<<"$output" | jq -e '.type == "end" and (.models | length) == 1
		and .models[0].calls == 1 and (.models[0].model | startswith("script"))'
	run mortise conversations cost last --json
	[ "$status" -eq 0 ]
	jq -e '.[0].calls == 1' <<<"$output"
	run mortise conversations cost last
	[ "$status" -eq 0 ]
	[[ "$output" == *"REPLIES"*"total"* ]]
}
