#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# hostile.bats - malformed replies and files.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws"
	export XDG_STATE_HOME=$work/state
	run_it=(mortise run -C "$work/ws" --model "script:$work/script")
}

conversation() { echo "$work"/state/mortise/conversations/*; }

# mutate FILE PATH JSON: set one value of a JSON file
mutate() {
	python3 - "$@" <<'EOF'
import json, sys
file, path, value = sys.argv[1:]
whole = json.load(open(file))
inner = whole
*keys, last = path.split(".")
for key in keys:
    inner = inner[key]
inner[last] = json.loads(value)
json.dump(whole, open(file, "w"))
EOF
}

@test "a repeated response id does not hide the results" {
	cat >"$work/script" <<'EOF'
[turn]
id = same
[call execute_bash]
@id = call
command = echo first

[turn]
id = same
expect last contains = first
[call execute_bash]
@id = call
command = echo second

[turn]
id = same
expect any contains = first
expect last contains = second
[call finish]
message = saw both
EOF
	run "${run_it[@]}" -q -t hi
	[ "$status" -eq 0 ]
	[ "$output" = "saw both" ]
	[ "$(grep -c '"response_id":"same"' "$(conversation)/events.jsonl")" -eq 1 ]
}

@test "calls after finish are not made, not even after resume" {
	cat >"$work/script" <<'EOF'
[turn]
[call finish]
message = over
[call execute_bash]
command = touch late

[turn]
expect last contains = one more thing
[call finish]
message = now it is
EOF
	run "${run_it[@]}" -q -t hi
	[ "$status" -eq 0 ]
	[ "$output" = over ]
	run mortise resume -q -t "one more thing"
	[ "$status" -eq 0 ]
	[ "$output" = "now it is" ]
	[ ! -e "$work/ws/late" ]
}

@test "a reply without text and calls is not sent back" {
	cat >"$work/script" <<'EOF'
[turn]
reasoning = hm

[turn]
expect messages = 4
[call finish]
message = done
EOF
	run "${run_it[@]}" -q -t hi
	[ "$status" -eq 0 ]
	[ "$output" = done ]
}

@test "8-bit control characters and bidirectional overrides do not reach the terminal" {
	printf '[turn]\ntext = a\xc2\x9b2Jb\xe2\x80\xaec\n[call finish]\nmessage = d\xc2\x9b2Je\n' \
		>"$work/script"
	run "${run_it[@]}" -t hi
	[ "$status" -eq 0 ]
	[[ "$output" == *a2Jbc* && "$output" == *d2Je* ]]
	run mortise conversations show "$(basename "$(conversation)")"
	[[ "$output" != *$'\xc2\x9b'* && "$output" != *$'\xe2\x80\xae'* ]]
}

@test "meta.json with invalid settings" {
	printf '[turn]\n[call finish]\nmessage = done\n' >"$work/script"
	"${run_it[@]}" -q -t hi
	for value in '"x"' 5 '{}' 'null' '[null]' '[5, {}]'; do
		mutate "$(conversation)/meta.json" spec.settings "$value"
		run mortise resume -q -m "script:$work/script" -t more
		[ "$status" -le 3 ]
	done
}

@test "an event without its fields is shown, exported and resumed" {
	cat >"$work/script" <<'EOF'
[turn]
[call execute_bash]
command = echo x

[turn]
[call finish]
message = done
EOF
	"${run_it[@]}" -q -t hi
	log=$(conversation)/events.jsonl
	cp "$log" "$work/log"
	for member in args extras; do
		python3 - "$work/log" "$log" "$member" <<'EOF'
import json, sys
for line in open(sys.argv[1]):
    event = json.loads(line)
    if sys.argv[3] in event and event.get("id"):
        event[sys.argv[3]] = None
    print(json.dumps(event), file=open(sys.argv[2] + ".new", "a"))
EOF
		mv "$log.new" "$log"
		rm -f "$(conversation)"/state.json "$(conversation)"/events.index
		for command in "conversations show" "conversations export"; do
			run mortise $command last
			[ "$status" -eq 0 ]
		done
		run mortise resume -q -t more
		[ "$status" -le 3 ]
	done
}

@test "no space for a conversation: it is reported, and nothing is left" {
	printf '[turn]\n[call finish]\nmessage = done\n' >"$work/script"
	mortise plugins >/dev/null # the cache needs room too
	run bash -c 'ulimit -f 1; "$@"' - "${run_it[@]}" -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == *"File too large"* ]]
	[ -z "$(ls "$work/state/mortise/conversations")" ]
}

@test "the log cannot grow: the conversation fails, and continues when there is space" {
	{
		for n in 1 2 3 4 5 6; do
			printf '[turn]\n[call execute_bash]\ncommand = seq %s 500\n' "$n"
		done
		printf '[turn]\n[call finish]\nmessage = done\n'
	} >"$work/script"
	mortise plugins >/dev/null
	run bash -c 'ulimit -f 16; exec "$@"' - "${run_it[@]}" -t hi
	[ "$status" -eq 1 ]
	[[ "$output" == *"events.jsonl: File too large"* ]]
	run mortise resume -q
	[ "$status" -eq 0 ]
	[ "$output" = done ]
}

@test "closed descriptors, or very few: an error message, no crash" {
	[ -z "$SANITIZE" ] || skip "the sanitizer itself needs descriptors"
	printf '[turn]\n[call finish]\nmessage = done\n' >"$work/script"
	run bash -c '"$@" <&- >&- 2>&-' - "${run_it[@]}" -q -t hi
	[ "$status" -le 8 ]
	run bash -c '"$@" >&-' - "${run_it[@]}" -q -t hi
	[ "$status" -eq 1 ]
	[[ "$output" == *"standard output was closed"* ]]
	run -1 grep -q '^done' "$work"/state/mortise/conversations/*/events.jsonl
	for form in "" --json; do
		run bash -c '"$@" >/dev/full' - "${run_it[@]}" $form -t hi
		[ "$status" -eq 1 ]
		[[ "$output" == *"standard output was closed"* ]]
	done
	run bash -c 'mortise conversations >/dev/full'
	[ "$status" -eq 1 ]
	[ "$output" = "mortise: cannot write to standard output" ]
	for n in 5 7 8 10 12; do
		run bash -c 'exec 3>&-; ulimit -n '$n'; exec "$@"' - "${run_it[@]}" -q -t hi
		[ "$status" -le 8 ]
	done
}

@test "a state directory that cannot be created: nothing is listed, nothing can start" {
	printf '[turn]\n[call finish]\nmessage = done\n' >"$work/script"
	: >"$work/file"
	XDG_STATE_HOME=$work/file run mortise conversations
	[ "$status" -le 1 ]
	if [ "$(id -u)" = 0 ]; then # root may write everywhere except here
		nowhere=/proc/fs
	else
		nowhere=$work/nowhere
		mkdir -m 500 "$nowhere"
	fi
	XDG_STATE_HOME=$nowhere run mortise conversations
	[ "$status" -eq 0 ]
	[[ "$output" == *"No conversations yet"* ]]
	XDG_STATE_HOME=$nowhere run "${run_it[@]}" -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == *"cannot create"* ]]
}
