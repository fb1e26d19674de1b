#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# An interactive session: keys typed into tmux, screens compared with those stored in
# screens/.
bats_require_minimum_version 1.5.0

source "$top_srcdir/tests/terminal/tmux.bash"

greeting='text = Hello, *world*.'

@test 'a reply is laid out, a command runs, a change is shown as a diff' {
	script <<-'END'
	[turn]
	text <<WORD
	# The plan

	I look at the **files** first, with `ls`:

	- one thing
	- and another

	```c
	int main(void);
	```
	WORD

	[call bash]
	command = printf 'hello\nworld\n'

	[turn]
	[call str_replace_editor]
	command = create
	path = @DIR@/x.txt
	file_text <<WORD
	a
	b

	WORD

	[turn]
	[call str_replace_editor]
	command = str_replace
	path = @DIR@/x.txt
	old_str = a
	new_str = c

	[turn]
	text = What *next*?
	END
	sed -i "s|@DIR@|$work/project|" "$work/script"
	terminal 80x40
	chat -o controller.confirmation=never
	enter 'Begin, please'
	see 'What next?'
	looks_like reply
	key C-d
	see 'To return'
}

@test 'a command without arguments refuses one' {
	script <<< '[turn]'$'\n'"$greeting"
	terminal 80x24
	chat
	for command in /new /fork /exit /cost; do
		enter "$command it"
		see "$command does not take an argument"
	done
	enter /undo
	see 'the conversation has no user message to revert'
}

@test 'Ctrl-C pauses, /stop ends the process, and a message resumes the conversation' {
	long_commands begun
	terminal
	chat
	enter 'Wait a minute'
	see '  begun' # the output, not the command
	see 'running'
	type_ 'and then continue'
	key Enter
	see 'queued: and then continue'
	key Up
	see_no 'queued'
	key C-u
	key C-c
	see 'Paused'
	see 'Interrupted by the user after'
	enter '/stop'
	see 'has ended (stopped)'
	enter 'Go on'
	see 'As you say.'
	key C-d
	see 'To return'
}

@test 'the user detaches while the agent works, and attaches again' {
	script <<-'END'
	[turn]
	[call bash]
	command = echo begun; until [ -e go ]; do sleep 0.1; done; echo over

	[turn]
	text = There you are.
	END
	terminal
	chat -o controller.confirmation=never
	enter 'Work'
	see '  begun' # the output, not the command
	enter '/detach'
	see 'The conversation stays open'
	tmux clear-history
	enter 'clear; mortise chat --attach'
	see 'running'
	touch "$work/project/go"
	see 'There you are.'
	key C-d
	see 'To return'
	mortise ps | grep -q finished || mortise ps | grep -q awaiting
}

@test '/exit stops the running call, finishes the conversation, and exits' {
	long_commands begun
	terminal
	chat -o controller.confirmation=never
	enter 'Work'
	see '  begun' # the output, not the command
	enter ' /exit '
	see 'To return, run: mortise --resume'
	poll gone
	jq -se '[.[] | select(.action == "finish")] | length == 1' \
		"$work"/state/mortise/conversations/*/events.jsonl
	enter "clear; mortise -c 'Go on'"
	see 'As you say.'
}
gone() { mortise ps | grep -q 'No conversation'; }

@test 'a conversation that does not exist: reported immediately, and this one continues' {
	script <<-'END'
	[turn]
	[call bash]
	command = echo begun; until [ -e go ]; do sleep 0.1; done; echo over

	[turn]
	text = There you are.

	[turn]
	text = The last word.
	END
	terminal
	chat -o controller.confirmation=never
	enter 'Work'
	see '  begun' # the output, not the command
	enter '/resume zzzz'
	see 'unknown conversation'
	enter '/resume zzzz'
	see 'running'
	touch "$work/project/go"
	see 'There you are.'
	enter '/resume'
	see 'No other conversations.'
	enter 'And then'
	see 'The last word.'
}

@test 'the list of conversations has local times and directories' {
	script <<<"[turn]
$greeting"
	export TZ=XYZ-9
	terminal
	chat
	enter 'First'
	see 'Hello, world.'
	enter '/exit'
	see 'To return'
	enter 'clear; mortise --resume'
	see 'number:'
	written=$(date -r "$work"/state/mortise/conversations/*/events.jsonl '+%Y-%m-%d %H:%M')
	shows "1  $written  WORK  First"
	enter '1'
	see 'Hello, world.'
	see '> First'
	key C-d
}

@test 'Tab completes models and agents' {
	script <<<"[turn]
$greeting"
	printf '%s\n' '[llm]' "model = script:$work/script" '[llm.fast]' \
		'model = acme/swift-1' '[agent.mine]' 'plugin = codeact' > "$work/m.ini"
	terminal
	enter "clear; mortise --config $work/m.ini"
	see 'Mortise VERSION'
	type_ '/model '
	key Tab
	see 'acme/'
	see 'anthropic/'
	type_ 'acm'
	key Tab
	see '> /model acme/'
	key Tab
	see '> /model acme/swift-1'
	key C-u
	type_ '/model anth'
	key Tab
	see '> /model anthropic/'
	key Tab
	see '> /model anthropic/claude-'
	key Tab
	see 'anthropic/claude-opus-4-5'
	key C-u
	type_ '/agent '
	key Tab
	see 'codeact'
	see 'mine'
	type_ 'reado'
	key Tab
	see '> /agent readonly'
	key Enter
	see 'Using readonly from now on'
}

@test 'skills list: descriptions are cut at the width of the terminal, and only there' {
	mkdir -p "$work/project/.agents/skills/zed"
	long=$(printf 'word-%s ' {10..30})
	printf -- '---\nname: zed\ndescription: %send.\ntriggers: [zebra]\n---\nAll.\n' \
		"$long" > "$work/project/.agents/skills/zed/SKILL.md"
	terminal 80x20
	enter 'clear; mortise skills list'
	see 'mortise-plugin'
	screen >"$work/screen"
	[ -s "$work/screen" ]
	run -1 grep -q 'word-30' "$work/screen"
	screen | grep -q '^zed .*word-1.*[.][.][.]$'
	tmux resize-window -x 200 -y 20
	enter 'clear; mortise skills list'
	see 'word-30 end.'
	(cd "$work/project" && mortise skills list | grep -q 'word-30 end[.]$')
}

@test 'started with a message, continued from here and from any directory' {
	script <<-'END'
	[turn]
	text = First reply.

	[turn]
	text = Second reply.
	END
	mkdir "$work/project/below"
	terminal
	enter "clear; mortise -m script:$work/script 'fix the tests'"
	see 'First reply.'
	shows '> fix the tests'
	key C-d
	see 'To return'
	enter 'clear; cd below; mortise -c'
	see 'no conversations in WORK/below'
	enter 'clear; mortise -c --any'
	see 'First reply.'
	see 'in WORK: fix the tests'
	key C-d
	see 'To return'
	enter "clear; cd ..; mortise -c 'and then'"
	see 'Second reply.'
	[[ "$(screen)" = *'> fix the tests'*'First reply.'*'> and then'*'Second reply.'* ]]
}
