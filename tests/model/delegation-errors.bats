#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# delegation-errors.bats - for both tools, the error for an unknown agent lists the agents
# that exist, or says that none exists.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	cat >"$work/m.ini" <<'END'
[controller]
tools = think, finish, delegate, delegate_tasks
[controller.one]
tools = think, finish
[controller.two]
tools = think, finish
END
}

# asks CALL EXPECTED...: the model makes the call and then finds each text in its result.
asks() {
	{
		printf '[turn]\n%s\n\n[turn]\n' "$1"
		shift
		printf 'expect last contains = %s\n' "$@"
		printf '[call finish]\nmessage = done\n'
	} >"$work/script"
}

play() {
	run mortise run -C "$work/ws" --config "$work/m.ini" \
		--model "script:$work/script" -t go "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

task='[call delegate]
agent = three
task = do it'
tasks='[call delegate_tasks]
tasks = [{"task": "do it", "agent": "three"}]'

@test "an unknown agent: the error lists those that exist" {
	asks "$task" 'Unknown agent `three`. Available agents: one, two.'
	play -o controller.delegates=one,two
	asks "$tasks" 'Unknown agent `three`. Available agents: one, two.'
	play -o controller.delegates=one,two
}

@test "no agents: the error says so and names an alternative" {
	asks "$task" 'No agents are available; do the task yourself'
	play -o controller.delegates=
	asks "$tasks" 'No agents are available' 'a copy of you does the task'
	play -o controller.delegates=
}
