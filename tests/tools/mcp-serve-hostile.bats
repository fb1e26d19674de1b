#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mcp-serve-hostile.bats - `mortise tools serve --http` and clients that are hostile,
# careless or silent.
bats_require_minimum_version 1.5.0

setup() {
	umask 077
	dir=$(mktemp -d)
	export MORTISE_SANDBOX_WRITE=$dir # commands leave files there
	export XDG_CACHE_HOME=$dir/cache MORTISE_SERVE_TOKEN=a-token-for-the-tests
	export MORTISE_CORE_PLUGIN_PATH=$MORTISE_CORE_PLUGIN_PATH,$top_builddir/tests/plugins
	mkdir "$dir/work"
	root=file://$(realpath "$dir/work")
	server=
}

teardown() {
	[ -z "$server" ] || { kill "$server" && wait "$server"; } 2>/dev/null || true
	rm -rf "$dir"
}

# serve OPTION...: sets $url and $server
serve() {
	: >"$dir/told"
	mortise tools serve --http 0 -C "$dir/work" "$@" 2>"$dir/told" 3>&- &
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

# hostile CASE [ARGUMENT...]: the server stays
hostile() {
	case=$1
	shift
	python3 "$top_srcdir/tests/tools/mcp-serve-hostile.py" "$case" "$url" "$@"
	kill -0 "$server"
}

read_uri() {
	curl -s -H 'Content-Type: application/json' -H "Authorization: Bearer $MORTISE_SERVE_TOKEN" \
		-d '{"jsonrpc":"2.0","id":1,"method":"'"$1"'","params":{'"$2"'}}' "$url"
}

@test "hidden files are neither listed nor read, by any name" {
	mkdir -p "$dir/work/.git" "$dir/work/sub/.cache"
	echo SECRET | tee "$dir/work/.env" "$dir/work/.git/config" "$dir/work/sub/.cache/x" >/dev/null
	echo plain >"$dir/work/plain"
	ln -s .env "$dir/work/link"
	ln -s .git "$dir/work/repository"
	serve -o controller.tools=editor
	run read_uri resources/list ''
	echo "$output"
	[[ "$output" == *'"resources":[{"uri":"'"$root"'/plain","name":"plain"}]'* ]]
	for path in .env .git/config sub/.cache/x link repository/config %2eenv sub/../.env \
		./.env .//.env sub/.cache/../../.env; do
		run read_uri resources/read '"uri":"'"$root/$path"'"'
		echo "$path: $output"
		[[ "$output" == *'Resource not found'* ]]
	done
	run read_uri resources/read '"uri":"'"$root"'/sub/.cache/../../plain"'
	[[ "$output" == *'"text":"plain\n"'* ]]
	run read_uri completion/complete '"ref":{"type":"ref/resource","uri":"'"$root"'/{+path}"},"argument":{"name":"path","value":"."}'
	[[ "$output" == *'"values":[],"total":0'* ]]
}

@test "devices, pipes, sockets, large and endless files are refused immediately" {
	mkfifo "$dir/work/fifo"
	ln -s /dev/zero "$dir/work/zero"
	truncate -s 20G "$dir/work/large"
	mkdir "$dir/work/directory"
	python3 -c 'import socket, sys; socket.socket(socket.AF_UNIX).bind(sys.argv[1])' "$dir/work/socket"
	serve -o controller.tools=editor
	for path in fifo zero large directory socket; do
		run read_uri resources/read '"uri":"'"$root/$path"'"'
		echo "$path: $output"
		[[ "$output" == *'"error":{"code":'* ]]
	done
	[[ "$(read_uri resources/list '')" != *fifo* ]]
}

@test "names that are not valid UTF-8 are listed once, over pages" {
	python3 - "$dir/work" <<'END'
import os, sys
for n in range(1100):
    open(os.path.join(os.fsencode(sys.argv[1]), b"\xff%04d" % n), "w").close()
END
	serve -o controller.tools=editor
	params= total=0
	for page in 1 2 3; do
		read_uri resources/list "$params" >"$dir/page"
		total=$((total + $(grep -o "\"uri\":\"$root/%FF[0-9]*\"" "$dir/page" | wc -l)))
		cursor=$(grep -o '"nextCursor":"[^"]*"' "$dir/page" | cut -d'"' -f4) || true
		params='"cursor":"'$cursor'"'
	done
	[ -z "$cursor" ]
	[ "$total" -eq 1100 ]
}

@test "invalid or large ids get an error without an id" {
	serve -o controller.tools=bash
	hostile ids
}

@test "the body of an unauthenticated request is not read" {
	serve -o controller.tools=bash
	hostile body_of_strangers
}

@test "idle connections do not keep others out" {
	serve -o controller.tools=bash
	hostile idle_connections
}

@test "a cancelled call ends its response" {
	serve -o controller.tools=bash
	hostile cancelled
}

@test "an announcement goes to one stream of a session" {
	echo one >"$dir/work/file"
	serve -o controller.tools=editor
	hostile streams "$(realpath "$dir/work")/file"
}

@test "thousands of sessions, and calls with the same id" {
	serve -o controller.tools=bash
	hostile sessions
	hostile same_ids
}

@test "a client that is asked and stays silent does not block the others" {
	serve -o controller.tools=bad -o tool.bad.deadline=48s
	SECONDS=0
	hostile silent_client
	[ $SECONDS -lt 48 ]
}

@test "clients that do not read leave the server to the others" {
	serve -o controller.tools=bash
	hostile slow_reader
}

@test "SIGTERM ends the server immediately, whatever is in progress" {
	serve -o controller.tools=bash
	python3 "$top_srcdir/tests/tools/mcp-serve-hostile.py" slow_reader "$url"
	curl -s -o "$dir/answer" -H 'Content-Type: application/json' \
		-H "Authorization: Bearer $MORTISE_SERVE_TOKEN" "$url" 3>&- -d '{"jsonrpc":"2.0",
		"id":1,"method":"tools/call","params":{"name":"execute_bash","arguments":{
		"command":"echo $$ >'"$dir/pid"'; sleep 600"}}}' &
	for i in $(seq 300); do [ ! -s "$dir/pid" ] || break; sleep 0.1; done
	[ -s "$dir/pid" ]
	shell=$(cat "$dir/pid")
	kill "$server"
	wait "$server" || true
	server=
	for i in $(seq 100); do kill -0 "$shell" 2>/dev/null || break; sleep 0.1; done
	run ! kill -0 "$shell"
}
