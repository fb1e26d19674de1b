#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Replies that stream from a server: all of the text is printed, once, in order, and
# its lines end between words.

source "$top_srcdir/tests/terminal/tmux.bash"

# The numbers of the sentences of model.py that the terminal holds.
sentences() {
	screen -S - | tr -s ' \n' '  ' |
		grep -oE 'This is sentence [0-9]+ of them\.' | grep -oE '[0-9]+'
}
has_all() { cmp -s <(sentences) <(seq "$1"); }
all() {
	poll has_all "$1" && return
	diff <(sentences) <(seq "$1") | head -n 20 >&2
	return 1
}

# How often the terminal holds it.
times() { screen -S - | tr -s ' \n' '  ' | grep -oF -- "$1" | wc -l; }

# burst SENTENCES BYTES-OF-A-DELTA SENTENCES-OF-A-PARAGRAPH
burst() {
	stream <<-END
	[{"sentences": $1, "delta": $2, "paragraph": $3}, {"text": "Second reply."}]
	END
	terminal
	streamed_chat
	enter 'Begin'
	all "$1"
	enter 'More'
	see 'Second reply.'
	all "$1"
	[ "$(times 'left out')" -eq 0 ]
}

@test 'a burst of 1,000 deltas' { burst 125 4 10; }
@test 'a burst of 3,000 deltas, in one paragraph' { burst 400 4 400; }
@test 'a burst of 13,000 deltas of one byte' { burst 400 1 5; }
@test 'a burst of 100,000 deltas' { LIMIT=120 burst 13000 4 10; }
@test 'a burst of 100,000 deltas, in one paragraph' { LIMIT=120 burst 13000 4 13000; }

@test 'attached in the middle of a reply: all of it, once' {
	stream <<<'[{"sentences": 60, "paragraph": 6, "hold": 200}]'
	terminal
	streamed_chat
	enter 'Begin'
	see 'This is sentence 20'
	enter '/detach'
	see 'The conversation stays open'
	tmux clear-history
	enter 'clear; mortise chat --attach'
	see 'working'
	touch "$work/plan.go"
	all 60
}

# A relay in front of the socket of the open conversation; with $work/cut it closes its
# connection, and accepts the next.
relay() {
	python3 -B - "$work"/run/mortise/*.sock "$work/cut" <<-'END' 3>&- &
	import os, select, socket, sys
	path, cut = sys.argv[1:]
	os.rename(path, path + "ed")
	server = socket.socket(socket.AF_UNIX)
	server.bind(path)
	os.chmod(path, 0o600)
	server.listen()
	while True:
	    near, far = server.accept()[0], socket.socket(socket.AF_UNIX)
	    far.connect(path + "ed")
	    with near, far:
	        try:
	            while not os.path.exists(cut):
	                ready = select.select([near, far], [], [], 0.05)[0]
	                data = ready and ready[0].recv(65536)
	                if ready and not data:
	                    break
	                if data:
	                    (far if ready[0] is near else near).sendall(data)
	        except ConnectionError:
	            pass
	    if os.path.exists(cut):
	        os.remove(cut)
	END
	relay=$!
}
relayed() { [ -S "$work"/run/mortise/*.socked ] && [ -S "$work"/run/mortise/*.sock ]; }
closed() { [ ! -e "$work/cut" ]; }
# The sentences without the remark between them.
words() {
	screen -S - | tr -s ' \n' '  ' |
		sed "s/The connection was lost.* to reconnect. //" |
		grep -oE 'This is sentence [0-9]+ of them\.' | grep -oE '[0-9]+'
}
has_words() { cmp -s <(words) <(seq "$1"); }

@test 'the connection is lost in the middle of a reply: all of it, once' {
	stream <<<'[{"text": "Ready."}, {"sentences": 60, "paragraph": 6, "hold": 200},
		{"text": "Another one."}]'
	terminal
	streamed_chat
	enter 'Begin'
	see 'Ready.'
	enter '/detach'
	see 'The conversation stays open'
	relay
	poll relayed
	tmux clear-history
	enter 'clear; mortise chat --attach'
	see 'Ready.'
	enter 'More'
	see 'This is sentence 20'
	touch "$work/cut"
	poll closed
	see 'The connection was lost.'
	see 'process is still running'
	key Enter
	see 'working'
	touch "$work/plan.go"
	poll has_words 60 || {
		screen -S - >&2
		diff <(words) <(seq 60) >&2
	}
	[ "$(times 'This is sentence 20 of')" -le 1 ]
	enter 'And now'
	see 'Another one.'
	[ "$(times 'Another one.')" -eq 1 ]
	has_words 60
}

@test 'a text is printed once, before the result of its call' {
	stream <<-'END'
	[{"text": "I use a wrong tool.", "call": ["nothing", {}]},
	 {"text": "I call it wrongly.", "call": ["bash", {"a": 1}]},
	 {"text": "I think aloud.", "call": ["think", {"thought": "Deep in thought."}]},
	 {"text": "I run something.", "call": ["bash", {"command": "echo some''thing"}]},
	 {"text": "I ask you.", "call": ["ask_user", {"question": "Which color?"}]},
	 {"text": "All is done now.", "call": ["finish", {"message": "All is done now."}]}]
	END
	terminal 80x60
	streamed_chat -o controller.tools+=ask_user -o controller.confirmation=never
	enter 'Begin'
	see 'Which color?'
	enter 'Red'
	see 'All is done now.'
	key C-d
	see 'To return'
	for text in 'I use a wrong tool.' 'I call it wrongly.' 'I think aloud.' \
		'Deep in thought.' 'I run something.' 'I ask you.' 'Which color?' \
		'All is done now.'; do
		[ "$(times "$text")" -eq 1 ] || {
			screen >&2
			return 1
		}
	done
	[[ "$(screen)" = *'wrong tool.'*'not registered'*'wrongly.'*'Missing'*'aloud.'* ]]
	enter 'clear; mortise -c'
	see 'All is done now.'
	[ "$(times 'All is done now.')" -eq 1 ]
	[ "$(times 'I think aloud.')" -eq 1 ]
}

# Rows end between words, and none is wider than the screen.
laid_out() {
	terminal "$1x50"
	streamed_chat
	enter 'Begin'
	see 'The end.'
	looks_like "$2"
}

layout() {
	python3 - <<-'END' > "$work/layout"
	import json
	print(json.dumps([{"text": '''Roses are red,
	violets are blue.

	A long line of words that needs more than one row, whether there are eighty columns or a hundred and twenty of them.

	| Name | What it is | A long description of the thing that does not fit | Notes |
	|---|---|---|---|
	| alpha | the first letter of the alphabet | This is a long description that runs on for more than a row | see `alpha.c` and **bold words** |
	| beta | the second | Short | a \\\\| b |

	| a | b |
	|---|---|
	| 1 | 2 |
	''', "call": ["nothing", {"a": "some words that make the error a long one, " * 3}]},
	{"text": "The end."}]).replace("\\t", ""))
	END
	stream < "$work/layout"
}

@test 'tables, errors and line breaks at 80 columns' {
	layout
	laid_out 80 layout-80
}

@test 'tables, errors and line breaks at 120 columns' {
	layout
	laid_out 120 layout-120
}
