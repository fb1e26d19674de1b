#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# delegate.bats - the action delegate: another agent on the same log, whose end is an
# observation; nested, failing, stopped, killed and resumed.
load ../wait

setup() {
	export MORTISE_CONTROLLER_ON_ASK=stop
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	all=$work/state/mortise/conversations
	cat >"$work/m.ini" <<END
[controller]
tools = bash, editor, think, finish, delegate
delegates = reader, other
[controller.reader]
base = default
tools = bash, think, finish, delegate
delegates = other
llm = reader
[controller.other]
base = default
tools = think, finish
delegates =
llm = other
[llm.reader]
model = script:$work/reader
[llm.other]
model = script:$work/other
END
	run_it=(mortise run -C "$work/ws" --config "$work/m.ini"
		--model "script:$work/boss")
	printf '[turn]\n[call finish]\nmessage = unused\n' \
		| tee "$work/reader" "$work/other" >"$work/boss"
}

log() { cat "$all"/*/events.jsonl; }
of() { log | jq -c "select(.$1 == \"$2\")"; }

# The n-th turn of a script is the n-th reply of the whole conversation.
script() { cat >"$work/$1"; }

gives() {
	printf '[turn]\nusage = input 100, output 10, cost 0.5\n'
	printf '[call delegate]\nagent = %s\ntask = %s\n\n' "$1" "$2"
}

skip_turns() { for ((i = 0; i < $1; i++)); do printf '[turn]\ntext = not mine\n\n'; done; }
finishes() {
	printf '[turn]\nusage = input 100, output 10, cost 0.25\n'
	printf '%s[call finish]\nmessage = %s\n\n' "${2:+$2
}" "$1"
}

@test "a reader reports; its parent reads the report and none of its steps" {
	{
		gives reader "read the file"
		skip_turns 2
		printf '[turn]\nexpect last contains = the report\n'
		printf 'expect any contains = do it\nexpect any lacks = inner thought\n'
		printf '[call finish]\nmessage = all done\n'
	} | script boss
	{
		skip_turns 1
		printf '[turn]\nexpect user contains = TASK: read the file\n'
		printf 'expect any lacks = do it\n'
		printf 'text = inner thought\n[call execute_bash]\ncommand = echo seen\n\n'
		finishes "the report"
	} | script reader
	run "${run_it[@]}" -t "do it"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"all done"* ]]
	content=$(of observation delegate | jq -r .content)
	[ "$content" = "Delegated agent finished with result:

reader finishes task with content: the report" ]
	[ "$(of observation delegate | jq -r .extras.outputs.content)" = "the report" ]
	[ "$(of observation delegate | jq -r .tool_call_metadata.function_name)" = delegate ]
	[ "$(of action delegate | jq -c .args)" \
		= '{"agent":"reader","inputs":{"task":"read the file"},"thought":""}' ]
	[ "$(of action system | wc -l)" -eq 2 ]
	of action system | sed -n 2p | jq -e '[.args.tools[].function.name]
		| contains(["execute_bash", "think", "finish", "delegate"])
			and (contains(["str_replace_editor"]) | not)'
	[ "$(of action finish | tail -n 1 | jq .llm_metrics.accumulated_cost)" != null ]
}

@test "two deep; the one in the middle has no tool to continue when too deep" {
	{ gives reader one; skip_turns 3; finishes top; } | script boss
	{ skip_turns 1; gives other two; skip_turns 1; finishes middle; } | script reader
	{ skip_turns 2; finishes bottom; } | script other
	run "${run_it[@]}" -t go
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(of observation delegate | jq -r .extras.outputs.content | paste -sd,)" \
		= bottom,middle ]
	[ "$(of action finish | tail -n 1 | jq .llm_metrics.accumulated_cost)" = 1.75 ]

	rm -r "$all"
	{ gives reader one; skip_turns 2; finishes top; } | script boss
	{ skip_turns 1; gives other two; finishes middle "expect last contains = nested 1 deep"; } \
		| script reader
	run "${run_it[@]}" -t go -o controller.max_depth=1
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(of observation delegate | jq -r .extras.outputs.content | paste -sd,)" = middle ]
}

@test "an agent that is not wired is refused; without agents, the tool is not offered" {
	{ gives unknown x; finishes top "expect last contains = Unknown agent \`unknown\`. Available agents: reader, other."; } \
		| script boss
	run "${run_it[@]}" -t go
	[ "$status" -eq 0 ]
	rm -r "$all"
	finishes top | script boss
	run "${run_it[@]}" -t go -o controller.delegates=
	[ "$status" -eq 0 ]
	[ "$(of action system | grep -c '"name":"delegate"')" -eq 0 ]
	run "${run_it[@]}" -t go -o controller.delegates=missing
	[ "$status" -eq 2 ]
	[[ "$output" == *"no section [controller.missing]"* ]]
}

@test "undo of a delegation after condensing: the configuration is the same" {
	{
		for n in 0 1 2 3 4 5; do
			printf '[turn]\n[call execute_bash]\ncommand = echo %s\n\n' "$n"
		done
		gives reader "read the file"
		skip_turns 1
		finishes "all done"
	} | script boss
	{
		skip_turns 7
		printf '[turn]\ntext = which file?\n'
	} | script reader
	run python3 "$top_srcdir/tests/controller/talk.py" message:"do it" \
		wait:awaiting_user_input undo message:"do it yourself" wait:finished stop -- \
		"${run_it[@]}" --json --keep -o condenser.short.plugin=recent \
		-o condenser.short.max_events=6 -o controller.condensers=short
	echo "$output"
	[ "$status" -eq 0 ]
	log | grep -q '"record":"rewind"'
	[ "$(of action system | wc -l)" -eq 2 ]
	[[ "$output" != *"changed the configuration"* ]]
}

@test "an error of the delegate is read by its parent" {
	{ gives reader one; finishes top $'expect last lacks = finished with\nexpect last contains = encountered an error'; } \
		| script boss
	{ skip_turns 1; printf '[turn]\nerror = authentication\n'; } | script reader
	run "${run_it[@]}" -t go
	echo "$output"
	[ "$status" -eq 0 ]
	of observation delegate | grep "encountered an error during execution" | grep -q ".is_error.:true"
}

@test "a limit of the delegate ends it alone; a limit of the conversation ends all" {
	{ gives reader one; skip_turns 2; finishes top "expect last contains = maximum iteration"; } \
		| script boss
	{
		skip_turns 1
		for i in 1 2 3; do
			printf '[turn]\n[call execute_bash]\ncommand = echo %s\n\n' $i
		done
	} | script reader
	run "${run_it[@]}" -t go -o controller.reader.max_iterations=2
	echo "$output"
	[ "$status" -eq 0 ]
	rm -r "$all"
	run "${run_it[@]}" -t go -o controller.max_iterations=2
	[ "$status" -eq 4 ]
	[ -z "$(of observation delegate)" ]
}

@test "a limit of the conversation, reached in a delegate: resume continues there" {
	{ gives reader one; skip_turns 3; finishes top "expect any contains = made it"; } \
		| script boss
	{
		skip_turns 1
		for i in 1 2; do
			printf '[turn]\n[call execute_bash]\ncommand = echo %s >>ran\n\n' $i
		done
		finishes "made it"
	} | script reader
	run "${run_it[@]}" -t go -o controller.max_iterations=2
	echo "$output"
	[ "$status" -eq 4 ]
	[ -z "$(of observation delegate)" ]
	for i in 1 2; do
		run mortise resume
		echo "$output"
		[ "$status" -eq 0 ] && break
		[ "$status" -eq 4 ]
	done
	[ "$status" -eq 0 ]
	[ "$(paste -sd, "$work/ws/ran")" = 1,2 ]
	[ "$(of observation delegate | jq -r .extras.outputs.content)" = "made it" ]
	[ "$(of action delegate | wc -l)" -eq 1 ]
}

@test "a limit of the conversation, reached in a delegate: the user resumes there" {
	{ gives reader one; skip_turns 2; finishes top; } | script boss
	{
		skip_turns 1
		printf '[turn]\n[call execute_bash]\ncommand = echo 1 >>ran\n\n'
		finishes "made it"
	} | script reader
	run python3 "$top_srcdir/tests/controller/talk.py" message:go wait:error resume \
		wait:finished -- "${run_it[@]}" --json --keep -o controller.max_iterations=2
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(of observation delegate | jq -r .extras.outputs.content)" = "made it" ]
}

@test "the states of a delegate, its cost and its lookups are in the log" {
	{ gives reader "the one task"; skip_turns 1; finishes top; } | script boss
	{ skip_turns 1; finishes bottom; } | script reader
	run "${run_it[@]}" -t go
	[ "$status" -eq 0 ]
	[ "$(of observation agent_state_changed | jq -r 'select(.extras.delegate == "reader")
		| .extras.agent_state' | paste -sd,)" = running,finished ]
	of observation delegate | jq -e '.extras.outputs.metrics
		| .accumulated_cost == 0.25 and .accumulated_token_usage.prompt_tokens == 100
		and .accumulated_token_usage.completion_tokens == 10'
	[ "$(of action recall | jq -r .args.query | paste -sd,)" = "go,TASK: the one task" ]
}

@test "a loop of a delegate does not count as a loop of its parent" {
	{ gives reader one; skip_turns 5; finishes top; } | script boss
	{
		skip_turns 1
		for i in 1 2 3 4 5 6; do
			printf '[turn]\n[call execute_bash]\ncommand = echo a\n\n'
		done
	} | script reader
	run "${run_it[@]}" -t go
	echo "$output"
	[ "$status" -eq 0 ]
	of observation delegate | grep -q "got stuck in a loop"
}

@test "nothing runs unconfirmed because a delegate runs it" {
	{ gives reader one; skip_turns 1; finishes top; } | script boss
	{
		skip_turns 1
		printf '[turn]\n[call execute_bash]\ncommand = touch made\n\n'
	} | script reader
	run "${run_it[@]}" -t go -o controller.confirmation=always \
		-o controller.reader.confirmation=never
	[ "$status" -eq 8 ]
	[ ! -e "$work/ws/made" ]
	{ skip_turns 2; finishes "was allowed"; } >>"$work/tail"
	{
		skip_turns 1
		printf '[turn]\n[call execute_bash]\ncommand = touch made\n\n'
		finishes "was allowed"
	} | script reader
	{ gives reader one; skip_turns 2; finishes top; } | script boss
	# the answer goes to the delegate, also after a restart
	: >"$work/out"
	(until_true grep -q '"waits"' "$work/out"
	 printf '{"type":"confirm","hash":"%s"}\n' "$(jq -r 'select(.waits).waits.hash' \
		"$work/out" | head -n 1)"
	 until_true grep -q '"observation":"delegate"' "$work/out") \
		| mortise resume --json >"$work/out" 2>&1
	[ -e "$work/ws/made" ]
	of observation delegate | grep -q "was allowed"
}

sleeping() {
	{ gives reader one; skip_turns 2; finishes top; } | script boss
	{
		skip_turns 1
		printf '[turn]\n[call think]\nthought = first\n[call execute_bash]\n'
		printf 'command = touch up; sleep 300\ntimeout = 600\n[call think]\nthought = last\n\n'
		finishes late
	} | script reader
	"${run_it[@]}" -t go </dev/null >"$work/out" 2>&1 &
	boss=$!
	until_true test -e "$work/ws/up"
}

@test "stop reaches the delegate and ends it" {
	sleeping
	mortise kill
	wait $boss || true
	[ "$(of observation error | jq -r .extras.error_id | sort -u)" \
		= 'AGENT_ERROR$ERROR_ACTION_NOT_EXECUTED_STOPPED' ]
	[ "$(of observation error | wc -l)" -eq 2 ]
	[ "$(of observation agent_state_changed | tail -n 1 | jq -r .extras.agent_state)" \
		= stopped ]
}

@test "kill -9 with a running delegate: it is resumed where it was" {
	sleeping
	kill -9 $boss
	wait $boss || true
	run timeout 20 mortise resume
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"top"* ]]
	of observation error | grep -q "interrupted when the process ended"
	# the delegate executed the remaining calls of the reply, once
	[ "$(of action think | jq -r .args.thought | paste -sd,)" = first,last ]
	[ "$(of observation delegate | jq -r .extras.outputs.content)" = late ]
	[ "$(of action system | wc -l)" -eq 2 ]
	[ "$(log | jq -r 'select(.action == "message") | .args.content' | grep -c '^TASK: one$')" -eq 1 ]
}

@test "a log cut after each event ends in the same report" {
	{ gives reader one; skip_turns 3; finishes top; } | script boss
	{ skip_turns 1; gives other two; skip_turns 1; finishes middle; } | script reader
	{ skip_turns 2; finishes bottom; } | script other
	run "${run_it[@]}" -t go
	[ "$status" -eq 0 ]
	cp -r "$all" "$work/whole"
	records=$(log | wc -l)
	for ((n = 3; n <= records; n++)); do
		rm -r "$all"
		cp -r "$work/whole" "$all"
		dir=$(echo "$all"/*)
		head -n $n "$work"/whole/*/events.jsonl >"$dir/events.jsonl"
		rm -f "$dir/state.json" "$dir/events.index"
		grep -q '"action":"message"' "$dir/events.jsonl" || continue
		run timeout 20 mortise resume
		echo "cut after line $n: $status $output"
		[ "$status" -eq 0 ]
		[ "$(of observation delegate | jq -r .extras.outputs.content | paste -sd,)" \
			= bottom,middle ]
		[ "$(of action finish | tail -n 1 | jq -r .args.final_thought)" = top ]
		[ "$(of action system | wc -l)" -eq 3 ]
		[ "$(of action recall | wc -l)" -eq 3 ]
	done
}
