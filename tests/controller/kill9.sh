#!/bin/bash
[ -n "$BASH_VERSION" ] || exec bash "$0" "$@"
# SPDX-License-Identifier: MIT
# kill9.sh - kill -9 of the conversation process at random moments: every event
# that was shown is in the log, the conversation goes on, nothing is left running.
#
# KILL9_ROUNDS (default 12; the issue's figure is 50) and KILL9_SEED can be set.
rounds=${KILL9_ROUNDS:-12}
RANDOM=${KILL9_SEED:-1}
steps=20
work=$(mktemp -d)
mark=$((700000 + $$ % 100000))
trap 'pkill -9 -f "[s]leep $mark" ; rm -rf "$work"' EXIT
mkdir "$work/ws"

for ((i = 1; i <= steps; i++)); do
	printf '[turn]\n[call execute_bash]\ncommand = (setsid sleep %s &); sleep %s & echo step %s\n\n' \
		"$mark" "$mark" "$i"
done >"$work/script"
printf '[turn]\n[call finish]\nmessage = done\n' >>"$work/script"

# until COMMAND...: poll for at most 20 seconds
until_true() {
	local end=$((SECONDS + 20))
	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.01
	done
}
lines_or_gone() { (($(wc -l <"$1") >= $2)) || ! kill -0 "$3" 2>/dev/null; }
none_left() { ! pgrep -f "[s]leep $mark" >/dev/null; }

# Every whole line that was shown is in the log. Only events count.
shown_is_logged() {
	local log=$1 out=$2
	head -c -0 "$out" | grep -E '^\{"id":[0-9]+,.*\}$' >"$work/shown"
	! grep -Fxv -f "$log" "$work/shown" >"$work/lost"
}

echo "1..$((rounds * 3))"
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
	timeout 60 mortise resume --json "$id" "$@" >"$work/resumed" 2>"$work/err2" </dev/null
	code=$?
	[ "$code" = 0 ] && [ "$(grep -c '"action":"finish"' "$dir/events.jsonl")" = 1 ]
	tell $? "round $round: resume goes on to the end (exit code $code)"
	if [ "$code" != 0 ]; then
		sed 's/^/# /' "$work/err2"
		tail -n 3 "$dir/events.jsonl" | cut -c1-400 | sed 's/^/# /'
	fi
done
