#!/bin/bash
[ -n "$BASH_VERSION" ] || exec bash "$0" "$@"
# SPDX-License-Identifier: MIT
# kill9.sh - kill -9 of the conversation process at random moments: every event
# that was shown is in the log, the conversation continues, nothing is left running.
#
# KILL9_ROUNDS (default 12; the issue's figure is 50) and KILL9_SEED can be set.
rounds=${KILL9_ROUNDS:-12}
RANDOM=${KILL9_SEED:-1}
steps=20
work=$(mktemp -d)
mark=$((700000 + $$ % 100000))
# what a failed test leaves: those of these sleeps that run in its workspace
end_sleeps() {
	local pid
	for pid in $(pgrep -f "[s]leep $mark"); do
		[ "$(readlink "/proc/$pid/cwd")" = "$(realpath "$work")/ws" ] && kill -9 "$pid"
	done
}
trap 'end_sleeps; rm -rf "$work"' EXIT
mkdir "$work/ws"

for ((i = 1; i <= steps; i++)); do
	printf '[turn]\n[call execute_bash]\ncommand = (setsid sleep %s &); sleep %s & echo step %s\n\n' \
		"$mark" "$mark" "$i"
done >"$work/script"
printf '[turn]\n[call finish]\nmessage = done\n' >>"$work/script"

. "$top_srcdir/tests/wait.bash"
lines_or_gone() { (($(wc -l <"$1") >= $2)) || ! kill -0 "$3" 2>/dev/null; }
none_left() { ! pgrep -f "[s]leep $mark" >/dev/null; }

# Every whole line that was shown is in the log. Only events count.
shown_is_logged() {
	local log=$1 out=$2
	head -c -0 "$out" | grep -E '^\{"id":[0-9]+,.*\}$' >"$work/shown"
	sed 's/,"crc":"[0-9a-f]*"}$/}/' "$log" >"$work/logged" # clients see no checksums
	! grep -Fxv -f "$work/logged" "$work/shown" >"$work/lost"
}

