#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ignore.bats - files that `.mortise/ignore` keeps from tools.
bats_require_minimum_version 1.5.0

setup() {
	work=$(realpath "$BATS_TEST_TMPDIR")
	export HOME=$work/home XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state
	mkdir -m 700 "$HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME" "$work/ws"
	mkdir -p "$work/ws/.mortise" "$work/ws/keys/deep" "$work/ws/src"
	cd "$work/ws"
	printf '%s\n' '# secrets' '.env*' '!.env.example' '/keys/' >.mortise/ignore
	echo needle-env | tee .env src/.env.local >.env.example
	echo needle-key >keys/deep/one
	echo needle-open >src/open
	unset MORTISE_SANDBOX_READ MORTISE_SANDBOX_WRITE
}

needs_namespaces() {
	mortise sandbox show --json | jq -e .namespaces >/dev/null ||
		skip "no user namespaces here"
}

inside() { timeout 120 mortise sandbox run -- "$@"; }

# call TOOL LINES: the result of one call
call() {
	printf '[turn]\n[call %s]\n%s\n[turn]\n[call finish]\nmessage = Done.\n' "$1" "$2" \
		>"$work/script"
	timeout 120 mortise run -C "$work/ws" --model "script:$work/script" -t go -v \
		"${@:3}" </dev/null
}

@test "commands can neither read nor change what exists at the start" {
	needs_namespaces
	for file in .env src/.env.local keys/deep/one; do
		run ! inside cat $file
		run ! inside cp src/open $file
		run ! inside rm -f $file
		run ! inside mv src/open $file
		run ! inside chmod 644 $file
	done
	run ! inside ls keys
	run ! inside touch keys/new
	run -0 inside cat .env.example src/open
	run -0 inside sh -c 'echo changed >src/open'
	[ "$(cat .env src/.env.local keys/deep/one)" = $'needle-env\nneedle-env\nneedle-key' ]
	ln -s ../.env src/link
	run ! inside cat src/link
}

@test "a directory that was added has rules of its own" {
	needs_namespaces
	mkdir -p "$work/more/.mortise"
	echo secret >.mortise/ignore
	echo other >"$work/more/.mortise/ignore"
	touch secret "$work/more/secret" "$work/more/other"
	run -0 timeout 120 mortise sandbox run -o "workspace.directories=$work/more" -- \
		sh -c "cat '$work/more/secret' && ! cat secret && ! cat '$work/more/other'"
}

@test "too many matches: the sandbox covers some, and says so" {
	needs_namespaces
	mkdir many
	(cd many && seq -f .env%g 300 | xargs touch)
	run -0 inside true
	[[ "$output" == *"matches over 256 files"* ]]
	run ! timeout 120 mortise sandbox run -o sandbox.mode=required -- true
}

@test "the editor neither shows, changes nor creates such a file" {
	run -0 call str_replace_editor $'command = view\npath = '"$work/ws/.env"
	[[ "$output" == *"The user does not allow tools to read or change $work/ws/.env"* ]]
	[[ "$output" != *needle-env* ]]
	run -0 call str_replace_editor $'command = create\nfile_text = x\npath = '"$work/ws/.env.new"
	[ ! -e .env.new ]
	run -0 call str_replace_editor $'command = view\npath = '"$work/ws/keys"
	[[ "$output" != *deep* ]]
	ln -s ../keys/deep src/way
	run -0 call str_replace_editor $'command = view\npath = '"$work/ws/src/way/one" \
		-o sandbox.mode=off
	[[ "$output" == *"does not allow"* ]]
	[[ "$output" != *needle-key* ]]
	run -0 call str_replace_editor $'command = view\npath = '"$work/ws/src/open"
	[[ "$output" == *needle-open* ]]
}

@test "the search does not show such files, with and without ripgrep" {
	for program in "" rg; do
		[ -z "$program" ] || command -v rg || continue
		run -0 call grep $'pattern = needle\ninclude = {.*,*}' -o sandbox.mode=off \
			-o "tool.search.program=$program"
		[[ "$output" == *src/open* ]]
		[[ "$output" != *keys/deep* ]]
		[[ "$output" != *.env.local* ]]
	done
	run -0 call grep $'pattern = needle\npath = keys' -o sandbox.mode=off
	[[ "$output" == *"does not allow"* ]]
	run -0 call glob $'pattern = keys/**' -o sandbox.mode=off
	[[ "$output" != *keys/deep* ]]
}

@test "a patch does not change such a file" {
	run -0 call apply_patch 'patch <<END
*** Begin Patch
*** Delete File: .env
*** End Patch
END' -o controller.tools+=apply-patch -o sandbox.mode=off -o controller.confirmation=never
	[[ "$output" == *"does not allow"* ]]
	[ -e .env ]
}

@test "a command that names such a file is HIGH" {
	risk() { mortise policy test "$1" | head -n 2 | paste -sd' '; }
	for command in 'cat .env' 'cat src/../keys/deep/one' 'cp .en* x' 'echo x > .env.new' \
		'cd keys && cat deep/one'; do
		[ "$(risk "$command")" = "HIGH rule: danger.ignored" ]
	done
	[ "$(risk 'cat .env.example src/open')" = LOW ]
}

@test "explain names what holds, and what does not" {
	run -0 mortise sandbox explain .env -o sandbox.namespaces=no
	[[ "$output" == *"commands can still use it"*"without namespaces"* ]]
	run -1 mortise sandbox run -o sandbox.namespaces=no -o sandbox.mode=required -- true
	[[ "$output" == *"the sandbox is required, but not all of it is enforced"* ]]
	needs_namespaces
	run -0 mortise sandbox explain .env
	[[ "$output" == *"matches"*"the kernel prevents commands from using it" ]]
	run -0 mortise sandbox explain keys/deep/one
	[[ "$output" == *"the kernel prevents commands"* ]]
	run -0 mortise sandbox explain .env.new
	[[ "$output" == *"commands can still use it until"*"it did not exist"* ]]
}

@test "a file that a message mentions is not sent" {
	printf '[turn]\ntext = Done.\n' >"$work/script"
	run timeout 120 mortise --plain -m "script:$work/script" <<<"look at @.env and @src/open"
	echo "$output"
	[[ "$output" == *'`.mortise/ignore`'* ]]
	run -0 grep -h "look at" "$XDG_STATE_HOME"/mortise/conversations/*/events.jsonl
	[[ "$output" == *needle-open* ]]
	[[ "$output" != *needle-env* ]]
}
