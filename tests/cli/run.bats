#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# run.bats - `mortise run` and `resume` as a user sees them.

bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cat >"$work/script" <<'EOF'
[turn]
text = I look around.
[call execute_bash]
command = echo "one of $((1 + 1))"; false

[turn]
[call str_replace_editor]
command = create
path = @/made.txt
file_text = made

[turn]
[call finish]
message = All is well.
EOF
	sed -i "s|@|$work/ws|" "$work/script"
	run_it=(mortise run -C "$work/ws" --model "script:$work/script")
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

@test "the first run, without a cache, probes the plugins" {
	export XDG_CACHE_HOME=$work/cache
	mkdir -m 700 "$XDG_CACHE_HOME"
	run "${run_it[@]}" -t 'repair the test'
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"All is well."* ]]
}

@test "a task is done, and printed in human-readable form" {
	run "${run_it[@]}" -t "look around"
	[ "$status" -eq 0 ]
	[[ "$output" == *"> look around"* ]]
	[[ "$output" == *"I look around."* ]]
	[[ "$output" == *"one of 2"* ]]
	[[ "$output" == *"exit code 1"* ]]
	[[ "$output" == *"All is well."* ]]
	[[ "$output" == *"finished (3 steps"* ]]
	[[ "$output" != *$'\033'* ]]
	[ "$(cat "$work/ws/made.txt")" = made ]
}

@test "--quiet prints only the final message of the agent" {
	run "${run_it[@]}" -q -t "look around"
	[ "$status" -eq 0 ]
	[ "$output" = "All is well." ]
}

@test "--json prints the events of the log, one per line" {
	"${run_it[@]}" --json -t "look around" >"$work/out" </dev/null
	grep '^{"id":' "$work/out" >"$work/events"
	log | sed -E 's/,"crc":"[0-9a-f]+"//' | grep '^{"id":' | diff - "$work/events"
	python3 -c 'import json,sys
for line in open(sys.argv[1]): json.loads(line)' "$work/out"
}

@test "the task comes from a file or from standard input" {
	echo "from a file" >"$work/task"
	run "${run_it[@]}" -f "$work/task"
	[ "$status" -eq 0 ]
	[[ "$output" == *"> from a file"* ]]
	run bash -c 'echo "from a pipe" | "$@"' - "${run_it[@]}"
	[ "$status" -eq 0 ]
	[[ "$output" == *"> from a pipe"* ]]
}

@test "without a model, the error says how to set one" {
	run mortise run -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == *"no model is set"* ]]
	[[ "$output" == *"[llm]"* ]]
}

@test "an empty task, no workspace, an unknown option: one message, exit 2" {
	run "${run_it[@]}" -t "  "
	[ "$status" -eq 2 ]
	[ "$output" = "mortise: no task given; use -t TEXT, -f FILE or standard input" ]
	run mortise run -C /no/such/directory -m script:x -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == *"/no/such/directory: No such file"* ]]
	run mortise run -C /bin/sh -m script:x -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == *"/bin/sh: not a directory"* ]]
	run "${run_it[@]}" --modle x -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == *"did you mean --model"* ]]
}

@test "a name that does not resolve is refused before the first event" {
	for o in controller.agent=unknown controller.tools=nothing \
		controller.condensers=none controller.runtime=moon; do
		run "${run_it[@]}" -o "$o" -t hi
		[ "$status" -eq 2 ]
		[[ "$output" == *"${o#*=}"* ]]
	done
	run "${run_it[@]}" --controller unknown -t hi
	[ "$status" -eq 2 ]
	[ ! -e "$work/state/mortise/conversations" ] ||
		[ -z "$(ls "$work/state/mortise/conversations")" ]
}

@test "the iteration limit exits with 4, and a resume allows as many again" {
	run "${run_it[@]}" -o controller.max_iterations=2 -t hi
	[ "$status" -eq 4 ]
	[[ "$output" == *"maximum iteration. Current iteration: 2, max iteration: 2"* ]]
	run mortise resume -q
	[ "$status" -eq 0 ]
	[ "$output" = "All is well." ]
}

@test "a failing model exits with 3" {
	printf '[turn]\nerror = authentication\n' >"$work/script"
	run "${run_it[@]}" -t hi
	[ "$status" -eq 3 ]
}

@test "the model sees errors for unknown tools and wrong arguments and continues" {
	cat >"$work/script" <<'EOF'
[turn]
[call no_such_tool]
x = 1

[turn]
expect last contains = no_such_tool
[call execute_bash]
comand = ls

[turn]
expect last contains = command
[call finish]
message = fixed
EOF
	run "${run_it[@]}" -q -t hi
	[ "$status" -eq 0 ]
	[ "$output" = fixed ]
}

