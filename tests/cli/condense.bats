#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# condense.bats - condensers at work in a conversation: what is forgotten, what
# the model reads instead, what it costs, what happens when they cannot.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	for n in 1 2 3 4 5 6 7 8; do
		printf '[turn]\n[call execute_bash]\ncommand = echo step %s\n\n' "$n"
	done >"$work/script"
	printf '[turn]\nexpect any contains = SHORT STORY\n[call finish]\nmessage = Done.\n' \
		>>"$work/script"
	printf '[turn]\ntext = SHORT STORY %s\nusage = input 100, output 10\n' 1 2 3 4 5 6 \
		>"$work/summaries"
	base=(mortise run -C "$work/ws" --model "script:$work/script")
	small=(-o condenser.short.plugin=llm -o condenser.short.max_size=10
	       -o condenser.short.keep_first=2 -o controller.condensers=short)
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }
condensations() { log | jq -c 'select(.action == "condensation") | .args'; }

@test "the middle is summarized by the model of the condenser and forgotten" {
	run "${base[@]}" "${small[@]}" -o llm.cheap.model="script:$work/summaries" \
		-o condenser.short.llm=cheap -t "walk"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(condensations | wc -l)" -ge 1 ]
	[[ "$(condensations | head -n 1 | jq -r .summary)" == "SHORT STORY 1" ]]
	log | jq -se '[.[] | select(.record == "state" and .plugin == "condensers")
		| .text | fromjson | .calls] | last >= 1' >/dev/null
}

@test "nothing pinned is forgotten" {
	run "${base[@]}" "${small[@]}" -o llm.cheap.model="script:$work/summaries" \
		-o condenser.short.llm=cheap -o condenser.short.keep_first=0 -t "walk"
	echo "$output"
	[ "$status" -eq 0 ]
	first=$(log | jq -r 'select(.action == "message" and .source == "user") | .id' | head -n 1)
	[ "$(condensations | wc -l)" -ge 1 ]
	condensations | jq -se --argjson id "$first" \
		'all(.[]; (.forgotten_event_ids // [range(.forgotten_events_start_id;
		  .forgotten_events_end_id + 1)]) | index($id) == null)'
}

# A first reply with two calls, the task list and another, then eight steps.
tasks() {
	printf '[turn]\n%s\n[call task_tracker]\ncommand = plan\n' "$1"
	printf 'task_list := [{"id":"T1","title":"walk","status":"todo","notes":""}]\n'
	printf '[call execute_bash]\ncommand = echo zero\n\n'
	for n in 1 2 3 4 5 6 7 8; do
		printf '[turn]\n[call execute_bash]\ncommand = echo step %s\n\n' "$n"
	done
	printf '[turn]\nexpect any contains = Task list has been updated\n'
	printf 'expect any lacks = step 1\n[call finish]\nmessage = Done.\n'
}

@test "the task list stays, with the other calls of its reply" {
	tasks "" >"$work/script"
	run "${base[@]}" "${small[@]}" -o condenser.short.plugin=amortized \
		-o controller.tools+=task_tracker -t "walk"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(condensations | wc -l)" -ge 1 ]
}

@test "a loop that starts with thinking is forgotten as a whole, the task list stays" {
	tasks "reasoning = well" >"$work/script"
	run "${base[@]}" "${small[@]}" -o llm.cheap.model="script:$work/summaries" \
		-o condenser.short.llm=cheap -o controller.tools+=task_tracker \
		-o condenser.short.keep_first=3 -t "walk"
	echo "$output"
	[ "$status" -eq 0 ]
	# and the model is not asked for summaries of nothing
	[ "$(condensations | wc -l)" -eq 1 ]
	[ "$(log | jq -s '[.[] | select(.record == "state" and .plugin == "condensers")
		| .text | fromjson | .calls] | last')" -eq 1 ]
}

