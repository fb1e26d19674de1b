#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# editor-edits.bats - several replacements in one call of the editor.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	file=$work/ws/a.py
	printf 'def one():\n    return 1\n\n\ndef two():\n    return 2\n' >"$file"
}

events() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

play() { # the turns come from standard input
	cat >"$work/script"
	run mortise run -C "$work/ws" --model "script:$work/script" "$@" -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

play_viewed() { # the same, after a turn that views the file
	{
		printf '[turn]\n[call str_replace_editor]\ncommand = view\npath = %s\n' "$file"
		cat
	} | play "$@"
}

@test "one call makes several replacements, or replaces all matches" {
	play_viewed <<-END
	[turn]
	[call str_replace_editor]
	command = str_replace
	path = $file
	edits := [{"old_str":"def one","new_str":"def first"},{"old_str":"return","new_str":"yield","replace_all":true}]
	[turn]
	expect last contains = has been edited in 3 places
	expect last contains =      1	def first():
	expect last contains =      6	    yield 2
	[call str_replace_editor]
	command = undo_edit
	path = $file
	[turn]
	expect last contains = def one():
	[call str_replace_editor]
	path = $file
	edits := [{"old_str":"return 2","new_str":"return 3"}]
	[turn]
	expect last contains =      6	    return 3
	[call finish]
	message = Done.
	END
	[ "$(cat "$file")" = "$(printf 'def one():\n    return 1\n\n\ndef two():\n    return 3\n')" ]
	events | jq -es 'any(.[]; .action == "edit" and .args.edits[1].replace_all?)'
}

@test "if one replacement fails, none is made, and the result names it" {
	cp "$file" "$work/before"
	play_viewed <<-END
	[turn]
	[call str_replace_editor]
	command = str_replace
	path = $file
	edits := [{"old_str":"def one","new_str":"def first"},{"old_str":"return","new_str":"yield"}]
	[turn]
	expect last contains = Edit 2 of 2 failed, so none was made.
	expect last contains = in lines [2, 6]. Please ensure it is unique, or set \`replace_all\` to replace each.
	[call finish]
	message = Done.
	END
	cmp "$file" "$work/before"
}

@test "undo_edit shows the lines that it has restored" {
	seq 100 >"$file"
	play_viewed <<-END
	[turn]
	[call str_replace_editor]
	command = str_replace
	path = $file
	old_str <<X
	50
	51
	X
	new_str = fifty
	[turn]
	[call str_replace_editor]
	command = undo_edit
	path = $file
	[turn]
	expect last contains = on a snippet of
	expect last contains =     47	47
	expect last contains =     51	51
	expect last contains =     55	55
	expect last lacks =     46	46
	expect last lacks =     56	56
	[call finish]
	message = Done.
	END
	[ "$(wc -l <"$file")" -eq 100 ]
}
