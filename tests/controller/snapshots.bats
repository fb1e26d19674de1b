#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# snapshots.bats - snapshots of the workspace, and restoring them.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	export MORTISE_CONTROLLER_CONFIRMATION=never # the commands delete files
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws/a/b" "$work/ws/build" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cd "$work/ws"
	echo one >a/one
	echo two >a/b/two
	echo o >build/o
	echo build/ >.gitignore
	chmod 640 a/one
	touch -d '2001-02-03 04:05:06.789' a/one a/b
	cat >"$work/script" <<'EOF'
[turn]
[call execute_bash]
command = rm -rf a; echo new >new; echo more >>build/o

[turn]
[call execute_bash]
command = mkdir a; echo second >a/one

[turn]
[call finish]
message = First.

[turn]
[call finish]
message = Second.
EOF
	run_it=(mortise run -C "$work/ws" --model "script:$work/script")
}

# The complete state of the workspace, without what is ignored
state() {
	find "$work/ws" ! -path '*/build*' -printf '%p %y %m %T@ %l\n' | sort
	find "$work/ws" -type f ! -path '*/build/*' -exec sha256sum {} + | sort -k 2
}

first() {
	state >"$work/before"
	"${run_it[@]}" -q -t "go" >&2
	id=$(ls "$work/state/mortise/conversations")
	dir=$work/state/mortise/conversations/$id
}

# command JSON: what the conversation answers to it
command() {
	python3 "$top_srcdir/tests/controller/talk.py" "$@" stop -- \
		mortise resume "$id" --json --keep
}

event() { # event PATTERN: id of the first event like it
	grep '^{"id":' "$dir/events.jsonl" | grep -m1 -- "$1" | jq .id
}

@test "a snapshot is taken before each call that may write" {
	first
	[ "$(cut -d' ' -f3 "$dir/snapshots/index" | tr '\n' ' ')" = "start step step rest " ]
	[ "$(grep -c '"record":"snapshot"' "$dir/events.jsonl")" -eq 2 ]
	[ "$(sed -n 2p "$dir/snapshots/index" | cut -d' ' -f2)" = "$(event 'rm -rf')" ]
}

@test "undo restores what the shell removed" {
	first
	echo mine >>a/one
	run command undo
	state | diff "$work/before" -
	[ "$(cat build/o)" = "$(printf 'o\nmore')" ]
	[[ "$output" == *"Restored 3 files: +a/b/two, ~a/one, -new."* ]]
	[[ "$output" == *"Changed after the agent's last call, and included: ~a/one."* ]]
	[[ "$output" == *"Not covered because they are ignored: build."* ]]
	[[ "$output" == *"mortise apply $id --step "* ]]
}

@test "undo keeps the files on request" {
	first
	run command '{"type":"undo","files":false}'
	[ "$(cat a/one)" = second ]
	[[ "$output" == *'"text":"go"'* ]]
	[[ "$output" != *"Restored"* ]]
}

@test "rewind restores the files of its event" {
	first
	run command "rewind:$(event 'echo second')"
	[[ "$output" == *"Restored 1 file: -a/one."* ]]
	[ -f new ]
	[ ! -e a ]
}

