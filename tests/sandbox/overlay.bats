#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# overlay.bats - the workspace as a transaction: `workspace = overlay`, and what `mortise
# diff`, `apply`, `discard` and `bisect` do with it.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	export HOME=$work/home XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state
	mkdir -m 700 "$HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME"
	mkdir -p "$work/ws/a/b" "$work/ws/half"
	cd "$work/ws"
	unset MORTISE_SANDBOX_READ MORTISE_SANDBOX_WRITE
	export MORTISE_CONTROLLER_CONFIRMATION=never # the commands delete files
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
	export MORTISE_CORE_PASS_ENV=GIT_AUTHOR_NAME,GIT_AUTHOR_EMAIL,GIT_COMMITTER_NAME,GIT_COMMITTER_EMAIL
	mortise sandbox --json | jq -e .overlays >/dev/null ||
		skip "no unprivileged overlay mounts here"
	export MORTISE_WORKSPACE_WORKSPACE=overlay
	echo one >a/one
	echo two >a/b/two
	ln -s one a/link
	seq 100 >half/seq
	ln half/seq half/seq2
	chmod 640 a/one
	chmod 750 a/b
	touch -d '2001-02-03 04:05:06.789' a/one a/b a half/seq a
	touch -h -d '2002-02-03 04:05:06.789' a/link
}

# paths, types, modes, times, targets, contents
list="{ find . -printf '%P %y %m %T@ %l\\n' | sort; find . -type f -exec sha256sum {} + | sort -k 2; }"

state() {
	(cd "$work/ws" && eval "$list")
}

# turns COMMAND...: turns of the model whose shell runs these commands, one per step
turns() {
	for one; do
		printf '[turn]\n[call execute_bash]\ncommand = %s\n\n' "$one"
	done >>"$work/script"
	printf '[turn]\n[call finish]\nmessage = Done.\n\n' >>"$work/script"
}

# play COMMAND...: a conversation with these turns
play() {
	: >"$work/script"
	turns "$@"
	timeout 120 mortise run -C "$PWD" --model "script:$work/script" -t go
	id=$(ls "$XDG_STATE_HOME/mortise/conversations")
	dir=$XDG_STATE_HOME/mortise/conversations/$id
}

# more COMMAND...: continue it
more() {
	turns "$@"
	timeout 120 mortise resume "$id" --model "script:$work/script" -t go
}

# event PATTERN: id of the first event like it
event() {
	grep '^{"id":' "$dir/events.jsonl" | grep -m1 -- "$1" | jq .id
}

@test "overlay: the real directory is unchanged, and discard brings back all" {
	state >"$work/before"
	play 'rm -rf half a/b; echo changed >>a/one; chmod 600 a/one; echo new >new; ls' >"$work/out"
	grep -qx '  a  *new' "$work/out"
	state | diff "$work/before" -
	run -0 mortise diff --stat
	[[ "$output" == *" a/b/two | +0 -1 removed"* ]]
	[[ "$output" == *" a/one | +1 -0 changed"* ]]
	[[ "$output" == *" half/seq | +0 -100 removed"* ]]
	[[ "$output" == *" new | +1 -0 added"* ]]
	run -0 mortise discard
	[[ "$output" == "Discarded the changes of "*"+half/"* ]]
	run -0 mortise diff --stat
	[ "$output" = "0 files, +0 -0" ]
	more "$list | sha256sum" >"$work/out"
	grep -q "$(sha256sum <"$work/before")" "$work/out"
	state | diff "$work/before" -
}

