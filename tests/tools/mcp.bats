#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# The MCP client: a test server that misbehaves in every way, and the real servers below
# the directory $MCP_SERVERS (npm), if any.
bats_require_minimum_version 1.5.0

setup() {
	umask 077
	dir=$(mktemp -d)
	ini=$dir/mortise.ini
	export XDG_CACHE_HOME=$dir/cache XDG_DATA_HOME=$dir/data
	export MORTISE_SANDBOX_WRITE=$dir # servers leave files there
}

teardown() {
	rm -rf "$dir"
}

# server NAME MODE [KEY=VALUE]...: a section for the hostile server
server() {
	name=$1 mode=$2
	shift 2
	{
		printf '[mcp.%s]\ncommand = python3\n' "$name"
		printf 'args = %s, %s, %s\n' "$top_srcdir/tests/tools/mcp-hostile.py" "$mode" \
			"$dir/starts-$name"
		for line; do printf '%s\n' "$line"; done
	} >>"$ini"
}

m() {
	timeout 120 mortise "$@" --config "$ini"
}

@test "no server: mcp list says so" {
	: >"$ini"
	run m mcp list
	[ "$status" -eq 0 ]
	[ "$output" = "No MCP server is configured." ]
}

@test "tools of both revisions, in pages; invalid names; no schema, no tool" {
	for mode in plain modern; do
		: >"$ini"
		server one $mode
		run m mcp test one
		echo "$output"
		[ "$status" -eq 0 ]
		[[ "$output" == *"4 tools"* ]]
		[[ "$output" == *"dotted_name_x"* ]]
		[[ "$output" != *"no_schema"* ]]
		run m tools call plain '{"text":"a"}'
		[ "${lines[-1]}" = 'plain {"text": "a"}' ]
		run m tools call dotted_name_x
		[ "${lines[-1]}" = 'dotted.name/x {}' ]
	done
}

@test "a server that exits at the first unknown request is restarted" {
	server one old-only
	run m mcp test one
	[ "$status" -eq 0 ]
	[ "$(wc -l <"$dir/starts-one")" -eq 2 ]
}

@test "a server that fails, is silent or hangs does not delay the others" {
	server good plain
	server dead dies-at-once
	server never never "connect_timeout = 1s"
	server quiet silent-list "connect_timeout = 8s"
	server ancient ancient
	run m mcp status
	echo "$output"
	[ "$status" -eq 6 ]
	[[ "$output" == *"good"*"4 tools"* ]]
	[[ "$output" == *"dead"*"exited with status 3: no license"* ]]
	[[ "$output" == *"never"*"did not respond"* ]]
	[[ "$output" == *"quiet"*"did not respond"*"tools/list"* ]]
	[[ "$output" == *"ancient"*"1999-01-01"* ]]
}

@test "mcp test: an unknown server is refused with the nearest name" {
	server good plain
	run m mcp test goof
	[ "$status" -eq 2 ]
	[ "$output" = "mortise: unknown MCP server \`goof\`; did you mean \`good\`?" ]
	run m mcp test something-else
	[ "$status" -eq 2 ]
	[[ "$output" == *"\`mortise mcp list\` lists the configured ones" ]]
}

@test "mcp test and mcp status: an error names the server once" {
	printf '[mcp.broken]\ncommand = false\n' >"$ini"
	for command in "test broken" status; do
		run m mcp $command
		[ "$status" -eq 6 ]
		[[ "$output" =~ ^broken\ +does\ not\ respond:\ the\ server\ exited\ with\ status\ 1$ ]]
	done
	run m mcp status --json
	[ "$status" -eq 6 ]
	[ "$(jq -r '.[0].error' <<<"$output")" = "the server exited with status 1" ]
}

@test "mcp test: the tools of one server by name and effect" {
	server good plain
	run m mcp test good
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == "good "*"4 tools"* ]]
	[[ "$output" == *"  plain "*"Says its argument."*"  write "*"Changes something."* ]]
}

@test "pages that refer to themselves end" {
	server one same-cursor
	run m mcp test one
	[ "$status" -eq 0 ]
}

@test "malformed lines, wrong ids, a flood: the response is still used" {
	for mode in malformed wrong-ids flood progress; do
		: >"$ini"
		server one $mode
		m mcp test one
		run m tools call plain '{"text":"a"}'
		echo "$mode: $output"
		[[ "$output" == *'plain {"text": "a"}'* ]]
	done
}

