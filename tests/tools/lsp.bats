#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# lsp.bats - the toolset lsp in a runner: enabled by name, configured in INI, ended with
# the conversation.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws"
	cd "$work/ws"
	cat >"$work/mortise.ini" <<-E
	[tool.lsp]
	server.words = $top_srcdir/tests/tools/lsp-server.py good $work/starts
	extensions.words = words
	E
	printf 'def one\n  one\n' >a.words
	export MORTISE_SANDBOX_WRITE=$work # the server writes there
}

call() {
	timeout 120 mortise tools call --all "$@" --config "$work/mortise.ini"
}

@test "the toolset is not offered by default" {
	run -0 mortise tools list --config "$work/mortise.ini"
	[[ "$output" != *find_definition* ]]
	run -0 mortise tools list --config "$work/mortise.ini" -o controller.tools+=lsp
	[[ "$output" == *find_definition* ]]
	[[ "$output" == *rename_symbol* ]]
}

@test "a definition is found by the server of the configuration" {
	run -0 call find_definition '{"path":"a.words","symbol":"one","line":2}'
	[ "$output" = 'a.words:1:5  def one' ]
}

@test "the server is started once, by the first call, and ends with the caller" {
	run -0 call rename_symbol '{"path":"a.words","symbol":"one","new_name":"two"}'
	[ "$(cat a.words)" = $'def two\n  two' ]
	[ "$(wc -l <"$work/starts")" -eq 1 ]
	run ! pgrep -f "$work/starts"
}

@test "a server without extensions is refused with the key to set" {
	sed -i '/^extensions/d' "$work/mortise.ini"
	run ! call find_definition '{"path":"a.words","symbol":"one"}'
	[[ "$output" == *'`server.words` needs `extensions.words`'* ]]
}

@test "without a sandbox, a call waits for the user without a rule, since servers run code of the project" {
	export XDG_STATE_HOME=$work/state
	mkdir -m 700 "$work/state"
	args='path = a.words\nsymbol = one\nsecurity_risk = LOW'
	for call in "find_definition]\n$args" "find_references]\n$args" \
		"diagnostics]\npath = a.words\nsecurity_risk = LOW" \
		"rename_symbol]\n$args\nnew_name = two"; do
		printf "[turn]\n[call $call\n\n[turn]\n[call finish]\nmessage = done\n" \
			>"$work/script"
		play=(timeout 120 mortise run --config "$work/mortise.ini" -t go
			-o controller.tools+=lsp -o sandbox.mode=off
			-o controller.on_ask=stop
			--model "script:$work/script")
		run -8 "${play[@]}" </dev/null
		[[ "$output" == *"risk UNKNOWN"* ]]
		[ ! -e "$work/starts" ]
		run -0 "${play[@]}" </dev/null -o \
			"analyzer.policy.rule.lsp=allow tool=/^(find_definition|${call%%]*})\$/"
		rm "$work/starts"
	done
	[ "$(cat a.words)" = $'def two\n  two' ]
}
