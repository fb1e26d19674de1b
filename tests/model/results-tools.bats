#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# results-tools.bats - the task list, notes, wrong arguments, failed results and the risk
# of a call, as the model sees them.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state XDG_DATA_HOME=$work/data
}

play() { # OPTION...
	{ cat; printf '[turn]\n[call finish]\nmessage = Done.\n'; } >"$work/script"
	run mortise run -C "$work/ws" --model "script:$work/script" "$@" -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

@test "a task list takes completed, pending and content, and the result shows it" {
	play -o 'controller.tools+=tasks' <<-'END'
	[turn]
	[call task_tracker]
	command = plan
	task_list := [{"content":"Look","status":"completed"},{"content":"Mend","status":"pending"}]
	[turn]
	expect last contains = updated with 2 item(s)
	expect last contains = 1. ✅ Look
	expect last contains = 2. ⏳ Mend
	[call task_tracker]
	command = plan
	task_list := [{"title":"Look","status":"done"},{"title":"Mend","status":"finished"}]
	[turn]
	expect last contains = Invalid status "finished" in item 2 of "task_list". Allowed values are: todo, in_progress, done, pending, completed.
	[call task_tracker]
	command = view
	[turn]
	expect last contains = 2. ⏳ Mend
	END
}

@test "the result of an updated list shows what changed, and the counts" {
	play <<-'END'
	[turn]
	[call task_tracker]
	command = plan
	task_list := [{"title":"Look","status":"in_progress"},{"title":"Mend","status":"todo"},{"title":"Test","status":"todo","notes":"all"}]
	[turn]
	expect last contains = 3. ⏳ Test
	[call task_tracker]
	command = plan
	task_list := [{"content":"Look","status":"completed"},{"title":"Mend","status":"in_progress"},{"title":"Test","status":"todo","notes":"all"}]
	[turn]
	expect last contains = updated with 3 item(s).
	expect last contains = 1 done, 1 in progress, 1 to do. Changed:
	expect last contains = 1. ✅ Look
	expect last contains = 2. 🔄 Mend
	expect last lacks = Test
	[call task_tracker]
	command = plan
	task_list := [{"title":"Look","status":"done"},{"title":"Mend","status":"in_progress"},{"title":"Test","status":"todo","notes":"all"}]
	[turn]
	expect last contains = 1 done, 1 in progress, 1 to do. No task changed.
	[call task_tracker]
	command = plan
	task_list := [{"title":"Look","status":"done"}]
	[turn]
	expect last contains = updated with 1 item(s).
	expect last contains = 1 done, 0 in progress, 0 to do. No task changed.
	[call task_tracker]
	command = view
	[turn]
	expect last contains = 1. ✅ Look
	[call finish]
	message = Done.
	END
}

@test "a list that is not updated is mentioned after twelve steps" {
	{
		printf '[turn]\n[call task_tracker]\ncommand = plan\n'
		printf 'task_list := [{"title":"Mend","status":"in_progress"}]\n'
		for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
			printf '[turn]\nexpect last lacks = task list has not\n'
			printf '[call execute_bash]\ncommand = echo step %s\n' "$n"
		done
		printf '[turn]\nexpect last contains = step 12\n'
		printf 'expect last contains = [The task list has not been used in the last 12 calls. Open: Mend. '
		printf 'Update it with task_tracker.]\n[call execute_bash]\ncommand = echo more\n'
		printf '[turn]\nexpect last lacks = task list has not\n'
	} | play -o 'controller.tools+=tasks'
}

@test "a stale task list is mentioned after a resume, too" {
	local id
	{
		printf '[turn]\n[call task_tracker]\ncommand = plan\n'
		printf 'task_list := [{"title":"Mend","status":"in_progress"}]\n'
		for n in 1 2 3 4 5 6; do
			printf '[turn]\n[call execute_bash]\ncommand = echo step %s\n' "$n"
		done
		printf '[turn]\n[call finish]\nmessage = So far.\n'
		for n in 7 8 9 10 11 12; do
			printf '[turn]\nexpect last lacks = task list has not\n'
			printf '[call execute_bash]\ncommand = echo step %s\n' "$n"
		done
		printf '[turn]\nexpect last contains = step 12\n'
		printf 'expect last contains = [The task list has not been used in the last 12 calls. Open: Mend. '
		printf 'Update it with task_tracker.]\n[call finish]\nmessage = Done.\n'
	} | play -o 'controller.tools+=tasks'
	id=$(ls "$work/state/mortise/conversations")
	run mortise resume -t continue "$id"
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

@test "memory reports text and file; it writes to a repository only on request" {
	play <<-END
	[turn]
	[call memory]
	command = append
	text = Short answers.
	[turn]
	expect last contains = Added to $work/data/mortise/MEMORY.md: Short answers.
	[call memory]
	command = append
	scope = project
	text = Build with make.
	[turn]
	expect last contains = Added to $work/ws/.openhands/memory/MEMORY.md: Build with make.
	[call memory]
	command = replace
	old = Short
	text = Long
	[turn]
	expect last contains = Changed in $work/data/mortise/MEMORY.md: Long
	[call memory]
	command = replace
	old = Build
	text = Make
	[turn]
	expect last contains = $work/data/mortise/MEMORY.md does not contain the text of \`old\`. Nothing was changed.
	[call memory]
	command = replace
	old = Make
	text = Build
	scope = project
	[turn]
	expect last contains = $work/ws/.openhands/memory/MEMORY.md does not contain the text
	END
	[ "$(cat "$work/ws/.openhands/memory/MEMORY.md")" = "Build with make." ]
}

@test "invalid arguments are named, with the allowed ones and the position" {
	play <<-'END'
	[turn]
	[call execute_bash]
	command = true
	cwd = /
	shade = red
	[turn]
	expect last contains = Unexpected arguments cwd, shade in tool call execute_bash. Allowed arguments are: command, is_input, timeout
	[call execute_bash]
	cmd = true
	[turn]
	expect last contains = Missing required argument "command" in tool call execute_bash. Unexpected argument cmd in tool call execute_bash. Allowed arguments are: command, is_input, timeout
	[call execute_bash]
	@args = {"command": "true" "timeout": 3}
	[turn]
	expect last contains = Failed to parse tool call arguments: {"command": "true" "timeout": 3}
	expect last contains = byte 1
	END
}

@test "security_risk is one line, and an editor can view without it" {
	play <<-END
	[turn]
	[call execute_bash]
	command = printf 'some text' >$work/ws/a
	security_risk = MEDIUM
	[turn]
	[call str_replace_editor]
	command = view
	path = $work/ws/a
	[turn]
	expect last contains = some text
	END
	log | jq -se '.[0].args.tools | map({(.function.name): .function.parameters}) | add
		| (.execute_bash.required | index("security_risk"))
		and (.str_replace_editor.required | index("security_risk") | not)
		and (.execute_bash.properties.security_risk
			| .enum == ["LOW", "MEDIUM", "HIGH"] and (.description | length) < 120)' >/dev/null
	log >"$work/log"
	run -1 grep -q 'ask_confirmation\|awaiting' "$work/log"
}
