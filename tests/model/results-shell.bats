#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# results-shell.bats - results of commands as the model reads them: short notes, the
# failing part of a pipeline, long output cut at line ends, programs that wait for input.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws/sub" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	: >"$work/script"
}

results() {
	cat "$work"/state/mortise/conversations/*/events.jsonl |
		jq -rs '[.[] | select(.tool_call_metadata and .observation)]'
}

# The turns come from standard input; no command reaches a limit, which would be minutes.
play() { # OPTION...
	{ cat; printf '[turn]\n[call finish]\nmessage = Done.\n'; } >"$work/script"
	run timeout 120 mortise run -C "$work/ws" --model "script:$work/script" \
		-o 'controller.tools=bash, finish' -o tool.bash.no_change_timeout=10m \
		-o tool.bash.timeout=20m "$@" -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

@test "a result has the exit code once, if it is not 0, and the directory if it changed" {
	play <<-'END'
	[turn]
	[call execute_bash]
	command = echo first
	[turn]
	expect last contains = first
	expect last lacks = directory
	expect last lacks = exit code
	[call execute_bash]
	command = echo second; (exit 3)
	[turn]
	expect last contains = [exit code 3
	expect last lacks = directory
	expect last lacks = Python
	expect last lacks = completed with
	[call execute_bash]
	command = sleep 1; cd sub
	[turn]
	expect last contains = [no output; took 
	expect last contains = /sub]
	[call finish]
	message = one
	[turn]
	[call execute_bash]
	command = echo third
	[turn]
	expect last contains = third
	expect last contains = [directory: 
	[call finish]
	message = two
	END
	# A new shell starts in the workspace, and the result says so.
	run mortise resume -t go
	echo "$output"
	[ "$status" -eq 0 ]
	# The log has the fields as before.
	[ "$(results | jq -r '.[1].extras.metadata.exit_code')" = 3 ]
	[[ "$(results | jq -r '.[2].extras.metadata.working_dir')" == *"/sub" ]]
}

@test "the exit code is always shown if requested" {
	play -o tool.bash.exit_code=always <<-'END'
	[turn]
	[call execute_bash]
	command = echo x
	[turn]
	expect last contains = [exit code 0
	END
}

@test "the failing part of a pipeline is named" {
	play <<-'END'
	[turn]
	[call execute_bash]
	command = ls missing 2>/dev/null | sort | tail -n 1
	[turn]
	expect last contains = part 1 of 3 of the pipeline (`ls missing 2>/dev/null`) exited with code 2
	END
}

@test "long output is cut at line ends, with the count of omitted lines" {
	play <<-'END'
	[turn]
	[call execute_bash]
	command = seq 21960
	[turn]
	expect last contains = of 21,960 lines omitted; full output: 
	expect last lacks = truncated
	[call execute_bash]
	command = head -c 100000 /dev/zero | tr '\0' a; echo; echo end
	[turn]
	expect last contains = [98,000 of 100,000 characters omitted]
	expect last contains = [Long lines are cut; full output: 
	END
	text=$(grep -rl '21,960 lines omitted' "$work"/state/mortise/conversations/*/blobs)
	path=$(sed -n 's/.*full output: \(.*\)]$/\1/p' "$text")
	[ "$(tr -d '\r' <"$path" | wc -l)" -eq 21960 ]
	# whole lines on both sides
	[ "$(grep -v omitted "$text" | grep -vcE '^[0-9]+$')" -eq 0 ]
	[ "$(wc -m <"$text")" -lt 29000 ]
}

@test "a program that waits for input returns at once; a block closes" {
	play <<-'END'
	[turn]
	[call execute_bash]
	command = python3 -q
	[turn]
	expect last contains = [The program waits for terminal input, after 
	[call execute_bash]
	command <<X
	for i in range(3):
	    print("item", i)

	X
	is_input := true
	[turn]
	expect last contains = item 2
	expect last contains = waits for terminal input
	[call execute_bash]
	command <<X
	for i in range(3):
	    print("indented", i)
	X
	is_input := true
	[turn]
	expect last contains = indented 2
	[call execute_bash]
	command = exit(4)
	is_input := true
	[turn]
	expect last contains = [no output; exit code 4
	END
}

@test "result_style = v0 gives the texts of OpenHands" {
	play -o tool.bash.result_style=v0 <<-'END'
	[turn]
	[call execute_bash]
	command = echo x; false
	[turn]
	expect last contains = [The command completed with exit code 1.]
	expect last contains = [Current working directory: 
	expect last contains = [Python interpreter: 
	expect last contains = [Command finished with exit code 1]
	expect last lacks = took
	END
}
