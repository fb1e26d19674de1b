#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# `mortise tools serve --http`, queried by curl, by the built-in client, and by the
# official conformance suite if $MCP_SERVERS names a directory with it (npm).
bats_require_minimum_version 1.5.0

setup() {
	umask 077
	dir=$(mktemp -d)
	export MORTISE_SANDBOX_WRITE=$dir # commands leave files there
	export XDG_CACHE_HOME=$dir/cache MORTISE_SERVE_TOKEN=a-token-for-the-tests
	server=
}

teardown() {
	[ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true
	rm -rf "$dir"
}

# serve OPTION...: sets $url and $server
serve() {
	: >"$dir/told"
	mortise tools serve --http 0 "$@" 2>"$dir/told" 3>&- &
	server=$!
	for i in $(seq 300); do
		url=$(sed -n 's/.*listening on //p' "$dir/told")
		[ -z "$url" ] || return 0
		kill -0 $server || break
		sleep 0.1
	done
	cat "$dir/told"
	return 1
}

post() { # BODY OPTION...; the status after the body
	body=$1
	shift
	curl -s -w '\n%{http_code}\n' -H 'Content-Type: application/json' \
		-H "Authorization: Bearer $MORTISE_SERVE_TOKEN" "$@" -d "$body" "$url"
}

ping='{"jsonrpc":"2.0","id":1,"method":"ping"}'

# hello_of CAPABILITIES: sets $hello, the request of a handshake
hello_of() {
	hello='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":'$1',"clientInfo":{"name":"t","version":"1"}}}'
}

# meta_of CAPABILITIES MEMBER: sets $meta, which every request without a handshake has
meta_of() {
	meta='"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":'"$1${2:+,$2}"'}'
}

hello_of '{}'
meta_of '{}'

# ask METHOD PARAMS: in the version with a handshake; the members of PARAMS
ask() {
	post "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"$1\",\"params\":{$2}}"
}

# ask_modern METHOD PARAMS [NAME]: in the version without one
ask_modern() {
	post "{\"jsonrpc\":\"2.0\",\"id\":6,\"method\":\"$1\",\"params\":{${2:+$2,}$meta}}" \
		-H 'MCP-Protocol-Version: 2026-07-28' -H "Mcp-Method: $1" ${3:+-H "Mcp-Name: $3"}
}

png=iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==

# skill NAME: its SKILL.md from standard input, in the workspace $dir/work
skill() {
	mkdir -p "$dir/work/.agents/skills/$1"
	cat >"$dir/work/.agents/skills/$1/SKILL.md"
}

@test "no port is open by default, and never to other hosts without a token" {
	run bash -c ": | mortise tools serve"
	[ "$status" -eq 0 ]
	[[ "$output" != *listening* ]]
	unset MORTISE_SERVE_TOKEN
	run timeout 20 mortise tools serve --http 0
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: --http requires a token"*"set MORTISE_SERVE_TOKEN "*"--no-token"* ]]
	run timeout 20 mortise tools serve --http 0 --token-env OTHER
	[ "$status" -eq 2 ]
	[[ "$output" == *"set OTHER "* ]]
	MORTISE_SERVE_TOKEN=short run timeout 20 mortise tools serve --http 0
	[ "$status" -eq 2 ]
	[[ "$output" == *"too short"* ]]
	run timeout 20 mortise tools serve --http 0.0.0.0:0 --no-token
	[ "$status" -eq 2 ]
	[[ "$output" == *"only on localhost"* ]]
	for address in x 70000 nowhere:1 127.0.0.1: ''; do
		run timeout 20 mortise tools serve --http "$address" --no-token
		[ "$status" -ne 0 ]
	done
	serve --no-token
	[[ "$url" == http://127.0.0.1:*/mcp ]]
	port=${url#http://127.0.0.1:}
	run timeout 20 mortise tools serve --http "${port%/mcp}" --no-token
	[[ "$output" == *"cannot listen"*"address already in use"* ]]
}

@test "access: token, host, origin, and requests from web pages" {
	serve
	run post "$ping"
	[[ "$output" == *'"result":{}'*200 ]]
	run curl -s -o /dev/null -w '%{http_code} %header{www-authenticate}' \
		-H 'Content-Type: application/json' -d "$ping" "$url"
	[ "$output" = "401 Bearer" ]
	run post "$ping" -H 'Authorization: Bearer a-token-for-the-testz'
	[[ "$output" == *401 ]]
	for bad in 'Host: evil.example' 'Origin: http://evil.example' 'Origin: null' \
		'Host: localhost.evil.example' 'Origin: http://localhost.evil.example' \
		'Host: 127.0.0.1:1x'; do
		run post "$ping" -H "$bad"
		[[ "$output" == *403 ]]
	done
	for value in 'Host: localhost:1' 'Origin: http://localhost:6274' 'Origin: http://[::1]'; do
		run post "$ping" -H "$value"
		[[ "$output" == *200 ]]
	done
	run post "$ping" -H 'Content-Type: text/plain'
	[[ "$output" == *415 ]]
	run curl -s -o /dev/null -w '%{http_code}' -H "Authorization: Bearer $MORTISE_SERVE_TOKEN" "$url"
	[ "$output" = 405 ]
}

@test "sessions, versions, and invalid requests" {
	serve
	session=$(post "$hello" -D - -o /dev/null | tr -d '\r' | sed -n 's/^Mcp-Session-Id: //p')
	[[ "$session" =~ ^[0-9a-f]{32}$ ]]
	run post '{"jsonrpc":"2.0","method":"notifications/initialized"}' -H "Mcp-Session-Id: $session"
	[[ "$output" == *202 ]]
	run post '{"jsonrpc":"2.0","id":2,"method":"tools/list"}' -H "Mcp-Session-Id: $session"
	[[ "$output" == *'"execute_bash"'*200 ]]
	post '' -X DELETE -H "Mcp-Session-Id: $session" | grep -x 200
	post "$ping" -H "Mcp-Session-Id: $session" | grep -x 404
	post "$ping" -H "MCP-Protocol-Version: 1999-01-01" | grep -x 400
	run post 'no json'
	[[ "$output" == *-32700*400 ]]
	run post '[]'
	[[ "$output" == *-32600*400 ]]
	new=(-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/list')
	list='{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{'$meta'}}'
	run post "$list" "${new[@]}"
	[[ "$output" == *'"execute_bash"'*'"resultType":"complete"'*200 ]]
	run post "$list" -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call'
	[[ "$output" == *-32020*400 ]]
	run post "$list"
	[[ "$output" == *-32020*400 ]]
	run post '{"jsonrpc":"2.0","id":3,"method":"tools/list"}' "${new[@]}"
	[[ "$output" == *-32602*400 ]]
	run post "${list/tools\/list/ping}" -H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: ping'
	[[ "$output" == *-32601*404 ]]
	run post "${list/2026-07-28/2099-01-01}" -H 'MCP-Protocol-Version: 2099-01-01'
	[[ "$output" == *-32022*400 ]]
}

@test "tools that the configuration does not wire are not offered" {
	serve -o controller.tools=bash
	for method in prompts/list prompts/get completion/complete resources/list \
		resources/read resources/templates/list; do
		run ask $method ''
		[[ "$output" == *'"id":5'*-32601*200 ]]
		run ask_modern $method '"name":"x","uri":"x"' x
		echo "$output"
		[[ "$output" == *'"id":6'*-32601*404 ]]
	done
	run post "$hello"
	[[ "$output" == *'"capabilities":{"tools":{"listChanged":true},"logging":{}}'* ]]
	run ask_modern server/discover ''
	[[ "$output" == *'"capabilities":{"tools":{},"logging":{}}'* ]]
}

@test "prompts: the skills that a user can call, with their variables and files" {
	mkdir -p "$dir/work"
	skill release <<-'EOF'
		---
		name: release
		description: Make a release.
		inputs:
		  - name: version
		    description: the version to release
		  - name: channel
		    enum: [stable, staging, beta]
		    default: stable
		---
		Release ${version} to ${channel} from ${HOME}; see [the list](references/list.md) and
		![the plan](plan.png), not [this](../secret) or [that](https://example.org/x).
	EOF
	mkdir "$dir/work/.agents/skills/release/references"
	echo 'First the tests.' >"$dir/work/.agents/skills/release/references/list.md"
	base64 -d <<<$png >"$dir/work/.agents/skills/release/plan.png"
	echo 'not for others' >"$dir/work/.agents/skills/secret"
	echo 'Always be polite.' >"$dir/work/AGENTS.md"
	serve -C "$dir/work" -o controller.tools=skill
	run post "$hello"
	[[ "$output" == *'"prompts":{},"completions":{}'* ]]
	run ask prompts/list ''
	echo "$output"
	[[ "$output" == *'{"name":"release","description":"Make a release.","arguments":[{"name":"version","description":"the version to release","required":true},{"name":"channel","required":false}]}'*200 ]]
	[[ "$output" != *'"agents"'* ]]
	run ask prompts/get '"name":"release","arguments":{"version":"1.2"}'
	echo "$output"
	[[ "$output" == *'Release 1.2 to stable from ${HOME};'* ]]
	[[ "$output" != *'has not given a value'* ]]
	[[ "$output" == *'"uri":"skill://release/references/list.md","mimeType":"text/plain","text":"First the tests.\n"'* ]]
	[[ "$output" == *'"type":"image","mimeType":"image/png","data":"'$png'"'* ]]
	[[ "$output" != *'not for others'* ]]
	run ask prompts/get '"name":"release","arguments":{"version":"2","channel":"beta"}'
	[[ "$output" == *'Release 2 to beta'* ]]
	run ask prompts/get '"name":"release"'
	[[ "$output" == *'-32602,"message":"missing argument `version`"'* ]]
	run ask prompts/get '"name":"release","arguments":{"version":7}'
	[[ "$output" == *'-32602,"message":"argument `version` must be a string"'* ]]
	run ask prompts/get '"name":"agents"'
	[[ "$output" == *'-32602,"message":"unknown prompt `agents`"'* ]]
	run ask_modern prompts/get '"name":"release","arguments":{"version":"3"}' release
	[[ "$output" == *'Release 3 to stable'*'"resultType":"complete"'*200 ]]
	run ask_modern prompts/get '"name":"release","arguments":{"version":"3"}' other
	[[ "$output" == *-32020*400 ]]
}

@test "prompts: a client asks its user for missing values" {
	mkdir -p "$dir/work"
	skill deploy <<-'EOF'
		---
		name: deploy
		description: Deploy.
		inputs:
		  - name: where
		    enum: [stable, beta]
		  - name: why
		---
		Deploy to ${where}: ${why}.
	EOF
	serve -C "$dir/work" -o controller.tools=skill
	meta_of '{"elicitation":{}}'
	run ask_modern prompts/get '"name":"deploy","arguments":{"why":"fun"}' deploy
	echo "$output"
	[[ "$output" == *'"resultType":"input_required","inputRequests":{"arguments":{"method":"elicitation/create","params":{"message":"Deploy.","requestedSchema":{"type":"object","properties":{"where":{"type":"string","enum":["stable","beta"]}},"required":["where"]}}}}}'*200 ]]
	filled='"name":"deploy","arguments":{"why":"fun"},"inputResponses":{"arguments"'
	run ask_modern prompts/get "$filled"':{"action":"accept","content":{"where":"beta"}}}' deploy
	[[ "$output" == *'Deploy to beta: fun.'*'"resultType":"complete"'* ]]
	run ask_modern prompts/get "$filled"':{"action":"decline"}}' deploy
	[[ "$output" == *'-32602,"message":"the user declined to answer"'* ]]
	run ask_modern prompts/get "$filled"':{"action":"accept","content":{"where":7}}}' deploy
	[[ "$output" == *'-32602,"message":"argument `where` must be a string"'* ]]
	meta_of '{}'
	run ask_modern prompts/get '"name":"deploy","arguments":{"why":"fun"}' deploy
	[[ "$output" == *'-32602,"message":"missing argument `where`"'* ]]
}

@test "completion: the values that a variable of a skill may have" {
	mkdir -p "$dir/work"
	skill deploy <<-'EOF'
		---
		name: deploy
		description: Deploy.
		inputs:
		  - name: where
		    enum: [stable, staging, beta]
		---
		Deploy to ${where}.
	EOF
	serve -C "$dir/work" -o controller.tools=skill
	complete='"ref":{"type":"ref/prompt","name":"deploy"},"argument"'
	run ask completion/complete "$complete:"'{"name":"where","value":"ST"}'
	[[ "$output" == *'"completion":{"values":["stable","staging"],"total":2,"hasMore":false}'* ]]
	run ask_modern completion/complete "$complete:"'{"name":"where","value":""}'
	[[ "$output" == *'"values":["stable","staging","beta"]'*'"resultType":"complete"'* ]]
	run ask completion/complete "$complete:"'{"name":"other","value":""}'
	[[ "$output" == *-32602* ]]
	run ask completion/complete '"ref":{"type":"ref/x"},"argument":{"name":"a","value":""}'
	[[ "$output" == *-32602* ]]
}

@test "resources: files of the workspace only" {
	mkdir -p "$dir/work/sub dir" "$dir/work/.hidden"
	echo text >"$dir/work/sub dir/a%b.txt"
	base64 -d <<<$png >"$dir/work/image"
	printf '\0\1' >"$dir/work/bytes"
	echo hidden >"$dir/work/.hidden/x"
	echo outside >"$dir/outside"
	ln -s ../outside "$dir/work/link"
	root=file://$(realpath "$dir")/work
	serve -C "$dir/work" -o controller.tools=editor
	run post "$hello"
	[[ "$output" == *'"resources":{"subscribe":true}'* ]]
	run ask resources/list ''
	echo "$output"
	[[ "$output" == *'"resources":[{"uri":"'"$root"'/bytes","name":"bytes"},{"uri":"'"$root"'/image","name":"image"},{"uri":"'"$root"'/sub%20dir/a%25b.txt","name":"sub dir/a%b.txt"}]}'*200 ]]
	run ask resources/templates/list ''
	[[ "$output" == *'"uriTemplate":"'"$root"'/{+path}"'* ]]
	run ask resources/read '"uri":"'"$root"'/sub%20dir/a%25b.txt"'
	[[ "$output" == *'"mimeType":"text/plain","text":"text\n"'* ]]
	run ask resources/read '"uri":"'"$root"'/image"'
	[[ "$output" == *'"mimeType":"image/png","blob":"'$png'"'* ]]
	run ask resources/read '"uri":"'"$root"'/bytes"'
	[[ "$output" == *'"mimeType":"application/octet-stream","blob":"AAE="'* ]]
	for bad in "$root/none" "$root/../outside" "$root/%2e%2e/outside" "$root/link" "$root/" \
		"$root//etc/passwd" "$root/x%00" "$root/%zz" "$root/%" file:///etc/passwd other:x; do
		run ask resources/read '"uri":"'"$bad"'"'
		echo "$bad: $output"
		[[ "$output" == *'"code":-32002,"message":"Resource not found","data":{"uri":"'*200 ]]
	done
	run ask_modern resources/read '"uri":"'"$root"'/none"' "$root/none"
	[[ "$output" == *'"code":-32602,"message":"Resource not found"'* ]]
	run ask_modern resources/read '"uri":"'"$root"'/image"' "$root/image"
	[[ "$output" == *"$png"*'"resultType":"complete","ttlMs":0,"cacheScope":"private"'* ]]
	run ask completion/complete '"ref":{"type":"ref/resource","uri":"'"$root"'/{+path}"},"argument":{"name":"path","value":"sub"}'
	[[ "$output" == *'"values":["sub dir/a%b.txt"],"total":1'* ]]
}

@test "resources: pages, and a prefix for other machines" {
	mkdir -p "$dir/work"
	for i in $(seq 1100); do : >"$dir/work/f$i"; done
	serve -C "$dir/work" -o controller.tools=editor --uri project:///
	params= total=0
	for page in 1 2 3; do
		ask resources/list "$params" >"$dir/page"
		total=$((total + $(grep -o '"uri":"project:///f[0-9]*"' "$dir/page" | wc -l)))
		cursor=$(grep -o '"nextCursor":"[^"]*"' "$dir/page" | cut -d'"' -f4) || true
		params='"cursor":"'$cursor'"'
		[ -z "$cursor" ] || rm "$dir/work/$cursor"
	done
	[ -z "$cursor" ]
	[ "$total" -eq 1100 ]
	run ask resources/list '"cursor":7'
	[[ "$output" == *-32602* ]]
}

# session: starts one; sets $session for the header
session() {
	session=$(post "$hello" -D - -o /dev/null | tr -d '\r' | sed -n 's/^Mcp-Session-Id: //p')
	[ -n "$session" ]
}

@test "log lines of tools go to the client that set a level" {
	export MORTISE_CORE_PLUGIN_PATH=$MORTISE_CORE_PLUGIN_PATH,$top_builddir/tests/plugins
	serve -o controller.tools=mcp-fixture
	talk='{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"test_tool_with_logging"}}'
	level='{"jsonrpc":"2.0","id":8,"method":"logging/setLevel","params":{"level":"info"}}'
	session
	run post "$talk" -H "Mcp-Session-Id: $session"
	[[ "$output" != *notifications/message* ]]
	run post "$level" -H "Mcp-Session-Id: $session"
	[[ "$output" == *'"id":8,"result":{}}'*200 ]]
	run post "$talk" -H "Mcp-Session-Id: $session"
	echo "$output"
	for i in 0 1 2; do
		[[ "$output" == *'"method":"notifications/message","params":{"level":"info","logger":"mcp-fixture","data":"line '$i'"}'*'"id":7'* ]]
	done
	run post "${level/info/warning}" -H "Mcp-Session-Id: $session"
	run post "$talk" -H "Mcp-Session-Id: $session"
	[[ "$output" != *notifications/message* ]]
	run post "${level/info/loud}" -H "Mcp-Session-Id: $session"
	[[ "$output" == *-32602*'invalid log level `loud`'* ]]
	run post "$level"
	[[ "$output" == *-32600*'send initialize first'* ]]
	run ask_modern tools/call '"name":"test_tool_with_logging"' test_tool_with_logging
	[[ "$output" != *notifications/message* ]]
	meta_of '{}' '"io.modelcontextprotocol/logLevel":"debug"'
	run ask_modern tools/call '"name":"test_tool_with_logging"' test_tool_with_logging
	[[ "$output" == *'"data":"line 2"'*'"id":6'* ]]
	run bash -c "printf '%s\n' '$hello' '$level' '$talk' | mortise tools serve -o controller.tools=mcp-fixture"
	echo "$output"
	[[ "$output" == *'"level":"info","logger":"mcp-fixture","data":"line 2"'*'"id":7'* ]]
}

# wait_for PATTERN FILE
wait_for() {
	for i in $(seq 600); do
		grep -q -- "$1" "$2" && return
		sleep 0.1
	done
	cat "$2"
	return 1
}

tool_call() { # NAME MEMBER
	echo '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"'"$1"'"'"${2:+,$2}"'}}'
}

# answered TOOL METHOD RESULT: the answer to a call during which the server sends METHOD
answered() {
	: >"$dir/stream"
	post "$(tool_call "$1")" -m 60 -N -H "Mcp-Session-Id: $session" >>"$dir/stream" 2>/dev/null 3>&- &
	wait_for "\"method\":\"$2\"" "$dir/stream"
	id=$(sed -n 's/.*"id":\([0-9]*\),"method".*/\1/p' "$dir/stream")
	post "{\"jsonrpc\":\"2.0\",\"id\":$id,$3}" -H "Mcp-Session-Id: $session" | grep -x 202
	wait_for '"id":9' "$dir/stream"
	cat "$dir/stream"
}

@test "a tool asks: requests to a client with a handshake that supports them" {
	export MORTISE_CORE_PLUGIN_PATH=$MORTISE_CORE_PLUGIN_PATH,$top_builddir/tests/plugins
	serve -o controller.tools=mcp-fixture
	hello_of '{"sampling":{},"elicitation":{}}'
	session
	run answered test_choice elicitation/create '"result":{"action":"accept","content":{"answer":"blue"}}'
	echo "$output"
	[[ "$output" == *'"message":"Which color?","requestedSchema":{"type":"object","properties":{"answer":{"type":"string","enum":["red","blue"]}},"required":["answer"]}'* ]]
	[[ "$output" == *'{\"answer\":\"blue\"}'* ]]
	run answered test_choice elicitation/create '"result":{"action":"decline"}'
	[[ "$output" == *'the user declined to answer'*'"isError":true'* ]]
	run answered test_choice elicitation/create '"error":{"code":-1,"message":"no user here"}'
	[[ "$output" == *'the client did not answer: no user here'*'"isError":true'* ]]
	run answered test_sampling sampling/createMessage '"result":{"role":"assistant","model":"m","content":{"type":"text","text":"Paris"}}'
	echo "$output"
	[[ "$output" == *'"messages":[{"role":"user","content":{"type":"text","text":"Test prompt for sampling"}}],"maxTokens":1024'* ]]
	[[ "$output" == *'{\"text\":\"Paris\",\"stop_reason\":\"endTurn\",\"model\":\"m\"}'* ]]
	run post "$(tool_call test_input_required_result_list_roots)" -H "Mcp-Session-Id: $session"
	[[ "$output" == *'the client does not support this request'*'"isError":true'*200 ]]
	hello_of '{"elicitation":{"url":{}}}'
	session
	run post "$(tool_call test_choice)" -H "Mcp-Session-Id: $session"
	[[ "$output" == *'the client does not support this request'*'"isError":true'*200 ]]
	run post "$(tool_call test_choice)"
	[[ "$output" == *'the client does not support this request'*'"isError":true'*200 ]]
}

@test "a tool asks: requests in the result for a client without a handshake" {
	export MORTISE_CORE_PLUGIN_PATH=$MORTISE_CORE_PLUGIN_PATH,$top_builddir/tests/plugins
	serve -o controller.tools=mcp-fixture
	run ask_modern tools/call '"name":"test_sampling"' test_sampling
	echo "$output"
	[[ "$output" == *'"code":-32021,'*'"data":{"requiredCapabilities":{"sampling":{}}}'*400 ]]
	meta_of '{"elicitation":{},"sampling":{}}'
	name=test_input_required_result_multi_round
	ask_modern tools/call "\"name\":\"$name\"" $name >"$dir/first"
	cat "$dir/first"
	grep -F '"resultType":"input_required","inputRequests":{"step1":{"method":"elicitation/create"' "$dir/first"
	state=$(sed -n 's/.*"requestState":"\([0-9a-f]*\)".*/\1/p' "$dir/first")
	[ ${#state} -eq 32 ]
	run ask_modern tools/call "\"name\":\"$name\",\"requestState\":\"x$state\"" $name
	[[ "$output" == *'-32602,"message":"unknown or expired requestState"'* ]]
	run ask_modern tools/call '"name":"test_choice","requestState":"'"$state"'"' test_choice
	[[ "$output" == *'-32602,"message":"unknown or expired requestState"'* ]]
	ask_modern tools/call "\"name\":\"$name\",\"requestState\":\"$state\",\"inputResponses\":{\"step1\":7}" $name >"$dir/again"
	grep -F '"inputRequests":{"step1":' "$dir/again"
	again=$(sed -n 's/.*"requestState":"\([0-9a-f]*\)".*/\1/p' "$dir/again")
	[ "$again" != "$state" ]
	ask_modern tools/call "\"name\":\"$name\",\"requestState\":\"$again\",\"inputResponses\":{\"step1\":{\"action\":\"accept\",\"content\":{\"name\":\"Ann\"}}}" $name >"$dir/second"
	cat "$dir/second"
	grep -F '"inputRequests":{"step2":' "$dir/second"
	state=$(sed -n 's/.*"requestState":"\([0-9a-f]*\)".*/\1/p' "$dir/second")
	run ask_modern tools/call "\"name\":\"$name\",\"requestState\":\"$state\",\"inputResponses\":{\"step2\":{\"action\":\"cancel\"}}" $name
	echo "$output"
	[[ "$output" == *'Ann'*'cancel'*'"resultType":"complete"'*200 ]]
	name=test_input_required_result_capabilities
	meta_of '{"sampling":{}}'
	run ask_modern tools/call "\"name\":\"$name\"" $name
	[[ "$output" == *'"inputRequests":{"greeting":{"method":"sampling/createMessage"'* ]]
	[[ "$output" != *user_name* ]]
}

@test "resources: a change is announced to the sessions that subscribed" {
	mkdir -p "$dir/work"
	echo one >"$dir/work/file"
	echo one >"$dir/work/other"
	serve -C "$dir/work" -o controller.tools=editor --uri project:///
	session
	run post "$ping" -X GET -H "Mcp-Session-Id: $session"
	[[ "$output" == *405 ]]
	post '' -X GET -N -H "Mcp-Session-Id: $session" -H 'Accept: text/event-stream' -D "$dir/head" >>"$dir/events" 3>&- &
	listener=$!
	wait_for 'text/event-stream' "$dir/head"
	subscribe='{"jsonrpc":"2.0","id":3,"method":"resources/subscribe","params":{"uri":"project:///file"}}'
	run post "$subscribe" -H "Mcp-Session-Id: $session"
	[[ "$output" == *'"id":3,"result":{}}'*200 ]]
	run post "${subscribe/file/none}" -H "Mcp-Session-Id: $session"
	[[ "$output" == *-32002* ]]
	run post "$subscribe"
	[[ "$output" == *-32600*'send initialize first'* ]]
	echo two >"$dir/work/other"
	echo two >"$dir/work/file"
	wait_for '"method":"notifications/resources/updated","params":{"uri":"project:///file"}' "$dir/events"
	echo three >"$dir/new"
	: >"$dir/events"
	mv "$dir/new" "$dir/work/file"
	wait_for '"uri":"project:///file"' "$dir/events"
	run -1 grep other "$dir/events"
	run post "${subscribe/subscribe/unsubscribe}" -H "Mcp-Session-Id: $session"
	[[ "$output" == *'"result":{}}'*200 ]]
	post "${subscribe/file/other}" -H "Mcp-Session-Id: $session"
	: >"$dir/events"
	echo four >"$dir/work/file"
	echo four >"$dir/work/other"
	wait_for '"uri":"project:///other"' "$dir/events"
	run -1 grep 'project:///file' "$dir/events"
	post '' -X DELETE -H "Mcp-Session-Id: $session" | grep -x 200
	wait $listener || true
}

@test "a form of an MCP server is shown by the client of the outer server" {
	printf '[mcp.one]\ncommand = python3\nargs = %s, form, %s\n' \
		"$top_srcdir/tests/tools/mcp-hostile.py" "$dir/starts" >"$dir/ini"
	mortise mcp status --config "$dir/ini"
	serve --config "$dir/ini" -o controller.tools=one
	hello_of '{"elicitation":{}}'
	session
	run answered plain elicitation/create '"result":{"action":"accept","content":{"name":"Ann","size":3}}'
	echo "$output"
	[[ "$output" == *'"message":"MCP server `one` asks: Some facts, please.","requestedSchema":{"type":"object","properties":{"name":'* ]]
	[[ "$output" == *Ann*'"id":9,"result"'* || "$output" == *'"id":9,"result"'*Ann* ]]
}

@test "the notes of a command that succeeds are part of its result" {
	mkdir "$dir/sub"
	serve -C "$dir"
	ask tools/call '"name":"execute_bash","arguments":{"command":"cd sub"}' >"$dir/moved"
	grep -qF "[no output; directory: $(realpath "$dir")/sub]" "$dir/moved"
	grep -qF '"isError":false' "$dir/moved"
	ask tools/call '"name":"execute_bash","arguments":{"command":"echo plain"}' >"$dir/plain"
	grep -qF '"text":"plain"' "$dir/plain"
}

@test "the built-in client over HTTP, in both revisions; progress; a disconnect" {
	serve
	for protocol in 2026-07-28 2025-11-25; do
		printf '[mcp.self]\nurl = %s\nbearer_env = MORTISE_SERVE_TOKEN\nprotocol = %s\n' \
			"$url" "$protocol" >"$dir/ini"
		run mortise mcp test self --config "$dir/ini"
		[[ "$output" == *execute_bash* ]]
		run mortise tools call self_execute_bash '{"command":"echo from $((1+1))"}' --config "$dir/ini"
		echo "$output"
		[ "$status" -eq 0 ]
		[[ "$output" == *"from 2"* ]]
	done
	run post '{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"execute_bash","_meta":{"progressToken":"p"},"arguments":{"command":"echo one; sleep 1; echo two"}}}'
	echo "$output"
	[[ "$output" == *notifications/progress*'"progressToken":"p"'*'"id":9,"result"'* ]]
	curl -s -o "$dir/cut" -H 'Content-Type: application/json' -H "Authorization: Bearer $MORTISE_SERVE_TOKEN" \
		-d '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"execute_bash","arguments":{"command":"echo $BASHPID >'"$dir"'/shell; exec sleep 1000"}}}' "$url" 3>&- &
	for i in $(seq 300); do
		[ ! -s "$dir/shell" ] || break
		sleep 0.1
	done
	[ -s "$dir/shell" ]
	kill $!
	for i in $(seq 200); do
		kill -0 "$(cat "$dir/shell")" 2>/dev/null || break
		sleep 0.1
	done
	run ! kill -0 "$(cat "$dir/shell")" 2>/dev/null
	kill -TERM $server
	wait $server
	server=
}

@test "hostile bytes get a response or a disconnect, and the server survives" {
	serve
	python3 - "$url" <<'EOF'
import random, socket, sys, time
host, port = sys.argv[1][7:-4].split(":")
token = b"Authorization: Bearer a-token-for-the-tests\r\n"
head = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n" + token
ping = b'{"jsonrpc":"2.0","id":1,"method":"ping"}'
whole = head + b"Content-Length: %d\r\n\r\n" % len(ping) + ping
cases = [whole[:n] for n in range(0, len(whole), 7)] + [
    b"\r\n\r\n", b"GET\r\n\r\n", b"x" * 40000, head + b"Content-Length: -1\r\n\r\n",
    head + b"Content-Length: 99999999999999999999\r\n\r\n",
    head + b"Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde",
    head + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", head + b"Bad Header: x\r\n\r\n",
    b"POST /mcp HTTP/1.1\r\n\0\r\n\r\n", whole * 3000,
    head + b"Content-Length: 8\r\n\r\n[[[[[[[[", head + b"Content-Length: 0\r\n\r\n"]
rng = random.Random(7)
for _ in range(300):
    b = bytearray(whole)
    for _ in range(rng.randrange(1, 6)):
        b[rng.randrange(len(b))] = rng.randrange(256)
    cases.append(bytes(b))
for case in cases:
    s = socket.create_connection((host, int(port)), timeout=20)
    try:
        s.sendall(case)
        s.shutdown(socket.SHUT_WR)
        while s.recv(65536):
            pass
    except ConnectionError:
        pass
    s.close()
many = [socket.create_connection((host, int(port)), timeout=20) for _ in range(200)]
for s in many:
    s.close()
for _ in range(100):  # until there is room for one more connection
    got = b""
    try:
        s = socket.create_connection((host, int(port)), timeout=20)
        s.sendall(whole * 50)  # one after the other
        while got.count(b'"result":{}') < 50:
            more = s.recv(65536)
            if not more:
                break
            got += more
    except ConnectionError:
        pass
    if got.count(b'"result":{}') == 50:
        sys.exit(0)
    time.sleep(0.1)
sys.exit("no answers")
EOF
	run post "$ping"
	[[ "$output" == *200 ]]
}

# call ARGUMENTS HEADER...: the tool whose parameters go into headers as well
call() {
	args=$1
	shift
	post "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{
		\"name\":\"test_header_parameters\",\"arguments\":$args,\"_meta\":{
		\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\",
		\"io.modelcontextprotocol/clientCapabilities\":{}}}}" \
		-H 'MCP-Protocol-Version: 2026-07-28' -H 'Mcp-Method: tools/call' \
		-H 'Mcp-Name: test_header_parameters' "$@"
}

@test "headers of parameters must match the arguments" {
	export MORTISE_CORE_PLUGIN_PATH=$MORTISE_CORE_PLUGIN_PATH,$top_builddir/tests/plugins
	serve -o controller.tools=mcp-fixture
	region='{"region":"Hello"}'
	for value in 'Hello' '=?base64?SGVsbG8=?='; do
		run call "$region" -H "Mcp-Param-Region: $value"
		echo "$output"
		[[ "$output" == *'simple text'*200 ]]
	done
	for bad in 'Mcp-Param-Region: hello' 'Mcp-Param-Region: =?base64?SGVsbG8?=' \
		'Mcp-Param-Region: =?base64?SGVs!!!bG8=?=' 'X-Other: Hello'; do
		run call "$region" -H "$bad"
		echo "$bad: $output"
		[[ "$output" == *-32020*'Mcp-Param-Region'*400 ]]
	done
	run call '{}' -H 'Mcp-Param-Region: Hello'
	[[ "$output" == *-32020*'Mcp-Param-Region'*400 ]]
	run call '{"region":""}' -H 'Mcp-Param-Region: =?base64??='
	[[ "$output" == *'simple text'*200 ]]
	run call '{"region":"Hello"}' -H 'Mcp-Param-Region: =?base64??='
	[[ "$output" == *-32020*400 ]]
	run call '{"region":"a\u0000b"}' -H 'Mcp-Param-Region: a'
	[[ "$output" == *-32020*400 ]]
	run call '{"count":42}' -H 'mcp-param-count: 42'
	[[ "$output" == *'simple text'*200 ]]
	run call '{"count":42}' -H 'Mcp-Param-Count: 43'
	[[ "$output" == *-32020*'Mcp-Param-Count'*400 ]]
	run call '{}' -H 'Mcp-Param-Unknown: x'
	[[ "$output" == *'simple text'*200 ]]
	many=()
	for i in $(seq 40); do many+=(-H "Mcp-Param-P$i: x"); done
	run call '{}' "${many[@]}"
	[[ "$output" == *'Mcp-Param-'*400 ]]
}

# What the suite expects of the server under test, in the workspace $dir/work.
suite_workspace() {
	mkdir -p "$dir/work/template/123"
	echo 'The text of a resource.' >"$dir/work/static-text"
	base64 -d <<<$png >"$dir/work/static-binary"
	echo watched >"$dir/work/watched-resource"
	echo 'The data of 123.' >"$dir/work/template/123/data"
	printf -- '---\nname: %s\ndescription: For tests.\n%s---\n%s\n' \
		test_simple_prompt '' 'A simple prompt.' |
		skill test_simple_prompt
	printf -- '---\nname: %s\ndescription: For tests.\n%s---\n%s\n' \
		test_prompt_with_arguments $'inputs: [{name: arg1}, {name: arg2}]\n' \
		'Arguments: ${arg1}, ${arg2}.' |
		skill test_prompt_with_arguments
	printf -- '---\nname: %s\ndescription: For tests.\n%s---\n%s\n' \
		test_prompt_with_embedded_resource $'inputs: [{name: resourceUri}]\n' \
		'See [the file](references/file.md) and ${resourceUri}.' |
		skill test_prompt_with_embedded_resource
	mkdir "$dir/work/.agents/skills/test_prompt_with_embedded_resource/references"
	echo embedded >"$dir/work/.agents/skills/test_prompt_with_embedded_resource/references/file.md"
	printf -- '---\nname: %s\ndescription: For tests.\n%s---\n%s\n' \
		test_prompt_with_image '' '![An image](image.png)' |
		skill test_prompt_with_image
	base64 -d <<<$png >"$dir/work/.agents/skills/test_prompt_with_image/image.png"
	printf -- '---\nname: %s\ndescription: For tests.\n%s---\n%s\n' \
		test_input_required_result_prompt $'inputs: [{name: context}]\n' 'In ${context}.' |
		skill test_input_required_result_prompt
}

@test "the conformance suite for servers: all scenarios of both revisions" {
	suite=$MCP_SERVERS/node_modules/.bin/conformance
	node=$MCP_SERVERS/node_modules/node/bin
	[ -n "$MCP_SERVERS" ] && [ -e "$suite" ] && [ -e "$node/node" ] ||
		skip "MCP_SERVERS has no conformance suite with its node"
	export MORTISE_CORE_PLUGIN_PATH=$MORTISE_CORE_PLUGIN_PATH,$top_builddir/tests/plugins
	suite_workspace
	serve --no-token -C "$dir/work" -o controller.tools=mcp-fixture,skill,editor --uri test://
	cd "$dir"
	PATH=$node:$PATH "$suite" list --server >scenarios
	failed=0
	for revision in 2025-11-25 2026-07-28; do
		count=0
		for scenario in $(sed -n '/^Server/,/^Client/p' scenarios |
			sed -n "s/^  - \([^ ]*\) .*$revision.*/\1/p"); do
			count=$((count + 1))
			PATH=$node:$PATH "$suite" server --url "$url" --scenario "$scenario" \
				--spec-version $revision >log 2>&1 || { cat log; failed=$((failed + 1)); }
			echo "$revision $scenario: $(grep -o 'Passed: .*' log)"
		done
		[ $count -ge 33 ]
	done
	[ $failed -eq 0 ]
}
