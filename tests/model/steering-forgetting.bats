#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# steering-forgetting.bats - a marker names the events that condensers drop, and requests
# of condensers to a model contain the task and the unchanged calls.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cd "$work"
	run_it=(mortise run -C ws --model "script:$work/script" -o controller.stuck_detection=no)
}

steps() { for n in $(seq "$1"); do printf '[turn]\n[call execute_bash]\ncommand = echo step %s\n\n' "$n"; done; }
finish() { printf '[turn]\n%s\n[call finish]\nmessage = Done.\n' "$1"; }
log() { cat state/mortise/conversations/*/events.jsonl; }
condensations() { log | jq -c 'select(.action == "condensation") | .args'; }
run_ok() { run "${run_it[@]}" "$@"; echo "$output"; [ "$status" -eq 0 ]; }

@test "dropped events leave a marker with their ids, the reason and the remedy" {
	{
		steps 8
		finish 'expect any contains = were removed from the context to make room
expect any contains = git diff
expect any contains = `recall` returns the events
expect tool = recall
expect any lacks = step 2'
	} >script
	run_ok -o condenser.r.plugin=recent -o condenser.r.max_events=6 \
		-o controller.condensers=r -t walk
}

@test "a masked result names its event, and recall returns it" {
	{
		steps 4
		printf '[turn]\nexpect any contains = <MASKED> [event 6; `recall` returns it]\n'
		printf 'expect any lacks = step 1\n[call recall]\nfrom := 6\nto := 6\n\n'
		finish 'expect last contains = step 1'
	} >script
	run_ok -o condenser.m.plugin=observation_masking -o condenser.m.attention_window=4 \
		-o controller.condensers=m -t walk
}

@test "nothing is dropped: no marker" {
	{ steps 3; finish 'expect any lacks = removed from the context'; } >script
	run_ok -t walk
}

@test "the marker names the events, and recall returns them" {
	{
		steps 8
		printf '[turn]\nexpect any contains = [Events 5-\n'
		printf '[call recall]\nfrom := 5\nto := 6\n\n'
		finish 'expect last contains = step 1'
	} >script
	run_ok -o condenser.a.plugin=amortized -o condenser.a.max_size=10 \
		-o controller.condensers=a -t walk
	[ "$(condensations | wc -l)" -ge 1 ]
}

@test "after events were removed, a call that is refused is read with its error" {
	{
		steps 8
		printf '[turn]\nexpect any contains = [Events 5-\n'
		printf '[call recall]\nabout = step 1\n\n'
		printf '[turn]\nexpect last contains = Unexpected argument about\n'
		printf '[call recall]\nfrom := 5\n[call no_such_tool]\nx = y\n\n'
		finish 'expect any contains = Unexpected argument about
expect any contains = step 1
expect last contains = no_such_tool is not registered'
	} >script
	run_ok -o condenser.a.plugin=amortized -o condenser.a.max_size=14 \
		-o controller.condensers=a -t walk
}

@test "a summary is marked as one" {
	{
		steps 8
		finish 'expect any contains = [Summary of events
expect any contains = which were removed from the context. A model wrote it
expect any contains = SHORT STORY'
	} >script
	printf '[turn]\ntext = SHORT STORY\n\n%.0s' 1 2 3 4 5 6 7 8 >summaries
	run_ok -o condenser.s.plugin=llm -o condenser.s.max_size=10 -o controller.condensers=s \
		-o llm.cheap.model="script:$work/summaries" -o condenser.s.llm=cheap -t walk
	# the log has the text that the model wrote
	[ "$(condensations | head -n 1 | jq -r .summary)" = "SHORT STORY" ]
}

@test "recall is offered whenever a condenser may hide something" {
	finish 'expect tool = recall' >script
	run_ok -t walk
	run_ok -o controller.tools=bash,finish -t walk
	finish 'expect no tool = recall' >script
	run_ok -o controller.condensers=noop -t walk
}

@test "the summarizing model reads the task and the calls as the agent made them" {
	{ steps 8; finish ''; } >script
	{
		printf '[turn]\nexpect last contains = <TASK>\nexpect last contains = walk to the moon\n'
		printf 'expect last contains = execute_bash {"command":"echo step 1"}\n'
		printf 'expect last lacks = confirmation_state\ntext = STORY\n\n'
		printf '[turn]\ntext = STORY\n\n%.0s' 1 2 3 4 5 6 7 8
	} >summaries
	run_ok -o condenser.s.plugin=llm -o condenser.s.max_size=10 -o condenser.s.keep_first=0 \
		-o controller.condensers=s -o llm.cheap.model="script:$work/summaries" \
		-o condenser.s.llm=cheap -t "walk to the moon"
}

@test "many tokens in few events are condensed" {
	{
		for n in 1 2 3 4; do
			printf '[turn]\n[call execute_bash]\ncommand = seq 1 1500; : %s\n\n' "$n"
		done
		finish 'expect any contains = removed from the context'
	} >script
	run_ok -o condenser.a.plugin=amortized -o condenser.a.max_tokens=5000 \
		-o controller.condensers=a -t walk
	[ "$(condensations | wc -l)" -ge 1 ]
}

@test "a request that is too long is condensed by llm, although its events are few" {
	{
		steps 4
		printf '[turn]\nerror = context_window\n[call finish]\nmessage = Done.\n'
	} >script
	cp script short
	printf '[turn]\ntext = STORY\n\n%.0s' 1 2 3 >summaries
	run "${run_it[@]}" -o condenser.s.plugin=llm -o controller.condensers=s \
		-o llm.cheap.model="script:$work/summaries" -o condenser.s.llm=cheap -t walk
	echo "$output"
	[ "$(condensations | wc -l)" -ge 1 ]
	[ "$(condensations | head -n 1 | jq -r .summary)" = STORY ]
}

@test "the small profile offers recall before and after events are removed" {
	{
		printf '[turn]\nexpect tool = recall\n[call execute_bash]\ncommand = echo step 0\n\n'
		steps 8
		finish 'expect tool = recall
expect any contains = `recall` returns the events'
	} >script
	run_ok -o agent.codeact.profile=small -o condenser.a.plugin=amortized \
		-o condenser.a.max_size=10 -o controller.condensers=a -t walk
}

@test "the answers of earlier tasks stay after events were removed" {
	{
		steps 6
		finish 'expect any contains = were removed from the context'
		finish 'expect any is = Done.
expect any contains = were removed from the context
expect any lacks = [Events 2'
	} >script
	# the second task has few events: they are not condensed again
	run_ok -o condenser.a.plugin=amortized -o condenser.a.max_size=14 \
		-o controller.condensers=a -t walk
	run mortise resume -t "and now" last
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(condensations | wc -l)" -eq 1 ]
}

@test "a summary request that is too long is repeated with less of each event" {
	cat >replies <<-'EOR'
	[{"calls": [["execute_bash", {"command": "seq 1 400"}]]},
	 {"calls": [["execute_bash", {"command": "seq 1 300"}]]},
	 {"error": "too long"}, {"error": "too long"}, {"error": "too long"},
	 {"text": "STORY"},
	 {"calls": [["finish", {"message": "Done."}]]}]
	EOR
	run python3 "$top_srcdir/tests/model/steer.py" replies message:go wait:finished stop -- \
		mortise run --json --keep-alive -C ws --model openai/gpt-4.1 \
		-o condenser.s.plugin=llm -o controller.condensers=s
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(wc -c <body-5)" -lt $(($(wc -c <body-4) - 600)) ]
	[ "$(wc -c <body-6)" -lt $(($(wc -c <body-5) - 300)) ]
	grep -qF '... cut ...' body-6
	[ "$(condensations | jq -r .summary)" = STORY ]
}