@test "recent: a reply keeps all of its calls, a loop the thinking at its start" {
	{
		printf '[turn]\nreasoning = well\n[call execute_bash]\ncommand = echo zero\n\n'
		for n in 1 2 3 4 5 6; do
			printf '[turn]\n[call execute_bash]\ncommand = echo a%s\n' "$n"
			printf '[call execute_bash]\ncommand = echo b%s\n\n' "$n"
		done
		printf '[turn]\nexpect any contains = zero\nexpect any contains = a6\n'
		printf 'expect any lacks = b4\n[call finish]\nmessage = Done.\n'
	} >"$work/script"
	run "${base[@]}" -o condenser.r.plugin=recent -o condenser.r.max_events=3 \
		-o condenser.r.keep_first=1 -o controller.condensers=r -t "walk"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "events too long for its window, too few for max_size: the next condenser runs" {
	{
		printf '[turn]\n[call execute_bash]\ncommand = echo one\n\n[turn]\n'
		printf 'error = context_window\n[call finish]\nmessage = Done.\n'
	} >"$work/script"
	run "${base[@]}" "${small[@]}" -o condenser.short.max_size=100 \
		-o controller.condensers=short,conversation_window -t "walk"
	echo "$output"
	[ "$status" -eq 3 ]
	[ "$(condensations | wc -l)" -eq 1 ]
}

# talk STEP...: eight steps and two answers, with a client that takes these steps.
talk() {
	sed -i 's/^expect.*//' "$work/script"
	printf '[turn]\n[call finish]\nmessage = More.\n' >>"$work/script"
	python3 "$top_srcdir/tests/controller/talk.py" "$@" -- "${base[@]}" --json --keep \
		-o "controller.condensers=$condensers"
}

@test "a condensation that the user requests precedes the next request" {
	condensers=conversation_window
	run talk message:walk wait:finished condense message:more wait:running wait:finished stop
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(condensations | wc -l)" -eq 1 ]
}

@test "a requested condensation is done once after a restart" {
	condensers=conversation_window
	run talk message:walk wait:finished condense stop
	[ "$status" -eq 0 ]
	[ "$(condensations | wc -l)" -eq 0 ]
	printf '[turn]\n[call finish]\nmessage = Still more.\n' >>"$work/script"
	for message in more "still more"; do
		run mortise resume -t "$message"
		[ "$status" -eq 0 ]
		[ "$(condensations | wc -l)" -eq 1 ]
	done
}

@test "a request that no condenser can meet is a warning" {
	condensers=noop
	run talk message:walk wait:finished condense message:more wait:running wait:finished stop
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"no configured condenser can shorten the history"* ]]
	[ "$(log | jq -c 'select(.extras.agent_state == "error")')" = "" ]
}

@test "a condenser whose model fails lets the agent continue" {
	sed -i 's/^expect.*//' "$work/script"
	run "${base[@]}" "${small[@]}" -o llm.cheap.model=openai/none \
		-o llm.cheap.base_url=http://127.0.0.1:1/v1 \
		-o condenser.short.llm=cheap -o llm.cheap.retries=1 -t "walk"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(condensations | wc -l)" -eq 0 ]
}

@test "if the model of a condenser fails when events must go, the next condenser runs" {
	{
		printf '[turn]\n[call execute_bash]\ncommand = echo %s\n\n' 1 2 3 4
		printf '[turn]\nerror = context_window\n[call finish]\nmessage = Done.\n'
	} >"$work/script"
	printf '[turn]\nerror = context_window\n' >"$work/summaries"
	run "${base[@]}" "${small[@]}" -o llm.cheap.model="script:$work/summaries" \
		-o condenser.short.llm=cheap -o condenser.short.max_size=6 \
		-o controller.condensers=short,conversation_window -t "walk"
	echo "$output"
	[ "$(condensations | wc -l)" -ge 1 ]
	[[ "$output" == *"the model did not return a summary"* ]]
}

@test "amortized and masking need no model" {
	sed -i 's/^expect.*//' "$work/script"
	run "${base[@]}" -o condenser.a.plugin=amortized -o condenser.a.max_size=8 \
		-o condenser.m.plugin=observation_masking -o condenser.m.attention_window=4 \
		-o controller.condensers=m,a -t "walk"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(condensations | wc -l)" -ge 2 ]
}

@test "conflicting options are refused before anything is created" {
	run "${base[@]}" -o condenser.a.plugin=amortized -o condenser.a.max_size=8 \
		-o condenser.a.keep_first=4 -o controller.condensers=a -t "walk"
	[ "$status" -eq 2 ]
	[[ "$output" == *"[condenser.a]: keep_first (4) must be less than half of max_size (8)"* ]]
}

