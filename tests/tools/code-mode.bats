#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# code-mode.bats - tool calls by the code of a cell.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	export MORTISE_CONTROLLER_ON_ASK=stop
	[ -n "$(find -L /usr/share/jupyter /usr/local/share/jupyter -name kernel.json 2>/dev/null)" ] ||
		skip "no Jupyter kernel is installed"
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	run_it=(mortise run -C "$work/ws" --model "script:$work/script" -t go
		-o controller.tools+=ipython,search -o tool.ipython.code_mode=yes)
}

events() { cat "$work"/state/mortise/conversations/*/events.jsonl; }
result() { events | jq -r 'select(.observation == "run_ipython").content' | head -n "${1:-1}"; }

cell() { # [TIMEOUT]: a turn with the cell of standard input
	{
		printf '[turn]\n[call execute_ipython_cell]\n'
		[ -z "$1" ] || printf 'timeout := %s\n' "$1"
		printf 'code <<CODE\n'
		cat
		printf 'CODE\n'
	} >>"$work/script"
}

finish() { printf '[turn]\n[call finish]\nmessage = Done.\n' >>"$work/script"; }

play() {
	run timeout 100 "${run_it[@]}" "$@"
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

# Every action of code, and the cell, has one observation.
log_is_whole() {
	events | jq -se '
		[.[] | select(.observation).cause] as $ended |
		([.[] | select(.confirms).confirms]) as $copied |
		[.[] | select(.action and (.called_by or .action == "run_ipython")
			and ((.id | IN($copied[])) | not)).id] as $made |
		($made | length) > 0 and ([$made[] | select(IN($ended[]) | not)] | length) == 0
		and ([$ended[] | select(. != null)] | length == (unique | length))' >/dev/null
}

@test "twenty calls in one cell; each is in the log, none is shown to the model" {
	for i in {1..20}; do echo "needle $i." >"$work/ws/f$i.txt"; done
	cell <<-'END'
	found = [tools.grep(pattern="needle %d\\." % i) for i in range(1, 21)]
	print(sum("/f%d.txt" % (i + 1) in text for i, text in enumerate(found)))
	END
	printf '[turn]\nexpect any lacks = f7.txt\nexpect last contains = 20\n' >>"$work/script"
	printf '[call finish]\nmessage = Done.\n' >>"$work/script"
	play
	[ "$(result)" = 20 ]
	[ "$(events | jq -s 'map(select(.action and .called_by.tool == "grep")) | length')" -eq 20 ]
	events | jq -se 'map(select(.action == "run_ipython").id)[0] as $cell |
		map(select(.called_by)) | length == 40 and all(.called_by.action == $cell)' >/dev/null
	log_is_whole
}

@test "functions have the names, arguments and texts of the tools" {
	cell <<-'END'
	import inspect
	print("grep" in dir(tools), "finish" in dir(tools), "execute_ipython_cell" in dir(tools))
	print(list(inspect.signature(tools.grep).parameters)[:2])
	print("regular expression" in tools.grep.__doc__)
	print(repr(tools.execute_bash(command="echo out; (exit 3)")))
	END
	finish
	play
	[ "$(result 4 | head -n 3)" = $'True False False\n[\'pattern\', \'path\']\nTrue' ]
	[[ "$(result 4)" == *"out"*"exit code 3"* ]]
}

@test "errors and refusals raise ToolError with what the model would read" {
	printf '[analyzer.policy]\nrule.x = deny command=touch* reason=no files\n' >"$work/config"
	cell <<-'END'
	def attempt(name, **arguments):
	    try:
	        print("ran", tools[name](**arguments))
	    except tools.ToolError as e:
	        print(name, "|", str(e).splitlines()[0])
	attempt("grep", wrong=1)
	attempt("str_replace_editor", command="view", path="/nonexistent/x")
	attempt("execute_bash", command="touch made")
	raw = [c.cell_contents for c in tools.grep.__closure__ if callable(c.cell_contents)][0]
	for name in "execute_ipython_cell", "finish", "none":
	    try:
	        raw(name, {"code": "1"})
	    except tools.ToolError as e:
	        print(name, "|", str(e)[:60])
	try:
	    tools.grep(pattern="x" * 2000000)
	except tools.ToolError as e:
	    print(e)
	END
	finish
	play --config "$work/config" -o controller.analyzers=policy
	lines=$(result 9)
	printf '%s\n' "$lines"
	[ ! -e "$work/ws/made" ]
	grep -q '^grep | Missing required argument "pattern"' <<<"$lines"
	grep -q '^str_replace_editor | ' <<<"$lines"
	grep -q '^execute_bash | The action was denied and not executed: no files (rule rule.x)' <<<"$lines"
	grep -q '^execute_ipython_cell | The tool `execute_ipython_cell` cannot be called from code' <<<"$lines"
	grep -q '^none | Tool none is not registered' <<<"$lines"
	grep -q '^The arguments are longer than' <<<"$lines"
	log_is_whole
}

@test "a cell that times out ends the call of its code" {
	cell 4 <<-'END'
	tools.execute_bash(command="sleep 600")
	END
	cell <<-'END'
	print(6 * 7)
	END
	finish
	play
	log_is_whole
	[[ "$(events | jq -r 'select(.observation == "run_ipython").content')" == *"Execution timed out (4 seconds)"*42* ]]
	events | jq -se 'any(.[]; .observation and .called_by.tool == "execute_bash"
		and (.content | contains("the code that made it has ended")))' >/dev/null
}

@test "a cell makes a limited number of calls" {
	cell 100 <<-'END'
	n = 0
	try:
	    while n < 300:
	        tools.glob(pattern="*.none")
	        n += 1
	except tools.ToolError as e:
	    print(n, e)
	END
	finish
	play -o controller.max_calls=1000
	[ "$(result)" = "200 A call can make at most 200 calls of tools." ]
	log_is_whole
}

until_asked() {
	for ((i = 0; i < 3000; i++)); do
		[ "$(jq -r 'select(.type == "state" and .waits).waits.hash' "$work/out" \
			2>/dev/null | uniq | wc -l)" -lt "$1" ] || return 0
		sleep 0.02
	done
	return 1
}

hash() { jq -r 'select(.waits).waits.hash' "$work/out" 2>/dev/null | tail -n 1; }

@test "calls of code need approval like any other; a rejection ends the task" {
	cell <<-'END'
	try:
	    print(tools.execute_bash(command="echo allowed"))
	    tools.execute_bash(command="touch made")
	except tools.ToolError as e:
	    print("refused:", e)
	END
	finish
	: >"$work/out"
	{
		until_asked 1
		printf '{"type":"confirm","hash":"%s"}\n' "$(hash)"
		until_asked 2
		printf '{"type":"confirm","hash":"%s"}\n' "$(hash)"
		until_asked 3
		printf '{"type":"reject","hash":"%s"}\n' "$(hash)"
		until_true grep -qF -e '"observation":"run_ipython"' "$work/out"
	} | "${run_it[@]}" --json -o controller.confirmation=always >"$work/out" || status=$?
	[ "$status" -eq 8 ]
	[ ! -e "$work/ws/made" ]
	[[ "$(result 2)" == allowed* ]]
	[[ "$(events | jq -r 'select(.observation == "run_ipython").content')" == *"refused: Action has been rejected by the user!"* ]]
	log_is_whole
}

@test "a call of code that the user has edited is not shown to the model, either" {
	cell <<-'END'
	print("yours" in tools.execute_bash(command="echo mine"))
	END
	printf '[turn]\nexpect any lacks = echo yours\n[call finish]\nmessage = Done.\n' >>"$work/script"
	: >"$work/out"
	{
		until_asked 1
		printf '{"type":"confirm","hash":"%s"}\n' "$(hash)"
		until_asked 2
		printf '{"type":"confirm","hash":"%s","arguments":{"command":"echo yours"}}\n' "$(hash)"
		until_true grep -qF -e '"action":"finish"' "$work/out"
	} | "${run_it[@]}" --json -o controller.confirmation=always >"$work/out"
	[ "$(result)" = True ]
	events | jq -se 'map(select(.confirms and .edited))[0] | .called_by and .args.hidden' >/dev/null
	log_is_whole
}

@test "a user message ends the cell and the call of its code" {
	cell <<-'END'
	try:
	    tools.execute_bash(command="echo x > started; sleep 600")
	except tools.ToolError:
	    tools.execute_bash(command="touch made")
	END
	finish
	: >"$work/out"
	{
		for ((i = 0; i < 3000; i++)); do [ -s "$work/ws/started" ] && break; sleep 0.02; done
		printf '{"type":"message","text":"stop that"}\n'
		until_true grep -qF -e '"action":"finish"' "$work/out"
	} | timeout 100 "${run_it[@]}" --json >"$work/out"
	[ ! -e "$work/ws/made" ]
	[[ "$(events | jq -r 'select((.observation == "run_ipython" or .observation == "error")
		and .tool_call_metadata).content')" == *"nterrupted"* ]]
	log_is_whole
}

kill_when_started() { # once the file `started` has a text
	"${run_it[@]}" >"$work/out" 2>&1 &
	pid=$!
	for ((i = 0; i < 3000; i++)); do [ -s "$work/ws/started" ] && break; sleep 0.02; done
	[ -s "$work/ws/started" ]
	kill -9 $pid
	wait $pid || true
}

resume() {
	run timeout 120 mortise resume
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
	log_is_whole
}

@test "a process that is killed during a call of code leaves a log that can be resumed" {
	cell <<-'END'
	print(tools.execute_bash(command="echo $$ > started; sleep 600"))
	END
	finish
	kill_when_started
	resume
	[ "$(events | jq -s 'map(select(.observation == "error" and (.content | contains("interrupted when the process ended")))) | length')" -eq 2 ]
}

@test "a resume runs the calls that follow a killed cell, once each" {
	cell <<-'END'
	tools.execute_bash(command="echo first")
	tools.execute_bash(command="echo $$ > started; sleep 600")
	END
	cat >>"$work/script" <<-'END'
	[call execute_bash]
	command = echo this is x
	[call execute_bash]
	command = echo this is y
	END
	finish
	kill_when_started
	resume
	for it in x y; do
		[ "$(events | jq -s --arg text "this is $it" 'map(select(.observation == "run"
			and (.content | startswith($text)))) | length')" -eq 1 ]
	done
}

@test "a call of code that waited for approval when the process was killed is not made" {
	printf '[analyzer.policy]\nrule.x = ask command=touch* reason=ask\n' >"$work/config"
	cell <<-'END'
	tools.execute_bash(command="touch made")
	END
	finish
	mkfifo "$work/in"
	"${run_it[@]}" --json --config "$work/config" -o controller.analyzers=policy \
		-o controller.confirmation=risky -o controller.confirm_unknown=no \
		<"$work/in" >"$work/out" &
	pid=$!
	exec 7>"$work/in"
	for ((i = 0; i < 3000; i++)); do grep -q '"waits"' "$work/out" && break; sleep 0.02; done
	grep -q '"waits"' "$work/out"
	kill -9 $pid
	wait $pid || true
	exec 7>&-
	resume
	[ ! -e "$work/ws/made" ]
	[ "$(events | jq -r 'select(.observation and .called_by).content')" = \
		"The call was not made: the process ended before." ]
}

@test "without code_mode the kernel does not have the object tools" {
	cell <<-'END'
	print("tools" in globals())
	END
	finish
	play -o tool.ipython.code_mode=no
	[ "$(result)" = False ]
}

@test "a parameter whose schema is true does not disable the functions" {
	python3 - "$top_srcdir/plugins/tools/ipython/python/code_mode.py" <<-'END'
	import json, sys, types
	names = {}
	shell = types.SimpleNamespace(kernel=None, user_ns=names)
	code = {"get_ipython": lambda: shell}
	exec(open(sys.argv[1], encoding="utf-8").read(), code)
	code["_mortise_tools"]("token", json.dumps({"tools": [{"name": "t", "parameters": {
	    "properties": {"x": True, "y": False, "z": {"type": "string"}}, "required": ["x"]}}]}))
	text = names["tools"].t.__doc__
	assert "x (any, required): " in text and "y (any): " in text and "z (string)" in text, text
	END
}