@test "overlay: apply copies modes, times, links and removals, and nothing else" {
	python3 -c 'import os; os.setxattr("a/b/two", "user.old", b"x")' ||
		skip "no user.* attributes here"
	play 'mkdir -m 2750 d; echo x >d/f; chmod 4755 d/f; ln d/f d/g; ln -s ../a d/s; mkfifo d/p' \
		'rm half/seq; rm -r a/b; mkdir a/b; echo again >a/b/two; mv a/one a/moved' \
		'touch -d 2003-01-01 d/f; python3 -c "import os; os.setxattr(\"d/f\", \"user.new\", b\"y\")"; rmdir nothing; touch -d 2004-01-01 a d; mkdir empty; rm a/link; mkdir a/link; chmod 711 half' \
		>"$work/out"
	more "$list >.list" >"$work/out"
	run -0 mortise apply
	[[ "$output" == "Applied "* ]]
	# Without the list itself, and the time of its directory
	grep -v '\.list\|^ d' .list >"$work/want"
	state | grep -v '\.list\|^ d' | diff "$work/want" -
	[ "$(stat -c %i d/f)" = "$(stat -c %i d/g)" ]
	[ "$(stat -c %h half/seq2)" -eq 1 ]
	[ "$(python3 -c 'import os; print(os.listxattr("d/f"), os.listxattr("a/b/two"))')" = "['user.new'] []" ]
	run -0 mortise diff --stat
	[ "$output" = "0 files, +0 -0" ]
}