@test "a line of 20 MiB ends the connection with an error message" {
	server one huge-line
	m mcp test one
	run m tools call write
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"more than 16 MiB"* ]]
}

@test "a call without a response times out" {
	server one silent-call "timeout = 1s"
	m mcp test one
	run m tools call plain
	[ "$status" -ne 0 ]
	[[ "$output" == *"did not respond to \`tools/call\` within 1.0 seconds"* ]]
}

@test "a server dies in a call: its last output is shown; read-only calls are retried" {
	server one die-in-call
	server two die-once "trust_hints = yes"
	m mcp status
	rm -f "$dir"/starts-*
	run m tools call write
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"exited with status 7: about to die"* ]]
	[ "$(wc -l <"$dir/starts-one")" -eq 1 ]
	run m tools call two_plain '{"text":"b"}'
	echo "$output"
	[ "$status" -eq 0 ]
	[ "${lines[-1]}" = 'plain {"text": "b"}' ]
	[ "$(wc -l <"$dir/starts-two")" -eq 2 ]
}

@test "annotations of a server apply once the user trusts it" {
	printf '[turn]\n[call plain]\ntext = a\n\n[turn]\n[call finish]\nmessage = Done.\n' \
		>"$dir/script"
	mkdir "$dir/ws"
	server one plain
	m mcp status
	try() {
		XDG_STATE_HOME=$dir/state m run -C "$dir/ws" -m "script:$dir/script" -t go \
			-o controller.tools=mcp,finish -o sandbox.mode=off \
			-o controller.on_ask=stop -o controller.analyzers= "$@" </dev/null
	}
	run try
	echo "$output"
	[ "$status" -eq 8 ]
	m mcp status -o mcp.one.trust_hints=yes
	run try -o mcp.one.trust_hints=yes
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" != *"not registered"* ]]
}

@test "an invalid response, a tool that runs only as a task: an immediate error" {
	for mode in null-result list-result text-error; do
		: >"$ini"
		server one $mode
		m mcp test one
		run m tools call plain
		echo "$mode: $output"
		[ "$status" -ne 0 ]
		[[ "$output" == *"MCP server \`one\`"* ]]
		[[ "$output" != *"did not respond"* ]]
	done
	: >"$ini"
	server one task
	m mcp test one
	run m tools call plain
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"only as a task"* ]]
	[ "$(grep -c called "$dir/starts-one")" -eq 0 ]
	run m tools call write
	[[ "$output" == *"no such place"* ]]
}

@test "errors: of the tool, of the protocol, of a result that violates its schema" {
	server one lies
	server two error
	m mcp status
	run m tools call write
	[ "$status" -ne 0 ]
	[[ "$output" == *"no such place"*"reported this as an error"* ]]
	run m tools call structured
	[ "$status" -ne 0 ]
	[[ "$output" == *'"one"'*"does not match the tool's output schema"* ]]
	run m tools call two_plain
	[[ "$output" == *"it is broken (error -32000)"* ]]
}

@test "requests of the server to the client" {
	server one ask
	server two input
	m mcp status
	run m tools call plain
	echo "$output"
	[[ "$output" == *"Your name?"*"declined"* ]]
	[[ "$output" == *"elicit decline, sampling -32601, roots 1, ping {}"* ]]
	run m tools call two_plain
	echo "$output"
	[[ "$output" == *"state s täte roots 1"* ]]
}

@test "child processes of a server end with it" {
	server one child
	m mcp test one
	pid=$(sed 's/started //' "$dir/starts-one" | tail -1)
	for i in $(seq 100); do
		pgrep -g "$pid" >/dev/null || break
		sleep 0.1
	done
	run -1 pgrep -g "$pid"
}

@test "the configuration has names of variables, not their values" {
	server one plain "env = MY_SECRET" "bearer_env = MY_TOKEN"
	export MY_SECRET=geheim
	run m config show
	[ "$status" -eq 0 ]
	[[ "$output" != *geheim* ]]
}

@test "servers from the file of another program" {
	cat >"$dir/mcp.json" <<-EOF
	{"mcpServers": {"My Server": {"command": "python3",
	  "args": ["\${HERE}/tests/tools/mcp-hostile.py", "plain"],
	  "env": {"A": "b"}}, "off": {"command": "false", "disabled": true}}}
	EOF
	export HERE=$top_srcdir
	printf '[core]\nmcp_json = %s\n' "$dir/mcp.json" >"$ini"
	run m mcp status
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == "my_server"*"4 tools"* ]]
}

