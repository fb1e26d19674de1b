#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# replay.bats - recordings that are replayed: their actions, or a model's replies.

setup() {
	export MORTISE_CONTROLLER_ON_ASK=stop
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/tmp"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state TMPDIR=$work/tmp
	cat >"$work/script" <<'EOF'
[turn]
reasoning = Let me see.
text = I look around.
usage = input 1000, output 10, cost 0.5
[call execute_bash]
command = cat number; echo "n=$((1 + 1))"
[call think]
thought = Hm.

[turn]
[call str_replace_editor]
command = create
path = @/made.txt
file_text <<END
made
twice
END
[call execute_bash]
command = cat made.txt; false

[turn]
[call finish]
message = All is well.
EOF
	sed -i "s|@|$work/ws|" "$work/script"
	echo 7 >"$work/ws/number"
}

record() {
	mortise run -C "$work/ws" -m "script:$work/script" -t "look around" "$@"
	mortise conversations export last "$work/recording.json"
	old=$(ls "$work/state/mortise/conversations")
}

reset() {
	rm -rf "$work/ws"
	mkdir "$work/ws"
	echo "${1:-7}" >"$work/ws/number"
}

# The actions of a conversation, without timestamps.
actions() {
	jq -c '[.[] | select(.action) | del(.id, .timestamp, .llm_metrics,
		.tool_call_metadata.model_response)]' "$1"
}

@test "the same actions in the same order, the same results: 0" {
	record
	reset
	run mortise replay -C "$work/ws" "$work/recording.json"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"replay: 5 actions; 4 results identical, 0 different"* ]]
	[ "$(cat "$work/ws/made.txt")" = "$(printf 'made\ntwice\n')" ]
	mortise conversations export last "$work/again.json"
	[ "$(actions "$work/recording.json")" = "$(actions "$work/again.json")" ]
}

@test "differences are reported, with exit code 1" {
	record
	reset 8
	run mortise replay -q -C "$work/ws" "$work/recording.json"
	[ "$status" -eq 1 ]
	[[ "$output" == *"different output"* ]]
	[[ "$output" == *'then: 7\nn=2'* ]]
	[[ "$output" == *'now : 8\nn=2'* ]]
	[[ "$output" == *"3 results identical, 1 different"* ]]
	reset
	sed -i 's/cat made.txt; false/cat made.txt/' "$work/recording.json"
	run mortise replay -q -C "$work/ws" "$work/recording.json"
	[ "$status" -eq 1 ]
	[[ "$output" == *"different exit code"* ]]
}

@test "replay of a conversation by its id; nothing is charged" {
	record
	reset
	run mortise replay -C "$work/ws" "$old"
	[ "$status" -eq 0 ]
	[[ "$output" == *"4 results identical, 0 different"* ]]
	[[ "$output" != *'$0.5'* ]]
	[[ "$output" == *"All is well."* ]]
}

@test "--until: the model continues from there, and sees the replayed events" {
	record
	reset
	cat >"$work/other" <<'EOF'
[turn]

[turn]
expect any contains = n=2
[call execute_bash]
command = echo other

[turn]
expect last contains = other
[call finish]
message = Another end.
EOF
	at=$(jq '[.[] | select(.observation == "think")][0].id' "$work/recording.json")
	run mortise replay -C "$work/ws" "$work/recording.json" --until "$at" \
		-m "script:$work/other"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"Another end."* ]]
	[[ "$output" == *"replay: 2 actions; 2 results identical, 0 different; 3 actions not replayed"* ]]
	[ ! -e "$work/ws/made.txt" ]
}

@test "the end of an incomplete recording is reported" {
	record
	reset
	jq '[.[] | select(.action != "finish")]' "$work/recording.json" >"$work/short.json"
	run mortise replay -C "$work/ws" "$work/short.json"
	[ "$status" -eq 0 ]
	[[ "$output" == *"the recording ended"* ]]
}

@test "a file that is not a recording is refused with a sentence" {
	echo '[{"action":"run","args":{"command":"ls"}}]' >"$work/bad.json"
	run mortise replay -C "$work/ws" "$work/bad.json"
	[ "$status" -eq 2 ]
	[[ "$output" == *"does not start with a user message"* ]]
	run mortise replay "$work/none.json"
	[ "$status" -eq 2 ]
	[[ "$output" == *"no such file or conversation"* ]]
	record -q
	run mortise replay --until 999 "$work/recording.json"
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown event 999"* ]]
	[ -z "$(ls -d "${TMPDIR:-/tmp}"/mortise-replay-* 2>/dev/null)" ]
}

