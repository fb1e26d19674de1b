#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mortise conversations: import and export of OpenHands files, list, show.

setup() {
	export HOME="$BATS_TEST_TMPDIR/home" XDG_CACHE_HOME="$BATS_TEST_TMPDIR/cache"
	export XDG_CONFIG_HOME="$HOME/config" XDG_STATE_HOME="$HOME/state"
	export MORTISE_SYSTEM_CONFIG="$BATS_TEST_TMPDIR/etc"
	mkdir -p "$HOME"
	cd "$BATS_TEST_TMPDIR"
	cat > one.json <<-'END'
	[{"id": 0, "timestamp": "2025-01-01T10:00:00.000001", "source": "user",
	  "message": "hello", "action": "message", "args": {"content": "hello"}},
	 {"id": 3, "source": "agent", "action": "run", "args": {"command": "ls"},
	  "tool_call_metadata": {"function_name": "execute_bash", "tool_call_id": "c1",
	   "total_calls_in_response": 1, "model_response": {"id": "r1", "model": "m",
	    "choices": [{"finish_reason": "tool_calls", "message": {"content": "let me see",
	     "tool_calls": [{"id": "c1", "function": {"name": "execute_bash",
	      "arguments": "{\"command\": \"ls\"}"}}]}}], "usage": {"prompt_tokens": 9}}}},
	 {"id": 4, "cause": 3, "source": "agent", "observation": "run",
	  "content": "a\u001b[31mb", "extras": {"command": "ls"}},
	 {"id": 5, "source": "environment", "observation": "agent_state_changed",
	  "content": "", "extras": {"agent_state": "finished"}}]
	END
}

@test "the list is empty at first" {
	run mortise conversations
	[ "$status" -eq 0 ]
	[[ "$output" == "No conversations yet"* ]]
	run mortise conversations list --json
	[ "$status" -eq 0 ]
	[ -z "$output" ]
	run mortise conversations show last
	[ "$status" -eq 2 ]
}

@test "import, list, show" {
	run mortise conversations import one.json
	[ "$status" -eq 0 ]
	[[ "$output" == *" 4 events" ]]
	id=${output%% *}
	dir="$XDG_STATE_HOME/mortise/conversations/$id"
	[ "$(stat -c %a "$dir")" = 700 ]
	[ "$(stat -c %a "$dir/events.jsonl")" = 600 ]
	[ "$(jq -r .format "$dir/meta.json")" = 1 ]
	[ "$(jq -r 'select(.record == "llm_reply").calls[0].name' "$dir/events.jsonl")" = execute_bash ]

	run mortise conversations list --json
	[ "$(jq -r .id <<< "$output")" = "$id" ]
	[ "$(jq -r .events <<< "$output")" = 4 ]
	run mortise conversations list
	[[ "$output" == "$id "*" 4 events"* ]]

	run mortise conversations show "${id:0:8}"
	[ "$status" -eq 0 ]
	[[ "$output" == *"Running command: ls"* ]]
	[[ "$output" == *"a [31mb"* ]]
	[[ "$output" != *"agent_state_changed"* ]]
	run mortise conversations show "$id" --json --all
	[ "${#lines[@]}" -eq 4 ]
	[ "$(jq .cause <<< "${lines[2]}")" = 1 ]
}

@test "export: readable by the original, and back" {
	id=$(mortise conversations import one.json | cut -d' ' -f1)
	mortise conversations export "$id" out.json
	[ "$(stat -c %a out.json)" = 600 ]
	[ "$(jq -S . out.json)" = "$(jq -S . one.json)" ]
	[ "$(jq -r '[.[] | select(.tool_call_metadata)][0].tool_call_metadata.model_response.choices[0].message.tool_calls[0].id' out.json)" = c1 ]
	mortise conversations export "$id" > stdout.json
	cmp out.json stdout.json
	mkdir directory
	mortise conversations export "$id" directory
	cmp out.json "directory/$id.json"
	again=$(mortise conversations import out.json | cut -d' ' -f1)
	mortise conversations export "$again" again.json
	cmp out.json again.json
}

@test "evaluation records: each becomes a conversation" {
	jq -c '{instance_id: "a__b-1", history: .}, {instance_id: "none", history: []}' \
		one.json > records.jsonl
	run mortise conversations import records.jsonl
	[ "$status" -eq 0 ]
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == *"a__b-1" ]]
}

@test "a failed import leaves nothing behind" {
	echo '[{"action": "message", "args": {"content": "x"}}, {"action": "dance"}]' > bad.json
	run mortise conversations import bad.json
	[ "$status" -eq 1 ]
	[[ "$output" == *"event 2 of the file"*"dance"* ]]
	run mortise conversations list --json
	[ -z "$output" ]
	run mortise conversations import none.json
	[ "$status" -eq 1 ]
	run mortise conversations dance
	[ "$status" -eq 2 ]
	run mortise conversations show
	[ "$status" -eq 2 ]
}

