#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# delegation-context.bats - subagents that begin with the context of their parent: the
# first request of the child repeats the parent's, and the parent pays only for what the
# child adds.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	all=$work/state/mortise/conversations
	cd "$work"
	cat >m.ini <<-'EOI'
		[controller]
		tools = bash, think, finish, delegate, delegate_tasks
		delegates = twin, other
		confirmation = never
		[controller.twin]
		description = knows all that you know
		context = fork
		max_iterations = 3
		[controller.other]
		tools = think, finish
	EOI
	options=(--config m.ini)
	task='{"task": "look at b", "context": "fork"}'
}

# replies TASK...: the parent works, delegates these tasks, and finishes. The children see
# that they are children by their last message.
replies() {
	local IFS=,
	cat >replies <<-EOR
		[{"text": "I look.", "calls": [["execute_bash", {"command": "echo seen by the parent"}]]},
		 {"text": "Now the rest.", "calls": [
			["execute_bash", {"command": "echo before the tasks"}],
			["delegate_tasks", {"tasks": [$*]}]]},
		 {"calls": [["finish", {"message": "the report"}]]},
		 {"calls": [["finish", {"message": "All done."}]]}]
	EOR
}

# steer STEP...: the conversation with a user who takes these steps.
steer() {
	run python3 "$top_srcdir/tests/model/steer.py" replies "$@" -- \
		mortise run --json --keep-alive -C ws --model openai/gpt-4.1 "${options[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
}

# request N FILTER
request() { jq -sr ".[$1 - 1] | $2" requests; }

# repeats M N: request N has the prompt, tools and messages of request M.
repeats() {
	python3 - "$1" "$2" <<-'EOP'
		import json, sys
		old, new = (open("body-" + n, "rb").read() for n in sys.argv[1:])
		first, second = json.loads(old), json.loads(new)
		n = len(first["messages"])
		assert second["messages"][:n] == first["messages"], "messages"
		assert second["tools"] == first["tools"], "tools"
		assert second["model"] == first["model"], "model"
		assert len(second["messages"]) > n, "nothing was added"
		last = json.dumps(first["messages"][-1]["content"]).encode()[1:-1]
		end = old.rindex(last) + len(last)
		assert new[:end] == old[:end], "bytes"
	EOP
}