@test "a recording replays as the same events" {
	run "${run_it[@]}" --record "$work/recorded" -q -t hi
	[ "$status" -eq 0 ]
	log | sed -E 's/,"crc":"[0-9a-f]+"//; s/"(timestamp|model)":"[^"]*"//g; s/"latency_ms":[0-9]+//; s/"worked":[0-9.e-]+//; s/"pid":-?[0-9]+//' \
		>"$work/first"
	rm -r "$work/state/mortise" "$work/ws/made.txt"
	run mortise run -C "$work/ws" --model "script:$work/recorded" -q -t hi
	[ "$status" -eq 0 ]
	log | sed -E 's/,"crc":"[0-9a-f]+"//; s/"(timestamp|model)":"[^"]*"//g; s/"latency_ms":[0-9]+//; s/"worked":[0-9.e-]+//; s/"pid":-?[0-9]+//' |
		diff "$work/first" -
}

@test "a script that cannot be written is reported before the model is asked" {
	mkdir "$work/dir"
	for file in "$work/dir" "$work/nowhere/script" "$work/script/x"; do
		run "${run_it[@]}" --record "$file" -q -t hi
		[ "$status" -eq 2 ]
		[[ "$output" == "mortise: --record: cannot write $file: "* ]]
	done
	[ ! -e "$work/state/mortise/conversations" ]
	"${run_it[@]}" -q -t hi
	for option in --record --output; do
		run "${run_it[@]}" $option "" -q -t hi
		[ "$status" -eq 2 ]
		[ "$output" = "mortise: $option: the file name is empty" ]
	done
	run mortise resume --record "$work/dir" -q -t more
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: --record: cannot write $work/dir: "* ]]
}

@test "Ctrl-C pauses and keeps the output of the command; resume continues" {
	cat >"$work/script" <<'EOF'
[turn]
[call execute_bash]
command = echo began; (setsid sleep 86399 &); sleep 86399

[turn]
expect last contains = began
[call finish]
message = continued
EOF
	"${run_it[@]}" --json -t hi >"$work/out" </dev/null 3>&- &
	pid=$!
	for ((i = 0; i < 1000; i++)); do
		grep -q '"action":"run"' "$work/out" && pgrep -f "[s]leep 86399" >/dev/null && break
		sleep 0.02
	done
	kill -INT "$pid"
	code=0
	wait "$pid" || code=$?
	[ "$code" -eq 130 ]
	run -1 pgrep -f "[s]leep 86399"
	log | grep -q '"agent_state":"paused"'
	run mortise resume -q
	[ "$status" -eq 0 ]
	[ "$output" = continued ]
}

@test "resume names the project's file that is not trusted" {
	printf '[turn]\ntext = One.\n\n[turn]\ntext = Two.\n' >"$work/two"
	mkdir -p "$work/project/.mortise"
	mortise run -C "$work/project" -m "script:$work/two" -q -t go </dev/null
	printf '[controller]\nmax_iterations = 9\n' >"$work/project/.mortise/mortise.ini"
	run mortise resume last -q -t more </dev/null
	[ "$status" -eq 0 ]
	[ "$(grep -c '/project/.mortise/mortise.ini was ignored because it is not trusted' \
		<<<"$output")" -eq 1 ]
}

@test "a script with a relative path is found from another directory" {
	mkdir "$work/here" "$work/there"
	printf '[turn]\ntext = One.\n\n[turn]\ntext = Two.\n' >"$work/here/two"
	(cd "$work/here" && mortise run -m script:two -q -t go </dev/null)
	cd "$work/there"
	run mortise resume last -q -t more </dev/null
	[ "$status" -eq 0 ]
	[[ "$output" == *"Two."* ]]
}

@test "resume accepts the beginning of an id, and reports what is wrong" {
	"${run_it[@]}" -o controller.max_iterations=2 -t hi || true
	id=$(ls "$work/state/mortise/conversations")
	run mortise resume "${id:0:12}" -q
	[ "$status" -eq 0 ]
	run mortise resume nope
	[ "$status" -eq 2 ]
	[[ "$output" == *"unknown conversation"* ]]
}

@test "a conversation keeps the agent that it started with" {
	"${run_it[@]}" -o controller.max_iterations=2 -t hi || true
	mkdir -p "$XDG_CONFIG_HOME/mortise"
	printf '[llm]\nmodel = openai/other\n[controller]\nagent = dummy\n' \
		>"$work/other.ini"
	run mortise resume --config "$work/other.ini" -q
	[ "$status" -eq 0 ]
	[ "$output" = "All is well." ]
}

