#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# delegation-background.bats - tasks in the background: the call returns immediately, and
# a message contains the results, whatever the agent does in the meantime.
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	all=$work/state/mortise/conversations
	cat >"$work/m.ini" <<END
[controller]
tools = bash, think, finish, delegate_tasks
delegates = one
[controller.one]
tools = bash, think, finish
llm = one
[llm.one]
model = script:$work/one
END
	run_it=(mortise run -C "$work/ws" --config "$work/m.ini" --title boss
		--model "script:$work/boss" -t go)
	# the child waits for the file
	cat >"$work/one" <<'END'
[turn]
[call execute_bash]
command = touch up; until [ -e go ]; do sleep 0.05; done

[turn]
[call finish]
message = the report
END
}

teardown() {
	touch "$work/ws/go"
	for pid in $(mortise ps --json | jq -r .pid); do
		kill -9 "$pid" || true
	done
}

boss_log() {
	for dir in "$all"/*; do
		[ "$(jq -r '.parent // "-"' "$dir/meta.json")" != - ] \
			|| echo "$dir/events.jsonl"
	done
}

starts() {
	printf '[turn]\n[call delegate_tasks]\n'
	printf 'tasks = [{"task": "look", "agent": "one"}]\nbackground := true\n\n'
}

@test "the agent works on, and a message brings the result" {
	{
		starts
		printf '[turn]\nexpect last contains = now in the background\n'
		printf '[call execute_bash]\ncommand = until [ -e up ]; do sleep 0.05; done; touch go\n\n'
		# it finishes; the message wakes it, before or after that
		printf '[turn]\n[call finish]\nmessage = early\n\n'
		printf '[turn]\nexpect user contains = ran in the background ended\n'
		printf 'expect user contains = the report\n'
		printf '[call finish]\nmessage = all done\n'
	} >"$work/boss"
	run "${run_it[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"the report"* ]]
	[ "$(jq -c 'select(.action == "message" and .source == "environment")' \
		"$(boss_log)" | wc -l)" -eq 1 ]
}

@test "a run that finishes first waits for them" {
	touch "$work/ws/go"
	{
		starts
		printf '[turn]\n[call finish]\nmessage = early\n\n'
		printf '[turn]\nexpect user contains = the report\n'
		printf '[call finish]\nmessage = all done\n'
	} >"$work/boss"
	run "${run_it[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"all done"* ]]
}

@test "killed and resumed: the model reads that they ended unfinished" {
	{
		starts
		printf '[turn]\n[call finish]\nmessage = early\n\n'
		printf '[turn]\nexpect user contains = ended unfinished\n'
		printf '[call finish]\nmessage = all done\n'
	} >"$work/boss"
	"${run_it[@]}" >"$work/out" 2>&1 &
	pid=$!
	until_true test -e "$work/ws/up"
	until_true grep -q early "$(boss_log)"
	kill -9 $pid
	wait $pid || true
	run mortise resume
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"all done"* ]]
}