@test "tools that a server lists are in the first request, cached or not" {
	server one plain
	cat >"$dir/script" <<-'EOF'
	[turn]
	expect tool = plain
	[call plain]
	text = from the model

	[turn]
	[call finish]
	message = Done.
	EOF
	m mcp test one
	mkdir "$dir/ws"
	export XDG_STATE_HOME=$dir/state
	run m run -C "$dir/ws" --model "script:$dir/script" -t "go" --json
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *'"action":"call_tool_mcp"'* ]]
	[[ "$output" == *'"name":"plain","arguments":{"text":"from the model"}'* ]]
	[[ "$output" == *'"observation":"mcp"'* ]]
	rm -r "$XDG_CACHE_HOME/mortise/tools"
	run m run -C "$dir/ws" --model "script:$dir/script" -t "go" --json
	echo "$output" | cut -c1-500
	[ "$status" -eq 0 ]
	[[ "$output" == *'"observation":"mcp"'*'from the model'* ]]
	rm -r "$XDG_CACHE_HOME/mortise/tools"
	run m tools list
	[[ "$output" == *plain* ]]
	rm -r "$XDG_CACHE_HOME/mortise/tools"
	run m tools call plain '{"text": "at once"}'
	[ "$status" -eq 0 ]
	[[ "$output" == *"at once"* ]]
}

@test "a server with the name of a toolset: both work under distinct names" {
	server memory plain
	run m mcp list
	[[ "$output" == "memory "* ]]
	run m mcp test memory
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == "memory "*"4 tools"* ]]
	run m mcp test nothing
	[ "$status" -eq 2 ]
	[[ "$output" == *'unknown MCP server `nothing`'* ]]
	run m mcp test memory -o mcp.memory.enabled=no
	[ "$status" -eq 2 ]
	[[ "$output" == *'MCP server `memory` is disabled; set enabled = yes in [mcp.memory]' ]]
	for tools in "mcp, memory, finish" "memory, mcp, finish" "memory, mcp.memory, finish"; do
		rm -rf "$dir/ws"
		mkdir "$dir/ws"
		export XDG_STATE_HOME=$dir/state
		cat >"$dir/script" <<-'EOF'
		[turn]
		expect tool = memory
		expect tool = plain
		[call memory]
		command = append
		text = water is wet

		[turn]
		[call plain]
		text = of the server

		[turn]
		[call finish]
		message = Done.
		EOF
		run m run -C "$dir/ws" -o "controller.tools=$tools" --model "script:$dir/script" -t go --json
		echo "$output" | cut -c1-600
		[ "$status" -eq 0 ]
		[[ "$output" == *"water is wet"* ]]
		[[ "$output" == *'plain {\"text\": \"of the server\"}'* ]]
	done
}

@test "a web search is offered when a key is set" {
	: >"$ini"
	mkdir "$dir/bin"
	printf '#!/bin/sh\necho "$@ $TAVILY_API_KEY" >%s\nexec python3 %s plain\n' "$dir/args" \
		"$top_srcdir/tests/tools/mcp-hostile.py" >"$dir/bin/npx"
	chmod +x "$dir/bin/npx"
	PATH=$dir/bin:$PATH TAVILY_API_KEY=tvly-secret run m mcp status
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == tavily*"4 tools"* ]]
	[ "$(cat "$dir/args")" = "-y tavily-mcp tvly-secret" ]
	PATH=$dir/bin:$PATH TAVILY_API_KEY=tvly-secret run m mcp list -o core.tavily=no
	[ "$output" = "No MCP server is configured." ]
	PATH=$dir/bin:$PATH TAVILY_API_KEY=other run m mcp list
	[ "$output" = "No MCP server is configured." ]
}

# A model that is offered the tool `grown` only after a call of `plain`.
calls_grown() {
	cat >"$dir/script" <<-EOF
	[turn]
	expect no tool = grown
	[call plain]

	[turn]
	expect tool = grown
	[call grown]

	[turn]
	[call finish]
	message = Done.
	EOF
}

@test "a server adds tools while it runs: they are offered" {
	for mode in grows grows-modern; do
		rm -rf "$XDG_CACHE_HOME" "$dir/ws"
		: >"$ini"
		server one $mode
		m mcp status
		calls_grown
		mkdir "$dir/ws"
		export XDG_STATE_HOME=$dir/state
		run m run -C "$dir/ws" --model "script:$dir/script" -t go --json
		echo "$output" | cut -c1-400
		[ "$status" -eq 0 ]
		[[ "$output" == *'"content":"grown {}"'* ]]
	done
}

