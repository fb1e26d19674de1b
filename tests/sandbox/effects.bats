#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# effects.bats - `approve = effects`: commands of unknown risk run in a preview, and the
# user approves what they changed.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	export HOME=$work/home XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state
	mkdir -m 700 "$HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME" "$work/ws"
	cd "$work/ws"
	unset MORTISE_SANDBOX_READ MORTISE_SANDBOX_WRITE
	export MORTISE_CONTROLLER_APPROVE=effects
	mortise sandbox --json | jq -e .overlays >/dev/null ||
		skip "no unprivileged overlay mounts here"
	echo one >one
	echo two >two
	pid=
}

teardown() {
	exec 8>&- || true
	[ -z "$pid" ] || kill -9 $(pgrep -P "$pid") 2>/dev/null || true
	[ -z "$pid" ] || wait "$pid" || true
}

# session SCRIPT [COMMAND...]: a conversation over JSON lines in the background
session() {
	printf '%s\n' "$1" >"$work/script"
	shift
	rm -f "$work/in"
	mkfifo "$work/in"
	: >"$work/out"
	timeout 120 mortise "${@:-run}" --json --keep --model "script:$work/script" \
		<"$work/in" >"$work/out" 2>"$work/err" 3>&- &
	pid=$!
	exec 8>"$work/in"
}

tell() { printf '%s\n' "$1" >&8; }

# until_line N PATTERN: wait until N lines of the output match
until_line() {
	local end=$((SECONDS + ${LIMIT:-30}))
	while ((SECONDS < end)); do
		[ "$(grep -c -- "$2" "$work/out")" -lt "$1" ] || return 0
		kill -0 "$pid" 2>/dev/null && ! grep -q '"state":"error"' "$work/out" || break
		sleep 0.05
	done
	cut -c1-600 "$work/out" "$work/err"
	return 1
}

# answer N TEXT: answer the N-th question
answer() {
	until_line 1 "\"question\":$1,"
	tell "$(jq -cn --argjson n "$1" --arg text "$2" '{type: "answer", question: $n, text: $text}')"
}

idle='"state":"awaiting_user_input"'
apply='apply: make exactly these changes'
real='run it for real, with its network'

# question N: the text of the N-th question
question() {
	until_line 1 "\"question\":$1,"
	grep "\"question\":$1," "$work/out" | jq -r --argjson n "$1" '.open[] | select(.question == $n).text'
}

@test "effects: if not all changes fit into the question, it names a file that lists them" {
	session '[turn]
[call execute_bash]
command = for i in $(seq 150); do : > made$i; done
[turn]
text = Done.' run -t go
	question 1 >"$work/question"
	grep -q "It makes 150 changes of files:" "$work/question"
	list=$(sed -n 's/^  and 50 more; the whole list is in //p' "$work/question")
	[ "$(wc -l <"$list")" -eq 150 ]
	[ "$(stat -c %a "$list")" = 600 ]
	answer 1 discard
	until_line 1 "$idle"
	[ ! -e "$list" ]
	[ ! -e made1 ]
}

