#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# readonly.bats - the read-only agent: it has exactly its own tools, whatever the
# configuration wires and the model calls.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	printf 'int answer(void)\n{\n\treturn 42;\n}\n' >"$work/ws/a.c"
	run_it=(mortise run -C "$work/ws" --model "script:$work/script"
		-o controller.agent=readonly)
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

@test "the agent searches, views and answers" {
	cat >"$work/script" <<-'END'
	[turn]
	[call grep]
	pattern = return \d+
	lines = true
	[turn]
	expect last contains = a.c
	expect last contains = 3: 	return 42;
	[call glob]
	pattern = **/*.c
	[turn]
	expect last contains = 1 file, newest first
	[call view]
	path = a.c
	[turn]
	expect last contains = return 42;
	[call finish]
	message = It is 42.
	END
	run "${run_it[@]}" -t "what is the answer?"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"It is 42."* ]]
	[ "$(log | jq -c 'select(.action == "system") | [.args.tools[].function.name]')" \
		= '["think","finish","grep","glob","view","recall"]' ]
	log | jq -se 'any(.[]; .observation == "tool" and .extras.name == "grep")
		and any(.[]; .observation == "read")' >/dev/null
}

@test "tools that write are not available, even if wired or called by another name" {
	cat >"$work/script" <<-'END'
	[turn]
	[call execute_bash]
	command = touch made
	[turn]
	expect last contains = Tool execute_bash is not registered
	[call str_replace_editor]
	command = create
	path = /tmp/made
	file_text = x
	[turn]
	expect last contains = not registered
	[call bash]
	command = touch made
	[turn]
	expect last contains = not registered
	[call finish]
	message = I cannot.
	END
	run "${run_it[@]}" -o 'controller.tools=bash, editor' -t "make a file"
	echo "$output"
	[ "$status" -eq 0 ]
	[ ! -e "$work/ws/made" ]
}

@test "a tool that may write is refused even as its own" {
	printf '[turn]\ntext = hello\n' >"$work/script"
	run "${run_it[@]}" -o tool.search.plugin=bash -t "hello"
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"is read-only"*"execute_bash"*"[tool.search]"* ]]
}
