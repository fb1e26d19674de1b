#!/bin/bash
[ -n "$BASH_VERSION" ] || exec bash "$0" "$@"
# SPDX-License-Identifier: MIT
# kill-any.sh - kill -9 of the conversation process, the guardian, the supervisor, a worker or
# the network proxy at random moments: the conversation continues or can be resumed, and no
# process, mount, directory or control group is left.
#
# KILL_ROUNDS (default 5, one for each) and KILL_SEED can be set.
rounds=${KILL_ROUNDS:-5}
RANDOM=${KILL_SEED:-1}
steps=6
work=$(mktemp -d)
mark=$((600000 + $$ % 100000))
victims=(mortise mortise-guard mortise-runner mortise-worker mortise-proxy)
trap 'rm -rf "$work"' EXIT
mkdir "$work/ws" "$work/tmp"
export TMPDIR=$work/tmp

for ((i = 1; i <= steps; i++)); do
	printf '[turn]\n[call execute_bash]\ncommand = (setsid sleep %s &); sleep %s & curl -sS -m 5 http://not-allowed.example/; sleep 0.2; echo step %s\n\n' \
		"$mark" "$mark" "$i"
done >"$work/script"
printf '[turn]\n[call finish]\nmessage = done\n' >>"$work/script"

# until_true COMMAND...: poll for at most 30 seconds
until_true() {
	local end=$((SECONDS + 30))
	until "$@"; do
		((SECONDS < end)) || return 1
		sleep 0.01
	done
}
lines_or_gone() { (($(wc -l <"$1") >= $2)) || ! kill -0 "$3" 2>/dev/null; }
no_process() { ! pgrep -f "[s]leep $mark" >/dev/null; }
no_directory() { [ -z "$(ls -A "$TMPDIR")" ]; }
no_group() { [ -z "$(find /sys/fs/cgroup -maxdepth 6 -path "*/mortise/$id*" 2>/dev/null)" ]; }

# find_victim NAME PID: sets $pid to the process of that name, PID or a descendant. It starts no
# process, because it must be fast.
find_victim() {
	local name= child children=()
	read -r name 2>/dev/null <"/proc/$2/comm"
	[ "$name" = "$1" ] && pid=$2 && return
	read -r -a children 2>/dev/null <"/proc/$2/task/$2/children"
	for child in "${children[@]}"; do
		find_victim "$1" "$child" && return
	done
	return 1
}

n=0
tell() { # tell STATUS NAME
	n=$((n + 1))
	if [ "$1" = 0 ]; then echo "ok $n - $2"; else echo "not ok $n - $2"; fi
}

echo "1..$((rounds * 3))"
for ((round = 1; round <= rounds; round++)); do
	export XDG_STATE_HOME="$work/state$round"
	mkdir -m 700 "$XDG_STATE_HOME"
	out="$work/out$round"
	: >"$out"
	victim=${victims[(round - 1) % ${#victims[@]}]}
	mortise run --json --model "script:$work/script" -C "$work/ws" -t go \
		-o controller.confirmation=never >"$out" 2>"$work/err" </dev/null &
	host=$!
	at=$((RANDOM % 20 + 1))
	until_true lines_or_gone "$out" "$at" "$host"
	pid=
	until [ -n "$pid" ] || ! kill -0 "$host" 2>/dev/null; do
		find_victim "$victim" "$host"
	done
	[ -n "$pid" ] && kill -9 "$pid" 2>/dev/null
	wait "$host" 2>/dev/null
	id=$(ls "$XDG_STATE_HOME/mortise/conversations" 2>/dev/null)
	log="$XDG_STATE_HOME/mortise/conversations/$id/events.jsonl"
	until_true no_process && until_true no_directory
	status=$?
	tell $status "round $round: no process or directory is left after $victim (${pid:-not started}) was killed at line $at"
	[ $status -eq 0 ] || { pgrep -af "$mark" && ls -A "$TMPDIR"; } | sed 's/^/# /'
	code=0
	if [ -z "$id" ] || ! grep -q '"agent_state":"finished"' "$log"; then
		set -- -t go
		[ -n "$id" ] && grep -q '"action":"message"' "$log" && set --
		if [ -n "$id" ]; then
			timeout 120 mortise resume --json "$id" "$@" -o controller.confirmation=never \
				>"$work/resumed" 2>"$work/err2" </dev/null
			code=$?
			grep -q '"agent_state":"finished"' "$log" || code="$code, not finished"
		fi
	fi
	[ "$code" = 0 ]
	tell $? "round $round: the conversation ends (exit code $code)"
	[ "$code" = 0 ] || tail -n 3 "$work/err2" "$work/err" | sed 's/^/# /'
	until_true no_process && until_true no_directory && { [ -z "$id" ] || until_true no_group; } &&
		! grep -qF "$work" /proc/self/mountinfo
	tell $? "round $round: at the end nothing is left, and nothing is mounted"
done
