#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mortise ps, attach, kill: clients of an open conversation.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	export MORTISE_SANDBOX_WRITE=$BATS_TEST_TMPDIR # commands wait for files there
	cd "$BATS_TEST_TMPDIR"
	export XDG_RUNTIME_DIR="$BATS_TEST_TMPDIR/run" XDG_STATE_HOME="$BATS_TEST_TMPDIR/state"
	mkdir -m 700 run
	mkdir ws
	cat > script <<-END
		[turn]
		text = I wait.
		[call execute_bash]
		command = echo begun; while [ ! -e $PWD/go ]; do sleep 0.02; done; echo over

		[turn]
		text = Done.
		[call finish]
		message = all good

		[turn]
		text = Heard.
		[call finish]
		message = second end
	END
}

teardown() {
	touch go
	[ -z "$owner" ] || { kill -9 "$owner" || true; } 2> /dev/null
}

# start FLAG...: a conversation that waits in its first command. Sets owner, id.
start() {
	mortise run -m script:script -t "wait for me" -C ws --title "a title" "$@" > out 2>&1 3>&- &
	owner=$!
	until_true grep -q "^\$ echo begun" out
	id=$(mortise ps --json | jq -r .conversation)
}

@test "ps: nothing is open" {
	run mortise ps
	[ "$status" -eq 0 ]
	[ "$output" = "No conversation is running." ]
	run mortise ps --json
	[ "$status" -eq 0 ]
	[ "$output" = "" ]
	run mortise attach
	[ "$status" -eq 1 ]
	[ "$output" = "mortise: no conversation is running" ]
	run mortise kill x
	[ "$status" -eq 2 ]
	[ "$output" = "mortise: unknown conversation \`x\`; \`mortise conversations\` lists them" ]
}

@test "ps: open conversations, as text and as JSON" {
	start
	run mortise ps
	[ "$status" -eq 0 ]
	[[ "${lines[0]}" =~ ^ID\ +STATE\ +PID\ +STEPS\ +WORKSPACE ]]
	[[ "${lines[1]}" =~ ^$id\ +running\ +$owner\ +1\ +$PWD/ws\ \ a\ title$ ]]
	[ "$(mortise ps --json | jq -r '[.state, .pid, .steps, .title, .busy] | @csv')" = \
		"\"running\",$owner,1,\"a title\",true" ]
}

@test "ps: the files of a killed process are removed" {
	start
	[ -S "run/mortise/$id.sock" ]
	kill -9 "$owner"
	wait "$owner" || true
	[ -S "run/mortise/$id.sock" ]
	run mortise ps
	[ "$output" = "No conversation is running." ]
	[ ! -e "run/mortise/$id.sock" ]
	touch go
	run mortise resume -q "$id"
	[ "$status" -eq 0 ]
}

@test "attach: past and new events, the end and its exit code" {
	start
	mortise attach "${id:0:12}" < /dev/null > seen 2>&1 3>&- &
	attached=$!
	until_true grep -q '^\[running\]' seen
	grep -q '^> wait for me' seen
	grep -q '^I wait.' seen
	touch go
	wait "$attached"
	grep -q '^  over' seen
	grep -q '^all good' seen
	wait "$owner"
}

@test "attach: lines are messages, words with a slash are commands" {
	start --keep -o controller.confirmation=never
	mkfifo keys
	mortise attach < keys > seen 2>&1 3>&- &
	attached=$!
	exec 7> keys
	touch go
	until_true grep -q '^\[finished\]' seen
	echo "one more thing" >&7
	until_true grep -q 'second end' seen
	grep -q '^> one more thing' seen
	echo /pause >&7
	until_true grep -q 'cannot pause' seen
	echo /stop >&7
	exec 7>&-
	wait "$attached" || true
	until_true grep -q 'stopped' seen
	code=0; wait "$owner" || code=$?
	[ "$(mortise ps --json)" = "" ]
}

@test "attach: Ctrl-C detaches and says how to reattach" {
	start
	mortise attach < /dev/null > seen 2> said 3>&- &
	attached=$!
	until_true grep -q '^\[running\]' seen
	kill -INT "$attached"
	wait "$attached"
	grep -q "run \`mortise attach $id\` to return" said
	[ "$(mortise ps --json | jq -r .state)" = running ]
}

@test "attach: on a terminal" {
	start
	command -v script > /dev/null || skip "no script(1)"
	mkfifo keys
	script -qec "mortise attach --last 1000" /dev/null < keys > seen 2>&1 3>&- &
	attached=$!
	exec 7> keys
	until_true grep -q '/help lists' seen
	echo "/help" >&7
	until_true grep -q 'is a message to the agent' seen
	printf '\003' >&7
	wait "$attached"
	exec 7>&-
	grep -q "mortise attach $id" seen
	[ "$(mortise ps --json | jq -r .state)" = running ]
}

@test "attach: only the last events" {
	start
	mortise attach -n 1 < /dev/null > seen 2>&1 3>&- &
	until_true grep -q '^\[running\]' seen
	run -1 grep -q 'wait for me' seen
	grep -q '^\$ echo begun' seen
	run mortise attach -n x
	[ "$status" -eq 2 ]
	run mortise attach a b
	[ "$status" -eq 2 ]
	touch go
	wait
}