echo "1..$((rounds * 3 + 9))"
n=0
tell() { # tell STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

for ((round = 1; round <= rounds; round++)); do
	export XDG_STATE_HOME="$work/state$round"
	mkdir -m 700 "$XDG_STATE_HOME"
	out="$work/out$round"
	: >"$out"
	mortise run --json --model "script:$work/script" -C "$work/ws" -t go \
		>"$out" 2>"$work/err" </dev/null &
	pid=$!
	at=$((RANDOM % 70 + 1))
	until_true lines_or_gone "$out" "$at" "$pid"
	kill -9 "$pid" 2>/dev/null
	wait "$pid" 2>/dev/null
	id=$(ls "$XDG_STATE_HOME/mortise/conversations" 2>/dev/null)
	dir="$XDG_STATE_HOME/mortise/conversations/$id"

	shown_is_logged "$dir/events.jsonl" "$out"
	tell $? "round $round: what was shown before line $at is in the log"
	[ -s "$work/lost" ] && sed 's/^/# lost: /' "$work/lost" | cut -c1-300
	until_true none_left
	tell $? "round $round: nothing is left running"
	if [ -z "$id" ]; then
		tell 0 "round $round: killed before there was a conversation"
		continue
	fi
	if grep -q '"agent_state":"finished"' "$dir/events.jsonl"; then
		tell 0 "round $round: it had ended"
		continue
	fi
	if ! grep -q '"action":"message"' "$dir/events.jsonl"; then
		set -- -t go
	else
		set --
	fi
	timeout 120 mortise resume --json "$id" "$@" >"$work/resumed" 2>"$work/err2" </dev/null
	code=$?
	[ "$code" = 0 ] && [ "$(grep -c '"action":"finish"' "$dir/events.jsonl")" = 1 ]
	tell $? "round $round: resume continues to the end (exit code $code)"
	if [ "$code" != 0 ]; then
		sed 's/^/# /' "$work/err2"
		tail -n 3 "$dir/events.jsonl" | cut -c1-400 | sed 's/^/# /'
	fi
done

# ---- what waits when it is killed waits again --------------------------------

# begin NAME OPTION...: a conversation in the background; $pid, $dir
begin() {
	export XDG_STATE_HOME="$work/$1"
	mkdir -m 700 "$XDG_STATE_HOME"
	shift
	: >"$work/out"
	mortise run --json --keep --model "script:$work/script" -C "$work/ws" "$@" \
		<"$work/fifo" >"$work/out" 2>"$work/err" 9>&- &
	pid=$!
	echo '{"type":"message","text":"go"}' >&9
}
yes_to() { # the action that waits in the output $1
	printf '{"type":"confirm","hash":"%s"}\n' \
		"$(grep -o '"hash":"[0-9a-f]*"' "$1" | head -n 1 | cut -d '"' -f 4)"
}
killed() { # after a line that matches $1
	until_true grep -q "$1" "$work/out"
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
	dir=$(echo "$XDG_STATE_HOME"/mortise/conversations/*)
	count=$(wc -l <"$dir/events.jsonl")
}
mkfifo "$work/fifo"
exec 9<>"$work/fifo"

printf '[turn]\n[call execute_bash]\ncommand = echo x >>%s\n\n[turn]\n[call finish]\nmessage = d\n' \
	"$work/ws/ran" >"$work/script"
begin confirm -o controller.confirmation=always
killed '"waits"'
mortise resume --json </dev/null >"$work/resumed" 2>&1
code=$?
[ "$code" = 8 ] && grep '"type":"end"' "$work/resumed" |
	grep -q '"state":"awaiting_user_confirmation"'
tell $? "a pending confirmation is still there (exit code $code)"
[ ! -e "$work/ws/ran" ] && [ "$(wc -l <"$dir/events.jsonl")" = "$count" ]
tell $? "and nothing has happened"
[ "$(yes_to "$work/out")" = "$(yes_to "$work/resumed")" ]
tell $? "and it has the same hash"
{
	yes_to "$work/out"
	until_true grep -q '"state":"finished"' "$work/resumed"
} | mortise resume --json >"$work/resumed" 2>&1
code=$?
[ "$code" = 0 ] && [ "$(cat "$work/ws/ran")" = x ]
tell $? "a yes lets it run, once (exit code $code)"

rm -f "$work/ws/ran"
begin answered -o controller.confirmation=always
until_true grep -q '"waits"' "$work/out"
yes_to "$work/out" >&9
killed '"confirms"'
[ "$(grep -c '"confirms"' "$dir/events.jsonl")" = 1 ]
tell $? "the answer is in the log when it is shown"
mortise resume --json </dev/null >"$work/resumed" 2>&1
code=$?
[ "$code" = 0 ] && [ "$(cat "$work/ws/ran" 2>/dev/null | grep -c x)" -le 1 ] &&
	{ [ -e "$work/ws/ran" ] || grep -q 'may have taken effect' "$dir/events.jsonl"; }
tell $? "no question is repeated, nothing runs twice (exit code $code)"

printf '[turn]\nerror = rate_limit\nerror times = 1\nerror wait = 50s\n[call finish]\nmessage = d\n' \
	>"$work/script"
begin rate
killed '"state":"rate_limited"'
grep -q '"agent_state":"rate_limited"' "$dir/events.jsonl"
tell $? "the wait for a model is in the log"
mortise resume --json -o llm.retry_max_wait=1s -o llm.retry_min_wait=1s </dev/null \
	>"$work/resumed" 2>&1
code=$?
[ "$code" = 0 ]
tell $? "the request is made again (exit code $code)"
[ "$(grep -c '"action":"message"' "$dir/events.jsonl")" = 1 ]
tell $? "and the message is not said twice"