@test "no snapshots are taken if they are disabled" {
	"${run_it[@]}" -q -t "go" -o workspace.snapshots=no >&2
	[ ! -e "$work"/state/mortise/conversations/*/snapshots ]
}

@test "without snapshots the work continues, and the reason is shown" {
	run "${run_it[@]}" -t "go" -o workspace.snapshot_files=2
	[ "$status" -eq 0 ]
	[[ "$output" == *"more than snapshot_files = 2 files"* ]]
	[ -f new ]
}

@test "a snapshot does not contain the conversations" {
	mkdir -m 700 inside
	XDG_STATE_HOME=$work/ws/inside "${run_it[@]}" -q -t go >&2
	[ -e inside/mortise/conversations/*/snapshots/index ]
	run -1 grep -rl events.jsonl inside/mortise/conversations/*/snapshots/objects
}

@test "discard brings back every byte, mode and time" {
	first
	state >"$work/after"
	run mortise discard "$id" --dry-run
	[ "$status" -eq 0 ]
	[[ "$output" == *"To restore 3 files: "* ]]
	state | diff "$work/after" -
	run mortise discard "$id"
	[ "$status" -eq 0 ]
	[[ "$output" == *"Restored 3 files: "* ]]
	state | diff "$work/before" -
	[ "$(cat build/o)" = "$(printf 'o\nmore')" ]
	run mortise discard "$id"
	[ "$status" -eq 0 ]
	[[ "$output" == *"No file differs."* ]]
	# and the discard is discarded
	last=$(grep -c '^{"id":' "$dir/events.jsonl")
	run mortise apply "$id" --step $((last - 1)) --json
	[ "$(jq .restored <<<"$output")" = true ]
	state | grep -v ' d ' >"$work/again"
	grep -v ' d ' "$work/after" | diff - "$work/again"
}

@test "apply gives exactly the state of a step" {
	first
	state >"$work/after"
	run mortise apply "$id" --step "$(event 'rm -rf')"
	[ "$status" -eq 0 ]
	[ -f new ]
	[ ! -e a ]
	run mortise apply "$id" --step "$(event 'echo second')"
	[ "$status" -eq 0 ]
	state | diff "$work/after" -
	run mortise apply "$id"
	[ "$status" -eq 2 ]
	run mortise apply "$id" --step 999
	[ "$status" -eq 1 ]
	[[ "$output" == *"no snapshot was taken after event 999"* ]]
}

@test "the next message notifies the model of restored files" {
	first
	mortise discard "$id"
	run mortise resume "$id" -q -t "and now"
	[ "$status" -eq 0 ]
	[ "$(grep -c 'The user restored 3 files to an earlier state: +a/b/two' "$dir/events.jsonl")" -eq 2 ]
	[ "$(event 'The user restored 3 files')" -gt "$(event 'and now')" ]
}

@test "diff shows what has changed" {
	first
	run mortise diff "$id"
	[ "$status" -eq 0 ]
	[ "$output" = "--- a/a/b/two
+++ /dev/null
@@ -1 +0,0 @@
-two
mode 0640 -> 0644 a/one
--- a/a/one
+++ b/a/one
@@ -1 +1 @@
-one
+second
--- /dev/null
+++ b/new
@@ -0,0 +1 @@
+new" ]
	run mortise diff "$id" --stat
	[ "${lines[0]}" = " a/b/two | +0 -1 removed" ]
	[ "${lines[3]}" = "3 files, +2 -2" ]
	run mortise diff "$id" --step "$(event 'rm -rf')" --json
	[ "$(jq -r '.path + " " + .change' <<<"$output")" = "a/one added" ]
	printf 'x\0y' >a/one
	run mortise diff "$id" --step "$(event 'rm -rf')"
	[ "$output" = "Files /dev/null and b/a/one differ" ]
}

@test "an open conversation is not restored from outside" {
	first
	mkfifo "$work/fifo"
	exec 7<>"$work/fifo"
	mortise resume "$id" --json --keep <"$work/fifo" >"$work/out" 7>&- &
	until_true grep -q hello "$work/out"
	run mortise discard "$id"
	[ "$status" -eq 1 ]
	[[ "$output" == *"$id"* ]]
	[ -f new ]
	run mortise diff "$id" --stat
	[ "$status" -eq 0 ]
	echo '{"type":"stop"}' >&7
	wait
}

@test "a fork says that it cannot restore what the original changed" {
	first
	printf '\n[turn]\n[call execute_bash]\ncommand = echo fork >f\n\n[turn]\n[call finish]\nmessage = Third.\n' \
		>>"$work/script"
	id=$(mortise fork -q)
	mortise resume "$id" -q -t more
	mortise resume "$id" -q -t again
	[ -e f ]
	run command undo:3
	[[ "$output" == *"The oldest snapshot is that before event "*", so changes before it stay."* ]]
	[ ! -e f ]
	[ -e new ]
}

@test "bisect finds the step that broke a test" {
	{
		for n in 1 2 3 4 5 6 7 8; do
			printf '[turn]\n[call execute_bash]\ncommand = echo %s >>log; test %s != 6 || rm a/one\n\n' $n $n
		done
		printf '[turn]\n[call finish]\nmessage = done\n'
	} >"$work/script"
	first
	state >"$work/after"
	run mortise bisect "$id" --test 'echo run >&2; test -e a/one' --json
	[ "$status" -eq 0 ]
	[ "$(tail -n 1 <<<"$output" | jq .event)" -eq "$(event 'echo 6')" ]
	[ "$(grep -c '^run' <<<"$output")" -le 5 ]
	state | diff "$work/after" -
	run mortise bisect "$id" --test 'test -e a/b/two'
	[ "$status" -eq 1 ]
	[[ "$output" == *"the test succeeds in the present state"* ]]
	run mortise bisect "$id" --test false
	[[ "$output" == *"the test fails before the first step"* ]]
	state | diff "$work/after" -
}

@test "lines of the index that were lost are found in the log" {
	sed -i 's/^command = mkdir a.*/command = rm new; mkdir a/; s/^command = rm -rf a.*/command = true/' "$work/script"
	echo 1 >new
	first
	[ ! -e new ]
	# the lines that are not synced, because they name the state of the line before
	[ "$(cut -d' ' -f5 "$dir/snapshots/index" | uniq -c | sed -n 1p | tr -s ' ' | cut -d' ' -f2)" -eq 3 ]
	sed -i 2,3d "$dir/snapshots/index"
	run command "rewind:$(($(event '"command":"rm new') - 1))"
	[[ "$output" == *"Restored 1 file: +new."* ]]
	[ -e new ]
}
