#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# parallel.bats - read-only calls of one reply run in parallel.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	base=(mortise run -C "$work/ws" --model "script:$work/script" -t go
	      -o core.plugin_path+="$top_builddir/tests/plugins"
	      -o 'controller.tools=meet, finish' -o tool.meet.trust_hints=yes)
}

events() { cat "$work"/state/mortise/conversations/*/events.jsonl; }
results() { events | jq -r 'select(.tool_call_metadata and .observation) | .content'; }

turn() { # "TOOL NAME OTHER [WAIT]"... : one reply with these calls, and the end
	printf '[turn]\n' >"$work/script"
	for call; do
		read -r tool name other wait <<<"$call"
		printf '[call %s]\nname = %s\nother = %s\nwait := %s\n' "$tool" "$name" \
			"$other" "${wait:-4000}" >>"$work/script"
	done
	printf '[turn]\n[call finish]\nmessage = Done.\n' >>"$work/script"
}

play() {
	run "${base[@]}" "$@"
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

@test "parallel calls overlap, and the events are in the order of the reply" {
	# Each waits for the next one, so the last ends first.
	turn "meet a b" "meet b c" "meet c d" "meet d d"
	play
	[ "$(results)" = $'a met b\nb met c\nc met d\nd met d' ]
	[ "$(events | jq -r 'select(.tool_call_metadata)
		| .action // "-" | select(. != "finish")' | tr '\n' ' ')" = \
		"call_tool - call_tool - call_tool - call_tool - " ]
	events | jq -se 'map(select(.record == "dispatch")) | length == 4' >/dev/null
}

@test "at most parallel_calls run; a free slot is used" {
	turn "meet a b" "meet b c" "meet c c" "meet d e" "meet e e"
	play -o controller.parallel_calls=2
	[ "$(results | head -n 1)" = "a met b" ]
	[ "$(results | tail -n 2)" = $'d met e\ne met e' ]
	rm -r "$work"/ws/* "$work/state/mortise"
	turn "meet a b 200" "meet b b"
	play -o controller.parallel_calls=1
	[ "$(results | tail -n 2)" = $'a met no-one\nb met b' ]
}

@test "a call that may write waits, and so do the calls after it" {
	turn "meet a b 200" "meet_and_write b c 200" "meet c d" "meet d d"
	play
	[ "$(results)" = $'a met no-one\nb met no-one\nc met d\nd met d' ]
}

@test "the same call twice gives two results; one that fails is its own" {
	turn "meet a a" "meet a a" "meet no/b a" "meet c c"
	play
	[ "$(results | grep -c 'a met a')" -eq 2 ]
	[ "$(results | sed -n 3p)" = "no file no/b" ]
	[ "$(results | tail -n 1)" = "c met c" ]
}

@test "a limit of calls holds" {
	turn "meet a a" "meet b b" "meet c c" "meet d d"
	run "${base[@]}" -o controller.max_calls=2
	printf '%s\n' "$output"
	[ "$status" -ne 0 ]
	[ "$(results | head -n 2)" = $'a met a\nb met b' ]
	[ -e "$work/ws/b" ]
	[ ! -e "$work/ws/c" ]
}

@test "calls run one after the other if hooks check them" {
	turn "meet a b 200" "meet b b"
	cat >"$work/hook" <<-'END'
	#!/bin/sh
	exit 0
	END
	chmod 755 "$work/hook"
	play -o hook.h.event=before-tool -o "hook.h.command=$work/hook"
	[ "$(results | tail -n 2)" = $'a met no-one\nb met b' ]
}

@test "stopping ends all parallel calls" {
	turn "meet a never 100000" "meet b never 100000"
	"${base[@]}" -o tool.meet.deadline=1s >"$work/out" 2>&1 || true
	cat "$work/out"
	[ "$(results | wc -l)" -ge 2 ]
	[ -e "$work/ws/cancelled" ]
	rm -r "$work"/ws/* "$work/state/mortise"
	"${base[@]}" >"$work/out" 2>&1 3>&- &
	pid=$!
	until_true test -e "$work/ws/b"
	kill -INT "$pid"
	wait "$pid" || true
	[ -e "$work/ws/cancelled" ]
	mortise ps >"$work/ps"
	run -1 grep -q "$work/ws" "$work/ps"
}

@test "if a worker dies, its calls fail and the conversation continues" {
	turn "meet a never 100000" "meet b never 100000" "meet c c"
	"${base[@]}" >"$work/out" 2>&1 3>&- &
	pid=$!
	until_true test -e "$work/ws/c"
	# by their parents: only root sees the directory of a process that protects its memory
	workers() {
		local p
		for p in $(pgrep -P "$1"); do
			[ "$(cat "/proc/$p/comm")" != mortise-worker ] || echo "$p"
			workers "$p"
		done
	}
	[ -n "$(workers "$pid")" ]
	kill -KILL $(workers "$pid")
	wait "$pid"
	cat "$work/out"
	results
	[ "$(results | grep -c 'killed by signal')" -ge 2 ]
	grep -q 'Done.' "$work/out"
}