@test "a server of the official SDK adds a tool before its result: the next request has it" {
	modules=$MCP_SERVERS/node_modules
	node=$modules/node/bin/node
	[ -n "$MCP_SERVERS" ] && [ -e "$node" ] && [ -e "$modules/@modelcontextprotocol/sdk" ] ||
		skip "MCP_SERVERS has no SDK with its node"
	grows=$top_srcdir/tests/tools/mcp-grows.mjs
	calls_grown
	export XDG_STATE_HOME=$dir/state
	"$node" "$grows" "$modules" "$dir/port" 3>&- &
	server=$!
	for i in $(seq 300); do [ ! -e "$dir/port" ] || break; sleep 0.1; done
	for where in command "url = http://127.0.0.1:$(cat "$dir/port")/mcp"; do
		rm -rf "$XDG_CACHE_HOME" "$dir/ws"
		mkdir "$dir/ws"
		case $where in
		url*) printf '[mcp.one]\n%s\n' "$where" ;;
		*) printf '[mcp.one]\ncommand = %s\nargs = %s, %s\n' "$node" "$grows" "$modules" ;;
		esac >"$ini"
		m mcp status
		run m run -C "$dir/ws" --model "script:$dir/script" -t go --json
		echo "$output" | cut -c1-400
		[ "$status" -eq 0 ] || { kill $server; false; }
		[[ "$output" == *'grown at last'* ]] || { kill $server; false; }
	done
	kill $server
}

@test "a call that is interrupted is cancelled at the server" {
	server one cancelled
	m mcp status
	printf '[turn]\n[call plain]\n' >"$dir/script"
	mkdir "$dir/ws"
	export XDG_STATE_HOME=$dir/state
	mortise run -C "$dir/ws" --model "script:$dir/script" -t go --config "$ini" 3>&- &
	pid=$!
	for i in $(seq 300); do
		grep -q called "$dir/starts-one" && break
		sleep 0.1
	done
	kill -INT $pid
	wait $pid || true
	number=$(sed -n 's/called //p' "$dir/starts-one")
	for i in $(seq 300); do # the server may read it after the run
		grep -qx "cancelled $number" "$dir/starts-one" && break
		sleep 0.1
	done
	grep -x "cancelled $number" "$dir/starts-one"
}

@test "images, resources, links, and unknown content" {
	server one media
	m mcp status
	run m tools call --json plain
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *before* ]]
	[[ "$output" == *inside* ]]
	[[ "$output" == *"a:d"* ]]
}

@test "many tools: names first, parameters on request" {
	server lots many
	m mcp status
	cat >"$dir/script" <<-'EOF'
	[turn]
	expect tool = find_tools
	[call find_tools]
	names = ["thing_7", "nothing"]

	[turn]
	expect tool = thing_7
	[call thing_7]
	text = found

	[turn]
	[call finish]
	message = Done.

	[turn]
	expect tool = thing_7
	[call find_tools]
	query = thing_42

	[turn]
	expect tool = thing_42
	[call finish]
	message = Done.
	EOF
	mkdir "$dir/ws"
	export XDG_STATE_HOME=$dir/state
	run m run -C "$dir/ws" --model "script:$dir/script" -t go --json
	echo "$output" | cut -c1-3000
	[ "$status" -eq 0 ]
	tools=$(grep '"action":"system"' <<<"$output" | grep '^{' | jq -r '.args.tools[].function.name')
	[[ "$tools" == *find_tools* ]]
	[[ "$tools" != *thing_* ]]
	[[ "$output" == *"lots: thing_0, thing_1,"* ]]
	[[ "$output" == *'Does thing_7.'*'thing_7 {\"text\": \"found\"}'* ]]
	run m resume -t more --json
	echo "$output" | cut -c1-3000
	[ "$status" -eq 0 ]
	# A limit of 0: all of them are shown.
	printf '[turn]\nexpect tool = thing_99\n[call finish]\nmessage = x\n' >"$dir/script"
	run m run -C "$dir/ws" --model "script:$dir/script" -t go -o controller.tools_shown=0 --json
	[ "$status" -eq 0 ]
	tools=$(grep '"action":"system"' <<<"$output" | grep '^{' | jq -r '.args.tools[].function.name')
	[[ "$tools" == *thing_99* ]]
	[[ "$tools" != *find_tools* ]]
}

