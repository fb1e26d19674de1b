#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# children.bats - delegate_tasks: parallel agents, each a process with its own log;
# their ends, their cost, their tree.
load ../wait

setup() {
	export MORTISE_SANDBOX_WRITE=$BATS_TEST_TMPDIR # commands leave files there
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	all=$work/state/mortise/conversations
	cat >"$work/m.ini" <<END
[controller]
tools = bash, editor, think, finish, delegate_tasks
END
	run_it=(mortise run -C "$work/ws" --config "$work/m.ini" --title boss
		--model "script:$work/boss")
}

teardown() {
	for pid in $(mortise ps --json | jq -r .pid); do
		kill -9 "$pid" || true
	done
}

# agent NAME: a wiring whose model plays a script, which is read from stdin.
agent() {
	cat >"$work/$1"
	printf '[controller.%s]\nllm = %s\n[llm.%s]\nmodel = script:%s\n' \
		"$1" "$1" "$1" "$work/$1" >>"$work/m.ini"
	echo "$1" >>"$work/names"
}

# boss TASKS: a model that delegates these tasks and then finishes.
boss() {
	{
		printf '[turn]\nusage = input 100, output 10, cost 0.5\n'
		printf '[call delegate_tasks]\ntasks = %s\n\n' "$1"
		printf '[turn]\nusage = input 100, output 10, cost 0.5\n'
		printf '[call finish]\nmessage = all done\n'
	} >"$work/boss"
	[ ! -e "$work/names" ] \
		|| sed -i "s/^tools = bash/delegates = $(paste -sd, "$work/names")\n&/" \
			"$work/m.ini"
}

finishes() {
	printf '[turn]\nusage = input 10, output 1, cost %s\n' "${2:-0.25}"
	printf '[call finish]\nmessage = %s\n' "$1"
}

# The log of the conversation that the user started.
boss_log() {
	for dir in "$all"/*; do
		[ "$(jq -r '.parent // "-"' "$dir/meta.json")" != - ] \
			|| echo "$dir/events.jsonl"
	done
}

result() { jq -c 'select(.observation == "tool")' "$(boss_log)"; }

@test "four at once: one crashes, one is over its budget, one is stuck, one is fine" {
	finishes "the fine report" | agent fine
	{
		printf '[turn]\nusage = input 10, output 1, cost 0.125\n'
		printf '[call execute_bash]\ncommand = touch up; sleep 60\ntimeout = 600\n'
	} | agent crashes
	for i in 1 2 3 4; do
		printf '[turn]\nusage = input 10, output 1, cost 10\n'
		printf '[call execute_bash]\ncommand = echo %s\n\n' $i
	done | agent spends
	for i in 1 2 3 4 5 6 7 8 9; do
		printf '[turn]\nusage = input 10, output 1, cost 0.0625\n'
		printf '[call execute_bash]\ncommand = echo a\n\n'
	done | agent circles
	boss '[{"task":"fine","agent":"fine"},{"task":"crash","agent":"crashes"},{"task":"spend","agent":"spends"},{"task":"circle","agent":"circles"}]'
	"${run_it[@]}" -t go --json -o controller.max_budget=60 \
		>"$work/out" 2>"$work/err" </dev/null &
	until_true test -e "$work/ws/up"
	pid=$(mortise ps --json | jq -r 'select(.title == "crash") | .pid')
	kill -9 "$pid"
	wait $!
	result | jq -r .content
	[ "$(result | jq -r '[.extras.children[].state] | join(",")')" \
		= "finished,crashed,over budget,stuck" ]
	[ "$(result | jq -r '.extras.children[0].message')" = "the fine report" ]
	[ "$(result | jq .extras.is_error)" = false ]
	result | jq -r .content | grep -q "signal 9"
	# the cost of each child is that in its own log; the parent has the sum
	sum=$(cat "$all"/*/events.jsonl \
		| jq -s '[.[] | select(.record == "llm_reply") | .usage.cost] | add')
	told=$(jq -s '[.[] | select(.action == "finish") | .llm_metrics.accumulated_cost]
		| last' "$(boss_log)")
	[ "$sum" = "$told" ]
	[ "$(result | jq '[.extras.children[].cost] | add + 1')" = "$sum" ]
	[ "$(grep -c accumulated_cost "$(boss_log)")" -ge 2 ]
}

