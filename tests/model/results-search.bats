#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# results-search.bats - grep and glob: counts, pages, lines around matches, case, and
# matches in long lines.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cd "$work/ws"
	seq 1000 | sed 's/^.*0$/& needle/' >many
	{ printf '%0500d' 0; printf ' hidden needle '; printf '%0500d\n' 0; } >long
	printf 'Needle\nneedle\n' >case
	touch -d @1000 many
	touch -d @3000 long
	touch -d @2000 case
}

play() {
	{ cat; printf '[turn]\n[call finish]\nmessage = Done.\n'; } >"$work/script"
	run mortise run -C "$work/ws" --model "script:$work/script" \
		-o 'controller.tools=search, finish' "$@" -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

@test "count gives the number of matches of each file" {
	play <<-END
	[turn]
	[call grep]
	pattern = needle
	count := true
	[turn]
	expect last contains = $work/ws/long: 1
	expect last contains = $work/ws/case: 2
	expect last contains = $work/ws/many: 100
	[call grep]
	pattern = needle
	count := true
	case := true
	[turn]
	expect last contains = $work/ws/case: 1
	END
}

@test "files are shown in pages" {
	play -o tool.search.results=2 <<-END
	[turn]
	[call grep]
	pattern = needle
	[turn]
	expect last contains = $work/ws/case
	expect last lacks = $work/ws/many
	expect last contains = [These are files 1 to 2 of 3; offset 2 shows the next ones
	[call grep]
	pattern = needle
	offset := 2
	[turn]
	expect last contains = $work/ws/many
	expect last lacks = $work/ws/case
	expect last lacks = offset
	[call glob]
	pattern = *
	offset := 1
	[turn]
	expect last contains = $work/ws/many
	expect last lacks = $work/ws/long
	END
}

@test "matches of one file are shown in pages, with the lines around them" {
	play <<-END
	[turn]
	[call grep]
	pattern = needle
	path = many
	context := 1
	offset := 90
	[turn]
	expect last contains = [Matching lines 91 to 100 of 100.]
	expect last contains = 909- 909
	expect last contains = 910: 910 needle
	expect last contains = 911- 911
	expect last contains = --
	expect last lacks = 900
	[call grep]
	pattern = needle
	path = many
	context := 4
	[turn]
	expect last contains = [Matching lines 1 to 33 of 100; offset 33 shows the next ones.]
	END
}

@test "a match in a long line is visible" {
	play <<-END
	[turn]
	[call grep]
	pattern = needle
	path = long
	lines := true
	[turn]
	expect last contains = 1: ... 0
	expect last contains = hidden needle 0
	END
}

@test "a search of some files does not state what others contain" {
	play <<-END
	[turn]
	[call grep]
	pattern = needle
	include = *.none
	[turn]
	expect last contains = No file that matches \`*.none\` contains this pattern.
	[call grep]
	pattern = no such text
	[turn]
	expect last contains = No file contains this pattern.
	END
}
