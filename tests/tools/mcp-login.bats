#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# Login at an MCP server: a test server with its own authorization server. The browser
# is a line of Python.

setup() {
	umask 077
	dir=$(mktemp -d)
	ini=$dir/mortise.ini
	export XDG_CACHE_HOME=$dir/cache XDG_STATE_HOME=$dir/state
	printf '#!/bin/sh\nexec python3 -c "%s" "$1"\n' \
		'import sys, urllib.request as r; print(r.urlopen(sys.argv[1]).geturl())' \
		>"$dir/browser"
	chmod +x "$dir/browser"
	export BROWSER=$dir/browser
	export PUBLIC_KEY=$dir/public.pem
	python3 "$top_srcdir/tests/tools/mcp-oauth.py" "$dir/log" 3>&- &
	server=$!
	for i in $(seq 300); do
		[ -s "$dir/log" ] && break
		sleep 0.1
	done
	base=$(head -1 "$dir/log")
	printf '[mcp.o]\nurl = %s/mcp\n' "$base" >"$ini"
	login=$dir/state/mortise/mcp/o.json
}

teardown() {
	kill $server
	rm -rf "$dir"
}

m() {
	timeout 120 mortise "$@" --config "$ini" </dev/null
}

@test "without a login: an error that names the remedy" {
	run m mcp test o
	echo "$output"
	[ "$status" -eq 6 ]
	[[ "$output" == *"mortise mcp login o"* ]]
}

@test "login, call, an expired token, an expired login, logout" {
	run m mcp login o
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"Logged in to o, which has 2 tools."* ]]
	[ "$(stat -c %a "$login")" = 600 ]
	[ "$(stat -c %a "$(dirname "$login")")" = 700 ]
	m mcp test o
	run m tools call who
	echo "$output"
	[ "$output" = "who with read" ]

	first=$(jq -r .access_token "$login")
	"$dir/browser" "$base/control/expire"
	run m tools call who
	echo "$output"
	echo "$output"
	[ "$output" = "who with read" ]
	[ "$(jq -r .access_token "$login")" != "$first" ]
	[ "$(stat -c %a "$login")" = 600 ]
	grep -q 'token refresh_token' "$dir/log"

	"$dir/browser" "$base/control/expire"
	"$dir/browser" "$base/control/revoke"
	run m tools call who
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"the login has expired"*"mortise mcp login o"* ]]

	run m mcp logout o
	[ "$status" -eq 0 ]
	[ ! -e "$login" ]
	run m mcp logout o
	[ "$status" -eq 0 ]
}

@test "a token about to expire is renewed before it is used" {
	m mcp login o
	m mcp test o
	jq '.expires_at = 1' "$login" >"$dir/new"
	cat "$dir/new" >"$login"
	run m tools call who
	echo "$output"
	[ "$output" = "who with read" ]
	[ "$(jq .expires_at "$login")" -gt 1000 ]
}

@test "two processes renew one login" {
	m mcp login o
	m mcp test o
	"$dir/browser" "$base/control/expire"
	m tools call who >"$dir/one" &
	m tools call who >"$dir/two"
	wait $!
	[ "$(cat "$dir/one" "$dir/two")" = $'who with read\nwho with read' ]
}

@test "more scopes: the next login requests them too" {
	m mcp login o
	m mcp test o
	run m tools call admin
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"lacks the required scope; run \`mortise mcp login o\`"* ]]
	m mcp login o
	grep -q 'authorize scope=read admin' "$dir/log"
	run m tools call admin
	echo "$output"
	[ "$output" = "admin with read admin" ]
}

@test "the client is registered once, as long as its port is free" {
	m mcp login o
	m mcp login o
	[ "$(grep -c '^register' "$dir/log")" -eq 1 ]
}

