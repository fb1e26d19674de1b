#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Questions, interruptions of every kind, narrow and plain terminals.

bats_require_minimum_version 1.5.0
source "$top_srcdir/tests/terminal/tmux.bash"

# The prompt has been redrawn: its rows end at the right column.
narrowed() { screen | grep -q "^  ${typed:37:20}"; }

at_least() { [ "$(screen | grep -cF -- "$2")" -ge "$1" ]; }

hello() {
	script <<-'END'
	[turn]
	text = Hello, *world*. This is a sentence that is longer than forty columns.
	END
}

@test 'yes, no with a reason, and always' {
	script <<-'END'
	[turn]
	[call bash]
	command = touch one

	[turn]
	[call bash]
	command = touch two; touch three

	[turn]
	expect last contains = better not
	[call bash]
	command = touch four

	[turn]
	[call bash]
	command = touch five

	[turn]
	text = All is done.
	END
	terminal
	chat -o controller.confirmation=always
	enter 'Begin'
	see 'Allow this action?'
	see '$ touch one'
	ready
	looks_like question
	[ ! -e "$work/project/one" ]
	key y
	see '$ touch two; touch three'
	[ -e "$work/project/one" ]
	ready
	type_ 'better not'
	see 'answer> better not'
	key Enter
	see '$ touch four'
	[ ! -e "$work/project/two" ]
	ready
	key a
	see '>1 '
	key Down
	see '>2 `touch` with any arguments'
	key Enter
	see 'All is done.'
	[ -e "$work/project/four" ]
	[ -e "$work/project/five" ]
	see '│ $ touch four'
	see '$ touch five'
	shows_not '│ $ touch five'
}

