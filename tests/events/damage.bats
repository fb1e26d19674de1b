#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# damage.bats - a damaged line of a log costs its record only, with the index
# present, damaged or deleted alike; the user and the model get a notice.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	python3 "${BATS_TEST_FILENAME%/*}/model.py" "$work" 3>&- &
	model=$!
	for ((i = 0; i < 400; i++)); do
		[ ! -s "$work/port" ] || break
		sleep 0.05
	done
	export OPENAI_API_KEY=sk-of-a-test
	mortise run -q -C "$work/ws" --model openai/gpt-4.1 -t "the first task" \
		-o "llm.base_url=http://127.0.0.1:$(cat "$work/port")/v1" >/dev/null
	dir=$(echo "$work"/state/mortise/conversations/*)
	id=$(basename "$dir")
	last=$(jq -s 'map(select(.id)) | last.id' "$dir/events.jsonl")
}

teardown() { kill "$model"; }

# Damage the line of event $1: a letter of its text becomes another one.
hurt() {
	python3 - "$dir/events.jsonl" "$1" <<'END'
import json, sys
lines = open(sys.argv[1], "rb").read().split(b"\n")
n = [i for i, l in enumerate(lines) if l and json.loads(l).get("id") == int(sys.argv[2])][0]
line = bytearray(lines[n])
line[len(line) // 2] ^= 1
lines[n] = bytes(line)
open(sys.argv[1], "wb").write(b"\n".join(lines))
print(n + 1)
END
}

go_on() {
	run mortise resume "$id" -t "the second task" -q
	[ "$status" -eq 0 ]
	tail -n 1 "$work/requests" | grep -q "Event $1 of this conversation is missing"
	tail -n 1 "$work/requests" | grep -q "the second task"
	[ "$(tail -n 1 "$work/requests" | grep -c "$2")" -eq 0 ]
	[ -s "$dir"/events.damaged-* ]
	# later events keep their ids, new events follow them
	new=$(grep -a "the second task" "$dir/events.jsonl" | head -n 1 | sed 's/^{"id":\([0-9]*\).*/\1/')
	[ "$new" -gt "$last" ]
	run mortise conversations show "$id" --json
	[ "$status" -eq 0 ]
}

message() { jq -c 'select(.action == "message" and .source == "user") | .id' "$dir/events.jsonl" | head -n 1; }
thought() { jq -c 'select(.action == "think") | .id' "$dir/events.jsonl" | head -n 1; }

@test "a damaged line, the index exists" {
	n=$(thought)
	line=$(hurt "$n")
	go_on "$n" "a text that is nowhere"
}

@test "a damaged line, the index is damaged" {
	n=$(message)
	line=$(hurt "$n")
	printf x | dd of="$dir/events.index" bs=1 seek=70 conv=notrunc status=none
	go_on "$n" "the first task"
}

@test "a damaged line, the index is deleted: file, line and remedy are named" {
	n=$(message)
	line=$(hurt "$n")
	rm "$dir/events.index"
	run mortise conversations show "$id"
	[[ "$output" == *"events.jsonl, line $line: its checksum does not match"* ]]
	[[ "$output" == *"Event $n is missing"* ]]
	[[ "$output" == *"delete events.index"* ]]
	go_on "$n" "the first task"
}

# The log was cut: $1 is the notice to the user, $2 the text for the model.
check_cut() {
	run mortise resume "$id" -t "the second task" -q
	echo "$output"
	reported=$output
	[ "$status" -eq 0 ]
	[[ "$output" == *"$1"* ]]
	[[ "$output" == *"stop the conversation, "*" and delete events.index"* ]]
	tail -n 1 "$work/requests" | grep -q "$2"
	tail -n 1 "$work/requests" | grep -q "the second task"
	new=$(grep -a "the second task" "$dir/events.jsonl" | head -n 1 | sed 's/^{"id":\([0-9]*\).*/\1/')
	[ "$new" -gt "$last" ]
	run mortise resume "$id" -t "the third task" -q
	[ "$status" -eq 0 ]
	[[ "$output" != *missing* ]]
}

@test "an emptied log is reported, and its ids are not used again" {
	for left in events.index state.json; do
		cp -r "$dir" "$work/copy"
		[ "$left" = state.json ] || rm "$dir/state.json"
		[ "$left" = events.index ] || rm "$dir/events.index"
		: >"$dir/events.jsonl"
		check_cut "events.jsonl is empty. Events 0 to $last are missing." \
			"Events 0 to $last of this conversation are missing"
		rm -r "$dir"
		mv "$work/copy" "$dir"
	done
}

@test "a log without its last lines is reported, and their ids are not used again" {
	n=$(thought)
	line=$(grep -an "^{\"id\":$n," "$dir/events.jsonl" | cut -d: -f1)
	sed -i "$line,\$d" "$dir/events.jsonl"
	check_cut "events.jsonl ends too early. Events $n to $last are missing." \
		"Events $n to $last of this conversation are missing"
}

@test "a line that was removed, with the index: file, line and remedy are named" {
	n=$(thought)
	line=$(grep -an "^{\"id\":$n," "$dir/events.jsonl" | cut -d: -f1)
	sed -i "${line}d" "$dir/events.jsonl"
	rm "$dir/events.index"
	check_cut "events.jsonl, line $line: lines before it were removed. Event $n is missing." \
		"Event $n of this conversation is missing"
}

