#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# tokens.bats - tokens of MCP servers that are reached by HTTP: no command and no plugin in
# another worker of the runner reads them, in memory, environments or files.
bats_require_minimum_version 1.5.0

setup() {
	work=$(realpath "$BATS_TEST_TMPDIR")
	export HOME=$work/home XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state
	mkdir -m 700 "$HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME" "$work/ws"
	cd "$work/ws"
	unset MORTISE_SANDBOX_READ MORTISE_SANDBOX_WRITE
	token=kX3vQ9wLbT7mZr2p reversed=p2rZm7TbLw9Qv3Xk
	export OWN_VARIABLE=$token
}

teardown() {
	[ -z "${server:-}" ] || kill "$server"
}

# serve: start an MCP server that requires the token; sets $url
serve() {
	MORTISE_SERVE_TOKEN=$token mortise tools serve --http 0 -C "$work/ws" \
		2>"$work/told" 3>&- &
	server=$!
	for ((i = 0; i < 200; i++)); do
		url=$(grep -o 'http://[^ ]*/mcp' "$work/told") && break
		sleep 0.05
	done
	[ -n "$url" ]
}

# play LINES OPTION...: a conversation that first calls a tool of the server
play() {
	printf '[turn]\n[call x_grep]\npattern = nothing\n[turn]\n%s\n[turn]\ntext = Done.\n' "$1" \
		>"$work/script"
	timeout 120 mortise run -v -t go -m "script:$work/script" -o "mcp.x.url=$url" \
		-o mcp.x.bearer_env=OWN_VARIABLE -o controller.confirmation=never \
		-o controller.tools+=scan-memory \
		-o "core.plugin_path+=$top_builddir/tests/plugins" "${@:2}" </dev/null
}

skip_in_sanitizers() {
	case ${SANITIZE:-} in *address*) skip "the memory of the sanitizer is too large to search" ;; esac
}

@test "a plugin in another worker does not find the token" {
	skip_in_sanitizers
	serve
	run -0 play $'[call scan_memory]\nreversed = '$reversed
	[[ "$output" == *"found 0 times in many bytes"* ]]
}

@test "without namespaces, it does not find the token either" {
	skip_in_sanitizers
	serve
	run -0 play $'[call scan_memory]\nreversed = '$reversed -o sandbox.namespaces=no
	[[ "$output" == *"found 0 times in many bytes"* ]]
}

@test "the search finds what is in the memory and the environment of the tool" {
	skip_in_sanitizers
	serve
	MORTISE_CORE_PASS_ENV=OWN_VARIABLE run -0 play $'[call scan_memory]\nreversed = '$reversed
	[[ "$output" == *"found "[1-9]* ]]
}

@test "commands find the token neither in processes nor in files" {
	serve
	mkdir -p "$XDG_STATE_HOME/mortise/mcp"
	echo "{\"token\": \"$token\"}" >"$XDG_STATE_HOME/mortise/mcp/x.json"
	run -0 play "[call bash]
command = cat /proc/[0-9]*/environ /proc/[0-9]*/cmdline $XDG_STATE_HOME/mortise/mcp/* 2>/dev/null | tr -d '\\\\0' | rev | grep -c $reversed"
	[[ "$output" != *kX3vQ9* ]]
	[[ "$output" == *$'\n  0\n'* ]]
}