@test "an imported log without a system event gets one, once, and its model has tools" {
	chmod 700 "$HOME"
	jq '.[:3]' one.json >running.json
	id=$(mortise conversations import running.json | cut -d' ' -f1)
	log="$XDG_STATE_HOME/mortise/conversations/$id/events.jsonl"
	cat >script <<-'END'
	[turn]
	text = that was the imported reply

	[turn]
	expect system contains = You are Mortise
	expect tool = execute_bash
	expect messages = 5
	[call execute_bash]
	command = echo more

	[turn]
	expect system contains = You are Mortise
	expect last contains = more
	[call finish]
	message = Done.

	[turn]
	expect system contains = You are Mortise
	expect tool = execute_bash
	[call finish]
	message = Done.
	END
	for task in "continue" "once more"; do
		run mortise resume "$id" -o llm.model=script:script -t "$task"
		printf '%s\n' "$output"
		[ "$status" -eq 0 ]
		[ "$(grep -c '"action":"system"' "$log")" -eq 1 ]
	done
}

@test "export writes to devices and through links instead of replacing them" {
	id=$(mortise conversations import one.json | grep -o '[0-9]*-[0-9]*-[0-9a-f]*' | head -n 1)
	mortise conversations export "$id" /dev/stdout >to-stdout.json
	mortise conversations export "$id" plain.json
	cmp to-stdout.json plain.json
	[ -L /dev/stdout ]
	echo old >real.json
	ln -s real.json link.json
	mortise conversations export "$id" link.json
	[ -L link.json ]
	cmp real.json plain.json
	run mortise conversations export "$id" /dev/full
	[ "$status" -eq 1 ]
	[ "$output" = "mortise: cannot write /dev/full: No space left on device" ]
	run bash -c 'mortise conversations export "$1" >/dev/full' - "$id"
	[ "$status" -eq 1 ]
	[ "$output" = "mortise: cannot write standard output: No space left on device" ]
}

@test "an imported batch of calls, one without an answer: the others are sent with theirs" {
	chmod 700 "$HOME"
	jq -n '{ function_name: "execute_bash", total_calls_in_response: 3, model_response:
		{ id: "r1", model: "m", choices: [{ finish_reason: "tool_calls", message: {
		  content: "three at once", tool_calls: [("c1", "c2", "c3") | { id: .,
		    function: { name: "execute_bash",
		      arguments: ({ command: ("echo " + .) } | tojson) } }] } }] } } as $meta |
		[{ id: 0, source: "user", action: "message", args: { content: "hello" } }] +
		[(1, 2, 3) as $n | { id: (2 * $n), source: "agent", action: "run",
		  args: { command: "echo c\($n)" },
		  tool_call_metadata: ($meta + { tool_call_id: "c\($n)" }) },
		 (select($n != 2) | { id: (2 * $n + 1), cause: (2 * $n), source: "agent",
		  observation: "run", content: "answer c\($n)", extras: { command: "echo" },
		  tool_call_metadata: ($meta + { tool_call_id: "c\($n)" }) })]' >batch.json
	id=$(mortise conversations import batch.json | cut -d' ' -f1)
	printf '[turn]\ntext = imported\n\n' >script
	printf '[turn]\nexpect any contains = answer c1\nexpect any contains = answer c3\n' >>script
	printf 'expect messages = 7\n[call finish]\nmessage = Done.\n' >>script
	run mortise resume "$id" -o llm.model=script:script -t "continue"
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

# unanswered CALLS: an imported reply of two calls, of which the first ones were logged, the
# last of these without a result; resumed without a message
unanswered() {
	chmod 700 "$HOME"
	jq -n --argjson logged "$1" '{ function_name: "execute_bash",
		total_calls_in_response: 2, model_response: { id: "r1", model: "m", choices:
		[{ finish_reason: "tool_calls", message: { content: "", tool_calls:
		  [("c1", "c2") | { id: ., function: { name: "execute_bash",
		    arguments: ({ command: ("touch ran-" + .) } | tojson) } }] } }] } } as $meta |
		[{ id: 0, source: "user", action: "message", args: { content: "hello" } }] +
		[range(1; $logged + 1) as $n | { id: $n, source: "agent", action: "run",
		  args: { command: "touch ran-c\($n)" },
		  tool_call_metadata: ($meta + { tool_call_id: "c\($n)" }) }]' >unanswered.json
	id=$(mortise conversations import unanswered.json | cut -d' ' -f1)
	mkdir work
	cat >script <<-'END'
	[turn]
	text = that was the imported reply

	[turn]
	expect any contains = The imported conversation does not contain a result of this call
	[call finish]
	message = Done.
	END
	run mortise resume "$id" -C work -o llm.model=script:script \
		-o controller.confirmation=never
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
	[ -z "$(find . -name 'ran-*')" ]
}

@test "an imported action without a result is not run" {
	unanswered 2
}

@test "a call of an imported reply that was not logged is not run" {
	unanswered 1
}

@test "export: a new file is private, one that is replaced keeps its mode" {
	id=$(mortise conversations import one.json | cut -d' ' -f1)
	mortise conversations export "$id" new.json
	[ "$(stat -c %a new.json)" = 600 ]
	echo old >old.json
	chmod 644 old.json
	ln -s old.json link.json
	mortise conversations export "$id" link.json
	cmp new.json old.json
	[ "$(stat -c %a old.json)" = 644 ]
}