@test "attach --json: lines in both directions" {
	start --keep -o controller.confirmation=never
	touch go
	until_true grep -q 'all good' out
	mkfifo keys
	mortise attach --json < keys > seen 2>&1 3>&- &
	attached=$!
	exec 7> keys
	echo '{"type":"status","id":"mine"}' >&7
	until_true grep -q '"id":"mine"' seen
	[ "$(grep -c '"type":"result"' seen)" = 1 ]
	[ "$(jq -r 'select(.action == "finish") | .args.final_thought' seen)" = "all good" ]
	echo '{"type":"stop"}' >&7
	wait "$attached" || true
	[ "$(tail -n 1 seen | jq -r .type)" = end ]
	exec 7>&-
	code=0; wait "$owner" || code=$?
}

@test "attach: the owner dies" {
	start
	mortise attach < /dev/null > seen 2>&1 3>&- &
	attached=$!
	until_true grep -q '^\[running\]' seen
	kill -9 "$owner"
	code=0
	wait "$attached" || code=$?
	[ "$code" = 1 ]
	grep -q "exited unexpectedly; run \`mortise resume $id\` to continue" seen
}

@test "kill: stops the conversation, leaves no process, and its log is complete" {
	start
	run mortise kill "${id:0:10}"
	[ "$status" -eq 0 ]
	[ "$output" = "$id stopped" ]
	code=0
	wait "$owner" || code=$?
	[ "$code" = 130 ]
	grep -q '^stopped: stopped by the user' out
	[ "$(mortise ps --json)" = "" ]
	touch go
	run mortise resume -q "$id"
	[ "$status" -eq 0 ]
}

@test "kill --pause: the conversation is paused" {
	start
	run mortise kill --pause
	[ "$status" -eq 0 ]
	[ "$output" = "$id paused" ]
	code=0
	wait "$owner" || code=$?
	[ "$code" = 130 ]
	grep -q '^paused: paused by the user' out
}

@test "a signal that pauses a run is named, and how to continue" {
	for signal in TERM HUP; do
		rm -f out
		start
		kill "-$signal" "$owner"
		code=0
		wait "$owner" || code=$?
		[ "$code" = $((128 + $(kill -l "$signal"))) ]
		grep -q "^paused: SIG$signal received (" out
		grep -q "^Run \`mortise resume $id\` to continue" out
	done
}

@test "SIGTERM: the last line of --json names the exit code of the process" {
	mortise run --json -m script:script -t "wait for me" -C ws > out 2>&1 3>&- &
	owner=$!
	until_true grep -q '"action":"run"' out
	kill -TERM "$owner"
	code=0
	wait "$owner" || code=$?
	[ "$code" = 143 ]
	[ "$(tail -n 1 out | jq -c '[.type, .state, .exit_code]')" = '["end","paused",143]' ]
}

@test "kill: a process that does not respond gets signals" {
	start
	kill -STOP "$owner"
	until_true grep -q "^State:.T" "/proc/$owner/status"
	run mortise kill --wait 0
	[ "$status" -eq 0 ]
	[[ "$output" == *"sending SIGTERM"*"sending SIGKILL"*"$id stopped" ]]
	code=0; wait "$owner" || code=$?
	run mortise kill --wait soon
	[ "$status" -eq 2 ]
}

@test "two are open: an id is required, its beginning must be unambiguous" {
	start
	first=$owner
	mortise run -m script:script -t "wait for me" -C ws > out2 2>&1 3>&- &
	until_true grep -q "^\$ echo begun" out2
	run mortise attach < /dev/null
	[ "$status" -eq 2 ]
	[[ "$output" == *"2 conversations are running"* ]]
	run mortise kill 20
	[ "$status" -eq 2 ]
	[[ "$output" == *"2 running conversations match"* ]]
	run mortise kill $(mortise ps --json | jq -r .conversation)
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" = 2 ]
	wait "$first" || true
}

@test "a tool cannot drive the conversation that runs it" {
	cat > script <<-END
		[turn]
		[call execute_bash]
		command = export XDG_RUNTIME_DIR=$XDG_RUNTIME_DIR XDG_STATE_HOME=$XDG_STATE_HOME; mortise kill; mortise attach </dev/null

		[turn]
		expect last contains = a tool cannot drive the conversation that runs it
		[call finish]
		message = as it should be
	END
	# in the sandbox, it cannot reach the socket
	run mortise run -q -m script:script -t go -C ws -o sandbox.mode=off \
		-o controller.confirmation=never
	[ "$status" -eq 0 ]
	[[ "$output" == *"as it should be"* ]]
}

@test "without a directory for the socket it runs, with a notice" {
	chmod 755 run
	mkdir -m 755 run/mortise
	touch go
	run mortise run -m script:script -t go -C ws
	[ "$status" -eq 0 ]
	[[ "$output" == *"clients cannot attach to this conversation"* ]]
}