@test "real servers over their standard streams" {
	[ -n "$MCP_SERVERS" ] || skip "MCP_SERVERS names no directory with servers"
	bin=$MCP_SERVERS/node_modules/.bin
	printf '[mcp.everything]\ncommand = %s\nargs = stdio\n' "$bin/mcp-server-everything" >"$ini"
	printf '[mcp.files]\ncommand = %s\nargs = /tmp\n' "$bin/mcp-server-filesystem" >>"$ini"
	printf '[mcp.memory]\ncommand = %s\n' "$bin/mcp-server-memory" >>"$ini"
	printf '[mcp.thinking]\ncommand = %s\n' "$bin/mcp-server-sequential-thinking" >>"$ini"
	run m mcp status
	echo "$output"
	[ "$status" -eq 0 ]
	run m tools call get-sum '{"a":2,"b":3}'
	[ "$output" = "The sum of 2 and 3 is 5." ]
	run m tools call get-structured-content '{"location":"Chicago"}'
	[[ "$output" == *'"temperature"'* ]]
	run m tools call everything_resources \
		'{"uri":"demo://resource/static/document/features.md"}'
	[ "$status" -eq 0 ]
	run m tools call everything_prompts '{"name":"simple-prompt"}'
	[[ "$output" == *"user:"* ]]
}

# serve KIND: the server `everything` over HTTP; sets $url
serve() {
	for try in 1 2 3; do
		port=$((20000 + RANDOM % 20000))
		PORT=$port "$MCP_SERVERS/node_modules/.bin/mcp-server-everything" "$1" \
			>"$dir/server.log" 2>&1 3>&- &
		server=$!
		for i in $(seq 100); do
			kill -0 $server 2>/dev/null || break
			if (exec 4<>/dev/tcp/127.0.0.1/$port) 2>/dev/null; then
				url=http://127.0.0.1:$port/$2
				return
			fi
			sleep 0.1
		done
		kill $server 2>/dev/null || true
	done
	return 1
}

@test "a real server over streamable HTTP and over the SSE of 2024" {
	[ -n "$MCP_SERVERS" ] || skip "MCP_SERVERS names no directory with servers"
	for kind in "streamableHttp mcp" "sse sse"; do
		serve $kind
		printf '[mcp.e]\nurl = %s\n' "$url" >"$ini"
		run m mcp test e
		echo "$output"
		kill -0 $server
		[ "$status" -eq 0 ]
		run m tools call get-sum '{"a":2,"b":3}'
		echo "$output"
		[ "$output" = "The sum of 2 and 3 is 5." ]
		kill $server
	done
}

# A page in a real browser, as text and as a screenshot.
use_browser() {
	run m mcp test pw
	echo "$output"
	[ "$status" -eq 0 ]
	run m tools call browser_navigate '{"url":"data:text/html,<h1>Hello there</h1>"}'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"Hello there"* ]]
	run m tools call --json browser_take_screenshot '{"scale":"css"}'
	echo "$output" | cut -c1-300
	[ "$status" -eq 0 ]
}

@test "playwright: a browser over standard streams and over HTTP" {
	chromium=$(command -v chromium) || skip "there is no chromium"
	[ -n "$MCP_SERVERS" ] && [ -e "$MCP_SERVERS/node_modules/.bin/playwright-mcp" ] ||
		skip "MCP_SERVERS has no @playwright/mcp"
	server=$MCP_SERVERS/node_modules/.bin/playwright-mcp
	options="--executable-path $chromium --headless --no-sandbox --output-dir $dir --isolated"
	printf '[mcp.pw]\ncommand = %s\nargs = %s\n' "$server" "${options// /, }" >"$ini"
	use_browser
	port=$((20000 + RANDOM % 20000))
	"$server" $options --port $port >"$dir/server.log" 2>&1 3>&- &
	pid=$!
	for i in $(seq 100); do
		(exec 4<>/dev/tcp/localhost/$port) 2>/dev/null && break
		sleep 0.1
	done
	printf '[mcp.pw]\nurl = http://localhost:%s/mcp\n' $port >"$ini"
	use_browser
	kill $pid
}