@test "sizes that keep almost nothing" {
	sed -i '/^usage/d' "$work/summaries"
	for plugin in llm structured; do
		sed -i 's/^expect.*//' "$work/script"
		run "${base[@]}" -o condenser.a.plugin=$plugin -o condenser.a.max_size=6 \
			-o llm.cheap.model="script:$work/summaries" -o condenser.a.llm=cheap \
			-o condenser.a.keep_first=2 -o controller.condensers=a -t "walk"
		[ "$(condensations | wc -l)" -ge 1 ]
	done
	sed -i 's/^expect.*//' "$work/script"
	run "${base[@]}" -o condenser.a.plugin=recent -o condenser.a.max_events=3 \
		-o condenser.a.keep_first=9 -o controller.condensers=a -t "walk"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a model is not asked to choose among events that stay anyway" {
	sed -i 's/^expect.*//' "$work/script"
	cat "$work/summaries" "$work/summaries" >"$work/more"
	run "${base[@]}" -o llm.cheap.model="script:$work/more" \
		-o condenser.a.plugin=llm_attention -o condenser.a.llm=cheap \
		-o condenser.a.max_size=2 -o condenser.a.keep_first=0 \
		-o controller.condensers=a -t "walk"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(log | jq -s '[.[] | select(.record == "state" and .plugin == "condensers")
		| .text | fromjson | .calls] | last')" -eq "$(condensations | wc -l)" ]
}

@test "a resumed conversation keeps the summaries and the cost" {
	run "${base[@]}" "${small[@]}" -o llm.cheap.model="script:$work/summaries" \
		-o condenser.short.llm=cheap -o controller.max_iterations=10 -t "walk"
	echo "$output"
	[ "$status" -ne 0 ]
	run mortise resume last -o controller.max_iterations=100 -t "continue"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"00 tokens in"* ]]
}

@test "an earlier summary that a condensation keeps is still read" {
	{
		printf '[turn]\n[call execute_bash]\ncommand = echo step %s\n\n' {1..13}
		printf '[turn]\nexpect any contains = SHORT STORY 1\n'
		printf 'expect any contains = SHORT STORY 2\n[call finish]\nmessage = Done.\n'
	} >"$work/script"
	run "${base[@]}" "${small[@]}" -o llm.cheap.model="script:$work/summaries" \
		-o condenser.short.llm=cheap -o controller.max_iterations=7 -t "walk"
	echo "$output"
	[ "$(condensations | jq -r .summary)" = "SHORT STORY 1" ]
	run mortise resume last -o controller.max_iterations=100 \
		-o condenser.short.max_size=16 -o condenser.short.keep_first=5 -t "more"
	echo "$output"
	[ "$status" -eq 0 ]
	condensations | tail -n 1 | jq -e '.keep_summaries == true'
	# OpenHands has no such argument
	mortise conversations export last |
		jq -e '[.[] | select(.action == "condensation")] | last
			| .mortise.fields.keep_summaries and (.args | has("keep_summaries") | not)'
}

@test "forgotten events can be recalled, by keywords and by ids" {
	for n in 1 2 3 4 5 6 7 8; do
		printf '[turn]\n[call execute_bash]\ncommand = echo treasure$((%s * 7))\n\n' "$n"
	done >"$work/script"
	printf '[turn]\n[call recall]\nquery = treasure7\n\n' >>"$work/script"
	printf '[turn]\n[call recall]\nfrom := 1\nto := 2\n\n[turn]\n[call finish]\nmessage = Done.\n' \
		>>"$work/script"
	run "${base[@]}" -o condenser.a.plugin=amortized -o condenser.a.max_size=8 \
		-o controller.condensers=a -o 'controller.tools+=recall' -t "look for it"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(condensations | wc -l)" -ge 2 ]
	log | jq -r 'select(.observation == "tool") | .content' >"$work/told"
	cat "$work/told"
	grep -q "^treasure7$" "$work/told"
	grep -q "look for it" "$work/told"
	run -1 grep -q "treasure14" "$work/told"
}

