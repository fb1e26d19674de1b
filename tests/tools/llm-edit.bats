#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# llm-edit.bats - drafts that another model merges, and model requests of tools.
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	file=$work/ws/a.py
	printf 'def one():\n    return 1\n\n\ndef two():\n    return 2\n' >"$file"
}

events() { cat "$work"/state/mortise/conversations/*/events.jsonl; }
seen() { events | jq -cs '[.[] | select(.tool_call_metadata and .observation)]' | jq -r ".[$1].$2"; }

play() { # OPTION... : the turns of $work/script; $work/merger merges
	run mortise run -C "$work/ws" --model "script:$work/script" \
		-o 'controller.tools=llm-edit, finish' -o "llm.merger.model=script:$work/merger" \
		-o tool.llm-edit.llm=merger "$@" -t go
	printf '%s\n' "$output"
}

turns() { # one call of edit_file from standard input, then the end
	{
		printf '[turn]\n[call edit_file]\n'
		cat
		printf '[turn]\n[call finish]\nmessage = Done.\n'
	} >"$work/script"
}

@test "a draft is merged; the change is the result, and the cost is counted" {
	turns <<-END
	path = $file
	content <<DRAFT
	# no changes
	def two():
	    return 22
	DRAFT
	END
	cat >"$work/merger" <<-'END'
	[turn]
	expect last contains = <original_code>
	expect last contains = return 22
	usage = input 1000, output 50, cost 0.25
	text <<TEXT
	Here it is.
	<updated_code>
	#EDIT: two
	def one():
	    return 1


	def two():
	    return 22
	</updated_code>
	TEXT
	END
	play
	[ "$status" -eq 0 ]
	[ "$(tail -n 1 "$file")" = "    return 22" ]
	[ "$(wc -l <"$file")" -eq 6 ]
	[ "$(seen 0 observation)" = edit ]
	[ "$(seen 0 extras.impl_source)" = llm_based_edit ]
	[[ "$(seen 0 content)" == *"-    return 2"*"+    return 22"* ]]
	[[ "$(seen 0 extras.new_content)" == *"return 22"* ]]
	events | jq -se 'map(select(.record == "state" and .plugin == "tools")) | last
		| .text | fromjson | .calls == 1 and .cost == 0.25 and .input == 1000' >/dev/null
	[[ "$output" == *'$0.25'* ]]
	id=$(basename "$work"/state/mortise/conversations/*)
	run mortise conversations cost "$id"
	[[ "$output" == *0.25* ]]
}

@test "an answer without code is requested again, in up to three attempts" {
	turns <<<"path = $file
content = x"
	printf '[turn]\ntext = no\n' >"$work/merger"
	printf '[turn]\ntext = <updated_code>cut off\n' >>"$work/merger"
	printf '[turn]\ntext <<T\n<updated_code>\nnew\n</updated_code>\nT\n' >>"$work/merger"
	play
	[ "$(cat "$file")" = new ]
	printf '[turn]\ntext = no\n[turn]\ntext = no\n[turn]\ntext = no\n' >"$work/merger"
	rm -r "$work"/state/mortise
	play
	[ "$status" -eq 0 ]
	[[ "$(seen 0 content)" == *"returned no lines in 3 attempts"* ]]
	[ "$(cat "$file")" = new ]
}

@test "a new file, and lines at the end, need no model" {
	: >"$work/merger"
	turns <<-END
	path = sub/new.txt
	content <<DRAFT

	first
	second

	DRAFT
	END
	sed -i "s|^\[call finish]|expect last contains = [New file $work/ws/sub/new.txt is created with the provided content.]\n&|" "$work/script"
	play
	[ "$(cat "$work/ws/sub/new.txt")" = "first"$'\n'"second" ]
	[ "$(seen 0 extras.prev_exist)" = false ]
	rm -r "$work"/state/mortise
	printf 'no newline\r\nat the end' >"$work/ws/b.txt"
	turns <<<"path = $work/ws/b.txt
start := -1
content = more"
	play
	[ "$(od -c "$work/ws/b.txt" | tr -s ' ')" = "$(printf 'no newline\r\nat the end\r\nmore\r\n' | od -c | tr -s ' ')" ]
}

@test "invalid and long ranges give helpful errors" {
	: >"$work/merger"
	turns <<<"path = $file
start := 9
content = x"
	play
	[[ "$(seen 0 content)" == *"Invalid range: start=9, end=-1."* ]]
	rm -r "$work"/state/mortise
	for n in $(seq 400); do echo "line number $n"; done >"$work/ws/long"
	turns <<-END
	path = long
	content <<DRAFT
	line number 250
	line number 251 and more
	line number 252
	DRAFT
	END
	play
	[[ "$(seen 0 content)" == *"[lines 241 to 260]"*"250|line number 250"*"The range has 400 lines, but at most 301"* ]]
}

@test "a failing model is reported; the file stays" {
	turns <<<"path = $file
content = x"
	play -o llm.merger.model=openai/none -o llm.merger.base_url=http://127.0.0.1:1/v1 \
		-o llm.merger.retries=0
	[ "$status" -eq 0 ]
	[[ "$(seen 0 content)" == *"No model merged the draft: "* ]]
	[ "$(wc -l <"$file")" -eq 6 ]
}

@test "model requests of a tool count against the budget" {
	turns <<<"path = $file
content = x"
	printf '[turn]\ntext = no\nusage = input 10, output 10, cost 3\n' >"$work/merger"
	printf '[turn]\ntext = <updated_code>never asked</updated_code>\n' >>"$work/merger"
	play -o controller.max_budget=2
	[[ "$(seen 0 content)" == *"No model merged the draft: "*budget* ]]
	[ "$status" -ne 0 ]
	[ "$(wc -l <"$file")" -eq 6 ]
}

@test "a model that is not configured is named" {
	turns <<<"path = $file
content = x"
	play -o tool.llm-edit.llm=none
	[ "$status" -eq 0 ]
	[[ "$(seen 0 content)" == *"none"* ]]
}

@test "invalid model requests of a tool are refused" {
	printf '[turn]\nexpect role = user\ntext = an answer\n' >"$work/merger"
	: >"$work/script"
	while IFS= read -r params; do
		printf '[turn]\n[call do]\nwhat = ask\nmethod = model/complete\n' >>"$work/script"
		printf 'params := %s\n' "$params" >>"$work/script"
	done <<-'END'
	{"messages": []}
	{"messages": [{"role": "user"}]}
	{"messages": [{"role": "tool", "content": "x"}]}
	{"messages": [{"role": "user", "content": ["x"]}]}
	{"messages": [{"role": "user", "content": "x"}], "max_tokens": 0}
	{"messages": [{"role": "user", "content": "x"}], "model": "unknown"}
	{"messages": [{"role": "user", "content": "x"}], "model": "merger", "max_tokens": 100}
	END
	printf '[turn]\n[call finish]\nmessage = Done.\n' >>"$work/script"
	run mortise run -C "$work/ws" --model "script:$work/script" -o 'controller.tools=bad, finish' \
		-o core.plugin_path+="$top_builddir/tests/plugins" \
		-o "llm.merger.model=script:$work/merger" -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
	[[ "$(seen 0 content)" == *"a list of 1 to 64 messages"* ]]
	for n in 1 2 3; do [[ "$(seen $n content)" == *"have a role"* ]]; done
	[[ "$(seen 4 content)" == *"from 1 to 65536"* ]]
	[[ "$(seen 5 content)" == *"unknown"* ]]
	[[ "$(seen 6 content)" == '{"text":"an answer"'* ]]
}

@test "stopping ends the request of a tool" {
	# A server that takes a request and never answers.
	python3 -c '
import socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1], flush=True)
c, _ = s.accept()
print("asked", flush=True)
while c.recv(65536):
    pass
print("gone", flush=True)' >"$work/server" 3>&- &
	server=$!
	until_true test -s "$work/server"
	port=$(head -n 1 "$work/server")
	turns <<<"path = $file
content = x"
	play -o llm.merger.model=openai/x -o llm.merger.base_url="http://127.0.0.1:$port/v1" \
		-o tool.llm-edit.deadline=2s
	[ "$status" -eq 0 ]
	[[ "$(seen 0 observation)" == error ]]
	wait "$server"
	[ "$(tail -n 1 "$work/server")" = gone ]
}
