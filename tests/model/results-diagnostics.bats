#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# results-diagnostics.bats - the result of an edit names the errors that it has caused, if
# a language server runs.
bats_require_minimum_version 1.5.0

setup() {
	export MORTISE_SANDBOX_WRITE=$BATS_TEST_TMPDIR # servers leave files there
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	printf 'def one\n  one\n' >"$work/ws/a.words"
	printf 'def two\n' >"$work/ws/b.words"
	cat >"$work/m.ini" <<-E
	[controller]
	tools = bash, editor, finish, lsp
	[tool.lsp]
	server.words = $top_srcdir/tests/tools/lsp-server.py good $work/starts
	extensions.words = words
	E
}

play() { # the turns come from standard input; WS/ is the workspace
	sed "s,WS/,$work/ws/," >"$work/script"
	run mortise run -C "$work/ws" --config "$work/m.ini" --title diagnostics \
		--model "script:$work/script" -t 'Change a.words and b.words.' "$@"
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

@test "a definition, its references and a rename; the editor knows the new text" {
	play <<-'END'
	[turn]
	[call find_definition]
	path = a.words
	symbol = one
	line := 2
	[turn]
	expect last contains = a.words:1:5  def one
	[call find_references]
	path = a.words
	symbol = one
	[turn]
	expect last contains = a.words:2:3
	[call rename_symbol]
	path = a.words
	symbol = one
	new_name = first
	[turn]
	expect last contains = a.words
	[call str_replace_editor]
	command = str_replace
	path = WS/a.words
	old_str = def first
	new_str = def second
	[turn]
	expect last contains = def second
	[call finish]
	message = Done.
	END
}

@test "an edit and a command name the errors that they have caused, once" {
	play <<-'END'
	[turn]
	expect no tool = check_changes
	[call find_definition]
	path = a.words
	symbol = one
	[turn]
	[call str_replace_editor]
	command = str_replace
	path = WS/a.words
	old_str <<S
	  one
	S
	new_str <<S
	  BAD
	S
	[turn]
	expect last contains = [1 new error after this call:]
	expect last contains = a.words:2:3  error: bad: BAD
	[call execute_bash]
	command = ls
	[turn]
	expect last lacks = error
	[call execute_bash]
	command = echo BAD again >>a.words
	[turn]
	expect last contains = [1 new error after this call:]
	expect last contains = a.words:3:1  error: bad: BAD again
	[call finish]
	message = Done.
	END
}

@test "a file that no tool of the server has opened is checked" {
	play <<-'END'
	[turn]
	[call find_definition]
	path = a.words
	symbol = one
	[turn]
	[call str_replace_editor]
	command = create
	path = WS/c.words
	file_text = BAD
	[turn]
	expect last contains = c.words:1:1  error: bad: BAD
	[call finish]
	message = Done.
	END
}

@test "an edit does not start a server" {
	play <<-'END'
	[turn]
	[call str_replace_editor]
	command = str_replace
	path = WS/a.words
	old_str = def one
	new_str = BAD
	[turn]
	expect last lacks = error
	[call finish]
	message = Done.
	END
	[ ! -e "$work/starts" ]
}

@test "a hook after the call adds its own text" {
	cat >"$work/hook" <<-'H'
	#!/bin/sh
	echo '{"additionalContext": "seen by a hook"}'
	H
	chmod 755 "$work/hook"
	play -o hook.h.event=after-tool -o "hook.h.command=$work/hook" <<-'END'
	[turn]
	[call find_definition]
	path = a.words
	symbol = one
	[turn]
	[call execute_bash]
	command = echo BAD >>a.words
	[turn]
	expect last contains = [1 new error after this call:]
	expect last contains = seen by a hook
	[call finish]
	message = Done.
	END
}

@test "a server that does not check in time does not delay the result" {
	sed -i 's/ good / no-diagnostics /' "$work/m.ini"
	play <<-'END'
	[turn]
	[call find_definition]
	path = a.words
	symbol = one
	[turn]
	[call execute_bash]
	command = echo BAD >>a.words; echo written
	[turn]
	expect last contains = written
	expect last lacks = error
	[call finish]
	message = Done.
	END
}

# interrupts STEP STATE: the user acts while the result of an edit waits for its errors.
interrupts() {
	sed -i 's/ good / held /' "$work/m.ini"
	cd "$work"
	cat >replies <<-E
	[{"calls": [["find_definition", {"path": "a.words", "symbol": "one"}]]},
	 {"calls": [["str_replace_editor",
		{"command": "create", "path": "$work/ws/c.words", "file_text": "BAD"}]]},
	 {"calls": [["finish", {"message": "Done."}]]}]
	E
	run python3 "$top_srcdir/tests/model/steer.py" replies message:go exists:starts-holds "$1" \
		touch:starts-release "wait:$2" stop -- mortise run --json --keep-alive -C ws \
		--config m.ini -o controller.confirmation=never --model openai/gpt-4.1
	echo "$output"
	[ "$status" -eq 0 ]
	log=$(cat state/mortise/conversations/*/events.jsonl)
	[[ "$log" == *"File created successfully"* ]]
	[[ "$log" != *"new error after this call"* ]]
	[[ "$log" != *"Interrupted by the user"* ]]
}

@test "a message ends the wait for errors" { interrupts message:STOP finished; }

@test "a pause ends the wait for errors" { interrupts pause paused; }
