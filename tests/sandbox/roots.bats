#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# roots.bats - several directories in one conversation: --add-dir and `directories`.
bats_require_minimum_version 1.5.0

setup() {
	work=$(realpath "$BATS_TEST_TMPDIR")
	export HOME=$work/home XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state
	export XDG_CONFIG_HOME=$work/home/.config
	mkdir -m 700 "$HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME" "$work/ws" "$work/more" \
		"$work/other"
	mkdir -p -m 700 "$XDG_CONFIG_HOME/mortise"
	export MORTISE_CORE_PASS_ENV=GIT_AUTHOR_NAME,GIT_AUTHOR_EMAIL,GIT_COMMITTER_NAME,GIT_COMMITTER_EMAIL
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
	cd "$work/ws"
	unset MORTISE_SANDBOX_READ MORTISE_SANDBOX_WRITE
}

# play TEXT: run a conversation with this script
play() {
	printf '%s\n' "$1" >"$work/script"
	shift
	timeout 120 mortise run -C "$work/ws" --model "script:$work/script" -t go "$@" </dev/null
}

bash_call() {
	printf '[turn]\n[call bash]\ncommand = %s\n[turn]\n[call finish]\nmessage = Done.\n' "$1"
}

said=$'[turn]\ntext = Done.\n[turn]\ntext = Again.\n[turn]\ntext = Again.'

log() { cat "$XDG_STATE_HOME"/mortise/conversations/*/events.jsonl; }

# inside COMMAND: in the sandbox of a conversation with $work/more
inside() {
	timeout 120 mortise sandbox run -o "workspace.directories=$work/more" -- "$@"
}

@test "tools can change an added directory, and no other one" {
	run -0 play "$(bash_call "echo one > $work/more/file; echo two > $work/other/file")" \
		--add-dir ../more
	[ "$(cat "$work/more/file")" = one ]
	[ ! -e "$work/other/file" ]
}

@test "the profile read-only applies to added directories" {
	echo x >"$work/more/file"
	run -0 timeout 120 mortise sandbox run -o "workspace.directories=$work/more" \
		-o sandbox.profile=read-only -- cat "$work/more/file"
	run ! timeout 120 mortise sandbox run -o "workspace.directories=$work/more" \
		-o sandbox.profile=read-only -- touch "$work/more/new"
	[ ! -e "$work/more/new" ]
}

@test "the model learns the directories once, and again when they change" {
	run -0 play "$said" --add-dir "$work/more"
	log | grep -q "belong to this conversation in addition to .*: $work/more\""
	run -0 timeout 120 mortise resume -t next -m "script:$work/script" </dev/null
	[ "$(log | grep -c 'belong to this conversation')" -eq 1 ]
	run -0 timeout 120 mortise resume -t next --add-dir "$work/other" -m "script:$work/script" </dev/null
	log | grep -q "belong to this .*: $work/more, $work/other\""
}

@test "an added directory stays when the conversation is resumed" {
	run -0 play "$said" --add-dir "$work/more"
	{ echo "$said" | head -n 2; bash_call "echo one > $work/more/file"; } >"$work/script"
	run -0 timeout 120 mortise resume -t next -m "script:$work/script" </dev/null
	[ "$(cat "$work/more/file")" = one ]
}

@test "a directory that a tool replaced with a link does not follow it on resume" {
	mkdir "$work/ws/sub" "$work/home/.keys"
	run -0 play "$(bash_call true)" --add-dir sub
	rmdir sub
	ln -s "$work/home/.keys" sub
	bash_call "echo x > $work/home/.keys/file" >>"$work/script"
	run -0 timeout 120 mortise resume -t next -m "script:$work/script" </dev/null
	[ ! -e "$work/home/.keys/file" ]
}

@test "directories that cannot be added are refused with a sentence" {
	refused() {
		run -2 timeout 120 mortise run -t go --model script:x --add-dir "$1" </dev/null
		[[ "$output" == *"$2"* ]]
	}
	touch "$work/file"
	mkdir "$work/a,b"
	refused "$work/missing" "No such file or directory"
	refused "$work/file" "not a directory"
	refused "$work/a,b" "contains a comma"
	refused / "cannot add the directory /: name the directories"
	refused "$HOME" "it contains the home directory"
	refused "$work" "it contains the home directory"
	refused "$XDG_STATE_HOME" "the state of Mortise"
	mkdir -p "$XDG_STATE_HOME/mortise/conversations"
	refused "$XDG_STATE_HOME/mortise/conversations" "it belongs to the state of Mortise"
	refused "$XDG_CONFIG_HOME" "it contains the settings of Mortise"
	run -2 timeout 120 mortise run -t go --model script:x -o workspace.directories=x </dev/null
	[[ "$output" == *'`x` is not an absolute path'* ]]
}

@test "a project cannot add directories, even a trusted one" {
	mkdir .mortise
	printf '[workspace]\ndirectories = %s\n' "$work/other" >.mortise/mortise.ini
	run ! mortise config trust
	[[ "$output" == *"a project cannot contain a section [workspace]"* ]]
	run ! timeout 120 mortise sandbox run -- touch "$work/other/new"
	[ ! -e "$work/other/new" ]
}

@test "the repository of an added directory is writable, and its hooks are not" {
	mortise sandbox show --json | jq -e .namespaces >/dev/null ||
		skip "no user namespaces here"
	git init -q "$work/more"
	run -0 inside git -C "$work/more" commit -qm one --allow-empty
	run ! inside git -C "$work/more" config user.name x
	run ! inside touch "$work/more/.git/hooks/pre-commit"
}

@test "the policy rates a command in an added directory like one in the workspace" {
	risk() { mortise policy test "$@" | head -n 1; }
	touch "$work/more/file" "$work/other/file"
	[ "$(risk "touch $work/more/new")" = UNKNOWN ]
	inside=$(risk "touch $work/ws/new")
	[ "$(risk -o "workspace.directories=$work/more" "touch $work/more/new")" = "$inside" ]
	[ "$inside" != UNKNOWN ]
	[ "$(risk -o "workspace.directories=$work/more" "touch $work/other/new")" = UNKNOWN ]
	[ "$(risk -o "workspace.directories=$work/more" "rm -r $work/more")" = HIGH ]
}

@test "snapshots cover an added directory: diff, discard, and undo of it" {
	printf 'one\n' >"$work/more/file"
	run -0 play "$(bash_call "rm -f $work/more/file; echo x > $work/more/new")" \
		--add-dir "$work/more"
	[ -e "$work/more/new" ]
	run -0 mortise diff
	[[ "$output" == *"--- a/$work/more/file"* ]]
	run -0 mortise discard
	[ "$(cat "$work/more/file")" = one ]
	[ ! -e "$work/more/new" ]
	id=$(basename "$XDG_STATE_HOME"/mortise/conversations/*/)
	step=$(sed -n "s/.*mortise apply .* --step \([0-9]*\).*/\1/p" <<<"$output")
	run -0 mortise apply "$id" --step "$step"
	[ -e "$work/more/new" ]
}

@test "the editor and the search work in an added directory" {
	echo needle >"$work/more/file"
	run -0 play "[turn]
[call str_replace_editor]
command = create
path = $work/more/new
file_text = needle
[turn]
[call grep]
pattern = needle
path = $work/more
$said" --add-dir "$work/more"
	[ "$(cat "$work/more/new")" = needle ]
	log | grep -q "2 files"
}
