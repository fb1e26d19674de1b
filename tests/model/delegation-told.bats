#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# delegation-told.bats - the system text of a subagent: that it works for another agent,
# which part of its output is read, and which agents share its directory.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	cat >"$work/m.ini" <<END
[controller]
tools = think, finish, delegate, delegate_tasks
delegates = one
[controller.one]
llm = one
[llm.one]
model = script:$work/one
END
}

plays() {
	run mortise run -C "$work/ws" --config "$work/m.ini" --model "script:$work/boss" -t go
	echo "$output"
	[ "$status" -eq 0 ]
}

# reads TEXT...: the subagent finds these in its system text.
reads() {
	printf '[turn]\n'
	printf 'expect system contains = You work for another agent\n'
	printf 'expect system contains = reads only your last message\n'
	printf 'expect system %s\n' "$@"
	printf '[call finish]\nmessage = seen\n\n'
}

# task WORKSPACE: the boss starts a child in it.
task() {
	printf '[turn]\nexpect system lacks = You work for another agent\n'
	printf '[call delegate_tasks]\n'
	printf 'tasks = [{"task": "x", "agent": "one", "workspace": "%s"}]\n\n' "$1"
	printf '[turn]\nexpect last contains = seen\n[call finish]\nmessage = done\n'
}

@test "a subagent in the same conversation shares the directory with one that waits" {
	cat >"$work/boss" <<'END'
[turn]
[call delegate]
agent = one
task = x

[turn]
[turn]
expect last contains = seen
expect system lacks = You work for another agent
[call finish]
message = done
END
	{
		printf '[turn]\ntext = not its own\n\n'
		reads 'contains = works in the same directory:' 'lacks = same time'
	} >"$work/one"
	plays
}

@test "a child process: a shared directory, a copy, an empty one" {
	task shared >"$work/boss"
	reads 'contains = the same directory, and so do its other agents' >"$work/one"
	plays
	task copy >"$work/boss"
	reads 'contains = is a copy made for this task' 'lacks = same directory' >"$work/one"
	plays
	task own >"$work/boss"
	reads 'contains = was created empty' 'lacks = same directory' >"$work/one"
	plays
}