@test 'parallel delegates ask in this terminal, one after the other' {
	script <<-'END'
	[turn]
	[call delegate_tasks]
	tasks := [{"task":"first","agent":"w"},{"task":"second","agent":"w"}]

	[turn]
	text = All is back.
	END
	printf '[turn]\n[call bash]\ncommand = touch $PPID.done\n[turn]\n%s\n' \
		'text = Ended.' > "$work/worker"
	printf '%s\n' '[controller]' 'tools = bash, delegate_tasks' 'delegates = w' \
		'confirmation = always' '[controller.w]' 'llm = w' 'tools = bash' \
		'[llm.w]' "model = script:$work/worker" > "$work/m.ini"
	terminal
	chat --config "$work/m.ini"
	enter 'Begin'
	see 'Allow this action?'
	ready
	key y
	see 'Allow this subagent action?'
	ready
	key y
	see 'Subagent'
	poll at_least 2 'Allow this subagent action?'
	ready
	type_ 'better not'
	see 'answer> better not'
	key Enter
	see 'All is back.'
	[ "$(ls "$work/project" | wc -l)" -eq 1 ]
	grep -q 'better not' "$work"/state/mortise/conversations/*/events.jsonl
}

@test 'a pending question survives the exit of its process' {
	script <<-'END'
	[turn]
	[call bash]
	command = touch one

	[turn]
	text = All is done.
	END
	terminal
	chat -o controller.confirmation=always
	enter 'Begin'
	ready
	pid=$(mortise ps --json | jq .pid)
	kill -9 "$pid"
	see 'has exited'
	key Enter
	see 'y yes'
	key y
	see 'All is done.'
	[ -e "$work/project/one" ]
}

@test 'the terminal is resized while the user types' {
	hello
	terminal
	chat
	enter 'Begin'
	see 'Hello'
	typed='a message that is not sent yet, and which needs more than one row of forty columns'
	type_ "$typed"
	see 'lumns'
	tmux resize-window -x 40 -y 20
	poll narrowed
	type_ '!'
	looks_like narrow
	tmux resize-window -x 100 -y 30
	see "$typed!"
	type_ '?'
	looks_like wide
}

@test 'rows, a paste, history, completion' {
	script <<-'END'
	[turn]
	expect user contains = inside the file
	text = I see the file.

	[turn]
	text = Second.
	END
	echo 'inside the file' > "$work/project/some-file.txt"
	terminal
	chat
	type_ 'first row'
	key M-Enter
	type_ 'second row'
	key C-j
	tmux set-buffer 'pasted
two rows '
	tmux paste-buffer -p
	type_ '@some'
	key Tab
	see '@some-file.txt'
	looks_like rows
	key Enter
	see 'I see the file.'
	key C-d
	see 'To return'
	[ "$(stat -c %a "$work/state/mortise/history")" = 600 ]
	enter 'clear; mortise --continue'
	see 'I see the file.'
	key C-l Up
	see '  second row'
	key C-u C-u C-c
	type_ '/sta'
	key Tab
	see '> /status'
	key Enter
	see 'workspace'
	key C-r
	type_ 'pas'
	see 'search'
	key Escape
	see_no 'search'
}

@test 'without color' {
	hello
	terminal
	enter 'export NO_COLOR=1'
	chat
	enter 'Begin'
	see 'Hello'
	tmux capture-pane -e -p > "$work/painted"
	run -1 grep -q $'\033\[[0-9;]*3[0-7]m' "$work/painted"
}

@test 'plain: lines in, lines out, no escape' {
	hello
	cd "$work/project"
	mortise --plain -m "script:$work/script" > "$work/out" <<<'Begin'
	grep -q '^You: Begin' "$work/out"
	grep -qF 'Hello, *world*.' "$work/out"
	run -1 grep -q $'\033' "$work/out"
	terminal
	enter "TERM=dumb mortise -m script:$work/script"
	see 'Mortise VERSION'
	enter 'Begin'
	see 'You: Begin'
	see 'Hello, *world*.'
	key C-d
	see 'To return'
}

@test 'skills and servers are listed, and a skill that was read is marked' {
	script <<-'END'
	[turn]
	text = Stripes.
	END
	mkdir -p "$work/project/.agents/skills/zed" "$work/project/.agents/skills/gnu"
	printf -- '---\nname: zed\ndescription: Of stripes.\ntriggers: [zebra]\n---\nAll.\n' \
		> "$work/project/.agents/skills/zed/SKILL.md"
	printf -- '---\nname: gnu\ndescription: Of horns.\n---\nAll.\n' \
		> "$work/project/.agents/skills/gnu/SKILL.md"
	terminal
	chat
	enter 'A zebra'
	see 'Stripes.'
	enter '/skills'
	see '* zed (project): zebra'
	see 'Of stripes.'
	see '  gnu (project)'
	enter '/mcp'
	see 'No MCP servers.'
}

@test 'the terminal is restored, however the program ends' {
	hello
	terminal
	enter 'stty -a > before'
	for signal in TERM HUP SEGV; do
		chat '; stty -a > after'
		enter 'Begin'
		see 'Hello'
		pid=$(pgrep -f "^[^:]*mortise-chat -m script:$work/script" | head -n 1)
		[ -n "$pid" ]
		kill -"$signal" "$pid"
		poll test -e "$work/project/after"
		poll cmp "$work/project/before" "$work/project/after"
		rm "$work/project/after"
	done
}

@test 'the output of a tool cannot control the terminal' {
	script <<-'END'
	[turn]
	[call bash]
	command = printf '\033[2J\033[Hgone\033]0;title\007 \033[31mred\n'

	[turn]
	text <<WORD
	It said: [2Jnothing.

	WORD
	END
	terminal
	chat
	enter 'Begin'
	see 'nothing.'
	see 'Mortise VERSION'
	see 'gone red'
}

@test 'an MCP server asks the user; /mcp lists it' {
	script <<-'END'
	[turn]
	[call plain]
	text = x

	[turn]
	[call plain]
	text = x

	[turn]
	text = All is done.
	END
	asked_by_a_tool
	enter 'Ada'
	see 'size [7]'
	see 'answer:'
	key Enter
	see '  2  blue'
	see 'answer:'
	enter 'violet'
	see 'one of the choices'
	see 'answer:'
	enter '2'
	see 'sure'
	see 'answer:'
	enter 'yes'
	see '"size": 7, "color": "blue"'
	see 'Your name'
	see 'answer:'
	key Escape
	see '{"action": "decline"}'
	see 'All is done.'
	enter '/mcp'
	see 'form: 4 tools (python3)'
}

@test 'live updates write few bytes' {
	script <<-'END'
	[turn]
	[call bash]
	command = for i in $(seq 200); do echo line $i; sleep 0.01; done

	[turn]
	text = All is done.
	END
	terminal
	chat
	tmux pipe-pane "cat > $work/bytes"
	enter 'Begin'
	see 'All is done.'
	size=$(stat -c %s "$work/bytes")
	echo "$size bytes" >&2
	# five rows and the state for each of at most 200 pieces, and never a clear
	((size < 200 * 300))
	run -1 grep -q $'\033\[2J' "$work/bytes"
}

@test 'without a terminal, chat reports an error' {
	run -2 mortise chat < /dev/null
	[[ $output == *'not a terminal'* ]]
	run -2 mortise --nonsense
	[[ $output == *'unknown option'* ]]
	run -0 mortise chat --help
}

@test 'the command that prints the key can ask for it at the terminal' {
	terminal
	enter "mortise run -m openai/gpt-4.1 -t go -o llm.base_url=http://127.0.0.1:1/v1 \
		-o llm.api_key_command='echo \$((41+1))? >/dev/tty; read key </dev/tty; echo \$key'"
	see '42?'
	enter 'a-key-of-this-test'
	see 'cannot be reached'
	key C-c
}