log_of() { # parent, child
	for dir in "$all"/*; do
		[ "$(jq -r 'if .parent then "child" else "parent" end' "$dir/meta.json")" != "$1" ] ||
			echo "$dir/events.jsonl"
	done
}

@test "the child's first request begins with the bytes of the parent's last one" {
	replies "$task"
	steer message:"look at a and b" wait:finished stop
	repeats 2 3
	[[ "$(request 3 '.messages[-1].content')" == *"From here on you are a subagent"*"reads only your last message"*"TASK: look at b" ]]
	[[ "$(request 3 '.messages[-2].content')" == *"before the tasks"* ]]
	repeats 2 4
	[[ "$(request 4 '.messages[-1].content')" == *"finished: look at b"*"the report" ]]
}

@test "an agent whose section says so begins with the context, and keeps its limits" {
	replies '{"task": "look at b", "agent": "twin"}'
	steer message:"look at a and b" wait:finished stop
	repeats 2 3
	[[ "$(request 4 '.messages[-1].content')" == *"agent twin"*"the report" ]]
	child=$(log_of child)
	run jq -r '.spec.settings[]' "${child%events.jsonl}meta.json"
	[[ "$output" == *"controller.max_iterations=3"* ]]
	# `delegate` offers only the other one
	[ "$(request 1 '[.tools[].function | select(.name == "delegate")
		| .parameters.properties.agent.enum[]] | join(" ")')" = other ]
}

@test "the usage of the child does not include the parent's" {
	replies "$task"
	steer message:"look at a and b" wait:finished stop
	[[ "$(request 4 '.messages[-1].content')" == *", 1 step"* ]]
	[ "$(jq -c 'select(.observation == "tool") | .extras.children[0] | [.calls, .input, .output]' \
		"$(log_of parent)")" = "[1,10,2]" ]
	child=$(log_of child)
	[ "$(jq -r .parent "${child%events.jsonl}meta.json")" = \
		"$(basename "$(dirname "$(log_of parent)")")" ]
}

@test "a resumed parent: the child begins with the request of the resumed process" {
	cat >replies <<-EOR
		[{"calls": [["execute_bash", {"command": "echo seen"}]]},
		 {"text": "First.", "hold": true},
		 {"calls": [["delegate_tasks", {"tasks": [$task]}]]},
		 {"calls": [["finish", {"message": "the report"}]]},
		 {"calls": [["finish", {"message": "All done."}]]}]
	EOR
	steer message:go requests:2 kill
	run python3 "$top_srcdir/tests/model/steer.py" replies message:continue wait:finished stop -- \
		mortise resume --json --keep-alive "$(ls "$all")"
	echo "$output"
	[ "$status" -eq 0 ]
	repeats 3 4
	[[ "$(request 4 '.messages[-1].content')" == *"TASK: look at b" ]]
}

@test "a condensed parent: the child begins with the condensed messages" {
	cat >>m.ini <<-'EOI'
		[controller]
		condensers = short
		[condenser.short]
		plugin = amortized
		max_size = 12
		keep_first = 1
	EOI
	cat >replies <<-EOR
		[{"calls": [["execute_bash", {"command": "echo 1"}]]},
		 {"calls": [["execute_bash", {"command": "echo 2"}]]},
		 {"calls": [["execute_bash", {"command": "echo 3"}]]},
		 {"calls": [["execute_bash", {"command": "echo 4"}]]},
		 {"calls": [["execute_bash", {"command": "echo 5"}]]},
		 {"calls": [["delegate_tasks", {"tasks": [$task]}]]},
		 {"calls": [["finish", {"message": "the report"}]]},
		 {"calls": [["finish", {"message": "All done."}]]}]
	EOR
	steer message:go wait:finished stop
	[[ "$(request 6 '[.messages[].content | tostring] | join(" ")')" == *"removed from the context"* ]]
	repeats 6 7
}

@test "children in the background begin with the context too" {
	replies "$task"
	sed -i 's/\(\[{"task": "look at b"[^]]*\]\)/\1, "background": true/;
		s/{"calls": \[\["finish", {"message": "the report"/{"hold": true, "calls": [["finish", {"message": "the report"/' replies
	sed -i 's/"All done."}]]}]/"All done."}]]},\n{"calls": [["finish", {"message": "Read."}]]}]/' replies
	steer message:go requests:4 release requests:5 stop
	for n in 3 4; do
		repeats 2 $n
	done
	[ "$(grep -c "TASK: look at b" requests)" -eq 1 ]
	[[ "$(request 5 '.messages[-1].content')" == *"ran in the background ended"* ]]
}

@test "a fork that cannot be made is refused with the reason" {
	for task in '{"task": "x", "context": "fork", "agent": "other"}' \
		'{"task": "x", "context": "fork", "workspace": "own"}' \
		'{"task": "x", "context": "all"}'; do
		rm -rf requests "$all"
		cat >replies <<-EOR
			[{"calls": [["delegate_tasks", {"tasks": [$task]}]]},
			 {"calls": [["finish", {"message": "All done."}]]}]
		EOR
		steer message:go wait:finished stop
		[[ "$(request 2 '.messages[-1].content')" == *'`context`'* ]]
	done
	cat >replies <<-EOR
		[{"calls": [["delegate", {"agent": "twin", "task": "x"}]]},
		 {"calls": [["finish", {"message": "All done."}]]}]
	EOR
	rm -rf requests
	steer message:go wait:finished stop
	[[ "$(request 2 '.messages[-1].content')" == *'`delegate_tasks`'* ]]
}
