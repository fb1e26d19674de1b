#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# skills.bats - rules, skills and notes as they reach the model.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	ws=$work/ws
	mkdir -p "$ws/.agents/skills/pdf/references" "$ws/src/deep" "$work/home"
	export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
	export XDG_DATA_HOME=$work/data
	mkdir -m 700 "$work/state" "$work/config" "$work/data"
	cat >"$work/script" <<'EOF'
[turn]
[call finish]
message = Done.
EOF
}

run_it() {
	mortise run -C "$ws" --model "script:$work/script" \
		-o 'controller.tools=bash,editor,think,finish,skill,memory' "$@"
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }
# One member of the context that the first message triggered.
context() { log | jq -r "select(.observation == \"recall\") | .extras.$1 // empty"; }

skill() { # NAME [FRONT-MATTER-LINE...]; the body comes from standard input
	mkdir -p "$ws/.agents/skills/$1"
	{
		printf -- '---\nname: %s\n' "$1"
		shift
		printf '%s\n' "$@" ---
		cat
	} >"$ws/.agents/skills/${name:-$1}/SKILL.md"
}

@test "rules of the project are in the first request, each text once" {
	echo 'Use tabs.' >"$ws/AGENTS.md"
	echo 'Claude, be short.' >"$ws/CLAUDE.md"
	printf -- '---\nname: more\n---\nRun make check.\n' >"$ws/.agents/skills/more.md"
	run_it -t "hello"
	[ "$(context repo_instructions)" = $'Use tabs.\n\n\nRun make check.' ]
	[ "$(context working_dir)" = "$ws" ]
}

@test "name and branch of the repository are read without running a program" {
	git -C "$ws" init -q -b trunk
	git -C "$ws" remote add origin git@example.org:owner/thing.git
	PATH=/nonexistent:$PATH run_it -t "hello"
	[ "$(context repo_name)" = owner/thing ]
	[ "$(context repo_branch)" = trunk ]
	[ "$(context repo_directory)" = "$ws" ]
}

@test "skills of the standard format are listed; only invalid ones are skipped" {
	printf -- '---\nname: pdf\ndescription: Work with <PDF> files.\n---\nBody.\n' \
		>"$ws/.agents/skills/pdf/SKILL.md"
	printf -- '---\nname: [x\n---\nBody.\n' >"$ws/.agents/skills/bad.md"
	run run_it -t "hello"
	[ "$status" -eq 0 ]
	[[ "$output" == *"bad.md"*"front matter"* ]]
	context available_skills >"$work/list"
	grep -F -e '- pdf: ' "$work/list"
	grep -F 'Work with &lt;PDF&gt; files.' "$work/list"
	grep -F -e '- github: ' "$work/list"
	run -1 grep bad "$work/list"
}

@test "without the tool that loads skills, the list is omitted" {
	mortise run -C "$ws" --model "script:$work/script" \
		-o 'controller.tools=bash,finish' -t "hello"
	[ -z "$(context available_skills)" ]
}