@test "a login is for one address only, and no secret is shown" {
	m mcp login o
	token=$(jq -r .access_token "$login")
	run m config show
	[[ "$output" != *"$token"* ]]
	run m mcp list --json
	[[ "$output" != *"$token"* ]]
	jq '.server = "http://127.0.0.1:9/mcp"' "$login" >"$dir/new"
	cat "$dir/new" >"$login"
	run m mcp test o
	echo "$output"
	[ "$status" -eq 6 ]
	[[ "$output" == *"mortise mcp login o"* ]]
	chmod 666 "$login"
	run m mcp test o
	echo "$output"
	[ "$status" -eq 6 ]
}

@test "without a browser the address is pasted" {
	unset BROWSER DISPLAY WAYLAND_DISPLAY
	mkfifo "$dir/in"
	timeout 120 mortise mcp login o --config "$ini" <"$dir/in" >"$dir/out" 2>"$dir/err" &
	pid=$!
	exec 5>"$dir/in"
	for i in $(seq 300); do
		grep -q '/authorize?' "$dir/err" && break
		sleep 0.1
	done
	echo nonsense >&5
	url=$(grep -o 'http.*/authorize?.*' "$dir/err")
	python3 - "$url" >&5 <<-'EOF'
	import http.client, sys, urllib.parse
	url = urllib.parse.urlsplit(sys.argv[1])
	c = http.client.HTTPConnection(url.netloc)
	c.request("GET", url.path + "?" + url.query)
	print(c.getresponse().getheader("Location"))
	EOF
	wait $pid
	exec 5>&-
	grep -q 'Logged in' "$dir/out"
	grep -q 'This is not the expected URL' "$dir/err"
}

@test "login: an error for servers without login, and for a missing secret" {
	{
		printf '[mcp.program]\ncommand = true\n'
		printf '[mcp.has]\nurl = %s/mcp\nbearer_env = HOME\n' "$base"
		printf '[mcp.secret]\nurl = %s/mcp\nclient_id = x\nclient_secret_env = NOT_SET\n' "$base"
	} >>"$ini"
	run m mcp login program
	[ "$status" -eq 2 ]
	[[ "$output" == *"is a local command"* ]]
	run m mcp login has
	[ "$status" -eq 2 ]
	[[ "$output" == *"bearer_env"* ]]
	run m mcp login secret
	[[ "$output" == *"NOT_SET"* ]]
	run m mcp login unknown
	[ "$status" -eq 2 ]
	run mortise mcp-login
	[ "$status" -eq 2 ]
}

@test "client credentials: a secret or a key, without a user" {
	printf 'grant = client_credentials\nclient_id = machine\n' >>"$ini"
	run m mcp test o
	[ "$status" -eq 6 ]
	[[ "$output" == *"client_secret_env"* ]]
	cp "$ini" "$dir/plain"
	printf 'client_secret_env = MACHINE_SECRET\n' >>"$ini"
	run m mcp test o
	[[ "$output" == *"MACHINE_SECRET"* ]]
	MACHINE_SECRET=wrong run m mcp test o
	[[ "$output" == *"denied the token"* ]]
	[[ "$output" != *wrong* ]]
	export MACHINE_SECRET=geheim-0815
	m mcp test o
	run m tools call who
	echo "$output"
	[ "$output" = "who with read" ]
	run m tools call admin # more is asked for when it is needed
	echo "$output"
	[ "$output" = "admin with read admin" ]
	unset MACHINE_SECRET
	[ ! -e "$login" ]
	for kind in RSA:RS256 ED25519:EdDSA; do
		openssl genpkey -algorithm "${kind%:*}" -out "$dir/key.pem" 2>/dev/null
		openssl pkey -in "$dir/key.pem" -pubout -out "$PUBLIC_KEY"
		{ cat "$dir/plain"; printf 'client_key = %s\n' "$dir/key.pem"; } >"$ini"
		m mcp test o
		run m tools call who
		echo "$output"
		echo "$output"
	[ "$output" = "who with read" ]
		grep -x "assertion ${kind#*:}" "$dir/log"
	done
	echo 'not a key' >"$dir/key.pem"
	run m tools call who
	[[ "$output" == *"private key in PEM format"* ]]
}
