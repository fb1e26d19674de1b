#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# earlier.bats - a conversation and a configuration of version 0.1.0, kept in
# tests/fixtures, work in this version: with the checkpoint and without it.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	fixtures=${BATS_TEST_FILENAME%/*}/../fixtures
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	mkdir -m 700 "$work/state" "$work/run" "$work/ws"
	all=$XDG_STATE_HOME/mortise/conversations
	mkdir -p -m 700 "$all"
	cp -r "$fixtures/conversation-1" "$all/old"
	chmod -R u+w "$all/old"
	sed -i "s|/tmp/mortise-fixture/ws|$work/ws|" "$all/old/meta.json"
	printf '[turn]\ntext = unused\n\n[turn]\ntext = unused\n\n[turn]\ntext = unused\n\n[turn]\ntext = unused\n\n[turn]\ntext = unused\n\n[turn]\n[call finish]\nmessage = the third end\n' >"$work/script"
}

continues() {
	run mortise conversations show old --all --json
	[ "$status" -eq 0 ]
	before=${#lines[@]}
	[ "$before" -eq "$(grep -c '^{"id":' "$fixtures/conversation-1/events.jsonl")" ]
	run mortise resume -q old -m "script:$work/script" -t "the third task"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = "the third end" ]
	# the fixture is unchanged
	head -c "$(wc -c <"$fixtures/conversation-1/events.jsonl")" "$all/old/events.jsonl" |
		cmp - "$fixtures/conversation-1/events.jsonl"
	[ "$(jq -r 'select(.id) | .id' "$all/old/events.jsonl" | sort -n | uniq -d | wc -l)" -eq 0 ]
	run -0 find "$all/old" -name 'events.torn-*' -o -name 'events.damaged-*'
	[ -z "$output" ]
}

@test "a conversation of version 0.1.0 continues, with its checkpoint" { continues; }

@test "a conversation of version 0.1.0 continues, without its checkpoint" {
	rm "$all/old/events.index" "$all/old/state.json"
	continues
}

@test "a conversation of version 0.1.0 can be forked and exported" {
	run mortise conversations export old "$work/out.json"
	[ "$status" -eq 0 ]
	[ "$(jq length "$work/out.json")" -gt 10 ]
	run mortise fork old
	echo "$output"; [ "$status" -eq 0 ]
}

@test "a configuration of version 0.1.0 is read" {
	# of this user alone: the sources may have been unpacked with another umask
	install -m 600 "$fixtures/config-1.ini" "$work"
	OPENAI_API_KEY=sk-0123456789 run mortise config check --config "$work/config-1.ini"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a conversation of version 0.1.0 is offered recall, with its own prompt" {
	sed -i 's/^\[call finish\]/expect tool = recall\nexpect system contains = You are Mortise, a software agent. You work on a computer\nexpect last contains = New tools: recall.\nexpect user lacks = changed the configuration\n&/' "$work/script"
	continues
	printf '[turn]\nexpect tool = recall\nexpect last lacks = New tools\n[call finish]\nmessage = the fourth end\n' >>"$work/script"
	run mortise resume -q old -t "the fourth task"
	echo "$output"
	[ "$output" = "the fourth end" ]
}
