#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# editor-views.bats - the editor and `view` show files and directories alike; one of them
# is offered.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws/src" "$work/ws/build" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cd "$work/ws"
	git init -q .
	echo build/ >.gitignore
	echo 'int main(void) { return 0; }' >src/a.c
	echo junk >build/a.o
	printf 'caf\351 d\351j\340 vu\r\nna\357ve\r\n' >latin.txt
}

play() { # OPTION... ; the turns come from standard input
	cat >"$work/script"
	run mortise run -C "$work/ws" --model "script:$work/script" "$@" -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

@test "a directory listing has relative paths and sizes, without files that git ignores" {
	play <<-END
	[turn]
	[call str_replace_editor]
	command = view
	path = $work/ws
	[turn]
	expect last contains = $work/ws, two levels deep:
	expect last contains = src/a.c	29B
	expect last lacks = $work/ws/src
	expect last lacks = a.o
	expect last contains = [Not shown: 2 hidden, 1 ignored by git.]
	[call finish]
	message = Done.
	END
	play -o tool.editor.result_style=v0 <<-END
	[turn]
	[call str_replace_editor]
	command = view
	path = $work/ws
	[turn]
	expect last contains = Here's the files and directories up to 2 levels deep in $work/ws
	expect last contains = $work/ws/build/a.o
	[call finish]
	message = Done.
	END
}

@test "an encoding other than UTF-8 is shown alike by both views" {
	play -o controller.tools+=view <<-END
	[turn]
	[call view]
	path = latin.txt
	[turn]
	expect last contains =      1	café déjà vu
	expect last contains =      2	naïve
	[call str_replace_editor]
	command = view
	path = $work/ws/latin.txt
	[turn]
	expect last contains =      1	café déjà vu
	expect last contains =      2	naïve
	[call finish]
	message = Done.
	END
}

@test "with the editor, the toolset search does not offer a second view" {
	play -o controller.tools+=search <<-END
	[turn]
	expect tool = grep
	expect tool = str_replace_editor
	expect no tool = view
	[call finish]
	message = Done.
	END
}

@test "a view is cut between lines, with its numbers, and names the rest" {
	yes | head -8000 >short.txt # each line is 9 characters with its number
	printf '%s\n' first "$(head -c 30000 /dev/zero | tr '\0' x)" third >long.txt
	play -o controller.tools+=view <<-END
	[turn]
	[call str_replace_editor]
	command = view
	path = $work/ws/short.txt
	[turn]
	expect last contains <<X
	  2222	y
	[5778 of 8000 lines omitted; to see them, use \`view_range\`: [2223, 8000]]
	X
	[call str_replace_editor]
	command = view
	path = $work/ws/short.txt
	view_range := [2223, 4500]
	[turn]
	expect last contains <<X
	  4444	y
	[56 of 2278 lines omitted; to see them, use \`view_range\`: [4445, 4500]]
	X
	[call str_replace_editor]
	command = view
	path = $work/ws/long.txt
	[turn]
	expect last contains <<X
	     1	first
	[2 of 3 lines omitted; to see them, use \`view_range\`: [2, 3]]
	X
	[call view]
	path = long.txt
	view_range := [2, -1]
	[turn]
	expect last contains <<X
	xx [10008 of 30000 bytes omitted; \`cut -b\` shows a part] 
	[1 of 2 lines omitted; to see them, use \`view_range\`: [3, 3]]
	X
	[call finish]
	message = Done.
	END
}

@test "what a change shows of several places is one view" {
	for n in {1..9}; do
		printf '%s\n' mark "$(head -c 9000 /dev/zero | tr '\0' x)"
		seq 9
	done >long.txt
	play <<-END
	[turn]
	[call str_replace_editor]
	command = view
	path = $work/ws/long.txt
	[turn]
	[call str_replace_editor]
	command = str_replace
	path = $work/ws/long.txt
	old_str = mark
	new_str = MARK
	replace_all := true
	[turn]
	expect last contains = lines omitted; to see them, use \`view_range\`: [
	expect last lacks = truncated
	[call finish]
	message = Done.
	END
}