@test "no text that is shown can move the cursor" {
	printf '[turn]\ntext = a\x1b[2Jb\n[call finish]\nmessage = c\x1b]0;title\x07d\n' \
		>"$work/script"
	run "${run_it[@]}" -t hi
	[ "$status" -eq 0 ]
	[[ "$output" != *$'\033'* ]]
}

@test "a secret is masked in streamed text as in the log" {
	cat >"$work/script" <<'EOF'
[turn]
text = the key is sk-of-a-test, keep it
[call execute_bash]
command = echo "sk-of-""a-test"

[turn]
[call finish]
message = said sk-of-a-test
EOF
	echo sk-of-a-test >"$work/key"
	chmod 600 "$work/key"
	run "${run_it[@]}" -v --json -o llm.api_key_file="$work/key" -t hi
	[ "$status" -eq 0 ]
	[[ "$output" == *"<secret_hidden>"* ]]
	[[ "$output" != *"sk-of-a-test"* ]]
	log >"$work/log"
	run -1 grep -q "sk-of-a-test" "$work/log"
	run "${run_it[@]}" -v -o llm.api_key_file="$work/key" -t hi
	[[ "$output" != *"sk-of-a-test"* ]]
}

@test "resuming a finished conversation does not query a model" {
	"${run_it[@]}" -q -t hi
	run mortise resume
	[ "$status" -eq 0 ]
	[[ "$output" == *"use -t to send another message"* ]]
	[ "$(log | grep -c llm_reply)" -eq 3 ]
}

answer() { printf '[turn]\ntext = %s\n' "$1" >"$work/script"; }

@test "a reply without a tool call is the answer; text_only = continue prompts" {
	answer "It is 42."
	run "${run_it[@]}" -t hi
	[ "$status" -eq 0 ]
	[[ "$output" == *"It is 42."*"finished (1 step"* ]]
	cat >"$work/script" <<'EOS'
[turn]
text = Shall I?

[turn]
[call finish]
message = Done then.
EOS
	run "${run_it[@]}" -q -o controller.text_only=continue -t hi
	[ "$status" -eq 0 ]
	[ "$output" = "Done then." ]
}

@test "--quiet: the final message on standard output, all else on standard error" {
	answer "It is 42."
	"${run_it[@]}" -q -t hi >"$work/out" 2>"$work/err" </dev/null
	[ "$(cat "$work/out")" = "It is 42." ]
	[ ! -s "$work/err" ]
	printf '[turn]\nerror = authentication\n' >"$work/script"
	run -3 --separate-stderr "${run_it[@]}" -q -t hi
	[ -z "$output" ]
	[[ "$stderr" == *"mortise resume"* ]]
}

@test "--output writes the answer to a file, and fails early if it cannot" {
	answer "It is 42."
	run "${run_it[@]}" --output "$work/answer" -t hi
	[ "$status" -eq 0 ]
	[ "$(cat "$work/answer")" = "It is 42." ]
	run "${run_it[@]}" --output "$work/no/answer" -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: --output: cannot write $work/no/answer: No such file"* ]]
}

@test "--json-schema: an invalid answer is requested again" {
	echo '{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}' \
		>"$work/schema"
	cat >"$work/script" <<'EOS'
[turn]
expect user contains = matches this JSON Schema
text = It is 42.

[turn]
expect last contains = Your final answer is not valid: byte 0: not JSON: unexpected character. Give it again
text = {"m": 1}

[turn]
expect last contains = does not match the schema
text <<END
```json
{"n": 42}
```
END
EOS
	run "${run_it[@]}" -q --json-schema "$work/schema" -t hi
	[ "$status" -eq 0 ]
	[ "$output" = '{"n": 42}' ]
	printf '[turn]\ntext = no\n\n[turn]\ntext = no\n\n[turn]\ntext = no\n' >"$work/script"
	run -1 --separate-stderr "${run_it[@]}" -q --json-schema "$work/schema" -t hi
	[ -z "$output" ]
	[[ "$stderr" == *"the final answer is not valid: byte 0: not JSON: unexpected character"* ]]
	echo '{"type":"array","items":{"type":"integer"}}' >"$work/schema"
	printf '[turn]\ntext = {"n": 1}\n\n[turn]\ntext = [4, 2]\n' >"$work/script"
	run "${run_it[@]}" -q --json-schema "$work/schema" -t hi
	[ "$status" -eq 0 ]
	[ "$output" = '[4, 2]' ]
	echo '{"type":"list"}' >"$work/schema"
	run "${run_it[@]}" --json-schema "$work/schema" -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: --json-schema $work/schema: "* ]]
}

