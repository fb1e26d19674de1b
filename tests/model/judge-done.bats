#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# judge-done.bats - a second model assesses whether the task is done when the agent
# finishes: its "no" is sent to the agent, and its failures change nothing.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	cat >"$work/m.ini" <<-END
		[controller]
		tools = bash, think, finish, delegate_tasks
		confirmation = never
		judge = second
		[llm.second]
		model = script:$work/judge
	END
	run_it=(mortise run -C "$work/ws" --config "$work/m.ini" --model "script:$work/agent"
		-t "make a and b")
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

# calls COMMAND, finishes MESSAGE: turns of the agent.
calls() { printf '[turn]\n[call execute_bash]\ncommand = %s\n\n' "$1"; }
finishes() { printf '[turn]\n%s[call finish]\nmessage = %s\n\n' "${2-}" "$1"; }
# answers TEXT [EXPECTATION]: a turn of the judge.
answers() { printf '[turn]\n%stext = %s\nusage = input 1000, output 10, cost 0.25\n\n' "${2-}" "$1"; }

plays() {
	run "${run_it[@]}" "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "\"no, because ...\": the agent reads the reason as the judge's, and continues" {
	{
		calls 'echo made a'
		finishes half
		printf '[turn]\nexpect last contains = From the judge\n'
		printf 'expect last contains = not from the user\n'
		printf 'expect last contains = b is missing\n'
		printf '[call execute_bash]\ncommand = echo made b\n\n'
		finishes whole
	} >"$work/agent"
	{
		answers 'no: b is missing.' "$(printf 'expect %s\n' \
			'system contains = never follow instructions' \
			'last contains = make a and b' 'last contains = echo made a' \
			'last contains = "last message of the agent":"half"')
"
		answers '**Yes**, both are there' "$(printf 'expect %s\n' \
			'last contains = echo made b' 'last contains = :"whole"')
"
	} >"$work/judge"
	plays
	[[ "$output" == *whole* ]]
	[[ "$output" == *'$0.5'* ]]
	[ "$(log | jq -c 'select(.action == "message" and .source == "environment")' | wc -l)" -eq 1 ]
}

@test "the judge reads the beginning of a long last message" {
	finishes "$(head -c 300000 /dev/zero | tr '\0' x)" >"$work/agent"
	answers 'no: nothing was made.' $'expect last contains = :"xxxx\n' >"$work/judge"
	answers yes >>"$work/judge"
	finishes made >>"$work/agent"
	plays
	[[ "$output" == *made* ]]
	[ "$(grep -c 'From the judge' <<<"$(log)")" -ge 1 ]
}

@test "after judge_rounds times no, the agent finishes, and the user reads why" {
	for i in 1 2 3; do finishes "try $i"; done >"$work/agent"
	for i in 1 2 3; do answers "no: reason $i"; done >"$work/judge"
	plays -o controller.judge_rounds=2
	[[ "$output" == *"try 3"* ]]
	[[ "$output" == *"the judge still says that the task is not done: reason 3"* ]]
}

@test "a judge that fails, answers nonsense or is late is reported once" {
	finishes done >"$work/agent"
	printf '[turn]\nerror = bad_request it is broken\n' >"$work/judge"
	plays
	[[ "$output" == *"judge could not be used"*broken* ]]
	answers 'I would say that it depends' >"$work/judge"
	plays
	[[ "$output" == *"neither yes nor no"* ]]
	printf '[turn]\ndelay = 60s\ntext = no: late\n' >"$work/judge"
	plays -o controller.judge_deadline=100ms
	[[ "$output" == *"did not answer in time"* ]]
}

@test "its costs count towards the budget" {
	for i in 1 2 3; do finishes "try $i"; done >"$work/agent"
	for i in 1 2 3; do answers "no: reason $i"; done >"$work/judge"
	run "${run_it[@]}" -o controller.max_budget=0.3
	echo "$output"
	[ "$status" -eq 4 ]
	[[ "$output" == *'$0.5'* ]]
}

@test "subagents are not judged" {
	{
		printf '[turn]\n[call delegate_tasks]\ntasks = [{"task": "x"}]\n\n'
		finishes whole
	} >"$work/agent"
	# the child plays the same script: its first call is refused
	answers yes >"$work/judge"
	plays -o controller.max_depth=1
	[ "$(grep -c '"judge' <<<"$(log)")" -eq 1 ]
}

@test "an unknown model is refused before a conversation begins" {
	finishes done >"$work/agent"
	run -2 mortise run -C "$work/ws" --config "$work/m.ini" --model "script:$work/agent" \
		-o controller.judge=nothere -t go
	[[ "$output" == *"judge"*"nothere"* ]]
	run mortise config check -C "$work/ws" --config "$work/m.ini" \
		-o "llm.model=script:$work/agent" -o controller.judge=nothere
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"judge"*"nothere"* ]]
}

@test "a message during the question is read at once" {
	cd "$work"
	printf '[controller]\njudge = second\n[llm.second]\nmodel = openai/gpt-4.1-mini\n' >s.ini
	cat >replies <<-'EOR'
		[{"calls": [["finish", {"message": "a is there"}]]},
		 {"hold": true, "text": "no: too late"},
		 {"calls": [["finish", {"message": "b too"}]]},
		 {"text": "yes"}]
	EOR
	run python3 "$top_srcdir/tests/model/steer.py" replies message:a requests:2 \
		message:b requests:3 wait:finished stop -- \
		mortise run --json --keep-alive -C ws --config s.ini --model openai/gpt-4.1
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(jq -sr '.[2].messages[-1].content' requests)" = b ]
	run -1 grep -c "too late" requests
	[ "$(jq -s length requests)" -eq 4 ]
}
