#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# editor-stale.bats - edits of files that were never seen, or changed since.
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	file=$work/ws/a.py
	printf 'def one():\n    return 1\n\n\ndef two():\n    return 2\n' >"$file"
}

turn() { # ARGUMENT... : a call of the editor, with what `expects` holds
	printf '[turn]\n%s[call str_replace_editor]\npath = %s\n' "$expects" "$file"
	printf '%s\n' "$@"
	expects=
}

replaces() { # OLD NEW
	turn 'command = str_replace' "old_str = $1" "new_str = $2"
}

shell() { # COMMAND
	printf '[turn]\n%s[call bash]\ncommand = %s\n' "$expects" "$1"
	expects=
}

ends() { printf '[turn]\n%s[call finish]\nmessage = Done.\n' "$expects"; }

play() { # FILE : the script
	run mortise run -C "$work/ws" --model "script:$1" -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

@test "a file that was never seen is not edited, one that the shell has shown is" {
	{
		shell 'ls'
		replaces 'return 1' 'return 3'
		expects=$'expect last contains = You have not viewed the file\n'
		replaces 'return 1' 'return 3'
		shell 'cat a.py'
		replaces 'return 1' 'return 3'
		expects=$'expect last contains = has been edited\n'
		ends
	} >"$work/script"
	play "$work/script"
	grep -q 'return 3' "$file"
}

@test "a list of names and what the agent says have not shown a file" {
	git -C "$work/ws" init -q
	{
		printf '[turn]\nexpect any contains = ?? a.py\ntext = I change a.py.\n'
		replaces 'return 1' 'return 3' | tail -n +2
		expects=$'expect last contains = You have not viewed the file\n'
		ends
	} >"$work/script"
	play "$work/script"
}

@test "the lines of a search have shown a file" {
	{
		shell 'grep -rn "return 1" .'
		replaces 'return 1' 'return 3'
		expects=$'expect last contains = has been edited\n'
		ends
	} >"$work/script"
	play "$work/script"
}

@test "a change by a command of the agent is named, and refuses only line numbers" {
	{
		turn 'command = view'
		shell 'sed -i s/one/first/ a.py'
		turn 'command = insert' 'insert_line := 1' 'new_str = x'
		expects=$'expect last contains = last viewed it, by `sed -i s/one/first/ a.py`. Nothing\n'
		replaces 'def first' 'def eins'
		expects=$'expect last contains = [`sed -i s/one/first/ a.py` has changed the file\n'
		turn 'command = insert' 'insert_line := 1' 'new_str = x'
		expects=$'expect last contains = has been edited\n'
		ends
	} >"$work/script"
	play "$work/script"
}

@test "a change by another program refuses every edit until the file is viewed" {
	{
		turn 'command = view'
		shell 'echo seen >../ready; until [ -e ../changed ]; do sleep 0.05; done'
		replaces 'def two' 'def zwei'
		expects=$'expect last contains = has changed since you last viewed it. Nothing\n'
		turn 'command = view'
		replaces 'def two' 'def zwei'
		expects=$'expect last contains = has been edited\n'
		ends
	} >"$work/script"
	# The time of the change lies before the call, as if it was made between two.
	(until_true test -e "$work/ready"
	 echo '# more' >>"$file"; touch -d '1 hour ago' "$file"; touch "$work/changed") &
	play "$work/script"
	wait
}