@test "a server that is killed during a conversation is restarted" {
	[ -n "$MCP_SERVERS" ] || skip "MCP_SERVERS names no directory with servers"
	printf '#!/bin/sh\necho $$ >%s\nexec %s stdio\n' "$dir/pid" \
		"$MCP_SERVERS/node_modules/.bin/mcp-server-everything" >"$dir/server"
	chmod +x "$dir/server"
	printf '[mcp.e]\ncommand = %s\n' "$dir/server" >"$ini"
	m mcp test e
	cat >"$dir/script" <<-EOF
	[turn]
	[call get-sum]
	a = 2
	b = 3

	[turn]
	[call execute_bash]
	command = kill -9 \$(cat $dir/pid)

	[turn]
	[call get-sum]
	a = 4
	b = 5

	[turn]
	[call finish]
	message = Done.
	EOF
	mkdir "$dir/ws"
	export XDG_STATE_HOME=$dir/state
	run m run -C "$dir/ws" --model "script:$dir/script" -t go --json
	echo "$output" | cut -c1-600
	[ "$status" -eq 0 ]
	[[ "$output" == *"The sum of 2 and 3 is 5."*"The sum of 4 and 5 is 9."* ]]
}

@test "an HTTP server that loses the session: a new session, and the call is repeated" {
	for code in 404 400; do
		rm -rf "$dir/log" "$dir/ws" "$XDG_CACHE_HOME"
		python3 "$top_srcdir/tests/tools/mcp-session.py" $code "$dir/log" 3>&- &
		server=$!
		for i in $(seq 300); do
			[ -s "$dir/log" ] && break
			sleep 0.1
		done
		url=$(head -1 "$dir/log")
		printf '[mcp.s]\nurl = %s/mcp\n' "$url" >"$ini"
		m mcp test s
		cat >"$dir/script" <<-EOF
		[turn]
		[call change]

		[turn]
		[call execute_bash]
		command = python3 -c 'import urllib.request as r; r.urlopen("$url/forget")'

		[turn]
		[call change]

		[turn]
		[call finish]
		message = Done.
		EOF
		mkdir "$dir/ws"
		export XDG_STATE_HOME=$dir/state
		# the server and its port are outside of the sandbox
		run m run -C "$dir/ws" --model "script:$dir/script" -t go --json \
			-o sandbox.network=full -o controller.confirmation=never
		kill $server
		echo "$output" | cut -c1-400
		cat "$dir/log"
		[ "$status" -eq 0 ]
		[ "$(grep -c '"content":"changed in s' <<<"$output")" -eq 2 ]
		[ "$(grep -c '^call' "$dir/log")" -eq 2 ]
		grep -q deleted "$dir/log"
	done
}

@test "no server listens, or it is not an MCP server" {
	printf '[mcp.none]\nurl = http://127.0.0.1:9/mcp\nconnect_timeout = 2s\n' >"$ini"
	printf '[mcp.secret]\nurl = http://127.0.0.1:9/\nbearer_env = NOT_SET\n' >>"$ini"
	run m mcp status
	echo "$output"
	[ "$status" -eq 6 ]
	[[ "$output" == *"none"*"cannot reach"* ]]
	[[ "$output" == *"NOT_SET"* ]]
}

# The official suite: npm @modelcontextprotocol/conformance, with Node 22 as npm's
# package node. What a revision does not require (extensions) is run and not counted.
@test "the conformance suite: all that both revisions require" {
	suite=$MCP_SERVERS/node_modules/.bin/conformance
	node=$MCP_SERVERS/node_modules/node/bin
	[ -n "$MCP_SERVERS" ] && [ -e "$suite" ] && [ -e "$node/node" ] ||
		skip "MCP_SERVERS has no conformance suite with its node"
	cd "$dir"
	for revision in 2025-11-25:18 2026-07-28:32; do
		PATH=$node:$PATH "$suite" client --requirements "${revision%:*}" \
			--command mortise-mcp-conformance >log 2>&1 || { cat log; return 1; }
		sed -n '/SUITE SUMMARY/,$p' log
		[ "$(grep -c '^✓' log)" -ge "${revision#*:}" ]
	done
	for scenario in auth/client-credentials-jwt auth/client-credentials-basic; do
		PATH=$node:$PATH "$suite" client --scenario $scenario \
			--command mortise-mcp-conformance >log 2>&1 || { cat log; return 1; }
	done
}

# ---- mortise as a server -------------------------------------------------------

@test "built-in tools, served to the built-in client, in both revisions" {
	for protocol in 2026-07-28 2025-11-25; do
		{
			printf '[mcp.self]\ncommand = mortise\nargs = tools, serve\n'
			printf 'protocol = %s\nenv = %s\n' "$protocol" \
				"$(compgen -e MORTISE_ | paste -sd,)"
		} >"$ini"
		run m mcp test self
		echo "$output"
		[ "$status" -eq 0 ]
		[[ "$output" == *"execute_bash"* ]]
		[[ "$output" != *"finish"* ]]
		# The shell of this process already has the name.
		run m tools call self_execute_bash '{"command":"echo from below $((1+1))"}'
		echo "$output"
		[ "$status" -eq 0 ]
		[[ "$output" == *"from below 2"* ]]
	done
}

@test "serve: invalid requests get an error, and the end of the input ends it" {
	run bash -c '{
		echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"nothing\"}"
		echo "no json"
		echo "[]"
		echo "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}"
		echo "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/list\",\"params\":{\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2099-01-01\"}}}"
		echo "{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"nope\"}}"
		echo "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"tools/call\",\"params\":{\"name\":\"execute_bash\",\"arguments\":{}}}"
		echo "{\"jsonrpc\":\"2.0\",\"id\":\"six\",\"method\":\"tools/call\",\"params\":{\"name\":\"execute_bash\",\"arguments\":{\"command\":\"echo six\"}}}"
	} | timeout 120 mortise tools serve'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *'"id":1,"error":{"code":-32601'* ]]
	[[ "$output" == *'"id":null,"error":{"code":-32700'* ]]
	[[ "$output" == *'"id":null,"error":{"code":-32600'* ]]
	[[ "$output" == *'"id":2,"result":{}'* ]]
	[[ "$output" == *'"id":3,"error":{"code":-32022'*'"supported":["2026-07-28"]'* ]]
	[[ "$output" == *'"id":4,"error":{"code":-32602'* ]]
	[[ "$output" == *'"id":5,"result":{"content":[{"type":"text"'*'"isError":true'* ]]
	[[ "$output" == *'"id":"six","result":'*'six'* ]]
}

@test "a command that fails: its exit code and isError" {
	run bash -c '{
		echo "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"execute_bash\",\"arguments\":{\"command\":\"echo out; (exit 3)\"}}}"
		echo "{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"tools/call\",\"params\":{\"name\":\"execute_bash\",\"arguments\":{\"command\":\"echo fine\"}}}"
		echo "{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"execute_bash\",\"arguments\":{\"command\":\"\"}}}"
	} | timeout 120 mortise tools serve'
	echo "$output"
	[[ "$output" == *'"id":1,"result":{"content":[{"type":"text","text":"out\n[exit code 3'['];']*'"isError":true'* ]]
	[[ "$output" == *'"id":2,"result":{"content":[{"type":"text","text":"fine"}],"isError":false'* ]]
	[[ "$output" == *'"id":3,"result":{"content":[{"type":"text","text":"ERROR: No previous running command'*'"isError":true'* ]]
	code=0
	mortise tools call execute_bash '{"command":"echo out; (exit 3)"}' >"$dir/out" 2>"$dir/err" ||
		code=$?
	[ "$code" -eq 1 ]
	[ "$(cat "$dir/out")" = out ]
	[ "$(cat "$dir/err")" = "mortise: the command completed with exit code 3" ]
	mortise tools call execute_bash '{"command":"echo fine"}' 2>"$dir/err"
	[ ! -s "$dir/err" ]
	code=0
	mortise tools call execute_bash '{"command":"echo part; sleep 1000","timeout":1}' \
		>"$dir/out" 2>"$dir/err" || code=$?
	[ "$code" -eq 1 ]
	[ "$(cat "$dir/out")" = part ]
	[ "$(cat "$dir/err")" = "mortise: the command did not complete" ]
	run -1 --separate-stderr mortise tools call execute_bash '{"command":""}'
	[[ "$output" == "ERROR: No previous running command"* ]]
}