@test "the cost is the same after a resume" {
	finishes one | agent one
	boss '[{"task":"a","agent":"one"},{"task":"b","agent":"one"}]'
	printf '\n[turn]\nusage = input 1, output 1, cost 0.5\n[call finish]\nmessage = more\n' \
		>>"$work/boss"
	run "${run_it[@]}" -t go
	[ "$status" -eq 0 ]
	id=$(basename "$(dirname "$(boss_log)")")
	[ "$(mortise conversations list | cut -c -2 | paste -sd,)" = "20,  ,  " ]
	# the last one is the one that the user started
	run mortise resume -t more
	[ "$status" -eq 0 ]
	[ "$(jq -s '[.[] | select(.action == "finish") | .llm_metrics.accumulated_cost]
		| last' "$(boss_log)")" = 2 ]
}

@test "without a named agent, children are like the parent, up to the depth limit" {
	cat >"$work/boss" <<'END'
[turn]
[call delegate_tasks]
tasks = ["one", "two", "three"]

[turn]
[call finish]
message = done at the top
END
	# the same script: a child delegates as well, until the depth limit
	run "${run_it[@]}" -t go -o controller.max_depth=1 -o controller.max_children=1
	[ "$status" -eq 0 ]
	[ "$(result | jq -r '[.extras.children[].state] | unique | join(",")')" = finished ]
	[ "$(ls "$all" | wc -l)" -eq 4 ]
	[ "$(cat "$all"/*/events.jsonl | grep -c 'nested 1 deep')" -ge 3 ]
}

@test "workspaces: shared, a copy, an empty one" {
	echo there >"$work/ws/file"
	mkdir "$work/ws/sub"
	ln -s ../file "$work/ws/sub/link"
	{
		printf '[turn]\n[call execute_bash]\ncommand = ls -R > mine; pwd\n\n'
		finishes ok
	} | agent one
	boss '[{"task":"a","agent":"one","workspace":"copy"},{"task":"b","agent":"one","workspace":"own"}]'
	run "${run_it[@]}" -t go
	[ "$status" -eq 0 ]
	[ ! -e "$work/ws/mine" ]
	copy=$(result | jq -r '.extras.children[0].path')
	own=$(result | jq -r '.extras.children[1].path')
	[ "$(cat "$copy/file")" = there ]
	[ "$(readlink "$copy/sub/link")" = ../file ]
	[ "$(cat "$own/mine")" = "$(printf '.:\nmine')" ]
}

@test "the model sees errors for impossible tasks" {
	boss '[{"task":"a","agent":"unknown"}]'
	run "${run_it[@]}" -t go
	[ "$status" -eq 0 ]
	jq -r 'select(.observation == "error") | .content' "$(boss_log)" \
		| grep -qF 'Unknown agent `unknown`. Available agents: explore, review.'
	boss '[]'
	run "${run_it[@]}" -t go
	[ "$status" -eq 0 ]
	boss '[{"task":" "}]'
	run "${run_it[@]}" -t go
	[ "$status" -eq 0 ]
	[ "$(ls "$all" | wc -l)" -eq 3 ]
}

@test "the total number of children is limited" {
	boss '["a", "b", "c"]'
	run "${run_it[@]}" -t go -o controller.max_children_total=2
	[ "$status" -eq 0 ]
	grep -q "max_children_total" "$(boss_log)"
	[ "$(ls "$all" | wc -l)" -eq 1 ]
}

sleeps() {
	printf '[turn]\n[call execute_bash]\ncommand = touch up; sleep 321 & wait\n\n'
	finishes late
}

two_sleep() {
	sleeps | agent one
	boss '[{"task":"a","agent":"one"},{"task":"b","agent":"one","workspace":"own"}]'
	"${run_it[@]}" -t go </dev/null >"$work/out" 2>&1 &
	boss=$!
	until_true test -e "$work/ws/up"
	until_true sh -c '[ $(mortise ps --json | wc -l) -eq 3 ]'
}

@test "ps shows children below the parent, kill stops one of them" {
	two_sleep
	mortise ps
	mortise ps | grep -q '^  2'
	[ "$(mortise ps --json | jq -r 'select(.title == "boss").conversation')" \
		= "$(mortise ps --json | jq -r 'select(.title == "a").parent')" ]
	for title in a b; do
		id=$(mortise ps --json | jq -r "select(.title == \"$title\").conversation")
		mortise kill "$id"
	done
	wait $boss
	[ "$(result | jq -r '[.extras.children[].state] | unique | join(",")')" = stopped ]
	[ "$(result | jq .extras.is_error)" = true ]
}

gone() { [ -z "$(mortise ps --json)" ] && ! pgrep -f "sleep 321" -u "$(id -u)"; }

@test "children end with the parent: stop" {
	two_sleep
	mortise kill "$(basename "$(dirname "$(boss_log)")")"
	until_true gone
}

@test "children end with the parent: kill -9, and a resume reports the interruption" {
	two_sleep
	kill -9 $boss
	until_true gone
	run mortise resume "$(basename "$(dirname "$(boss_log)")")" --config "$work/m.ini"
	[ "$status" -eq 0 ]
	grep -q "interrupted when the process ended" "$(boss_log)"
}

@test "a child does not run a call that needs confirmation, and reads the reason" {
	{
		printf '[turn]\n[call execute_bash]\ncommand = touch made\n'
		printf 'security_risk = HIGH\n\n'
		printf '[turn]\nexpect last contains = No user can approve this\n'
		printf '[call finish]\nmessage = refused\n'
	} | agent one
	boss '[{"task":"a","agent":"one"}]'
	run "${run_it[@]}" -t go -o controller.confirmation=risky
	echo "$output"
	[ "$status" -eq 0 ]
	[ ! -e "$work/ws/made" ]
	[ "$(result | jq -r '.extras.children[0].message')" = refused ]
}

# asks N: N questions of delegates have been reported.
asks() { [ "$(jq -s 'map(select(.asks) | .asks[] | .conversation + (.action | tostring))
	| unique | length' "$work/out")" -ge "$1" ]; }

@test "a delegate asks the user of its parent, who answers there" {
	for n in a b; do
		{
			printf '[turn]\n[call execute_bash]\ncommand = touch %s\n\n' $n
			finishes "$n ended"
		} | agent $n
	done
	boss '[{"task":"one","agent":"a"},{"task":"two","agent":"b"}]'
	mkfifo "$work/in"
	exec 8<>"$work/in"
	"${run_it[@]}" -o controller.confirmation=always --json --keep \
		<"$work/in" >"$work/out" 2>&1 8>&- 3>&- &
	pid=$!
	echo '{"type":"message","text":"go"}' >&8
	until_true grep -q '"waits":{' "$work/out"
	printf '{"type":"confirm","hash":"%s"}\n' \
		"$(jq -r 'select(.waits).waits.hash' "$work/out" | head -n 1)" >&8
	until_true asks 2
	ask() { jq -sr "map(select(.asks)) | last | .asks[] | select(.event.args.command
		== \"touch $1\") | .$2" "$work/out"; }
	[ "$(ask a 'scopes[0].text')" = 'exactly `touch a`' ]
	echo '{"type":"confirm","conversation":"unknown","id":1}' >&8
	printf '{"type":"confirm","conversation":"%s","action":99,"id":2}\n' \
		"$(ask a conversation)" >&8
	printf '{"type":"confirm","conversation":"%s","id":3}\n' "$(ask a conversation)" >&8
	printf '{"type":"confirm","conversation":"%s","hash":"%s","id":4}\n' \
		"$(ask a conversation)" "$(ask b hash)" >&8
	until_true grep -q '"id":4' "$work/out"
	jq -se 'map(select(.type == "result" and .id >= 1 and .id <= 4) | .ok)
		== [false, false, false, false]' "$work/out"
	printf '{"type":"confirm","conversation":"%s","action":%s,"hash":"%s"}\n' \
		"$(ask a conversation)" "$(ask a action)" "$(ask a hash)" >&8
	printf '{"type":"reject","conversation":"%s"}\n' "$(ask b conversation)" >&8
	until_true grep -q '"children"' "$work/out"
	echo '{"type":"stop"}' >&8
	exec 8>&-
	wait "$pid" || true
	[ -e "$work/ws/a" ]
	[ ! -e "$work/ws/b" ]
	grep -q 'The user rejected this' "$all"/*/events.jsonl
}

# inherits PLACE SETTING...: the parent approves `touch` with any arguments, then a
# delegate runs `touch b`; `$status` 0: without a question.
inherits() {
	place=$1
	shift
	printf '[turn]\n[call execute_bash]\ncommand = touch b\n\n[turn]\n[call finish]\nmessage = d\n' |
		agent w
	boss '[{"task":"b","agent":"w","workspace":"'"$place"'"}]'
	sed -i '1i [turn]\n[call execute_bash]\ncommand = touch a\n' "$work/boss"
	hash() { jq -r "select(.waits).waits.hash" "$work/out" 2>/dev/null | uniq | sed -n "$1p"; }
	: >"$work/out"
	{
		until_true eval '[ "$(hash 1)" ]'
		printf '{"type":"confirm","always":true,"scope":1,"hash":"%s"}\n' "$(hash 1)"
		# the delegation asks, too, unless it is not risky
		until_true eval '[ "$(hash 2)" ] || grep -q "\"children\"" "$work/out"'
		printf '{"type":"confirm","hash":"%s"}\n' "$(hash 2)"
		until_true grep -q '"children"' "$work/out"
	} | "${run_it[@]}" -t go --json -o controller.confirmation=always -o controller.on_ask=stop "$@" \
		>"$work/out" 2>&1 || true
	status=0
	if grep -q 'No user can approve this' "$all"/*/events.jsonl; then status=1; fi
}

@test "approvals of the parent apply to a delegate in the same workspace" {
	inherits shared
	[ "$status" -eq 0 ]
	[ -e "$work/ws/b" ]
}

@test "approvals of the parent do not apply to a delegate in another workspace" {
	inherits own
	[ "$status" -eq 1 ]
}

@test "approvals of the parent do not apply to a delegate with stricter confirmation" {
	inherits shared -o controller.confirmation=risky -o controller.confirm_risk=low \
		-o controller.w.confirmation=always
	[ "$status" -eq 1 ]
	[ ! -e "$work/ws/b" ]
}
