#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# conversations.bats - deletion of conversations, their size, and the conversations of
# another state directory.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws"
	export XDG_STATE_HOME=$work/state
	printf '[turn]\ntext = Done.\n' >"$work/script"
	run_it=(mortise run -C "$work/ws" --model "script:$work/script" -q)
}

one() { "${run_it[@]}" -t "$1" </dev/null >/dev/null; }
ids() { mortise conversations --json | jq -r .id; }

@test "first processes start simultaneously, without state and cache directories" {
	export XDG_CACHE_HOME=$work/cache
	for round in 1 2 3 4 5; do
		rm -rf "$work/state" "$work/cache"
		pids=
		for n in 1 2 3; do
			one "task $n" 3>&- &
			pids="$pids $!"
		done
		for pid in $pids; do
			wait "$pid"
		done
		[ "$(ids | wc -l)" -eq 3 ]
	done
}

@test "delete removes the named conversations, and nothing else" {
	one first
	one second
	first=$(mortise conversations --json | jq -r 'select(.title | startswith("first")).id')
	run mortise conversations delete --dry-run "$first"
	[ "$status" -eq 0 ]
	[[ "$output" == *"1 conversation, "*"would be removed" ]]
	[ "$(ids | wc -l)" -eq 2 ]
	run mortise conversations delete "$first"
	[ "$status" -eq 0 ]
	[ ! -e "$work/state/mortise/conversations/$first" ]
	[ "$(ids | wc -l)" -eq 1 ]
	run mortise conversations delete nothing-of-that-name
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown conversation"* ]]
}

@test "delete finds all names before it deletes" {
	one first
	one second
	run mortise conversations delete last last
	[ "$status" -eq 0 ]
	[[ "$output" == *"1 conversation, "*" removed" ]]
	[ "$(ids | wc -l)" -eq 1 ]
	run mortise conversations delete last nothing-of-that-name
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown conversation"* ]]
	[ "$(ids | wc -l)" -eq 1 ]
}

@test "an empty id does not match a conversation" {
	one first
	for command in "conversations delete" "conversations show" "conversations export" \
		"conversations cost" fork "condense compare" resume kill attach; do
		run mortise $command ""
		[ "$status" -eq 2 ]
		[[ "$output" == *"the conversation id is empty"* ]]
	done
	[ "$(ids | wc -l)" -eq 1 ]
}

@test "an unknown or ambiguous conversation is a usage error of every command" {
	one first
	one second
	for command in "conversations delete" "conversations show" "conversations export" \
		"conversations cost" fork "condense compare" resume kill attach replay \
		"policy approvals"; do
		echo "$command"
		run mortise $command nosuch
		[ "$status" -eq 2 ]
		[[ "$output" == *"conversation"*"nosuch"* ]]
		case $command in kill | attach | replay) continue ;; esac
		run mortise $command 2
		[ "$status" -eq 2 ]
		[[ "$output" == *"2 conversations match"* ]]
	done
	[ "$(ids | wc -l)" -eq 2 ]
	run mortise policy revoke --in nosuch all
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown conversation"* ]]
}

@test "an export that cannot be written names the file and the reason" {
	one first
	for file in /dev/full -; do
		run bash -c 'mortise conversations export last "$1" >/dev/full' - "$file"
		echo "$output"
		[ "$status" -eq 1 ]
		[ "$file" = - ] && file='standard output'
		[ "$output" = "mortise: cannot write $file: No space left on device" ]
	done
	run mortise conversations export last ""
	[ "$status" -eq 1 ]
	[ "$output" = "mortise: the file name is empty" ]
}

@test "an interrupted removal is not listed, and the next one completes it" {
	one first && one second
	root=$work/state/mortise/conversations
	first=$(ids | head -n 1) second=$(ids | tail -n 1)
	mv "$root/$first" "$root/.gone-$first"
	[ "$(ids)" = "$second" ]
	mortise conversations delete "$second"
	[ -z "$(ls -A "$root")" ]
}

@test "prune: by age and by number, but not open conversations" {
	one a
	one b
	one c
	run mortise conversations prune
	[ "$status" -eq 2 ]
	[[ "$output" == *"prune requires --older-than DAYS, --keep N, or both"* ]]
	run mortise conversations prune --keep x
	[ "$status" -eq 2 ]
	run mortise conversations prune --older-than 1
	[ "$status" -eq 0 ]
	[ "$(ids | wc -l)" -eq 3 ]
	touch -d '3 days ago' "$work"/state/mortise/conversations/*/events.jsonl
	mkfifo "$work/fifo"
	mortise resume last --json --keep <"$work/fifo" >"$work/out" 2>&1 3>&- &
	exec 9>"$work/fifo"
	until_true test -s "$work/out"
	touch -d '3 days ago' "$work"/state/mortise/conversations/*/events.jsonl
	run mortise conversations prune --older-than 2 --dry-run
	[ "$status" -eq 0 ]
	[[ "$output" == *"cannot delete"*"open in a process"* ]]
	[[ "$output" == *"2 conversations, "*" would be removed" ]]
	[ "$(ids | wc -l)" -eq 3 ]
	run mortise conversations prune --older-than 2
	[[ "$output" == *"cannot delete"* ]]
	[ "$(ids | wc -l)" -eq 1 ]
	exec 9>&-
	wait $! || true
	run mortise conversations prune --keep 0
	[ "$status" -eq 0 ]
	[ -z "$(ids)" ]
}

@test "ps, kill and attach see the conversations of their state directory only" {
	mkfifo "$work/fifo"
	mortise run -C "$work/ws" -m "script:$work/script" --json --keep <"$work/fifo" \
		>"$work/out" 2>&1 3>&- &
	exec 9>"$work/fifo"
	until_true test -s "$work/out"
	id=$(ids)
	[[ "$(mortise ps --json | jq -r .conversation)" == "$id" ]]
	export XDG_STATE_HOME=$work/other
	run mortise ps --json
	[ "$status" -eq 0 ]
	[[ "$output" != *"$id"* ]]
	run mortise kill "$id"
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: unknown conversation \`$id\`"* ]]
	run mortise attach "$id"
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: unknown conversation \`$id\`"* ]]
	export XDG_STATE_HOME=$work/state
	run mortise kill "$id"
	[ "$status" -eq 0 ]
	exec 9>&-
	wait $! || true
	run mortise kill "${id%?}"
	[ "$status" -eq 1 ]
	[ "$output" = "mortise: conversation \`$id\` is not running; run \`mortise resume $id\` to resume it" ]
}

@test "spooled output is kept up to core.spool_total, the newest longest" {
	for n in 1 2 3 4; do
		printf '[turn]\n[call execute_bash]\ncommand = head -c 600000 /dev/zero | tr "\\\\0" %s\n\n' $n
	done >"$work/script"
	printf '[turn]\ntext = Done.\n' >>"$work/script"
	one spools
	spool=$(echo "$work"/state/mortise/conversations/*/spool)
	[ "$(find "$spool" -type f | wc -l)" -eq 4 ]
	mortise conversations delete last
	run_it+=(-o core.spool_total=1M)
	one spools
	spool=$(echo "$work"/state/mortise/conversations/*/spool)
	[ "$(find "$spool" -type f | wc -l)" -eq 1 ]
	grep -q 4 "$spool"/*
}
