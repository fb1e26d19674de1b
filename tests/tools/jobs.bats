#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# jobs.bats - jobs of the shell in the background: listed, read, waited for, ended.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws/sub" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	: >"$work/script"
}

events() { cat "$work"/state/mortise/conversations/*/events.jsonl; }
at() { events | jq -cs '[.[] | select(.tool_call_metadata and .observation)]' | jq -r ".[$1].content"; }

bash_() { # COMMAND
	printf '[turn]\n[call execute_bash]\ncommand <<END\n%s\nEND\n' "$1" >>"$work/script"
}
job() { # DO [ID [TIMEOUT]]
	printf '[turn]\n[call background_job]\ndo = %s\n' "$1" >>"$work/script"
	[ -z "$2" ] || printf 'id := %s\n' "$2" >>"$work/script"
	[ -z "$3" ] || printf 'timeout := %s\n' "$3" >>"$work/script"
}
start() { # COMMAND
	printf '[turn]\n[call background_job]\ndo = start\ncommand <<END\n%s\nEND\n' "$1" \
		>>"$work/script"
}
play() {
	printf '[turn]\n[call finish]\nmessage = Done.\n' >>"$work/script"
	run mortise run -C "$work/ws" --model "script:$work/script" \
		-o 'controller.tools=bash, background_job, finish' "$@" -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

@test "a job has the environment of the shell; it can be awaited, and has an exit code" {
	bash_ 'cd sub; word=secret-word; say() { echo "say: $word $PWD"; }'
	start 'say; exit 7'
	job wait 1
	bash_ 'echo shell lives: $word'
	job read 1
	play
	[[ "$(at 1)" == "Started job 1 (process "*"job-1.log"* ]]
	[[ "$(at 2)" == "say: secret-word $work/ws/sub"$'\n'"[Job 1 exited with code 7.]" ]]
	[[ "$(at 3)" == *"shell lives: secret-word"* ]]
	[[ "$(at 4)" == "[Job 1 exited with code 7; no output since the last read.]" ]]
	# For analyzers and confirmation, the command of a job is an action like any command.
	events | jq -se 'any(.[]; .action == "run" and (.args.command | contains("exit 7")))' >/dev/null
}

@test "several jobs run in parallel to the shell; each can be read and is listed" {
	mkfifo "$work/ws/a"
	start 'echo begin; read -r line <a; echo "got $line"'
	start 'sleep 1000'
	job list
	job wait 1 0
	bash_ 'echo text >a'
	job wait 1
	job list
	play
	[[ "$(at 2)" == "1: runs for "*" s: echo begin; read -r line <a; echo \"got \$line\"
2: runs for "*" s: sleep 1000" ]]
	[[ "$(at 3)" == *"[Job 1 runs for "* ]]
	[[ "$(at 3)$(at 5)" == *begin*"got text"*"[Job 1 exited with code 0"* ]]
	[[ "$(at 6)" == "1: exited with code 0: "* ]]
}

@test "a job is terminated with its child processes" {
	start "trap '' TERM; sleep 1234567 & echo \$! >pid; wait; wait; sleep 1234567"
	bash_ 'until [ -s pid ]; do sleep 0.05; done; echo there'
	job end 1
	bash_ 'kill -0 $(cat pid) 2>/dev/null && [ "$(ps -o stat= -p $(cat pid) | cut -c1)" != Z ] && echo lives || echo gone'
	job end 1
	play
	[[ "$(at 2)" == *"[Job 1 was killed"* ]]
	[[ "$(at 3)" == *gone* ]]
	[[ "$(at 4)" == *"[Job 1 was killed"* ]]
}

@test "jobs end with the conversation" {
	long="sleep 7654$$"
	start "setsid $long & $long"
	bash_ "until [ \"\$(pgrep -fc '^$long')\" -eq 2 ]; do sleep 0.05; done; echo both run"
	play
	[[ "$(at 1)" == "both run"* ]]
	for n in {1..600}; do
		pgrep -f "^$long" >/dev/null || break
		sleep 0.1
	done
	run -1 pgrep -f "^$long"
}

@test "long output is cut, and complete in the named file" {
	start 'seq 100000; printf "\033[31mred\033[0m\r\n\377"'
	job wait 1
	job list
	play
	[[ "$output" == *"[The output was cut; all of it is in "*"job-1.log]"* ]]
	[ "$(wc -c <"$(find "$work/state" -path '*blobs/*' -type f)")" -lt 40000 ]
}

@test "errors are reported" {
	job read 5
	job read
	start ''
	job wave 1
	bash_ 'cat'
	start 'echo x'
	play -o tool.bash.no_change_timeout=300ms
	[[ "$(at 0)" == *"Unknown job 5; "* ]]
	[[ "$(at 1)" == *'Missing `id`'* ]]
	[[ "$(at 2)" == *'Missing `command`'* ]]
	[[ "$(at 3)" == *"/do: must be one of"* ]]
	[[ "$(at 5)" == *"the shell is running another command"* ]]
}

@test "text that looks like the end of a line is text" {
	start 'echo "it'"'"'s"; } ) # ( { '"'"
	job wait 1
	start $'cat <<\'E\'\n$x ` \\ "\nE'
	job wait 2
	play
	[[ "$(at 1)" == *"[Job 1 exited with code "* ]]
	[[ "$(at 3)" == '$x ` \ "'$'\n'"[Job 2 exited with code 0.]" ]]
}

@test "jobs are available only when enabled" {
	run mortise tools -o controller.tools=bash
	[[ "$output" == *execute_bash* && "$output" != *background_job* ]]
	run mortise tools -o 'controller.tools=bash, background_job'
	[[ "$output" == *execute_bash*bash*background_job*bash* ]]
	[ "$(grep -c execute_bash <<<"$output")" -eq 1 ]
}

@test "repeated waiting for a running job is not a loop; for an ended job it is" {
	mkfifo "$work/ws/a"
	start 'read -r line <a'
	for ((i = 0; i < 12; i++)); do job wait 1 0; done
	bash_ 'echo text >a'
	job wait 1
	play
	[ "$(events | jq -s '[.[] | select(.extras.running)] | length')" -eq 12 ]
	events | jq -se 'any(.[]; .nudge) | not' >/dev/null

	rm -r "$work/state/mortise"
	: >"$work/script"
	start 'true'
	for ((i = 0; i < 4; i++)); do job wait 1; done
	play
	events | jq -se 'any(.[]; .nudge)' >/dev/null
}