# undone: the text that /undo in the newest conversation reverts
undone() {
	run python3 "$top_srcdir/tests/controller/talk.py" undo stop \
		-- mortise resume last --json --keep
	[ "$status" -eq 0 ]
	grep -F '"ok":true,"text":' <<<"$output"
}

@test "undo reverts what the user typed, not what the program asked for" {
	printf '[turn]\ntext = I think %s.\n\n' 1 2 3 4 >"$work/script"
	echo '{"type":"object"}' >"$work/schema"
	for asks in "-o controller.text_only=continue" "--json-schema $work/schema"; do
		run "${run_it[@]}" $asks -t "build it"
		[ "$status" -ne 0 ]
		[ "$(log | grep '"action":"message"' | grep -c '"source":"environment"')" -eq 2 ]
		[ "$(log | grep '"action":"message"' | grep -c '"source":"user"')" -eq 1 ]
		[[ "$(undone)" == *'"text":"build it'* ]]
		rm -r "$work"/state/mortise/conversations/*
	done
}

@test "limits can be set by options" {
	run "${run_it[@]}" --max-steps 2 -t hi
	[ "$status" -eq 4 ]
	run "${run_it[@]}" --max-steps 0 -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: --max-steps: "* ]]
	run "${run_it[@]}" --max-cost much -t hi
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: --max-cost: "* ]]
	printf '[turn]\n[call execute_bash]\ncommand = sleep 600\ntimeout = 600\n' >"$work/script"
	run "${run_it[@]}" --timeout 1s -t hi
	[ "$status" -eq 4 ]
}

@test "standard input is appended to -t" {
	printf '[turn]\nexpect user contains = some data\ntext = Seen.\n' >"$work/script"
	run bash -c 'echo some data | "$@"' - "${run_it[@]}" -q -t hi
	[ "$status" -eq 0 ]
	[ "$output" = "Seen." ]
	echo "some data" >"$work/data"
	run "${run_it[@]}" -q -t hi -f "$work/data" </dev/null
	[ "$output" = "Seen." ]
	echo "other data" >"$work/data"
	run bash -c 'echo some data | "$@"' - "${run_it[@]}" -q -t hi -f "$work/data"
	[ "$output" = "Seen." ]
	mkfifo "$work/open"
	answer "Alone."
	run -0 --separate-stderr "${run_it[@]}" -q -t hi <>"$work/open"
	[ "$output" = "Alone." ]
	[[ "$stderr" == *"no data on standard input"* ]]
}

@test "list shows directory and local time; resume here takes this directory's newest" {
	answer "One."
	TZ=Etc/GMT-9 run "${run_it[@]}" -q -t first
	mkdir "$work/other"
	(cd "$work/other" && run_it[3]=. && mortise run -m "script:$work/script" -q -t second)
	TZ=Etc/GMT-9 run mortise conversations
	[ "$status" -eq 0 ]
	# in either order if both started in the same second
	[[ "$output" == *" $(TZ=Etc/GMT-9 date +%Y-%m-%d) "*" $work/other  second"* ]]
	[[ "$output" == *" $work/ws  first"* ]]
	[ "${#lines[@]}" -eq 2 ]
	cd "$work/ws"
	run mortise resume here -q -t more
	[[ "$(mortise conversations show last)" == *"first"* ]]
	cd "$work"
	run mortise resume here
	[ "$status" -eq 2 ]
	[[ "$output" == "mortise: no conversations in $work"* ]]
}

@test "an answer in a terminal lacks the sequences that a terminal replies to" {
	printf '[turn]\ntext = before\033[c after\n' >"$BATS_TEST_TMPDIR/query"
	cat >"$BATS_TEST_TMPDIR/show.py" <<'END'
import os, pty, sys
pid, fd = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
text = b""
try:
    while piece := os.read(fd, 4096):
        text += piece
except OSError:
    pass
os.waitpid(pid, 0)
os.write(1, text)
END
	command=(mortise run -q -m "script:$BATS_TEST_TMPDIR/query" -t hi)
	"${command[@]}" >"$BATS_TEST_TMPDIR/piped" 2>/dev/null </dev/null
	grep -q "$(printf 'before\033\[c after')" "$BATS_TEST_TMPDIR/piped" # unchanged
	python3 "$BATS_TEST_TMPDIR/show.py" "${command[@]}" >"$BATS_TEST_TMPDIR/shown"
	grep -q 'before\[c after' "$BATS_TEST_TMPDIR/shown"
}
