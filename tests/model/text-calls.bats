#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# text-calls.bats - tool calls as text: the response to a call in another form, and the
# parts of replies that stay in the history.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	base=(mortise run -C "$work/ws" -o llm.native_tool_calling=no
	      -o controller.confirmation=never)
	: >"$work/script"
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }
nothing_ran() {
	log | jq -se 'length > 0 and all(.[]; .action | IN("run", "call_tool") | not)' >/dev/null
}

# turn LINE...: a reply of the script; its text from standard input
turn() {
	printf '[turn]\n' >>"$work/script"
	[ $# -eq 0 ] || printf '%s\n' "$@" >>"$work/script"
	printf 'text <<END_OF_TEXT\n%s\nEND_OF_TEXT\n' "$(cat)" >>"$work/script"
}

finish() { # LINE...
	turn "$@" <<-'END'
		<function=finish>
		<parameter=message>Done.</parameter>
		</function>
	END
}

talk() { # OPTION...
	run "${base[@]}" --model "script:$work/script" "$@" -t 'look around'
	echo "$output"
	[ "$status" -eq 0 ]
}

# corrected FORM: a reply whose text is standard input is answered with the call
# `echo seen` of execute_bash in the right form; FORM is the name of the wrong one
corrected() {
	: >"$work/script"
	rm -rf "$work/state/mortise"
	turn
	finish 'expect role = user' "expect last contains = the reply contains $1" \
		'expect last contains = <function=execute_bash>' \
		'expect last contains = <parameter=command>echo seen</parameter>' \
		'expect last contains = </function>'
	talk
	nothing_ran
}

@test "a call as JSON is answered with the same call in the right form" {
	corrected 'a call as JSON' <<-'END'
		I look.
		<tool_call>
		{"name": "execute_bash", "arguments": {"command": "echo seen"}}
		</tool_call>
	END
	corrected 'a call as JSON' <<-'END'
		[TOOL_CALLS][{"name": "execute_bash", "arguments": "{\"command\": \"echo seen\"}"}]
	END
	corrected 'a call as JSON' <<-'END'
		```json
		{"tool_calls": [{"type": "function", "function":
		  {"name": "execute_bash", "arguments": {"command": "echo seen"}}}]}
		```
	END
	corrected 'a call as JSON' <<<'{"tool": "bash", "command": "echo seen"}'
	corrected 'a call as JSON' <<-'END'
		<|tool_call_begin|>functions.execute_bash:0<|tool_call_argument_begin|>{"command": "echo seen"}<|tool_call_end|>
	END
	corrected 'a call as JSON' <<-'END'
		Action: execute_bash
		Action Input: {'command': 'echo seen'}
	END
}

@test "a call in the tags of other products is answered with the right form" {
	corrected 'a call in other tags' <<-'END'
		<function_calls>
		<invoke name="execute_bash">
		<parameter name="command">echo seen</parameter>
		</invoke>
		</function_calls>
	END
	corrected 'a call in other tags' <<-'END'
		<execute_bash>
		echo seen
		</execute_bash>
	END
	corrected 'a call in other tags' <<-'END'
		<execute_command>
		<command>echo seen</command>
		</execute_command>
	END
	corrected 'a call in other tags' <<-'END'
		<tool_call>execute_bash
		<arg_key>command</arg_key>
		<arg_value>echo seen</arg_value>
		</tool_call>
	END
	corrected 'a call in other tags' <<-'END'
		<use_tool><tool_name>execute_bash</tool_name><command>echo seen</command></use_tool>
	END
	corrected 'parameters in another form' <<-'END'
		<function=execute_bash>{"command": "echo seen"}</function>
	END
	corrected 'parameters in another form' <<-'END'
		<function=execute_bash>
		<command>echo seen</command>
		</function>
	END
}

@test "shell code in a block, call syntax and prose are answered with the right form" {
	corrected 'a command in a code block' <<-'END'
		I look first.

		```bash
		$ echo seen
		```
	END
	corrected 'a call in the syntax of a programming language' <<-'END'
		I look.
		execute_bash(command="echo seen")
	END
	corrected 'a call in the syntax of a programming language' <<-'END'
		```tool_code
		print(execute_bash(command="echo seen"))
		```
	END
	corrected 'a call in the syntax of a programming language' \
		<<<'<|python_tag|>execute_bash.call(command="echo seen")'
	corrected 'a call as an `Action:` line' <<-'END'
		Thought: I look.
		Action: execute_bash
		Action Input: echo seen
	END
	corrected 'a call in prose' <<<'I will use execute_bash to run `echo seen`.'
}

@test "a call with a mistake in its syntax is answered with the right form" {
	corrected 'a call in other tags' <<-'END'
		<function=execute_bash
		<parameter=command>echo seen</parameter>
		</function>
	END
	corrected 'a call in other tags' <<-'END'
		<execute_bash command="echo seen"/>
	END
	corrected 'a call in other tags' <<-'END'
		I look.
		<bash security_risk='LOW' command='echo seen'></bash>
	END
	corrected 'a call as JSON' <<-'END'
		{“name”: “execute_bash”, “arguments”: {“command”: “echo seen”}}
	END
	corrected 'a call as YAML' <<-'END'
		```yaml
		tool: execute_bash
		arguments:
		  command: "echo seen"
		```
	END
	corrected 'a call as YAML' <<-'END'
		- name: execute_bash
		  parameters:
		    command: |
		      echo seen
		    security_risk: LOW
	END
}

@test "the answer to several calls in another form says that it shows the first" {
	local more="This is the first of the calls in your reply"
	while IFS= read -r reply; do
		: >"$work/script"
		rm -rf "$work/state/mortise"
		turn < <(printf "$reply")
		finish 'expect last contains = <parameter=command>echo one</parameter>' \
			"expect last contains = $more"
		talk
	done <<-'END'
		```json\n{"name": "bash", "arguments": {"command": "echo one"}}\n{"name": "bash", "arguments": {"command": "ls"}}\n```
		[{"tool": "bash", "command": "echo one"}, {"tool": "bash", "command": "ls"}]
		<bash>echo one</bash>\n<bash>ls</bash>
		<bash command="echo one"/>\n<bash command="ls"/>
		```python\nexecute_bash("echo one")\nexecute_bash("ls")\n```
	END
	: >"$work/script"
	turn <<<'{"name": "bash", "arguments": {"command": "echo one"}}'
	finish "expect last lacks = $more"
	talk
}

@test "what an attempt has read does not become part of the call" {
	corrected 'a call in other tags' <<-'END'
		Write <str_replace_editor path="/a" or
		<bash is_input="true" or
		<bash command="echo seen"/>
	END
	[[ "$output" != *"parameter=is_input"* ]]
	[[ "$output" != *"parameter=path"* ]]
}

@test "lines of a block in YAML keep their indents" {
	turn <<-'END'
		tool: execute_bash
		command: |
		  if true; then

		    echo seen
		  fi
		is_input: false
	END
	finish 'expect last contains <<END' '<parameter=command>if true; then' '' '  echo seen' \
		'fi</parameter>' 'END'
	talk
}

@test "the model takes the right form, and its first reply stays as it was" {
	turn <<-'END'
		I look.
		<tool_call>{"name": "execute_bash", "arguments": {"command": "echo se''en"}}</tool_call>
	END
	turn 'expect any contains = look around' <<-'END'
		I look.
		<function=execute_bash>
		<parameter=command>echo se''en</parameter>
		</function>
	END
	finish 'expect last contains = seen' \
		'expect any is <<END' 'I look.' \
		"<tool_call>{\"name\": \"execute_bash\", \"arguments\": {\"command\": \"echo se''en\"}}</tool_call>" 'END'
	talk
	[ "$(log | jq -r 'select(.action == "run") | .args.command')" = "echo se''en" ]
}

@test "the reply to a call in another form lists its other errors" {
	turn <<<'{"name": "str_replace_editor", "arguments": {"command": "peek"}}'
	finish 'expect last contains = <function=str_replace_editor>' \
		'expect last contains = Correct this too'
	talk
}

@test "a long value is not repeated in full" {
	turn <<-END
		{"name": "execute_bash", "arguments": {"command": "echo $(printf 'x%.0s' $(seq 2000))"}}
	END
	finish 'expect last contains = <parameter=command>' \
		'expect last contains = the value that you wrote, 2005 bytes' \
		"expect last lacks = $(printf 'x%.0s' $(seq 400))"
	talk
}

@test "an answer is not taken for a call" {
	local answers=('The tests pass.' 'Use {"a": 1} in settings.json.'
		'The file has <b>bold</b> text and a <name>tag</name>.'
		$'Run it:\n\n```bash\nmake\n```\n\nThen open the page.'
		$'```python\nprint(1)\n```' '<think>I will use execute_bash.</think> All is well.'
		'I see the `command` in the log.' 'The page has <input name="command"> in it.'
		$'```yaml\nname: test\nsteps:\n  - name: make\n    command: make\n```'
		'Write #include <bash.h> and “command”.')
	for answer in "${answers[@]}"; do
		: >"$work/script"
		turn <<<"$answer"
		talk
		[ "$(log | jq -s '[.[] | select(.observation == "error")] | length')" = 0 ]
		rm -r "$work/state/mortise"
	done
}

@test "a model that repeats the other form is not corrected endlessly" {
	for n in 1 2 3 4; do turn <<<'{"tool": "bash", "command": "ls"}'; done
	talk
	[ "$(log | jq -s '[.[] | select(.observation == "error")] | length')" = 3 ]
	rm -r "$work/state/mortise"
	: >"$work/script"
	for n in 1 2; do turn <<<$'Run:\n```bash\nls\n```'; done
	talk
	[ "$(log | jq -s '[.[] | select(.observation == "error")] | length')" = 1 ]
}

@test "the answer is the same after a resume" {
	turn <<<'{"tool": "bash", "command": "ls"}'
	printf '[turn]\nerror = authentication\n' >>"$work/script"
	run "${base[@]}" --model "script:$work/script" -t 'look around'
	[ "$status" -eq 3 ]
	sed -i 's/^error = .*/expect last contains = <parameter=command>ls/' "$work/script"
	printf 'text = Done.\n' >>"$work/script"
	id=$(basename "$work"/state/mortise/conversations/*)
	run mortise resume "$id"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "text after a call and between calls stays in the history" {
	turn <<-'END'
		I look.
		<function=execute_bash>
		some noise
		<parameter=command>echo one</parameter>
		</function>
		And then I count.
	END
	finish 'expect last contains = one' 'expect any contains = I look.' \
		'expect any contains = some noise' 'expect any contains = And then I count.' \
		'expect any lacks <<END' 'And then I count.' '</function>' 'END'
	talk
}

@test "a thought is closed in the history" {
	turn <<-'END'
		<think>I want to look.
		</think>

		<function=execute_bash>
		<parameter=command>echo one</parameter>
		</function>
	END
	turn 'expect any contains <<END' '<think>I want to look.' '</think>' '' '<function=execute_bash>' 'END' <<-'END'
		<think>Once more.
		<function=execute_bash>
		<parameter=command>echo two</parameter>
		</function>
	END
	finish 'expect last contains = two' \
		'expect any contains <<END' '<think>Once more.' '</think>' '' '<function=execute_bash>' 'END'
	talk
}

@test "unknown arguments are reported with the valid ones" {
	turn <<-'END'
		<function=execute_bash>
		<parameter=cmd>ls</parameter>
		<parameter=command>ls</parameter>
		</function>
	END
	turn 'expect last contains = cmd' 'expect last contains = Allowed arguments are: command' <<-'END'
		<function=do>
		<parameter=deed>echo</parameter>
		<parameter=what>print</parameter>
		</function>
	END
	finish "expect last contains = function 'do' has no parameter 'deed'; its parameters are: what"
	export MORTISE_CORE_PLUGIN_PATH=$MORTISE_CORE_PLUGIN_PATH,$top_builddir/tests/plugins
	talk -o controller.tools+=bad
	nothing_ran
}

check_example() { # TOOLS
	OPENAI_API_KEY=key-of-the-test python3 "$top_srcdir/tests/model/text-example.py" \
		"$work/ws" "controller.tools=$1"
}

@test "the example obeys the rules that come with it" {
	for tools in bash,editor,finish bash,browser,finish bash,finish \
		'bash, editor, browser, think, finish'; do
		check_example "$tools"
	done
}

@test "the example with cells of Python obeys them" {
	[ -e "$top_builddir/plugins/tools/ipython.so" ] || skip "ipython is not built"
	check_example 'bash, editor, ipython, browser, think, finish'
}
