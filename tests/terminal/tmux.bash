# SPDX-License-Identifier: MIT
# tmux.bash - a terminal to type at and to look at: tmux, with its server in the
# directory of the test. Sourced by the bats files.

LIMIT=${LIMIT:-30} # seconds that a screen may take to become what it should be

setup() {
	command -v tmux > /dev/null || skip 'no tmux'
	[ -x "$top_builddir/mortise-chat" ] || skip 'the terminal was not built'
	work=$(mktemp -d /tmp/chat.XXXXXX)
	export TMUX_TMPDIR=$work XDG_RUNTIME_DIR=$work/run XDG_STATE_HOME=$work/state
	mkdir -m 700 "$work/run" "$work/project"
	echo "PS1='\$ '" > "$work/rc"
	unset TMUX NO_COLOR
}

idle() { ! pgrep -P "$shell" > /dev/null; }

teardown() {
	[ -n "${work:-}" ] || return 0
	[ -z "${server:-}" ] || kill "$server" 2> /dev/null || :
	# The chats first: LeakSanitizer waits for ever if the SIGCONT that tmux sends
	# at its end falls into its search.
	shell=$(tmux list-panes -a -F '#{pane_pid}' 2> /dev/null) || shell=
	if [ -n "$shell" ]; then
		pkill -TERM -P "$shell" || :
		poll idle || :
	fi
	tmux -f /dev/null kill-server 2> /dev/null || :
	[ -z "${relay:-}" ] || kill "$relay" 2> /dev/null || :
	for socket in "$work"/run/mortise/*.socked; do # behind a relay
		[ ! -e "$socket" ] || mv "$socket" "${socket%ed}"
	done
	for socket in "$work"/run/mortise/*.sock; do
		[ -e "$socket" ] || continue
		id=${socket##*/}
		mortise kill "${id%.sock}" > /dev/null 2>&1 || :
	done
	poll rm -rf "$work" 2> /dev/null # a process may still be writing its last
}

# terminal [COLUMNSxROWS]: a shell without frills
terminal() {
	local size=${1:-80x24}
	tmux -f /dev/null start-server \; set-option -g history-limit 100000 \; \
		new-session -d -x "${size%x*}" -y "${size#*x}" \
		-c "$work/project" "exec bash --noprofile --rcfile $work/rc"
	see '$'
}

type_() { tmux send-keys -l -- "$1"; }
key() { tmux send-keys -- "$@"; }
enter() {
	type_ "$1"
	key Enter
}

# The screen, with what differs from run to run named.
screen() {
	tmux capture-pane -p "$@" | sed -e "s|$work/project|WORK|g" -e "s|$work|TMP|g" \
		-e 's/[0-9]\{8\}-[0-9]\{6\}-[0-9a-f]\{8\}/ID/g' -e 's/ *$//' \
		-e 's/^Mortise [^,]*,/Mortise VERSION,/' |
		awk 'NF { for (; gap > 0; gap--) print ""; print; next } { gap++ }'
}

# poll COMMAND...: until it succeeds
poll() {
	local end=$((SECONDS + LIMIT))
	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.05
	done
}

# The open question can be answered: its keys are shown.
ready() { see 'n no'; }

shows() { screen | grep -qF -- "$1"; }
shows_not() { ! shows "$1"; }

see() {
	poll shows "$1" && return
	printf '%s\n' "\`$1' is not on the screen:" "$(screen)" >&2
	return 1
}

see_no() {
	poll shows_not "$1" && return
	printf '%s\n' "\`$1' stays on the screen:" "$(screen)" >&2
	return 1
}

is_screen() { [ "$(screen)" = "$(cat "$1")" ]; }

# The screen becomes what is kept as screens/NAME. SCREENS=keep keeps it again.
looks_like() {
	local file=$top_srcdir/tests/terminal/screens/$1
	if [ "${SCREENS:-}" = keep ]; then
		sleep 1
		screen > "$file"
		return
	fi
	poll is_screen "$file" && return
	diff -u "$file" <(screen) >&2
	return 1
}

# script: a model that answers from what stands on standard input
script() { cat > "$work/script"; }
chat() {
	enter clear
	see_no 'Mortise VERSION' # of a chat before
	enter "clear; mortise -m script:$work/script $*"
	see 'Mortise VERSION'
}

# long_commands WORD...: a model that runs a long command for each word, then talks
long_commands() {
	for word in "$@"; do
		printf '[turn]\n[call bash]\ncommand = echo %s; sleep 60\ntimeout = 600\n\n' "$word"
	done | script
	printf '[turn]\ntext = As you say.\n' >> "$work/script"
}

# asked_by_a_tool: the first call of the script asks for a name
asked_by_a_tool() {
	export XDG_CACHE_HOME=$work/cache
	flags="-o mcp.form.command=python3 -o mcp.form.args=$top_srcdir/tests/tools/mcp-hostile.py,form"
	mortise mcp status $flags
	terminal
	chat $flags -o controller.confirmation=never
	enter 'Begin'
	see 'Your name'
	see 'answer:'
}

# stream: a model server that sends what the plan on standard input says (model.py)
stream() {
	cat > "$work/plan"
	python3 -B "$top_srcdir/tests/terminal/model.py" "$work/port" "$work/plan" > /dev/null 3>&- &
	server=$!
	poll test -e "$work/port"
	export MODEL_KEY=2f9c-77d1-b04e
	printf '%s\n' '[llm]' 'model = openai/gpt-4.1' 'api_key_env = MODEL_KEY' \
		"base_url = http://127.0.0.1:$(cat "$work/port")/v1" > "$work/m.ini"
}
streamed_chat() {
	enter clear
	see_no 'Mortise VERSION' # of a chat before
	enter "clear; mortise --config $work/m.ini $*"
	see 'Mortise VERSION'
}