@test "serve: a call that is cancelled ends and is not answered" {
	run bash -c '{
		echo "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"execute_bash\",\"arguments\":{\"command\":\"touch '"$dir"'/began; sleep 1000\"}}}"
		for i in $(seq 300); do [ -e '"$dir"'/began ] && break; sleep 0.1; done
		echo "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":7}}"
		echo "{\"jsonrpc\":\"2.0\",\"id\":8,\"method\":\"tools/call\",\"params\":{\"name\":\"execute_bash\",\"arguments\":{\"command\":\"echo next\"}}}"
	} | timeout 120 mortise tools serve'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" != *'"id":7'* ]]
	[[ "$output" == *'"id":8,"result":'*'next'* ]]
}

@test "serve: SIGTERM ends it and its calls immediately, and nothing is left" {
	mkfifo "$dir/in"
	mortise tools serve <"$dir/in" >"$dir/out" 3>&- &
	pid=$!
	exec 6>"$dir/in"
	echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_bash","arguments":{"command":"echo $$ >'"$dir"'/shell; sleep 1000"}}}' >&6
	for i in $(seq 300); do
		[ -s "$dir/shell" ] && break
		sleep 0.1
	done
	[ -s "$dir/shell" ]
	kill -TERM $pid
	wait $pid
	exec 6>&-
	for i in $(seq 100); do
		kill -0 "$(cat "$dir/shell")" 2>/dev/null || break
		sleep 0.1
	done
	run ! kill -0 "$(cat "$dir/shell")"
}

