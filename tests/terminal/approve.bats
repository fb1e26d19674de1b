#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Actions that wait for the user: the action that is shown is the one that runs, and only
# a key pressed after the user could read it allows it.

bats_require_minimum_version 1.5.0
source "$top_srcdir/tests/terminal/tmux.bash"

# asks COMMAND...: a model that runs each of them; \r and the like are interpreted
asks() {
	local command
	for command; do
		printf '[turn]\n[call bash]\ncommand <<WORD\n%b\nWORD\n\n' "$command"
	done > "$work/script"
	printf '[turn]\ntext = All is done.\n' >> "$work/script"
}

# begin [SIZE]: the first question is open and can be answered
begin() {
	terminal "${1:-80x24}"
	chat -o controller.confirmation=always
	enter 'Begin'
	see 'Allow this action?'
	ready
}

has() { [ -e "$work/project/$1" ]; }
rejected() { grep -qF "$1" "$work"/state/mortise/conversations/*/events.jsonl; }

# whole TEXT: all of the scrollback, rows joined at the bar, holds it
whole() {
	tmux capture-pane -p -N -S - | sed -n -e 's/^│ //p' -e 's/^┆   //p' | tr -d '\n' |
		grep -qF -- "$1"
}

@test 'a command is shown with its hidden characters' {
	mkdir -p "$work/project/victim"
	asks 'touch victim/x #\rls -la' 'touch x\b\b\b\b\b\b\bls' \
		'touch a\e[2K\e[1Gls' 'echo \e]8;;http://x.example\aclick\e]8;;\a' \
		'echo \e]52;c;cm0gLXJm\a' 'echo a\u202eb\u2066c' 'echo a\u200bb\ufeff' \
		'c\u0430t \uff52\uff4d' 'echo hi                    ; touch victim/y'
	begin
	looks_like hidden-return
	key Escape
	local want
	for want in 'touch x‹\b 7 times›ls' 'touch a‹\e›[2K‹\e›[1Gls' \
		'echo ‹\e›]8;;http://x.example‹\a›click‹\e›]8;;‹\a›' \
		'echo ‹\e›]52;c;cm0gLXJm‹\a›' 'echo a‹\u{202e}›b‹\u{2066}›c' \
		'echo a‹\u{200b}›b‹\u{feff}›' 'c‹\u{430}›t ‹\u{ff52}\u{ff4d}›' \
		'echo hi‹20 blanks›; touch victim/y'; do
		see_no 'n no'
		see 'Waiting for'
		enter 'Go on'
		see "\$ $want"
		ready
		key Escape
	done
	run ! has x
}

@test 'a narrow screen hides nothing' {
	asks 'touch a #\rls\u202e -la' "echo $(printf 'x%.0s' {1..3000}) ; touch b"
	begin 40x15
	looks_like hidden-narrow
	key Escape
	see 'Waiting for'
	enter 'Go on'
	see 'scroll up'
	poll whole "echo $(printf 'x%.0s' {1..3000}) ; touch b"
}

@test 'four hundred lines: hidden lines are counted, and shown before an approval' {
	asks "$(seq -f 'echo line %g' 400 | sed 's/$/\\n/' | tr -d '\n')touch end"
	begin
	see 'lines are hidden; press v to view all'
	key y
	see 'The action is not fully shown'
	run ! has end
	key v
	see 'y yes'
	poll whole 'echo line 200'
	key y
	see 'All is done.'
	has end
}

@test 'an edit and a call of an MCP tool are shown completely' {
	printf 'one\rtwo\n' > "$work/project/x.txt"
	{
		printf '[turn]\n[call str_replace_editor]\ncommand = str_replace\n'
		printf 'path = %s/x.txt\nold_str <<W\none\rtwo\nW\n' "$work/project"
		printf 'new_str <<W\nevil()\r// harmless \n\e[2Kx\u202ey\nW\n\n'
		printf '[turn]\n[call plain]\ntext = a\rb\u200b\n[turn]\ntext = All is done.\n'
	} > "$work/script"
	export XDG_CACHE_HOME=$work/cache
	flags="-o mcp.form.command=python3 -o mcp.form.args=$top_srcdir/tests/tools/mcp-hostile.py,form"
	mortise mcp status $flags
	terminal
	chat $flags -o controller.confirmation=always
	enter 'Begin'
	ready
	see '│ -one‹\r›two'
	see '│ +evil()‹\r›// harmless‹1 blank›'
	see '│ +‹\e›[2Kx‹\u{202e}›y'
	key y
	see '│ text: a‹\r›b‹\u{200b}›'
	see '+evil()‹\r›// harmless'
	ready
	key Escape
	see 'Waiting for'
}

@test 'keys pressed before the question is visible decide nothing' {
	asks 'until [ -e go ]; do sleep 0.1; done' 'touch wrong'
	begin
	key y
	see 'running'
	type_ 'y'
	see '> y'
	touch "$work/project/go"
	see 'touch wrong'
	key Enter # immediately
	ready
	see 'answer> y'
	key Enter
	see 'text typed before the question'
	run ! has wrong
	key C-u
	key n
	see 'Waiting for'
	run ! has wrong
}

@test 'a paste decides nothing' {
	asks 'touch wrong'
	begin
	tmux set-buffer $'y\n'
	tmux paste-buffer
	see 'press it again'
	run ! has wrong
	key Enter
	see 'Pasted text'
	key C-u
	tmux set-buffer 'yes'
	tmux paste-buffer -p
	see 'answer> yes'
	key Enter
	see 'Pasted text'
	key C-u
	tmux set-buffer $'a\n'
	tmux paste-buffer -p
	see 'answer> a'
	key Enter
	see 'Pasted text'
	run ! has wrong
}

@test 'typed text is echoed, can be edited, and is the reason of the rejection' {
	asks 'touch wrong'
	begin
	type_ 'add a backpu first'
	see 'answer> add a backpu first'
	key Left Left Left Left Left Left Left C-t
	see 'answer> add a backup first'
	key Enter
	see 'The user says: add a backup first'
	run ! has wrong
	rejected 'add a backup first'
}

@test 'y alone allows, Escape does not' {
	asks 'touch one' 'touch two'
	begin
	key y
	see '$ touch two'
	has one
	ready
	key Escape
	see 'Action has been rejected'
	run ! has two
}

@test 'a word that begins with y is not an answer' {
	asks 'touch wrong'
	begin
	key y
	key o
	key u
	see 'answer> you'
	key Enter
	see 'The user says: you'
	run ! has wrong
}

@test 'at risk HIGH each answer needs Enter, and there is no always' {
	mkdir "$work/project/victim"
	asks 'rm -rf victim' 'rm -rf victim'
	begin
	see 'Risk: HIGH'
	shows_not 'always'
	key Escape
	see 'answer> n'
	key C-u
	key a
	see 'answer> a'
	sleep 0.1 # Enter is not part of a paste
	key Enter
	see 'be allowed only once'
	has victim
	key C-u
	key n
	see 'answer> n'
	sleep 0.1
	key Enter
	see 'Waiting for'
	enter 'Go on'
	poll at_least_two_questions
	ready
	key y
	see 'answer> y'
	sleep 0.5 # longer than a lone key needs
	has victim
	key Enter
	see 'All is done.'
	run ! has victim
}

at_least_two_questions() { [ "$(screen | grep -c 'Risk: HIGH')" -ge 2 ]; }

@test 'always shows its scope first' {
	asks 'touch one'
	begin
	key a
	see '│ >1 '
	looks_like always
	key Tab
	see 'for this project'
	key C-u
	see_no '│ >1 '
	run ! has one
}

@test 'a slash command is not a reason' {
	asks 'touch one'
	begin
	type_ '/status'
	see 'answer> /status'
	key Enter
	see 'workspace '
	ready
	[ "$(screen | grep -c 'Allow this action')" -eq 2 ]
	key y
	see 'All is done.'
}

@test 'a command is edited before it runs' {
	asks 'touch wrong'
	begin
	key e
	see 'edit> touch wrong'
	key Escape
	see 'answer>'
	key e
	see 'edit> touch wrong'
	key C-w
	type_ 'right'
	see 'edit> touch right'
	looks_like edit
	key Enter
	see '$ touch right'
	see 'All is done.'
	has right
	run ! has wrong
	key C-d
}

@test 'plain: hidden characters are shown, and only an answer to the shown text counts' {
	asks 'touch one #\rls\u202e'
	cd "$work/project"
	run mortise --plain -m "script:$work/script" -o controller.confirmation=always \
		<<< $'go\nyes please\ny 0123456789ab'
	[[ "$output" = *'| $ touch one #‹\r›ls‹\u{202e}›'* ]]
	[[ "$output" = *'An action is waiting for approval: answer'* ]]
	run ! has one
}
