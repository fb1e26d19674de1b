#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# jobs-end.bats - the end of a background job is announced in the next request, once.
bats_require_minimum_version 1.5.0

setup() {
	export MORTISE_SANDBOX_MODE=off MORTISE_CONTROLLER_CONFIRMATION=never # one writes notices
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

tools='bash, background_job, think, finish'
# steer STEP...: see steer.py; messages N FILTER: of the messages of the n-th request
steer() {
	cd "$work"
	run python3 "$top_srcdir/tests/model/steer.py" replies "$@" -- \
		mortise "${command[@]}" --json --keep-alive -C ws --model openai/gpt-4.1 \
		-o controller.confirmation=never -o "controller.tools=$tools"
	echo "$output"
	[ "$status" -eq 0 ]
}
messages() { jq -sr ".[$1 - 1].messages | $2" requests; }
exited=$BATS_TEST_TMPDIR/state/mortise/conversations/'*'/tools/bash/job-1.exit

@test "the end of a job is announced in the next request, whichever tool was called" {
	cat >"$work/replies" <<-EOR
	[{"calls": [["background_job", {"do": "start", "command": "until [ -e go ]; do sleep 0.05; done; echo x; exit 3"}]]},
	 {"hold": true, "calls": [["think", {"thought": "Hm."}]]},
	 {"calls": [["think", {"thought": "More."}]]},
	 {"calls": [["finish", {"message": "Done."}]]}]
	EOR
	command=(run)
	steer message:go requests:2 touch:ws/go glob:"$exited" release wait:finished prefix stop
	[[ "$(messages 3 '.[-1].content')" == "[Job 1 (\`until [ -e go ]; do sleep 0.05; done; echo x; exit 3\`) exited with code 3; its output is in "*"/job-1.log]" ]]
	[ "$(messages 3 '.[-1].role')" = user ]
	[ "$(messages 4 '[.[] | select(.content | tostring | contains("exited with code 3"))] | length')" = 1 ]
	[ "$(cat "$(messages 3 '.[-1].content' | sed 's/.*output is in //; s/]$//')")" = x ]
}

@test "an end that was recorded is announced when the conversation is resumed" {
	cat >"$work/replies" <<-EOR
	[{"calls": [["background_job", {"do": "start", "command": "until [ -e go ]; do sleep 0.05; done; exit 3"}]]},
	 {"hold": true, "calls": [["think", {"thought": "Hm."}]]},
	 {"calls": [["background_job", {"do": "start", "command": "sleep 1000"}]]},
	 {"calls": [["finish", {"message": "Done."}]]}]
	EOR
	command=(run)
	steer message:go requests:2 touch:ws/go glob:"$exited" kill
	command=(resume)
	steer message:on wait:finished stop
	[ "$(messages 3 '[.[] | select(.content | tostring | contains("exited with code 3"))] | length')" = 1 ]
	[[ "$(messages 4 '.[-1].content')" == "Started job 2 "* ]]
}

@test "the end of a job during a delegation is announced to the agent that waits" {
	printf '[controller]\ndelegates = one\n[controller.one]\ntools = think, finish\n' >"$work/m.ini"
	cat >"$work/replies" <<-EOR
	[{"calls": [["background_job", {"do": "start", "command": "until [ -e go ]; do sleep 0.05; done; exit 3"}]]},
	 {"calls": [["delegate", {"agent": "one", "task": "x"}]]},
	 {"hold": true, "calls": [["think", {"thought": "Hm."}]]},
	 {"calls": [["finish", {"message": "Reported."}]]},
	 {"calls": [["think", {"thought": "More."}]]},
	 {"calls": [["finish", {"message": "Done."}]]}]
	EOR
	command=(run --config m.ini)
	tools='bash, background_job, think, finish, delegate'
	steer message:go requests:3 touch:ws/go glob:"$exited" release requests:6 wait:finished stop
	[ "$(messages 4 '[.[] | select(.content | tostring | contains("exited with code 3"))] | length')" = 0 ]
	[[ "$(messages 5 '.[-1].content')" == "[Job 1 "*" exited with code 3; its output is in "* ]]
	[ "$(messages 6 '[.[] | select(.content | tostring | contains("exited with code 3"))] | length')" = 1 ]
}

@test "an end reported in a result of a subagent is announced to the agent that waits" {
	printf '[controller]\ndelegates = one\n[controller.one]\ntools = bash, background_job, finish\n' >"$work/m.ini"
	cat >"$work/replies" <<-EOR
	[{"calls": [["background_job", {"do": "start", "command": "until [ -e go ]; do sleep 0.05; done; exit 3"}]]},
	 {"calls": [["delegate", {"agent": "one", "task": "x"}]]},
	 {"calls": [["execute_bash", {"command": "touch go; until [ -s \"\$(find $work/state -name job-1.exit)\" ]; do sleep 0.05; done", "timeout": 60}],
		    ["finish", {"message": "Reported."}]]},
	 {"calls": [["think", {"thought": "More."}]]},
	 {"calls": [["finish", {"message": "Done."}]]}]
	EOR
	command=(run --config m.ini)
	tools='bash, background_job, think, finish, delegate'
	steer message:go requests:5 wait:finished stop
	[[ "$(messages 4 '.[-1].content')" == "[Job 1 "*" exited with code 3; its output is in "* ]]
	[ "$(messages 5 '[.[] | select(.content | tostring | contains("exited with code 3"))] | length')" = 1 ]
	grep -F '[Job 1 ' "$work"/state/mortise/conversations/*/events.jsonl | grep -c '"observation":"run"'
}

# without_rights COMMAND...: root, too, respects the mode of a directory.
without_rights() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --bounding-set=-dac_override --inh-caps=-dac_override "$@"
	else
		"$@"
	fi
}

@test "a notice that cannot be removed is announced once, and a flood in parts" {
	without_rights true || skip "setpriv cannot drop rights"
	{
		cat <<-END
		[turn]
		[call execute_bash]
		command = cd $work/state/mortise/conversations/* && mkdir -p tools/fixed tools/flood && cd tools && echo '[said]' >fixed/x.notice && chmod 555 fixed
		[turn]
		expect last contains = [said]
		[call execute_bash]
		command = for i in \$(seq 20); do echo "[part \$i]" >flood/\$i.notice; done
		END
		printf '[turn]\n[call execute_bash]\ncommand = true\n%.0s' 1 2
		printf '[turn]\n[call finish]\nmessage = Done.\n'
	} >"$work/script"
	run without_rights timeout 120 mortise run -C "$work/ws" --model "script:$work/script" \
		-o 'controller.tools=bash, finish' -t go
	printf '%s\n' "$output"
	chmod 755 "$work"/state/mortise/conversations/*/tools/fixed
	[ "$status" -eq 0 ]
	cat "$work"/state/mortise/conversations/*/events.jsonl >"$work/events"
	[ "$(grep -c '"message":"\[said\]"' "$work/events")" = 1 ]
	[ "$(grep -c '"message":"\[part ' "$work/events")" = 20 ]
	# At most 16 between two calls.
	[ "$(jq -r 'if .action == "run" then "call" else .message // "" end' "$work/events" |
		awk '/^call$/ { n = 0 } /^\[part / && ++n > most { most = n } END { print most }')" = 16 ]
}