# The log without timestamps.
timeless() {
	sed -E 's/,"crc":"[0-9a-f]+"//; s/"timestamp":"[^"]*"//; s/"latency_ms":[0-9]+/"latency_ms":0/; s/"pid":-?[0-9]+/"pid":0/g
		s/"created":"[^"]*"//; s/"worked":[-0-9.e]+/"worked":0/' "$1"
}

@test "recorded replies: the same events and replies, byte for byte" {
	record --record "$work/replies"
	reset
	mortise run -C "$work/ws" -m "script:$work/replies" -t "look around"
	new=$(ls "$work/state/mortise/conversations" | grep -v "$old")
	cd "$work/state/mortise/conversations"
	timeless "$old/events.jsonl" >"$work/a"
	timeless "$new/events.jsonl" >"$work/b"
	sed -i "s|$work/script|@|g" "$work/a"
	sed -i "s|$work/replies|@|g" "$work/b"
	diff "$work/a" "$work/b"
	[ "$(wc -l <"$work/a")" -gt 15 ]
}

# delegating: a recording in which another agent works, one that fails, and the first
delegating() {
	printf '%s\n' '[controller]' 'tools = bash, finish, delegate' 'delegates = w, e' \
		'[controller.w]' 'tools = bash, finish' 'llm = w' \
		'[llm.w]' "model = script:$work/w" \
		'[controller.e]' 'tools = finish' 'llm = e' \
		'[llm.e]' "model = script:$work/e" >"$work/d.ini"
	printf '%s\n' '[turn]' '[turn]' '[call execute_bash]' 'command = touch theirs' \
		'[turn]' '[call finish]' 'message = the work is done' >"$work/w"
	printf '%s\n' '[turn]' '[turn]' '[turn]' '[turn]' '[turn]' 'error = bad_request: no luck' \
		>"$work/e"
	printf '%s\n' '[turn]' '[call delegate]' 'agent = w' 'task = touch it' '[turn]' \
		'[turn]' '[turn]' '[call delegate]' 'agent = e' 'task = fail' \
		'[turn]' '[call execute_bash]' 'command = ls theirs' \
		'[turn]' '[call finish]' 'message = All is well.' >"$work/boss"
	mkdir -p "$work/ws"
	mortise run -q -C "$work/ws" --config "$work/d.ini" -m "script:$work/boss" -t go
	mortise conversations export last "$work/delegated.json"
	rm "$work/ws/theirs"
}

@test "delegates run again, and end as recorded" {
	delegating
	grep -q 'no luck' "$work/delegated.json"
	run mortise replay -C "$work/ws" --config "$work/d.ini" "$work/delegated.json"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c 'TASK: ' <<<"$output")" -eq 2 ]
	[[ "$output" == *"replay: 6 actions; 4 results identical, 0 different"* ]]
	mortise conversations export last "$work/again.json"
	[ "$(actions "$work/delegated.json")" = "$(actions "$work/again.json")" ]
}

@test "delegates that are not wired: their actions run, their end does not end all" {
	delegating
	run mortise replay -C "$work/ws" "$work/delegated.json"
	echo "$output"
	[ "$status" -eq 1 ]
	[ -e "$work/ws/theirs" ]
	[[ "$output" == *"All is well."* ]]
	[[ "$output" == *"2 different"* ]]
}

