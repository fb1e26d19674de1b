#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# undo.bats - /undo gives the message back as it was typed, and the model never sees the
# one that was undone.
bats_require_minimum_version 1.5.0

source "$top_srcdir/tests/terminal/tmux.bash"

@test "an undone message is back in the line as typed, and its file is sent once" {
	script <<-'END'
	[turn]
	expect user contains = apples and pears
	text = I have read it.

	[turn]
	expect any contains = Compare @list.txt twice
	expect any contains = apples and plums
	expect any lacks = pears
	expect any lacks = I have read it
	text = Compared.
	END
	echo 'apples and pears' >"$work/project/list.txt"
	terminal
	chat
	enter 'Compare @list.txt'
	see 'I have read it.'
	echo 'apples and plums' >"$work/project/list.txt"
	enter /undo
	see 'Reverted your last message.'
	enter ' twice'
	see 'Compared.'
}
