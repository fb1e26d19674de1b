#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# limits.bats - [limits] against floods by real commands, with control groups where this
# machine has them and without. Every flood is bounded: it ends by itself, with at most
# 512 processes, 400 MiB of memory or 600 MiB of disk.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	case $SANITIZE in *address*) skip "sanitizers use memory of their own" ;; esac
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
}

# play COMMAND OPTION...: the agent runs it, then `echo still here`
play() {
	printf '[turn]\n[call execute_bash]\ncommand = %s\n\n[turn]\n[call execute_bash]\ncommand = echo still here\n\n[turn]\n[call finish]\nmessage = ok\n' "$1" >"$work/script"
	run -0 mortise run -C "$work/ws" --model "script:$work/script" "${@:2}" -t go
}

# seen LINE: what the model reads of the first call
seen() {
	jq -r 'select(.observation == "run" or .observation == "error") | .content' \
		"$work"/state/mortise/conversations/*/events.jsonl | grep -qF "$1"
}

# no_groups: no control group of these conversations is left
no_groups() {
	local id
	for id in "$work"/state/mortise/conversations/*; do
		[ "$(find /sys/fs/cgroup -type d -name "$(basename "$id")" 2>/dev/null | wc -l)" -eq 0 ] || return 1
	done
}

raise="Only the user can raise the limit."
bomb='f() { [ $1 -gt 0 ] && { f $(($1-1)) & f $(($1-1)) & }; sleep 20; }; f 8; wait'

memory_flood() {
	play "python3 -c 'x = bytearray(400 << 20)'; echo status \$?" -o limits.memory=100M "$@"
	[[ "$output" == *"! 1 process was killed for lack of memory"* ]]
	[[ "$output" == *": the tools of this conversation may use 100 MiB together, the limit \`memory\`. $raise"* ]]
	seen "status 137"
	seen "[1 process was killed for lack of memory"
	seen "still here"
	no_groups
}

@test "memory: the largest process is killed, the shell stays" { memory_flood; }

@test "memory, without control groups" { memory_flood -o limits.cgroups=no; }

@test "memory: a single call reports it too" {
	run mortise tools call execute_bash "{\"command\":\"python3 -c 'x = bytearray(400 << 20)'\"}" -o limits.memory=100M
	[ "$status" -eq 1 ]
	[[ "$output" == *"mortise: 1 process was killed for lack of memory"* ]]
}

fork_bomb() {
	play "$bomb" -o limits.processes=64 "$@"
	[[ "$output" == *"! The call was ended: the tools reached the limit \`processes\` of 64 processes and threads (most: "* ]]
	seen "The call was ended: the tools reached the limit \`processes\` of 64"
	seen "still here"
	run ! pgrep -f '^sleep 20$'
	no_groups
}

@test "processes: a fork bomb ends with its call" { fork_bomb; }

@test "processes: a fork bomb, without control groups" { fork_bomb -o limits.cgroups=no; }

disk_flood() {
	play 'dd if=/dev/zero of=big bs=1M count=600' -o limits.disk_written=10M "$@"
	[[ "$output" == *"! The call was ended: its processes wrote "*" to disk, and the limit \`disk_written\` is 10 MiB (most: dd). $raise"* ]]
	seen "The call was ended: its processes wrote "
	seen "still here"
	[ "$(stat -c %s "$work/ws/big")" -lt 600000000 ]
}

@test "disk_written: a file that grows too large" {
	[ "$(stat -f -c %T "$work")" != tmpfs ] || skip "the directory is in memory"
	disk_flood
}

@test "disk_written, without control groups" {
	[ "$(stat -f -c %T "$work")" != tmpfs ] || skip "the directory is in memory"
	disk_flood -o limits.cgroups=no
}

cpu_time() {
	play 'timeout 60 sh -c "while :; do :; done"' -o limits.cpu_time=500ms "$@"
	[[ "$output" == *"! The call was ended: its processes used "*" of CPU time, and the limit \`cpu_time\` is 0.5 s (most: sh). $raise"* ]]
	seen "The call was ended: its processes used "
	seen "still here"
}

@test "cpu_time: a loop" { cpu_time; }

@test "cpu_time, without control groups" { cpu_time -o limits.cgroups=no; }

@test "cpu_time: many short processes count" {
	play 'for i in $(seq 2000); do sh -c "i=0; while [ \$i -lt 3000 ]; do i=\$((i+1)); done"; done' \
		-o limits.cpu_time=500ms -o limits.cgroups=no
	seen "the limit \`cpu_time\` is 0.5 s"
}

# The job starts when the call has ended, and ends by itself.
@test "a busy background job is killed between calls, and the next result says so" {
	cat >"$work/script" <<-'END'
		[turn]
		[call execute_bash]
		command = (timeout 30 sh -c 'while :; do :; done'; touch "after $?") >/dev/null 2>&1 & echo started

		[turn]
		delay = 6s
		[call execute_bash]
		command = echo still here

		[turn]
		[call finish]
		message = ok
	END
	run -0 mortise run -C "$work/ws" --model "script:$work/script" -o limits.cpu_time=400ms -t go
	seen "[The background processes of the tools were killed: they used "
	seen "still here"
	[ ! -e "$work/ws/after 124" ]
	[ ! -e "$work/ws/after 0" ]
	[[ "$output" == *"! The background processes of the tools were killed: they used "* ]]
}

@test "output: the call ends, and its beginning is kept" {
	play "head -c 300M /dev/zero | tr '\\0' y" -o limits.output=1M
	[[ "$output" == *"! The call was ended: its output is larger than 1 MiB, the limit \`output\`. $raise"* ]]
	seen "The call was ended: its output is larger than 1 MiB"
	seen "still here"
}

@test "open_files: also the hard limit" {
	play 'ulimit -Hn' -o limits.open_files=300
	seen 300
}

@test "0 disables a limit" {
	play 'dd if=/dev/zero of=big bs=1M count=100; echo status $?' -o limits.disk_written=0 -o limits.memory=0 \
		-o limits.processes=0 -o limits.cpu_time=0 -o limits.wall_time=0 -o limits.output=0 -o limits.open_files=0
	seen "status 0"
}

@test "the defaults do not meet ordinary work" {
	play 'for i in $(seq 200); do sleep 0.1 & done; wait; head -c 50M /dev/zero >f; echo status $?'
	seen "status 0"
	[[ "$output" != *"limit"* ]]
}

@test "the group of a subagent is in that of its conversation" {
	cat >"$work/m.ini" <<-END
		[controller]
		tools = bash, finish, delegate_tasks
		delegates = child
		[controller.child]
		llm = child
		[llm.child]
		model = script:$work/child
	END
	cat >"$work/script" <<-'END'
		[turn]
		[call execute_bash]
		command = for i in $(seq 100); do grep -q /tools /proc/self/cgroup && break; sleep 0.05; done; cat /proc/self/cgroup >parent

		[turn]
		[call delegate_tasks]
		tasks = [{"task":"work","agent":"child","workspace":"shared"}]

		[turn]
		[call finish]
		message = ok
	END
	printf '[turn]\n[call execute_bash]\ncommand = for i in $(seq 100); do grep -q /tools /proc/self/cgroup && break; sleep 0.05; done; cat /proc/self/cgroup >child\n\n[turn]\n[call finish]\nmessage = ok\n' >"$work/child"
	run -0 mortise run -C "$work/ws" --config "$work/m.ini" --model "script:$work/script" -t go
	parent=$(sed -n 's,.*/\(mortise/.*\)/tools$,\1,p' "$work/ws/parent" | head -n 1)
	[[ "$parent" == mortise/* ]] || skip "no control groups"
	grep -qE "/$parent/[^/]+/tools\$" "$work/ws/child"
	no_groups
}

@test "kill -9 of host, supervisor or guardian: the group is removed" {
	for victim in host mortise-guard supervisor; do
		rm -f "$work/ws/pid"
		printf '[turn]\n[call execute_bash]\ncommand = echo $$ >pid; sleep 100\n' >"$work/script"
		mortise run -C "$work/ws" --model "script:$work/script" -t go >/dev/null 2>&1 3>&- &
		host=$!
		until_true test -s "$work/ws/pid"
		guard=$(pgrep -P "$host" | head -n 1)
		case $victim in
		host) kill -9 "$host" ;;
		mortise-guard) kill -9 "$guard" ;;
		supervisor) kill -9 "$(pgrep -P "$guard" | head -n 1)" ;;
		esac
		for _ in {1..200}; do
			if [ ! -e "/proc/$(cat "$work/ws/pid")" ] && [ ! -e "/proc/$guard" ] && no_groups; then break; fi
			sleep 0.05
		done
		[ ! -e "/proc/$(cat "$work/ws/pid")" ]
		kill -9 "$host" 2>/dev/null || true
		wait "$host" || true
		no_groups
	done
}

@test "kill -9 of host, guardian and supervisor at once: the next start ends the rest" {
	printf '[turn]\n[call execute_bash]\ncommand = for i in $(seq 100); do grep -q /tools /proc/self/cgroup && break; sleep 0.05; done; cat /proc/self/cgroup >group; echo $$ >pid; sleep 100\n' >"$work/script"
	mortise run -C "$work/ws" --model "script:$work/script" -t go >/dev/null 2>&1 3>&- &
	host=$!
	until_true test -s "$work/ws/pid"
	shell=$(cat "$work/ws/pid")
	guard=$(pgrep -P "$host" | head -n 1)
	kill -9 "$host" "$guard" "$(pgrep -P "$guard" | head -n 1)"
	wait "$host" || true
	if ! grep -q /tools "$work/ws/group"; then
		kill -9 "$shell" || true
		skip "no control groups"
	fi
	play "until [ ! -e /proc/$shell ]; do sleep 0.05; done"
	[ ! -e "/proc/$shell" ]
	no_groups
}
