#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# prompts.bats - the content of the first request: texts by the size of the context
# window, and skills that a message does or does not trigger.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
}

# plays MESSAGE OPTION...: the model finds the texts that the script expects and finishes.
plays() {
	text=$1
	shift
	printf '[call finish]\nmessage = done\n' >>"$work/script"
	run mortise run -C "$work/ws" --model "script:$work/script" -t "$text" "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "a small window gets short texts, a large one the full ones" {
	cat >"$work/script" <<'END'
[turn]
expect system contains = <WORK>
expect tools contains = Start servers
expect tools lacks = LOW:
expect system contains = LOW: read
expect any contains = - github: GitHub branches
END
	plays hi
	cat >"$work/script" <<'END'
[turn]
expect system lacks = <WORK>
expect system contains = security_risk: LOW reads
expect tools lacks = Start servers
expect tool = grep
expect tool = glob
expect tool = task_tracker
expect tool = recall
expect no tool = think
expect no tool = memory
expect any contains = By name only:
expect any contains = github
END
	plays hi -o llm.max_input_tokens=16384
}

@test "a small window gets the tools that the user lists" {
	printf '[turn]\nexpect tool = think\nexpect tool = memory\nexpect no tool = grep\n' \
		>"$work/script"
	plays hi -o llm.max_input_tokens=16384 -o controller.tools=bash,think,memory,finish
}

@test "search, the task list and recall are offered by default" {
	printf '[turn]\nexpect tool = grep\nexpect tool = glob\nexpect tool = task_tracker\n' \
		>"$work/script"
	printf 'expect tool = recall\nexpect tool = think\nexpect tool = memory\n' >>"$work/script"
	printf 'expect system lacks = <TASK_MANAGEMENT>\n' >>"$work/script"
	plays hi
}

@test "an umlaut is a letter: \"prüfe die Fußnoten\" loads no skill, \"the PR\" does" {
	printf '[turn]\nexpect any lacks = The keyword\n' >"$work/script"
	printf 'expect any lacks = Before you push\n' >>"$work/script"
	plays 'prüfe die Fußnoten, präzise'
	printf '[turn]\nexpect any contains = Before you push\n' >"$work/script"
	plays 'prüfe das PR'
}

@test "a skill reports each variable that has no value" {
	mkdir -p "$work/ws/.agents/skills/deploy"
	cat >"$work/ws/.agents/skills/deploy/SKILL.md" <<'END'
---
name: deploy
description: Deploy a service.
inputs:
  - name: SERVICE
    description: its name
  - name: REGION
    description: where
---
Deploy ${SERVICE} to ${REGION}.
END
	cat >"$work/script" <<'END'
[turn]
[call invoke_skill]
name = deploy

[turn]
expect last contains = These variables have no value: ${SERVICE}, ${REGION}.
expect last lacks = ask for it
[call invoke_skill]
name = deploy
inputs := {"SERVICE": "web"}

[turn]
expect last contains = Deploy web to ${REGION}.
expect last contains = These variables have no value: ${REGION}.
[call invoke_skill]
name = deploy
inputs := {"SERVICE": "web", "REGION": "north"}

[turn]
expect last contains = Deploy web to north.
expect last lacks = ask for it
expect last lacks = have no value
END
	plays 'hello'
}