@test "approved, changed and rejected actions of a recording are assessed again" {
	printf '[turn]\n[call execute_bash]\ncommand = echo %s >>ran\n\n' a b c >"$work/script"
	printf '[turn]\n[call finish]\nmessage = All is well.\n' >>"$work/script"
	: >"$work/out"
	asked() {
		for ((i = 0; i < 1000; i++)); do
			[ "$(jq -r 'select(.type == "state" and .waits).waits.hash' "$work/out" \
				2>/dev/null | uniq | wc -l)" -lt "$1" ] || return 0
			sleep 0.02
		done
	}
	yes() { printf '{"type":"confirm","hash":"%s"%s}\n' \
		"$(jq -r 'select(.waits).waits.hash' "$work/out" | tail -n 1)" "$1"; }
	{
		asked 1; yes
		asked 2; echo '{"type":"reject","reason":"not b"}'
		asked 3; yes ',"arguments":{"command":"echo mine >>ran"}'
	} | record --json -o controller.confirmation=always >"$work/out"
	[ "$(cat "$work/ws/ran")" = $'a\nmine' ]
	reset
	run mortise replay -C "$work/ws" "$work/recording.json"
	echo "$output"
	[ "$(cat "$work/ws/ran")" = $'a\nmine' ]
	# old approvals do not apply: actions that are denied now do not run
	printf '[analyzer.policy]\nrule.a = deny command=echo*mine*\n' >"$work/m.ini"
	reset
	run mortise replay -C "$work/ws" --config "$work/m.ini" "$work/recording.json"
	[ "$(cat "$work/ws/ran")" = a ]
	grep -h '"confirms"' "$work"/state/mortise/conversations/*/events.jsonl |
		jq -se 'length == 3'
}

@test "write actions of V0 are executed" {
	ws=$work/ws
	printf 'one\ntwo\nthree\n' >"$ws/old"
	cat >"$work/r.json" <<END
[{"id":0,"source":"user","action":"message","args":{"content":"go"}},
 {"id":1,"source":"agent","action":"write","args":{"path":"$ws/new","content":"a\nb"}},
 {"id":2,"cause":1,"source":"agent","observation":"write","content":"","extras":{"path":"$ws/new"}},
 {"id":3,"source":"agent","action":"write","args":{"path":"$ws/old","content":"TWO","start":1,"end":2}},
 {"id":4,"cause":3,"source":"agent","observation":"write","content":"","extras":{"path":"$ws/old"}},
 {"id":5,"source":"agent","action":"write","args":{"path":"$ws/new","content":"c"}},
 {"id":6,"cause":5,"source":"agent","observation":"write","content":"","extras":{"path":"$ws/new"}},
 {"id":7,"source":"agent","action":"finish","args":{}}]
END
	run mortise replay -C "$ws" "$work/r.json"
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
	[ "$(cat "$ws/new")" = c ]
	[ "$(paste -sd, "$ws/old")" = one,TWO,three ]
}

@test "a write action that fails has an error as its result" {
	ws=$work/ws
	mkdir "$ws/is a directory"
	cat >"$work/r.json" <<END
[{"id":0,"source":"user","action":"message","args":{"content":"go"}},
 {"id":1,"source":"agent","action":"write","args":{"path":"$ws/is a directory","content":"a"}},
 {"id":2,"cause":1,"source":"agent","observation":"error","content":"no","extras":{}},
 {"id":3,"source":"agent","action":"finish","args":{}}]
END
	run mortise replay -C "$ws" "$work/r.json"
	printf '%s\n' "$output"
	log=$(cat "$work"/state/mortise/conversations/*/events.jsonl)
	[ "$(grep -c '"observation":"error".*is a directory' <<<"$log")" -eq 1 ]
	[[ "$log" != *'"observation":"write"'* ]]
}

@test "a relative path of V0's read, write and edit is in the shell's directory" {
	ws=$work/ws
	mkdir "$ws/sub"
	printf 'top\n' >"$ws/there"
	printf 'below\n' >"$ws/sub/there"
	cat >"$work/r.json" <<END
[{"id":0,"source":"user","action":"message","args":{"content":"go"}},
 {"id":1,"source":"agent","action":"write","args":{"path":"new","content":"a"}},
 {"id":2,"cause":1,"source":"agent","observation":"write","content":"","extras":{"path":"new"}},
 {"id":3,"source":"agent","action":"run","args":{"command":"cd sub"}},
 {"id":4,"cause":3,"source":"agent","observation":"run","content":"","extras":{"command":"cd sub","metadata":{"exit_code":0}}},
 {"id":5,"source":"agent","action":"write","args":{"path":"./new","content":"b"}},
 {"id":6,"cause":5,"source":"agent","observation":"write","content":"","extras":{"path":"./new"}},
 {"id":7,"source":"agent","action":"read","args":{"path":"there"}},
 {"id":8,"cause":7,"source":"agent","observation":"read","content":"below","extras":{"path":"there"}},
 {"id":9,"source":"agent","action":"read","args":{"path":"there","impl_source":"oh_aci"}},
 {"id":10,"cause":9,"source":"agent","observation":"error","content":"no","extras":{}},
 {"id":11,"source":"agent","action":"finish","args":{}}]
END
	run mortise replay -C "$ws" "$work/r.json"
	printf '%s\n' "$output"
	[ "$(cat "$ws/new")" = a ]
	[ "$(cat "$ws/sub/new")" = b ]
	log=$(cat "$work"/state/mortise/conversations/*/events.jsonl)
	jq -se --arg ws "$ws" 'map(select(.action == "read" or .action == "write") | .args.path) ==
		[$ws + "/new", $ws + "/sub/new", $ws + "/sub/there", "there"]' <<<"$log"
	grep -q '"observation":"read".*below' <<<"$log"
	grep -q '"observation":"read".*should be an absolute path' <<<"$log"
}