@test "a line that was replaced by a few bytes is reported as damaged, not as removed" {
	for n in "$(thought)" "$last"; do
		for index in there deleted; do
			cp -r "$dir" "$work/copy"
			line=$(grep -an "^{\"id\":$n," "$dir/events.jsonl" | cut -d: -f1)
			sed -i "${line}s/.*/oops/" "$dir/events.jsonl"
			[ $index = there ] || rm "$dir/events.index"
			check_cut "events.jsonl, line $line: it is not a JSON object." \
				"Event $n of this conversation is missing"
			[[ "$reported" == *"events.jsonl: Event $n is missing."* ]]
			[[ "$reported" != *"lines before it were removed"* ]]
			[[ "$reported" != *"ends too early"* ]]
			rm -r "$dir"
			mv "$work/copy" "$dir"
		done
	done
}

@test "a damaged system event: the request still has its prompt and its tools" {
	n=$(jq -c 'select(.action == "system") | .id' "$dir/events.jsonl")
	line=$(hurt "$n")
	rm "$dir/events.index"
	run mortise resume "$id" -t "the second task" -q
	echo "$output"
	[ "$status" -eq 0 ]
	tail -n 1 "$work/requests" >"$work/request"
	head -n 1 "$work/requests" >"$work/before"
	[ "$(jq -c '[.tools[].function.name]' "$work/request")" = \
		"$(jq -c '[.tools[].function.name]' "$work/before")" ]
	[ "$(jq -r '.messages[0].role' "$work/request")" = system ]
	grep -q "the first task" "$work/request"
}

@test "a damaged reply of the model" {
	python3 - "$dir/events.jsonl" <<'END'
import sys
text = open(sys.argv[1]).read()
at = text.rindex("llm_reply")
open(sys.argv[1], "w").write(text[:at + 3] + "X" + text[at + 4:])
END
	for index in there deleted; do
		[ $index = there ] || rm "$dir/events.index"
		run mortise resume "$id" -t "the second task" -q
		[ "$status" -eq 0 ]
	done
}

@test "the checksum is not shown to clients, and lines without one are read" {
	run mortise conversations show "$id" --json
	[[ "$output" != *'"crc"'* ]]
	[ "$(grep -c '"crc":"[0-9a-f]*"}$' "$dir/events.jsonl")" -eq "$(wc -l <"$dir/events.jsonl")" ]
	sed -i 's/,"crc":"[0-9a-f]*"}$/}/' "$dir/events.jsonl"
	run mortise resume "$id" -t "the second task" -q
	[ "$status" -eq 0 ]
	[[ "$output" != *damaged* ]]
}

@test "a log of a later format is refused with one sentence" {
	sed -i 's/"format":1/"format":2/' "$dir/meta.json"
	for command in "resume $id -q" "conversations show $id" "conversations export $id" \
		"fork $id" "condense compare $id"; do
		run mortise $command
		[ "$status" -ne 0 ]
		[ "${#lines[@]}" -eq 1 ]
		[[ "$output" == *"format 2"*"update mortise"* ]]
	done
	run mortise conversations list
	[ "$status" -eq 0 ]
	[[ "$output" == "$id "*" - events "*"(cannot be read)" ]]
	[ "$(mortise conversations list --json | jq .events)" = null ]
}

@test "a damaged meta.json: the message names commands that keep the events" {
	for damage in '{' '[]' '' '{"title":"x"}' missing; do
		printf '%s' "$damage" >"$dir/meta.json"
		[ "$damage" != missing ] || rm "$dir/meta.json"
		for command in "resume $id -q" "fork $id" "condense compare $id"; do
			run mortise $command
			[ "$status" -ne 0 ]
			[ "${#lines[@]}" -eq 1 ]
			[[ "$output" == *"meta.json"*"\`mortise conversations export $id FILE\`"*"\`mortise conversations import FILE\`"* ]]
		done
		mortise conversations export "$id" "$work/kept.json"
		new=$(mortise conversations import "$work/kept.json" | cut -d ' ' -f 1)
		[ "$(jq .format "$work/state/mortise/conversations/$new/meta.json")" = 1 ]
		run mortise conversations show "$new"
		[[ "$output" == *"the first task"* ]]
	done
}

@test "resume: uses the endpoint of the current configuration" {
	port=$(cat "$work/port")
	mkdir -p "$work/config/mortise"
	export XDG_CONFIG_HOME=$work/config
	printf '[llm]\nbase_url = http://127.0.0.1:%s/moved/v1\n' "$port" >"$work/config/mortise/mortise.ini"
	run mortise resume "$id" -t "the second task" -q
	[ "$status" -eq 0 ]
	[[ "$output" == *"uses the configured endpoint http://127.0.0.1:$port/moved/v1 instead of http://127.0.0.1:$port/v1"* ]]
	tail -n 1 "$work/paths" | grep -q '^/moved/v1/'
	# no notice if the endpoint is unchanged
	rm "$work/config/mortise/mortise.ini"
	run mortise resume "$id" -t "the third task" -q
	[ "$status" -eq 0 ]
	[[ "$output" != *endpoint* ]]
}
