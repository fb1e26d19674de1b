#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# fork.bats - conversations that start as a copy of another; undo and rewind.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cat >"$work/script" <<'EOF'
[turn]
usage = input 1000, output 10, cost 0.5
[call execute_bash]
command = echo one; yes xxxxxxxxxxxx | nl | head -n 1200

[turn]
[call execute_bash]
command = echo two
[call execute_bash]
command = echo three >>three

[turn]
[call finish]
message = First.

[turn]
[call finish]
message = Second.
EOF
	run_it=(mortise run -C "$work/ws" --model "script:$work/script")
}

dir_of() { echo "$work/state/mortise/conversations/$1"; }

event() { # event ID-OF-CONVERSATION PATTERN: id of the first event like it
	grep '^{"id":' "$(dir_of "$1")/events.jsonl" | grep -- "$2" | head -n 1 |
		jq .id
}

first() {
	"${run_it[@]}" -q -t "go" >&2
	old=$(ls "$work/state/mortise/conversations")
}

@test "a fork at the end waits, with its own cost" {
	first
	run mortise fork -q --title other
	[ "$status" -eq 0 ]
	new=$output
	[ "$new" != "$old" ]
	[ "$(jq -r .forked_from.conversation "$(dir_of "$new")/meta.json")" = "$old" ]
	[ "$(jq -r .title "$(dir_of "$new")/meta.json")" = other ]
	run mortise resume "$new" -t "once more"
	[ "$status" -eq 0 ]
	[[ "$output" == *"Second."* ]]
	[[ "$output" == *"finished (1 step"* ]]
	[[ "$output" != *'$0.5'* ]]
	run mortise resume "$old"
	[[ "$output" != *"once more"* ]]
}

@test "a fork at an event: calls that follow are not made again" {
	first
	[ "$(wc -l <"$work/ws/three")" -eq 1 ]
	at=$(event "$old" '"command":"echo three')
	new=$(mortise fork -q "$old" --at "$at")
	[ -z "$(event "$new" '"command":"echo three')" ]
	[ -n "$(event "$new" '"command":"echo two')" ]
	run mortise resume "$new" -t "and now"
	[ "$status" -eq 0 ]
	[ "$(wc -l <"$work/ws/three")" -eq 1 ]
	[[ "$output" == *"First."* ]]
	[ "$(event "$new" '"action":"message".*and now')" -gt 0 ]
}

@test "long texts come along" {
	first
	new=$(mortise fork -q)
	ls "$(dir_of "$new")"/blobs/* >/dev/null
	rm -r "$(dir_of "$old")"
	mortise conversations export "$new" "$work/out.json"
	grep -q xxxxxxxxxx "$work/out.json"
	run -1 grep -q "are missing" "$work/out.json"
}

@test "a fork that fails: one message, nothing left" {
	first
	run mortise fork --at 99
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown event 99"* ]]
	run mortise fork --at -3
	[ "$status" -eq 2 ]
	run mortise fork unknown
	[ "$status" -eq 2 ]
	[ "$(ls "$work/state/mortise/conversations" | wc -l)" -eq 1 ]
}

@test "undo: back to before the last message, with its text" {
	run python3 "$top_srcdir/tests/controller/talk.py" message:"the first" \
		wait:finished message:"the second" wait:finished undo \
		fail:rewind:999 stop -- "${run_it[@]}" --json --keep
	[ "$status" -eq 0 ]
	[[ "$output" == *'"ok":true,"text":"the second"'* ]]
	[[ "$output" == *'{"type":"rewind","to":'* ]]
	old=$(ls "$work/state/mortise/conversations")
	mortise conversations export "$old" "$work/out.json"
	grep -q "the first" "$work/out.json"
	run -1 grep -q "the second" "$work/out.json"
	printf '\n[turn]\nexpect last contains = the third\n[call finish]\nmessage = Third.\n' \
		>>"$work/script"
	run mortise resume -t "the third"
	[ "$status" -eq 0 ]
	[[ "$output" == *"Third."* ]]
}

@test "all undone: the first message is the first again" {
	printf '[turn]\n[call finish]\nmessage = A.\n\n[turn]\nexpect user contains = RUNTIME_INFORMATION\nexpect user contains = again\n[call finish]\nmessage = B.\n' \
		>"$work/script"
	run python3 "$top_srcdir/tests/controller/talk.py" message:go wait:finished \
		undo message:again wait:finished stop -- "${run_it[@]}" --json --keep
	[ "$status" -eq 0 ]
	[[ "$output" == *'B.'* ]]
}

@test "killed right after a rewind was written: reverted actions do not run" {
	first
	# the record, without the change of state that follows it
	at=$(event "$old" '"observation":"run".*two')
	printf '{"record":"rewind","to":%d}\n' "$at" >>"$(dir_of "$old")/events.jsonl"
	run mortise resume -t "and now"
	[ "$status" -eq 0 ]
	[[ "$output" == *"Second."* ]]
	[ "$(wc -l <"$work/ws/three")" -eq 1 ]
}