@test "serve: a slow client gets everything, one that disconnects ends it" {
	cat >"$dir/client.py" <<-'END'
		import json, subprocess, sys, time
		s = subprocess.Popen(["mortise", "tools", "serve"], stdin=subprocess.PIPE,
		                     stdout=subprocess.PIPE, stderr=subprocess.PIPE)
		def ask(ids):
		    for n in ids:
		        s.stdin.write(b'{"jsonrpc":"2.0","id":%d,"method":"tools/list"}\n' % n)
		    s.stdin.flush()
		ask(range(30))
		time.sleep(1)  # the pipe is full
		for n in range(30):
		    line = json.loads(s.stdout.readline())
		    assert line["id"] == n and line["result"]["tools"], line
		ask(range(30))
		time.sleep(1)
		s.stdout.close()
		assert s.wait(20) == 1, s.returncode  # standard input is open
		print(s.stderr.read().decode(), end="")
	END
	run timeout 60 python3 "$dir/client.py"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = "mortise: cannot write to standard output: Broken pipe" ]
}

@test "serve: every tool, progress and cancelling, as the official client sees it" {
	[ -n "$MCP_SERVERS" ] && [ -d "$MCP_SERVERS/node_modules/@modelcontextprotocol/client" ] ||
		skip "MCP_SERVERS has no @modelcontextprotocol/client"
	for version in 2025-11-25 2026-07-28; do
		mkdir "$dir/$version"
		timeout 60 node "$top_srcdir/tests/tools/mcp-client.mjs" \
			"$MCP_SERVERS/node_modules" $version "$dir/$version" mortise tools serve --all
	done
}

@test "serve: the official inspector" {
	inspector=$MCP_SERVERS/node_modules/.bin/mcp-inspector
	node=$MCP_SERVERS/node_modules/node/bin
	[ -n "$MCP_SERVERS" ] && [ -e "$inspector" ] && [ -e "$node/node" ] ||
		skip "MCP_SERVERS has no inspector with its node"
	PATH=$node:$PATH timeout 60 "$inspector" --cli mortise tools serve \
		--method tools/list >"$dir/list"
	grep -q '"name": "execute_bash"' "$dir/list"
	run env PATH="$node:$PATH" timeout 60 "$inspector" --cli mortise tools serve \
		--method tools/call --tool-name execute_bash --tool-arg 'command=echo $((6*7))'
	[[ "$output" == *'"text": "42"'*'"isError": false'* ]]
}

@test "a server that the sandbox keeps from its program or script: the path and the setting" {
	export HOME=$dir/home MORTISE_SANDBOX_READ= MORTISE_SANDBOX_WRITE=
	mkdir -p "$HOME/tools" "$dir/ws"
	chmod 700 "$HOME"
	mortise sandbox --json | jq -e .enforced >/dev/null || skip "no sandbox here"
	printf '#!/bin/sh\nexit 0\n' >"$HOME/tools/server"
	chmod 755 "$HOME/tools/server"
	echo 'print("started")' >"$HOME/server.py"
	{
		printf '[mcp.one]\ncommand = %s\n' "$HOME/tools/server"
		printf '[mcp.two]\ncommand = python3\nargs = -u, %s\n' '~/server.py'
	} >"$ini"
	for word in one/tools/server two/server.py; do
		run m mcp test "${word%%/*}" -C "$dir/ws"
		echo "$output"
		[ "$status" -eq 6 ]
		[[ "$output" == *"cannot read $HOME/${word#*/}: to allow it, add it, "*"to \`read\` in [sandbox]"* ]]
	done
	cat >"$dir/script" <<-'END'
		[turn]
		[call execute_bash]
		command = until grep "cannot list the tools of .two" log; do sleep 0.05; done
		[turn]
		[call finish]
		message = Done.
	END
	m run -C "$dir/ws" -m "script:$dir/script" -t go 2>"$dir/ws/log"
	cat "$dir/ws/log"
	grep -F "cannot read $HOME/server.py: " "$dir/ws/log"
}
