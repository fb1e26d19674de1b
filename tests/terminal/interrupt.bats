#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Ctrl-C in each state: the first interrupts, the second exits, and a key between them
# makes the next one count as the first.
bats_require_minimum_version 1.5.0

source "$top_srcdir/tests/terminal/tmux.bash"

# The program has exited, and the shell has the terminal.
left() {
	see 'To return, run: mortise --resume'
	poll at_prompt
}
at_prompt() { screen | tail -n 1 | grep -qFx '$'; }

none_running() { [ "$(mortise ps)" = "No conversation is running." ]; }

@test 'a tool runs: Paused comes after its output; Enter, and Ctrl-C pauses again' {
	long_commands begun again
	terminal
	chat -o controller.confirmation=never
	enter 'Begin'
	see '  begun' # the output, not the command
	key C-c
	see 'Paused. Press Enter or send a message to continue; Ctrl-C again exits.'
	[[ "$(screen)" = *'Interrupted by the user after'*'Paused.'* ]]
	key Enter
	see '  again'
	see_no 'pausing'
	key C-c
	poll twice_paused
	key C-c
	left
	poll none_running
	enter 'clear; mortise -c'
	see 'Paused'
	enter 'Go on'
	see 'As you say.'
}
twice_paused() { [ "$(screen | grep -c 'Paused')" -eq 2 ]; }

@test 'the model thinks: paused, then the program exits' {
	script <<-'END'
	[turn]
	delay = 60s
	text = Too late.
	END
	terminal
	chat
	enter 'Begin'
	see 'working'
	key C-c
	see 'Paused.'
	type_ 'a draft'
	key C-c
	see_no 'a draft'
	key C-c
	see 'Ctrl-C again to exit.'
	key C-c
	left
}

@test 'the reply streams: received text stays on the screen' {
	stream <<<'[{"sentences": 30, "paragraph": 3, "stall": 100}, {"text": "As you say."}]'
	terminal
	streamed_chat
	enter 'Begin'
	see 'This is sentence 5'
	key C-c
	see 'Paused.'
	shows 'This is sentence 5'
	key Enter
	see 'As you say.'
	key C-c
	see 'Ctrl-C again to exit.'
	key C-c
	left
}

@test 'an action waits for approval: the question is deferred, and asked again' {
	long_commands begun again
	terminal
	chat -o controller.confirmation=always
	enter 'Begin'
	ready
	key C-c
	see 'Paused.'
	key Enter
	ready
	key C-c
	poll twice_paused
	key C-c
	left
}

@test 'a tool asks: the call is interrupted' {
	script <<-'END'
	[turn]
	[call plain]
	text = x

	[turn]
	text = As you say.
	END
	asked_by_a_tool
	type_ 'Ad'
	see 'answer: Ad'
	key C-c
	see_no 'answer: Ad'
	shows 'answer:'
	key C-c
	see 'Paused.'
	see_no 'answer:'
	enter 'Go on'
	see 'As you say.'
}

@test 'the history is condensed: paused' {
	for n in 1 2 3 4 5 6 7 8; do
		printf '[turn]\n[call bash]\ncommand = echo step-%s\n\n' "$n"
	done | script
	printf '[turn]\ndelay = 60s\ntext = A summary.\n' > "$work/summary"
	printf '%s\n' '[controller]' 'condensers = short' 'confirmation = never' '[llm]' \
		"model = script:$work/script" '[llm.slow]' "model = script:$work/summary" \
		'[condenser.short]' 'plugin = llm' 'llm = slow' 'keep_first = 1' \
		'max_size = 10' > "$work/m.ini"
	terminal
	streamed_chat
	enter 'Begin'
	see 'working 2 s' # the steps take no time
	key C-c
	see 'Paused.'
	key C-c
	left
}

@test 'a command of the user runs: it is interrupted, the agent is not' {
	script <<<$'[turn]\ntext = Hello.\n\n[turn]\ntext = As you say.'
	terminal
	chat
	enter 'Begin'
	see 'Hello.'
	enter '!echo mine; sleep 60'
	see 'running'
	see '  mine'
	key C-c
	see 'Interrupted by the user after'
	see_no 'running'
	enter 'Go on'
	see 'As you say.'
}

@test 'plain: the signal pauses as well' {
	long_commands begun again
	terminal
	enter "clear; TERM=dumb mortise -m script:$work/script -o controller.confirmation=never"
	see 'Mortise VERSION'
	enter 'Begin'
	see '$ echo begun'
	key C-c
	see 'Paused.'
	key C-c
	left
}
