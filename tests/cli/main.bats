#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# mortise: help, version, flags, helper programs.

bats_require_minimum_version 1.5.0

@test "version and help" {
	run mortise --version
	[ "$status" -eq 0 ]
	[[ "$output" =~ ^mortise\ [0-9]+\.[0-9]+\.[0-9]+$ ]]
	run mortise --help
	[ "$status" -eq 0 ]
	[[ "$output" == *"plugins"* && "$output" == *"Exit codes"* ]]
	[[ "$output" != *"plugin-probe"* ]]
	run mortise
	[ "$status" -eq 2 ]
	run mortise help config
	[ "$status" -eq 0 ]
	[[ "$output" == "Usage: mortise config"* ]]
}

@test "every command has help" {
	commands=($(mortise --help | sed -n 's/^  \([a-z-]*\) .*/\1/p'))
	[ "${#commands[@]}" -ge 15 ]
	for command in "${commands[@]}"; do
		run mortise "$command" --help
		[ "$status" -eq 0 ]
		[[ "$output" == "Usage: mortise $command"* ]]
		run awk 'length > 80' <<<"$output"
		[ -z "$output" ]
	done
}

@test "unknown words get a suggestion and exit code 2" {
	run mortise tool
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "mortise: unknown command \`tool\`; did you mean \`tools\`?" ]
	[ "${lines[1]}" = "See \`mortise --help\`. To send a message, quote it (a single word: after --)." ]
	run mortise ../../bin/true
	[ "$status" -eq 2 ]
	run mortise plugins --jsn
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown option --jsn; did you mean --json?"* ]]
	run mortise plugins -x
	[ "$status" -eq 2 ]
	run mortise plugins --json=1
	[ "$status" -eq 2 ]
	[[ "$output" == *"does not take a value"* ]]
	run mortise plugins -o
	[ "$status" -eq 2 ]
	[[ "$output" == *"requires a value"* ]]
	run mortise plugins list more
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "mortise plugins: wrong number of arguments for \`list\`" ]
	run mortise conversations shw x
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "mortise conversations: unknown subcommand \`shw\`; did you mean \`show\`?" ]
	run mortise policy everything
	[ "$status" -eq 2 ]
	[ "${lines[0]}" = "mortise policy: unknown subcommand \`everything\`" ]
}

@test "options may appear anywhere, values may be attached" {
	for words in "-ollm.model=a/b config explain llm.model" ; do
		run mortise $words
		[ "$status" -eq 2 ]
	done
	for words in "-ollm.model=a/b explain llm.model" "explain -o llm.model=a/b llm.model" \
		"explain llm.model --set=llm.model=a/b" "explain llm.model --set llm.model=a/b" \
		"--set llm.model=a/b explain -- llm.model"; do
		run mortise config $words
		[ "$status" -eq 0 ]
		[ "${lines[0]}" = "llm.model = a/b" ]
	done
}

@test "mortise X runs mortise-X" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho "helper: $*"; exit 42\n' > "$BATS_TEST_TMPDIR/bin/mortise-hello"
	chmod +x "$BATS_TEST_TMPDIR/bin/mortise-hello"
	PATH="$BATS_TEST_TMPDIR/bin:$PATH" run mortise hello --json "a b"
	[ "$status" -eq 42 ]
	[ "$output" = "helper: --json a b" ]
	cp "$top_builddir/mortise" "$BATS_TEST_TMPDIR/bin/mortise"
	run "$BATS_TEST_TMPDIR/bin/mortise" hello
	[ "$status" -eq 42 ]
}

@test "a message in quotes goes to the terminal, one word is a command" {
	run mortise "fix the tests"
	[ "$status" -eq 2 ]
	[[ "$output" == *"not a terminal; use \`mortise run\`"* ]]
	run mortise -- fix
	[[ "$output" == *"not a terminal"* ]]
	run mortise fix
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown command \`fix\`"*"quote it"* ]]
	run mortise --any "fix the tests"
	[[ "$output" == *"--any requires --continue"* ]]
}

@test "a number outside the range of an option is refused" {
	run -2 mortise kill --timeout 3601 nothing
	[ "$output" = "mortise kill: invalid --timeout \`3601\`; use seconds from 0 to 3600" ]
	run -2 mortise attach --last -1
	[ "$output" = "mortise attach: invalid --last \`-1\`; use a number of events" ]
	run -2 mortise conversations prune --keep=1000001
	[[ "$output" == *"invalid --keep"*"use a number from 0 to 1000000" ]]
}

@test "options have former names, which are still accepted" {
	run mortise kill --wait x nothing
	[ "$status" -eq 2 ]
	[[ "$output" == *"invalid --timeout"* ]]
	run mortise kill --timeout x nothing
	[ "$status" -eq 2 ]
	for name in --keep --keep-alive -k; do
		run mortise run "$name" --nonsense
		[[ "$output" == *"unknown option --nonsense"* ]]
	done
}

@test "help, manual and documentation have the same exit codes" {
	mortise --help | sed -n '/^Exit codes:$/,$p' | grep -E '^ +[0-9]+  ' > "$BATS_TEST_TMPDIR/help"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/help")" -ge 10 ]
	mortise manual mortise > "$BATS_TEST_TMPDIR/manual"
	while read -r code meaning; do
		grep -qx " *$code  $meaning" "$BATS_TEST_TMPDIR/manual"
		grep -q "^| $code | $meaning" "$BATS_TEST_DIRNAME/../../doc/exit-codes.md"
	done < "$BATS_TEST_TMPDIR/help"
}

# The commands that the help lists
commands() { mortise --help | sed -n '/^Commands:$/,/^$/s/^  \([a-z]*\) .*/\1/p'; }

@test "help fits 80 columns" {
	mortise --help > "$BATS_TEST_TMPDIR/help"
	run -1 grep -nE '^.{81}' "$BATS_TEST_TMPDIR/help"
	[ "$(commands | wc -l)" -ge 20 ]
	for command in $(commands); do
		mortise "$command" --help | sed -n '/^Usage/d; p' > "$BATS_TEST_TMPDIR/help"
		run grep -nE '^.{81}' "$BATS_TEST_TMPDIR/help"
		echo "$command: $output"
		[ "$status" -eq 1 ]
	done
}

@test "the summaries of commands have at most 60 columns, and no period" {
	mortise --help | sed -n '/^Commands:$/,/^$/s/^  [a-z]*  *//p' > "$BATS_TEST_TMPDIR/summaries"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/summaries")" -ge 20 ]
	run -1 grep -nE '^.{61}|\.$' "$BATS_TEST_TMPDIR/summaries"
}

@test "documents and manual pages name every option of the help" {
	local top="$BATS_TEST_DIRNAME/../.."
	for command in $(commands); do
		mortise "$command" --help | grep -oE -- '--[a-z][a-z-]+' | sort -u
	done | sort -u > "$BATS_TEST_TMPDIR/options"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/options")" -ge 40 ]
	while read -r option; do
		echo "$option"
		grep -qrFw --include='*.md' -e "$option" "$top/doc" "$top/README.md"
	done < "$BATS_TEST_TMPDIR/options"
	mortise manual mortise | grep -qF "mortise-chat (1)"
	mortise manual mortise.ini | grep -qF enforced.ini
	mortise chat --help | grep -oE -- '--[a-z][a-z-]+' > "$BATS_TEST_TMPDIR/chat" ||
		skip "without mortise-chat"
	while read -r option; do
		echo "$option"
		grep -qF -e "${option//-/\\-}" "$top/doc/mortise-chat.1"
	done < "$BATS_TEST_TMPDIR/chat"
}