@test "overlay: apply --step gives exactly the state after that step" {
	play 'echo 1 >f1; rm -rf half' 'echo 2 >f2; echo x >>a/one' 'echo 3 >f3; rm -r a' >"$work/out"
	state >"$work/start"
	rm -rf half
	echo 1 >f1
	echo 2 >f2
	echo x >>a/one
	find . -type f -exec sha256sum {} + | sort -k 2 >"$work/want"
	stat -c '%a %n' a a/b a/b/two >"$work/modes"
	rm -r "$work/ws"/*
	cd "$work" && rm -rf ws && mkdir -p ws/a/b ws/half && cd ws
	echo one >a/one
	echo two >a/b/two
	ln -s one a/link
	seq 100 >half/seq
	ln half/seq half/seq2
	chmod 640 a/one
	chmod 750 a/b
	run -1 mortise apply --step "$(event 'echo 2')"
	[[ "$output" == *"was changed outside of the overlay"* ]]
	run -0 mortise apply --force --step "$(event 'echo 2')"
	find . -type f -exec sha256sum {} + | sort -k 2 | diff "$work/want" -
	stat -c '%a %n' a a/b a/b/two | diff "$work/modes" -
}

@test "overlay: undo restores what the shell removed" {
	state >"$work/before"
	play 'rm -rf a half' >"$work/out"
	python3 "$top_srcdir/tests/controller/talk.py" undo stop -- \
		mortise resume "$id" --json --keep >"$work/out"
	grep -q 'Restored' "$work/out"
	run -0 mortise diff --stat
	[ "$output" = "0 files, +0 -0" ]
	state | diff "$work/before" -
}

@test "overlay: a resumed conversation, the editor and the shell see the same files" {
	play 'echo shell >f' >"$work/out"
	cat >>"$work/script" <<-END
		[turn]
		[call str_replace_editor]
		command = str_replace
		path = $work/ws/f
		old_str = shell
		new_str = editor

		[turn]
		[call execute_bash]
		command = cat f

		[turn]
		[call finish]
		message = Done.
	END
	timeout 120 mortise resume last --model "script:$work/script" -t go >"$work/out"
	grep -qx '  editor' "$work/out"
	[ ! -e f ]
	mortise apply
	[ "$(cat f)" = editor ]
}

@test "overlay: a commit from a linked work tree stays in the overlay until apply" {
	git init -q main
	git -C main commit -q --allow-empty -m first
	git -C main worktree add -q "$work/ws/linked"
	before=$(git -C main rev-parse linked)
	cd linked
	echo f >f
	play 'git add f && git commit -qm second && git log --format=%s' >"$work/out"
	grep -qx '  second' "$work/out"
	[ "$(git -C ../main rev-parse linked)" = "$before" ]
	mortise apply
	[ "$(git log -1 --format=%s)" = second ]
	[ -z "$(git status --short)" ]
	git fsck --strict
}

@test "overlay: a file that the user changed meanwhile is not overwritten" {
	play 'echo tool >>a/one' >"$work/out"
	echo user >>a/one
	run -1 mortise apply
	[[ "$output" == *"a/one was changed outside of the overlay"* ]]
	[ "$(tail -n 1 a/one)" = user ]
	mortise apply --force
	[ "$(tail -n 1 a/one)" = tool ]
}

@test "overlay: a call that fills the disk is ended and told why" {
	export MORTISE_WORKSPACE_OVERLAY_DISK=8M
	play 'head -c 300M /dev/zero >big; sleep 100; echo unreachable' >"$work/out" 2>&1
	grep -q 'filled the overlay of the workspace with .*, and the limit `overlay_disk` is 8' "$work/out"
	run ! grep -qx '  unreachable' "$work/out"
	mortise discard
	rm -rf "$XDG_STATE_HOME/mortise"
	play 'mkdir many; cd many; for i in $(seq 100000); do : >$i; done; sleep 100; echo unreachable' >"$work/out" 2>&1
	grep -q 'the limit `overlay_disk` is 8' "$work/out"
	run ! grep -qx '  unreachable' "$work/out"
}

@test "overlay: it is refused with a sentence where it cannot be" {
	printf '[turn]\n[call finish]\nmessage = Done.\n' >"$work/script"
	run -2 timeout 120 mortise run -C "$work/ws" --model "script:$work/script" -o sandbox.mode=off -t go
	[[ "$output" == *"an overlay of the workspace requires the sandbox"* ]]
	run -2 timeout 120 mortise run -C "$HOME" --model "script:$work/script" -t go
	[[ "$output" == *"an overlay cannot cover the home directory"* ]]
}

@test "overlay: bisect tests the states in the overlay" {
	play 'echo 1 >f1' 'echo 2 >bad' 'echo 3 >f3' >"$work/out"
	run -0 mortise bisect --test 'test ! -e bad'
	[[ "$output" == *"fails after event $(event 'echo 2')"* ]]
	[ ! -e bad ]
	mortise apply
	[ -e bad ]
}

@test "overlay: it is removed with its conversation" {
	play 'mkdir -p locked/x; chmod 0 locked' >"$work/out"
	mortise conversations delete "$id"
	[ ! -e "$dir" ]
	run ! grep -q "$work" /proc/mounts
}

@test "overlay: a fork has the changes, and its own afterwards" {
	play 'echo first >f; rm -r half' >"$work/out"
	fork=$(mortise fork -q)
	turns 'cat f; ls; echo fork >f'
	timeout 120 mortise resume "$fork" --model "script:$work/script" -t go >"$work/out"
	grep -qx '  first' "$work/out"
	run ! grep -q half "$work/out"
	mortise diff "$id" | grep -qx '+first'
	mortise diff "$fork" | grep -qx '+fork'
}

@test "race: the first copy whose command succeeds wins, and the others end" {
	unset MORTISE_WORKSPACE_WORKSPACE
	play 'echo start >start' >"$work/out"
	# The copies count themselves: the second one makes the command succeed.
	turns "echo tried >tried; if mkdir $work/shared/one 2>/dev/null; then sleep 1000; else echo yes >won; fi"
	mkdir "$work/shared"
	run -0 --separate-stderr timeout 90 mortise race -n 2 --until 'test -e won' \
		-o "sandbox.write=$work/shared" -o "llm.model=script:$work/script" -t go "$id"
	winner=$output
	[[ "$stderr" == *"mortise apply $winner"* ]]
	[ "$(ls)" = "$(printf 'a\nhalf\nstart')" ]
	run ! pgrep -f "$work/shared/one"
	run ! grep -q "$work" /proc/mounts
	mortise apply "$winner"
	[ "$(cat won)" = yes ]
}

@test "race: without a success, it says so" {
	play 'true' >"$work/out"
	turns 'true' 'true'
	run -1 timeout 90 mortise race -n 2 --until false -o "llm.model=script:$work/script" -t go "$id"
	[[ "$output" == *'`false` did not succeed in any copy'* ]]
}

@test "overlay: a subagent in the same workspace sees it, one with a copy gets the changes" {
	cat >"$work/m.ini" <<-END
		[controller]
		tools = bash, finish, delegate_tasks
		delegates = worker
		[controller.worker]
		llm = worker
		[llm.worker]
		model = script:$work/worker
	END
	cat >"$work/worker" <<-'END'
		[turn]
		[call execute_bash]
		command = cat by-boss && echo worker >by-worker

		[turn]
		[call finish]
		message = Done.
	END
	cat >"$work/script" <<-'END'
		[turn]
		[call execute_bash]
		command = echo boss >by-boss

		[turn]
		[call delegate_tasks]
		tasks = [{"task": "look", "agent": "worker"}, {"task": "look", "agent": "worker", "workspace": "copy"}]

		[turn]
		[call execute_bash]
		command = cat by-worker

		[turn]
		[call finish]
		message = Done.
	END
	timeout 90 mortise run -C "$PWD" --config "$work/m.ini" --model "script:$work/script" -t go >"$work/out"
	grep -qx '  worker' "$work/out"
	[ ! -e by-boss ]
	[ ! -e by-worker ]
	[ "$(cat "$XDG_STATE_HOME"/mortise/workspaces/*/by-worker)" = worker ]
}