@test "effects: apply makes the changes that were shown, in files and in the shell" {
	session "[turn]
[call execute_bash]
command = mkdir sub; cd sub; export WORD=kept; f() { echo \"f \$1\"; }
[turn]
expect last contains = the user applied its effects
[call execute_bash]
command = f \$WORD; pwd; printf xxxxx >new; rm ../two; echo more >>../one; chmod 755 ../one; unset WORD
[turn]
expect last contains = f kept
expect last contains = $work/ws/sub
[call execute_bash]
command = f .\$WORD.; pwd; WORD=discarded
[turn]
expect last contains = discarded its effects
[call execute_bash]
command = echo \$WORD; pwd
[turn]
expect last contains = $work/ws/sub
text = done"
	tell '{"type":"message","text":"go"}'
	until_line 1 '"question":1,'
	[ ! -e sub ]
	question 1 >"$work/asked"
	cat "$work/asked"
	grep -q '^  added    sub/$' "$work/asked"
	grep -q '^declare -x WORD="kept"$' "$work/asked"
	grep -q "^cd -- '$work/ws/sub'$" "$work/asked"
	answer 1 "$apply"
	until_line 1 '"question":2,'
	[ -z "$(ls sub)" ]
	question 2 >"$work/asked"
	cat "$work/asked"
	grep -q '^  added    sub/new (5 ' "$work/asked"
	grep -q '^  removed  two$' "$work/asked"
	grep -q '^  changed  one (4 .* -> 9 .*, mode .* -> 755$' "$work/asked"
	grep -q '^unset -v WORD$' "$work/asked"
	answer 2 'show the differences'
	question 3 >"$work/asked"
	cat "$work/asked"
	grep -qx '+more' "$work/asked"
	answer 3 "$apply"
	until_line 1 '"question":4,'
	[ "$(cat sub/new one)" = "$(printf 'xxxxxone\nmore')" ]
	[ "$(stat -c %a one)" = 755 ]
	[ ! -e two ]
	answer 4 discard
	until_line 1 "$idle"
	grep -q '"message":"done"' "$work/out"
	[ ! -e "$XDG_STATE_HOME"/mortise/conversations/*/effects ]
}

@test "effects: refused hosts are shown, and the command can run for real" {
	session "[turn]
[call execute_bash]
command = echo x >>new; curl -sS http://a.example/
[turn]
expect last contains = a.example
[call execute_bash]
command = python3 -c 'print(6 * 7)'
[turn]
expect last contains = 42
expect last contains = and changed no files
[call execute_bash]
command = python3 -c 'import time; time.sleep(60)' &
[turn]
expect last contains = discarded its effects
text = done"
	tell '{"type":"message","text":"go"}'
	question 1 >"$work/asked"
	cat "$work/asked"
	grep -q '^The sandbox refused:$' "$work/asked"
	grep -q 'a.example' "$work/asked"
	[ ! -e new ]
	answer 1 "$real"
	until_line 1 '"question":2,'
	[ "$(cat new)" = x ]
	question 2 | grep -q 'Allow it to reach'
	answer 2 no
	question 3 >"$work/asked"
	cat "$work/asked"
	grep -q "^It started background processes, which have ended.$" "$work/asked"
	answer 3 discard
	until_line 1 "$idle"
	grep -q '"message":"done"' "$work/out"
}

@test "effects: a preview writes nowhere else, and a file that changed meanwhile is kept" {
	mkdir "$HOME/out" "$HOME/added"
	export MORTISE_SANDBOX_WRITE=$HOME/out MORTISE_WORKSPACE_DIRECTORIES=$HOME/added
	session "[turn]
[call execute_bash]
command = mkdir -p \$CCACHE_DIR; for f in $HOME/out/f $HOME/added/f \$CCACHE_DIR/f; do echo x >\$f; done; touch .git one two
[turn]
expect last contains = one was changed in the workspace meanwhile
text = done"
	tell '{"type":"message","text":"go"}'
	question 1 >"$work/asked"
	cat "$work/asked"
	echo mine >one
	answer 1 "$apply"
	until_line 1 "$idle"
	grep -q '"message":"done"' "$work/out"
	[ "$(cat one)" = mine ]
	[ ! -e .git ]
	[ -z "$(find "$HOME/out" "$HOME/added" "$work/cache" -name f)" ]
}

@test "effects: kill -9 leaves the workspace as it was, and a resume runs the preview again" {
	script='[turn]
[call execute_bash]
command = WORD=1; echo changed >one; echo again
[turn]
expect last contains = again
text = done'
	session "$script"
	tell '{"type":"message","text":"go"}'
	until_line 1 '"question":1,'
	kill -9 "$(pgrep -P "$pid" -x mortise)"
	wait "$pid" || true
	[ "$(cat one)" = one ]
	run ! grep effects /proc/self/mountinfo
	exec 8>&-
	session "$script" resume last
	tell '{"type":"resume"}'
	answer 1 "$apply"
	until_line 1 "$idle"
	grep -q '"message":"done"' "$work/out"
	[ "$(cat one)" = changed ]
}

@test "effects: a preview that exceeds overlay_disk cannot be applied" {
	export MORTISE_WORKSPACE_OVERLAY_DISK=1M
	session "[turn]
[call execute_bash]
command = WORD=1; echo x >one; dd if=/dev/zero of=big bs=64k count=1000; sleep 50
[turn]
expect last contains = discarded its effects
text = done"
	tell '{"type":"message","text":"go"}'
	question 1 >"$work/asked"
	cat "$work/asked"
	grep -q 'overlay_disk' "$work/asked"
	grep '"question":1,' "$work/out" | jq -e '.open[0].choices | length == 2'
	answer 1 discard
	until_line 1 "$idle"
	grep -q '"message":"done"' "$work/out"
	[ "$(cat one)" = one ]
	[ ! -e big ]
}

@test "effects: an interrupted command, and one whose question is cancelled, change nothing" {
	session "[turn]
[call execute_bash]
command = WORD=1; echo x >one; echo started; sleep 50
[turn]
expect any contains = which was interrupted: nothing was changed
[call execute_bash]
command = WORD=1; echo x >one
[turn]
text = done"
	tell '{"type":"subscribe","live":true}'
	tell '{"type":"message","text":"go"}'
	until_line 1 '"type":"output".*started'
	tell '{"type":"message","text":"stop that"}'
	until_line 1 '"question":1,'
	tell '{"type":"pause"}'
	until_line 1 '"state":"paused"'
	until_line 1 '"questions":\[\]\|"open":\[\]'
	[ "$(cat one)" = one ]
}

@test "effects: without a user, the command is refused" {
	printf '%s\n' '[turn]' '[call execute_bash]' 'command = WORD=1; echo x >one' '[turn]' \
		'expect last contains = requires approval' 'text = done' >"$work/script"
	run -0 timeout 120 mortise run --model "script:$work/script" -t go
	[ "$(cat one)" = one ]
}

@test "effects: where no preview is possible, the user is asked about the command, and told why once" {
	mkdir "$work/etc"
	printf '[sandbox]\nwrite = %s\n' "$HOME" >"$work/etc/enforced.ini"
	export MORTISE_SYSTEM_CONFIG=$work/etc
	session "[turn]
[call execute_bash]
command = WORD=1; echo x >one
[turn]
[call execute_bash]
command = WORD=1; echo y >two
[turn]
text = done"
	tell '{"type":"message","text":"go"}'
	for n in 1 2; do
		until_line "$n" '"waits":{'
		tell "$(grep '"waits":{' "$work/out" | tail -1 | jq -c '{type: "confirm", hash: .waits.hash}')"
	done
	until_line 1 "$idle"
	[ "$(cat one two)" = "$(printf 'x\ny')" ]
	[ "$(grep -c 'cannot run in a preview here.*the administrator enforces `write`' "$work/out")" -eq 1 ]
}

@test "effects: the plain terminal shows them, and takes the number of an answer" {
	[ -x "$top_builddir/mortise-chat" ] || skip 'the terminal was not built'
	export XDG_RUNTIME_DIR=$work/run
	mkdir -m 700 "$work/run"
	printf '%s\n' '[turn]' '[call execute_bash]' 'command = WORD=1; echo x >one' '[turn]' \
		'text = The end.' >"$work/script"
	run -0 timeout 120 mortise --plain -m "script:$work/script" <<<$'go\n1'
	[[ "$output" == *"changed  one (4 bytes -> 2 bytes)"*"1  apply: make exactly these changes"*"The end."* ]]
	[ "$(cat one)" = x ]
}
