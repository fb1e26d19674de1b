#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# delegation-agents.bats - the agents that a model can delegate to: it reads their names
# and purposes, and two of them exist without configuration.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run
	cat >"$work/m.ini" <<END
[controller]
tools = bash, think, finish, delegate, delegate_tasks
END
	run_it=(mortise run -C "$work/ws" --config "$work/m.ini"
		--model "script:$work/boss" -t go)
}

# plays [OPTION...]
plays() {
	run "${run_it[@]}" "$@"
	echo "$output"
	[ "$status" -eq 0 ]
}

@test "the request names the agents, each with its purpose" {
	cat >"$work/boss" <<'END'
[turn]
expect tools contains = explore: finds code
expect tools contains = review: reviews a change
expect tools contains = "enum":["explore","review"]
[call finish]
message = done
END
	plays
	cat >>"$work/m.ini" <<'END'
delegates += tester, plain
[controller.tester]
description = writes tests
[controller.plain]
END
	cat >"$work/boss" <<'END'
[turn]
expect tools contains = tester: writes tests
expect tools contains = plain: Plans, runs commands
[call finish]
message = done
END
	plays
}

@test "without a tool that delegates, agents are not loaded" {
	printf '[turn]\nexpect tools lacks = explore\n[call finish]\nmessage = ok\n' \
		>"$work/boss"
	plays -o controller.tools=finish -o controller.delegates=missing
}

@test "explore searches and reads, and has no tool that could change anything" {
	cat >"$work/boss" <<'END'
[turn]
[call delegate]
agent = explore
task = where is answer() defined?

[turn]
expect no tool = execute_bash
expect no tool = str_replace_editor
expect no tool = delegate
expect tool = grep
expect system contains = read-only code analysis agent
[call grep]
pattern = answer
[turn]
expect last contains = a.c
[call finish]
message = a.c:1

[turn]
expect last is = a.c:1
[call finish]
message = done
END
	echo 'int answer(void);' >"$work/ws/a.c"
	plays
}

@test "review has a prompt of its own, a shell and no editor; its model can be set" {
	cat >"$work/boss" <<'END'
[turn]
[call delegate]
agent = review
task = review the last commit

[turn]
expect last contains = no defects
[call finish]
message = done
END
	cat >"$work/reviewer" <<'END'
[turn]
text = a turn of the other model

[turn]
expect tool = execute_bash
expect no tool = str_replace_editor
expect no tool = delegate
expect system contains = code review agent
expect system contains = security_risk
[call finish]
message = no defects
END
	# the n-th turn of a script is the n-th reply of the conversation
	sed -i '5a\\n[turn]\ntext = a turn of the other model' "$work/boss"
	plays -o controller.review.llm=other -o "llm.other.model=script:$work/reviewer"
}