# Some processes end while their files are read, so that grep fails.
is_unmounted() {
	[ -z "$(grep -hs "overlay $work/ws overlay" /proc/[0-9]*/mounts)" ]
}

@test "overlay: diff reads it while it is in use, and a killed host leaves no mount" {
	turns 'echo text >f; sleep 1000'
	timeout 90 mortise run -C "$PWD" --model "script:$work/script" -t go 3>&- >"$work/out" &
	until_true eval "[ -s $XDG_STATE_HOME/mortise/conversations/*/overlay/0/upper/f ]"
	mortise diff | grep -qx '+text'
	run -1 mortise apply
	[ ! -e f ]
	run -1 is_unmounted
	kill -9 "$(mortise ps --json | jq .pid)"
	until_true is_unmounted
	mortise apply
	[ "$(cat f)" = text ]
}

@test "an overlay covers added directories, and those that are added later" {
	mkdir -m 700 "$work/more" "$work/later"
	git -C "$work/later" init -q
	mkdir "$work/later/sub"
	turns "echo changed >$work/more/file; echo changed >a/one"
	run mortise run -m "script:$work/script" -t go --add-dir "$work/more"
	echo "$output"
	[ "$status" -eq 0 ]
	[ ! -e "$work/more/file" ]
	turns "cat $work/more/file >$work/later/sub/file; git -C $work/later add ."
	run mortise resume last -m "script:$work/script" -t go --add-dir "$work/later/sub"
	echo "$output"
	[ "$status" -eq 0 ]
	[ ! -e "$work/later/sub/file" ]
	[ ! -e "$work/later/.git/index" ]
	run mortise diff last
	[[ "$output" == *"$work/more/file"* ]]
	run -0 mortise apply last
	[ "$(cat "$work/more/file" "$work/later/sub/file" a/one)" = $'changed\nchanged\nchanged' ]
	[ -e "$work/later/.git/index" ]
}

@test "an overlay requires a runtime whose runner sees the mounts of the host" {
	for flags in 0 MT_RUNTIME_HOST_MOUNTS; do
		cat >"$work/like-local.c" <<-END
			#define MORTISE_PROVISIONAL
			#include <mortise/runtime.h>
			static int launch(const struct mt_host *host, const struct mt_runtime_out *out,
					  struct mt_ctx *ctx, const struct mt_in *in)
			{
				(void)host, (void)in;
				return out->arg(ctx, out->wanted(ctx, "runner")) ? MT_ENOMEM :
					out->workspace(ctx, out->wanted(ctx, "workspace"));
			}
			static const struct mt_runtime like = { sizeof like, $flags, launch };
			MT_RUNTIME(&like, "like-local", .name = "like-local", .summary = "Is like local.")
		END
		mkdir -p -m 755 "$work/plugins"
		${CC:-cc} -std=gnu17 -shared -fPIC -I"$top_srcdir/sdk-headers" \
			-o "$work/plugins/like-local.so" "$work/like-local.c"
		chmod 755 "$work/plugins/like-local.so"
		turns "echo changed >a/one"
		run mortise run -m "script:$work/script" -t go -o controller.runtime=like-local \
			-o "core.plugin_path+=$work/plugins"
		echo "$output"
		if [ "$flags" = 0 ]; then
			[ "$status" -eq 2 ]
			[[ "$output" == *"the runtime \`like-local\` does not support an overlay of the workspace; use "* ]]
		else
			[ "$status" -eq 0 ]
		fi
		[ "$(cat a/one)" = one ]
	done
}