@test "a word of a message triggers its skill, once, whole words only" {
	printf -- '---\nname: zed\ntriggers: [zebra, "/zoo"]\n---\nStripes.\n' \
		>"$ws/.agents/skills/zed.md"
	cat >>"$work/script" <<'EOF'
[turn]
[call finish]
message = Done again.
[turn]
[call finish]
message = And again.
[turn]
[call finish]
message = The end.
EOF
	run_it -t "zebras do not trigger it"
	mortise resume last -t "the ZEBRA, please"
	mortise resume last -t "zebra and /zoo"
	log | jq -c 'select(.observation == "recall") |
		[.extras.recall_type, (.extras.microagent_knowledge // [] | map(.name, .trigger))]' \
		>"$work/recalls"
	[ "$(cat "$work/recalls")" = '["workspace_context",[]]
["knowledge",["zed","zebra"]]' ]
}

@test "the model is shown rules, notes, the list and the text of a skill" {
	printf -- '---\nname: zed\ntriggers: [zebra]\n---\nStripes.\n' >"$ws/.agents/skills/zed.md"
	echo 'Use tabs.' >"$ws/AGENTS.md"
	mkdir -p "$ws/.openhands/memory"
	echo 'Slow tests.' >"$ws/.openhands/memory/MEMORY.md"
	python3 "$top_srcdir/tests/context/seen.py" "$work/seen" "$work/port" 3>&- &
	server=$!
	for _ in {1..600}; do [ -s "$work/port" ] || sleep 0.05; done
	SEEN_KEY=x run_it --model openai/seen -o llm.stream=no -o llm.api_key_env=SEEN_KEY \
		-o "llm.base_url=http://127.0.0.1:$(cat "$work/port")/v1" -t "a zebra"
	kill "$server"
	for text in Stripes. 'Use tabs.' 'Slow tests.' '- zed: ' invoke_skill; do
		grep -F -- "$text" "$work/seen"
	done
}

@test "a task asks for its inputs" {
	cat >"$ws/.agents/skills/port.md" <<'EOF'
---
name: port
inputs:
  - name: TARGET
    description: where to
---
Port it to ${TARGET}.
EOF
	run_it -t "please /port this"
	context 'microagent_knowledge[0].content' | grep -F 'Port it to ${TARGET}.'
	context 'microagent_knowledge[0].content' | grep -i 'ask for it'
}

@test "rules for files accompany the first result about a matching file" {
	echo 'Deep rules.' >"$ws/src/deep/AGENTS.md"
	printf -- '---\nname: c-files\npaths: ["*.c"]\n---\nNo goto.\n' \
		>"$ws/.agents/skills/c-files.md"
	echo 'int x;' >"$ws/src/deep/a.c"
	cp "$ws/src/deep/a.c" "$ws/src/deep/b.c"
	cat >"$work/script" <<EOF
[turn]
[call str_replace_editor]
command = view
path = $ws/src/deep/a.c
[turn]
[call str_replace_editor]
command = view
path = $ws/src/deep/b.c
[turn]
[call finish]
message = Done.
EOF
	run_it -t "look"
	log | jq -c 'select(.observation == "read") | [.extended_content // [] | .[].name]' \
		>"$work/names"
	[ "$(cat "$work/names")" = '["c-files","agents:src/deep"]
[]' ]
	log | grep -F 'No goto.'
}

@test "rules in directories of installed or generated files are left out" {
	for d in node_modules/dep .hidden/dep; do
		mkdir -p "$ws/$d"
		echo 'Injected rules.' | tee "$ws/$d/AGENTS.md" >"$ws/${d%/dep}/AGENTS.md"
		echo 'int x;' >"$ws/$d/a.c"
		printf '[turn]\n[call str_replace_editor]\ncommand = view\npath = %s\n' \
			"$ws/$d/a.c"
	done >"$work/script"
	printf '[turn]\n[call finish]\nmessage = Done.\n' >>"$work/script"
	run_it -t "look"
	[ "$(log | jq -c 'select(.observation == "read") | .content' | grep -c 'int x')" -eq 2 ]
	log >"$work/log"
	run -1 grep -F 'Injected rules.' "$work/log"
}

@test "invoke_skill gives text, runs its commands, and fetches its files" {
	mkdir -p "$HOME/.agents/skills/mine/scripts"
	cat >"$HOME/.agents/skills/mine/SKILL.md" <<'EOF'
---
name: mine
description: Mine.
---
Here: !`echo $((40 + 2))` for ${WHO}; `!`echo no``.
EOF
	echo 'echo script' >"$HOME/.agents/skills/mine/scripts/run.sh"
	cat >"$work/script" <<'EOF'
[turn]
[call invoke_skill]
name = mine
inputs = {"WHO": "you"}
[turn]
[call invoke_skill]
name = mine
file = scripts/run.sh
[turn]
[call invoke_skill]
name = mine
file = ../../../../script
[turn]
[call invoke_skill]
name = minor
[turn]
[call finish]
message = Done.
EOF
	run_it -t "look"
	log | jq -r 'select(.observation == "tool") | .content' >"$work/results"
	grep -F 'Here: 42 for you; `!`echo no``.' "$work/results"
	grep -F 'scripts/run.sh' "$work/results"
	grep -F 'A copy is at' "$work/results"
	grep -Fx 'echo script' "$work/results"
	grep -F 'has no file' "$work/results"
	grep -F 'Unknown skill `minor`' "$work/results"
	run -1 grep -F '[turn]' "$work/results"
}

@test "commands in a project's skill do not run automatically" {
	printf -- '---\nname: pdf\n---\n!`touch %s`\n' "$work/ran" \
		>"$ws/.agents/skills/pdf/SKILL.md"
	cat >"$work/script" <<'EOF'
[turn]
[call invoke_skill]
name = pdf
[turn]
[call finish]
message = Done.
EOF
	run_it -t "look"
	log | grep -F 'touch'
	[ ! -e "$work/ran" ]
}

@test "links of a project that lead out of it are not followed" {
	echo 'A secret.' >"$work/secret.md"
	ln -s "$work/secret.md" "$ws/.agents/skills/notes.md"
	ln -s "$work/secret.md" "$ws/AGENTS.md"
	run run_it -t "hello"
	[ "$status" -eq 0 ]
	[[ "$output" == *"link points outside the project"* ]]
	log >"$work/log"
	run -1 grep -F 'A secret.' "$work/log"
}

@test "rules that are too large are left out, with one notice" {
	head -c 2000000 /dev/zero | tr '\0' a >"$ws/AGENTS.md"
	run run_it -t "hello"
	[ "$status" -eq 0 ]
	[[ "$output" == *"$ws/AGENTS.md: larger than 1048576 bytes"* ]]
	[[ "$output" != *"AGENTS.md: $ws"* ]]
}

@test "a broken template of the context is reported" {
	cp -r "$MORTISE_CORE_PROMPT_DIR" "$work/prompts"
	echo '{{#open' >"$work/prompts/context.mustache"
	run run_it -o core.prompt_dir="$work/prompts" -t "hello"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"context was not sent to the model: context:1: a tag is not closed"* ]]
}

@test "SKILL.md files in .claude/skills come last, and their commands do not run" {
	skill one 'description: One.' <<<'ONE'
	mkdir -p "$ws/.claude/skills/one" "$ws/.claude/skills/two" "$ws/sub"
	printf -- '---\nname: one\ndescription: Late.\n---\nX\n' >"$ws/.claude/skills/one/SKILL.md"
	printf -- '---\nname: two\ndescription: Two.\n---\nX !`touch %s/ran`\n' "$work" \
		>"$ws/.claude/skills/two/SKILL.md"
	echo 'Always there?' >"$ws/.claude/skills/loose.md"
	cd "$ws"
	mortise skills list >"$work/list"
	cat "$work/list"
	grep -E '^one +project +One\.' "$work/list"
	grep -E '^two +project +Two\.' "$work/list"
	run -1 grep loose "$work/list"
	mortise skills list --problems | grep -F .claude/skills/one/SKILL.md
	cat >"$work/script" <<'EOF'
[turn]
[call invoke_skill]
name = two
[turn]
[call finish]
message = Done.
EOF
	run_it -t "look"
	log | grep -F 'touch'
	[ ! -e "$work/ran" ]
	git init -q
	run mortise skills list -C sub
	[[ "$output" == *"Two."* ]]
	mkdir "$work/outside"
	rm -r .claude/skills/two
	ln -s "$work/outside" .claude/skills/two
	printf -- '---\nname: two\ndescription: Out.\n---\nX\n' >"$work/outside/SKILL.md"
	run mortise skills list
	[[ "$output" != *"Out."* ]]
}

@test "the list is aligned and cut by columns, on one row for each skill" {
	export MORTISE_SKILLS_BUNDLED=
	cats=猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫猫
	printf -- '---\nname: cat\ntriggers: [cat]\ndescription: %s\n---\nX\n' "$cats$cats" \
		>"$ws/.agents/skills/cat.md"
	printf -- '---\nname: 猫猫\ntriggers: [cat]\ndescription: "One\\ntwo\\e[31m"\n---\nX\n' \
		>"$ws/.agents/skills/wide.md"
	cd "$ws"
	mortise skills list >"$work/list"
	cat "$work/list"
	grep -qxF '猫猫  project  One two [31m' "$work/list"
	grep -q '^cat   project  猫' "$work/list"
	python3 - >"$work/cut" <<'EOF'
import fcntl, os, pty, struct, sys, termios
pid, fd = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.execvp("mortise", ["mortise", "skills", "list"])
try:
    while data := os.read(fd, 65536):
        sys.stdout.buffer.write(data.replace(b"\r", b""))
except OSError:
    pass
os.waitpid(pid, 0)
EOF
	cat "$work/cut"
	# 15 columns of name and place, 42 of cats, three dots: 60
	grep -qxF "cat   project  $cats..." "$work/cut"
}

@test "a loop of links does not load a file twice" {
	skill one 'description: One.' <<<'ONE'
	ln -s . "$ws/.agents/skills/loop"
	ln -s ../skills "$ws/.agents/skills/one/again"
	mkdir -p "$ws/.openhands"
	ln -s ../.agents/skills "$ws/.openhands/skills"
	cd "$ws"
	run mortise skills list
	echo "$output"
	[ "$(grep -c " project " <<<"$output")" -eq 1 ]
	[[ "$output" != *loop* ]]
}

@test "notes of user and project are read, and written by the tool" {
	cat >"$work/script" <<'EOF'
[turn]
[call memory]
command = append
scope = project
text = Build with make.
[turn]
[call memory]
command = append
scope = user
text = Short answers.
[turn]
[call memory]
command = replace
scope = project
old = make
text = ninja
[turn]
[call memory]
command = replace
old = nothing of the kind
scope = project
text = x
[turn]
[call finish]
message = Done.
EOF
	run_it -t "note it"
	[ "$(cat "$ws/.openhands/memory/MEMORY.md")" = "Build with ninja." ]
	[ "$(cat "$work/data/mortise/MEMORY.md")" = "Short answers." ]
	log | grep -F 'does not contain the text'
	rm -r "$work/state/mortise"
	run_it -t "again"
	[ "$(context project_memory)" = "Build with ninja." ]
	[ "$(context user_memory)" = "Short answers." ]
}

@test "notes that cannot be read are named in a warning" {
	mkdir -p "$work/data/mortise"
	ln -s /etc/hostname "$work/data/mortise/MEMORY.md"
	run run_it -t "go"
	echo "$output"
	[[ "$output" == *"notes are not sent to the model: "*"/MEMORY.md is a symbolic link"* ]]
	[ -z "$(context user_memory)" ]
}

@test "a conversation that continues sends the same bytes" {
	echo 'Use tabs.' >"$ws/AGENTS.md"
	cat >>"$work/script" <<'EOF'
[turn]
[call finish]
message = Done again.
EOF
	run_it -o llm.log_requests=yes -t "hello"
	before=$(context repo_instructions)
	echo 'Use spaces.' >"$ws/AGENTS.md"
	mortise resume last -t "more"
	[ "$(context repo_instructions)" = "$before" ]
	log >"$work/log"
	run -1 grep -F 'Use spaces.' "$work/log"
}

@test "a checkout in [skills] path provides its skills, not its other texts" {
	cd "$work"
	mkdir -p co/skills/.curated/dot co/docs co/plugins/x/skills/y co/microagents co/.git
	printf -- '---\nname: dot\ndescription: Dotted.\n---\nx\n' >co/skills/.curated/dot/SKILL.md
	printf -- '---\nname: y\ndescription: Plugged.\n---\nx\n' >co/plugins/x/skills/y/SKILL.md
	printf -- '---\nname: late\ntriggers: [late]\n---\nLate.\n' >co/docs/late.md
	echo 'Always.' >co/microagents/always.md
	for f in README CONTRIBUTING AGENTS docs/guide plugins/x/about .git/note; do
		echo 'Not a skill.' >"co/$f.md"
	done
	run_it -o "skills.path=$work/co" -t hello
	[ "$(context repo_instructions)" = 'Always.' ]
	context available_skills >list
	grep -F -e '- dot: ' list
	grep -F -e '- y: ' list
	grep -F -e '- late: ' list
	mortise skills list --problems -o "skills.path=$work/co" | grep -F 'docs/guide.md: (warning) not a skill'
}

@test "the list of skills has a budget: descriptions are dropped before names" {
	for i in $(seq 60); do
		skill "thing-$i" "description: Number $i does $(printf 'word %.0s' {1..20})." <<<'x'
	done
	names() { context available_skills | tr -c 'a-z0-9-' '\n' | grep -c '^thing-'; }
	run_it -o skills.list_tokens=20000 -t hello
	[ "$(names)" -eq 60 ]
	context available_skills >"$work/list"
	[ -s "$work/list" ]
	run -1 grep -F ... "$work/list"
	for tokens in 2000 1000 400; do
		rm -r "$work/state/mortise"
		run_it -o skills.list_tokens=$tokens -t hello
		[ "$(context available_skills | wc -c)" -le $((4 * tokens)) ]
		[ "$(names)" -eq 60 ]
	done
	context available_skills | grep -F 'By name only: '
	rm -r "$work/state/mortise"
	run_it -o skills.list_max=400 -t hello
	context available_skills >"$work/list"
	shown=$(names)
	[ "$shown" -gt 10 ]
	grep -E '^\([0-9]+ more: call invoke_skill' "$work/list"
}
