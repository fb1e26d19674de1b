#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# fetch.bats - fetch.so against a real web server.

setup() {
	work=$BATS_TEST_TMPDIR
	python3 "$top_srcdir/tests/tools/web.py" "$work/port" 3>&- &
	server=$!
	for ((i = 0; i < 200; i++)); do
		[ ! -s "$work/port" ] || break
		sleep 0.05
	done
	base=http://127.0.0.1:$(cat "$work/port")
	export MORTISE_SANDBOX_NETWORK=full # the server is outside of it
	call=(mortise tools call -C "$work" -o controller.tools=fetch)
}

teardown() { kill "$server"; }

# get PATH [FLAG...]
get() {
	local path=$1
	shift
	run "${call[@]}" -o tool.fetch.private=yes "$@" fetch "{\"url\":\"$base$path\"}"
	echo "$output"
}

@test "pages, texts and charsets" {
	get /page
	[ "$status" -eq 0 ]
	[[ "$output" == *$'A page\n\n# Hi\n\n[on]('"$base/next)"* ]]
	get /latin1
	[[ "$output" == *grüße* ]]
	get /meta
	[[ "$output" == *"€ 5"* ]]
	get /undeclared
	[[ "$output" == *grüße* ]]
	get /marked16
	[[ "$output" == *grüße* && "$output" != *$'\ufeff'* ]]
	get /marked8
	[[ "$output" == *grüße* && "$output" != *$'\ufeff'* ]]
	get /text
	[[ "$output" == *"plain <b>text</b>"* ]]
	get /json
	[[ "$output" == *'{"a": 1}'* ]]
	run "${call[@]}" -o tool.fetch.private=yes fetch "{\"url\":\"$base/page\",\"raw\":true}"
	[[ "$output" == *"<h1>Hi</h1>"* ]]
}

@test "the local host is not accessible unless it is allowed" {
	run "${call[@]}" fetch "{\"url\":\"$base/page\"}"
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *"not on the public internet"* ]]
	get /page -o tool.fetch.hosts=example.org
	[ "$status" -ne 0 ]
	[[ "$output" == *"not in the \`hosts\`"* ]]
}

@test "redirects are followed within limits, each host is checked" {
	get /to
	[ "$status" -eq 0 ]
	[[ "$output" == *"[$base/page]"*"# Hi"* ]]
	get /again
	[ "$status" -ne 0 ]
	[[ "$output" == *"more than 5 times"* ]]
	get /elsewhere -o tool.fetch.hosts=127.0.0.1
	[ "$status" -ne 0 ]
	[[ "$output" == *"Fetching from localhost is not allowed"* ]]
	get /file
	[ "$status" -ne 0 ]
	[[ "$output" != *root:* ]]
}

@test "large pages, also compressed ones, are cut and stored in a file" {
	get /big -o tool.fetch.size=64K -o tool.fetch.shown=1K
	[ "$status" -eq 0 ]
	[ "${#output}" -lt 3000 ]
	[[ "$output" == *"The first 1024 of 65536 bytes"* ]]
	[[ "$output" == *"longer than 65536 bytes"* ]]
	get /bomb -o tool.fetch.size=64K -o tool.fetch.shown=1K
	[ "$status" -eq 0 ]
	[[ "$output" == *"longer than 65536 bytes"* ]]
}

@test "failures state the reason" {
	get /gone
	[ "$status" -ne 0 ]
	[[ "$output" == *"not here"*"status 404"* ]]
	get /binary
	[ "$status" -ne 0 ]
	[[ "$output" == *"cannot be shown as text"* ]]
	get /slow -o tool.fetch.timeout=300ms
	[ "$status" -ne 0 ]
	[[ "$output" == *"did not respond in time"* ]]
	base=http://127.0.0.1:1
	get /
	[ "$status" -ne 0 ]
	[[ "$output" == *"cannot fetch"* ]]
}
