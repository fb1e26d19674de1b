#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# jobs-end.bats - the end of a background job is announced with the next result of the
# shell, once.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
}

play() {
	{ cat; printf '[turn]\n[call finish]\nmessage = Done.\n'; } >"$work/script"
	run timeout 120 mortise run -C "$work/ws" --model "script:$work/script" \
		-o 'controller.tools=bash, background_job, finish' "$@" -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

# The shell waits until the job has left its exit code.
ended="touch go; until [ -s \"\$(find $BATS_TEST_TMPDIR/state -name job-1.exit)\" ]; do sleep 0.05; done"

@test "the end of a job is announced once, with its exit code and output" {
	play <<-END
	[turn]
	[call background_job]
	do = start
	command = until [ -e go ]; do sleep 0.05; done; exit 3
	[turn]
	[call execute_bash]
	command = $ended
	[turn]
	expect last contains = [Job 1 (\`until [ -e go ]; do sleep 0.05; done; exit 3\`) exited with code 3; its output is in 
	[call execute_bash]
	command = echo more
	[turn]
	expect last contains = more
	expect last lacks = Job 1
	END
}

@test "a job whose end was read is not announced again" {
	play <<-END
	[turn]
	[call background_job]
	do = start
	command = until [ -e go ]; do sleep 0.05; done
	[turn]
	[call execute_bash]
	command = touch go
	[turn]
	[call background_job]
	do = wait
	id := 1
	[turn]
	expect last contains = Job 1 exited with code 0
	expect last lacks = its output is in
	[call execute_bash]
	command = echo more
	[turn]
	expect last lacks = Job 1
	END
}