@test "compare: the events that each condenser keeps, and its cost" {
	sed -i 's/^expect.*//' "$work/script"
	sed -i 's/^usage = .*/usage = input 100, output 10, cost 0.25/' "$work/summaries"
	run "${base[@]}" -t "walk"
	[ "$status" -eq 0 ]
	log >"$work/before"
	cat >"$work/c.ini" <<-END
		[llm.cheap]
		model = script:$work/summaries
		[condenser.short]
		plugin = llm
		max_size = 10
		keep_first = 2
		llm = cheap
		[condenser.hide]
		plugin = observation_masking
		attention_window = 4
	END
	compare=(mortise condense compare --config "$work/c.ini")
	run "${compare[@]}" --json --with noop,short,hide,conversation_window+hide
	echo "$output"
	[ "$status" -eq 0 ]
	of() { jq -r "select(.condensers == \"$1\") | $2" <<<"$output"; }
	[ "$(of noop '.events == .events_before and .tokens == .tokens_before')" = true ]
	[ "$(of short .cost)" = 0.25 ]
	[ "$(of short .calls)" -eq 1 ]
	[ "$(of short .summary)" = "SHORT STORY 1" ]
	[ "$(of short '.events < .events_before and .tokens < .tokens_before')" = true ]
	[ "$(of hide '.masked > 0 and .events == .events_before')" = true ]
	[ "$(of conversation_window+hide '.events < .events_before')" = true ]
	# the first message and the system text, with every condenser
	[ "$(jq -c '.kept | contains([0, 1])' <<<"$output" | sort -u)" = true ]
	run "${compare[@]}" --with short,nosuch --summaries
	echo "$output"
	[ "$status" -eq 1 ]
	[[ "$output" == *"nosuch: unknown condenser"* ]]
	[[ "$output" == *"SHORT STORY 1"* && "$output" == *" 0.2500 "* ]]
	# the conversation itself is as it was, and nothing else has come
	log | cmp - "$work/before"
	[ "$(ls "$work"/state/mortise/conversations | wc -l)" -eq 1 ]
	run "${compare[@]}" --with ""
	[ "$status" -eq 2 ]
	run mortise condense
	[ "$status" -eq 2 ]
}

@test "compare, ended by a signal, leaves no temporary directory" {
	"${base[@]}" "${small[@]}" -o llm.cheap.model="script:$work/summaries" \
		-o condenser.short.llm=cheap -t "walk"
	mkdir "$work/tmp"
	python3 -c 'import socket, sys, time
s = socket.create_server(("127.0.0.1", 0))
open(sys.argv[1] + "/port", "w").write(str(s.getsockname()[1]))
c = s.accept()
open(sys.argv[1] + "/asked", "w").write("x")
time.sleep(600)' "$work" 3>&- &
	server=$!
	until_true [ -s "$work/port" ]
	TMPDIR=$work/tmp OPENAI_API_KEY=sk-of-a-test mortise condense compare last --with short \
		-o condenser.short.plugin=llm -o condenser.short.max_size=10 \
		-o condenser.short.keep_first=2 -o condenser.short.llm=slow \
		-o llm.slow.model=openai/gpt-4.1 \
		-o "llm.slow.base_url=http://127.0.0.1:$(cat "$work/port")/v1" 3>&- &
	compare=$!
	until_true [ -s "$work/asked" ]
	[ -n "$(ls "$work/tmp")" ]
	kill -TERM "$compare"
	wait "$compare" || code=$?
	kill "$server"
	[ "$code" -eq 143 ]
	[ -z "$(ls "$work/tmp")" ]
}

@test "compare finds a condenser in the plugin path of its options" {
	run "${base[@]}" -q -t "walk"
	run mortise condense compare last --with harm
	[ "$status" -ne 0 ]
	[[ "$output" == *"unknown condenser \`harm\`"* ]]
	run mortise condense compare last --with harm -o condenser.harm.deed=exit \
		-o core.plugin_path="$top_builddir/tests/plugins,$MORTISE_CORE_PLUGIN_PATH"
	echo "$output"
	[[ "$output" == *"$top_builddir/tests/plugins/harm.so"*" in advance"* ]]
}
