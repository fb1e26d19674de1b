#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# files-changed.bats - a file that the model has read and someone else changes is named in
# the next request, once.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cd "$work"
	options=()
	echo one >ws/a.txt
	echo two >ws/b.txt
	notice="[Changed on disk outside of your calls: $work/ws/a.txt. View again what you rely on.]"
}

# steer STEP...: an agent with a user who takes these steps.
steer() {
	run python3 "$top_srcdir/tests/model/steer.py" replies "$@" -- \
		mortise run --json --keep-alive -C ws --model openai/gpt-4.1 \
		-o controller.confirmation=never "${options[@]}"
	echo "$output"
	[ "$status" -eq 0 ]
}

# messages N FILTER: of the messages of the n-th request.
messages() { jq -sr ".[$1 - 1].messages | $2" requests; }

views="[\"str_replace_editor\", {\"command\": \"view\", \"path\": \"$BATS_TEST_TMPDIR/ws/a.txt\"}],
	[\"str_replace_editor\", {\"command\": \"view\", \"path\": \"$BATS_TEST_TMPDIR/ws/b.txt\"}]"

@test "a change while the agent is idle is named once, after the user's message" {
	cat >replies <<-EOR
	[{"calls": [$views]}, {"calls": [["finish", {"message": "Seen."}]]},
	 {"calls": [["execute_bash", {"command": "echo more"}]]},
	 {"calls": [["finish", {"message": "Done."}]]}]
	EOR
	steer message:look wait:finished touch:ws/a.txt message:more requests:4 wait:finished prefix stop
	[[ "$(messages 3 '.[-2:] | map(.content) | tostring')" == *"more"*"$notice"* ]]
	[ "$(messages 4 'tostring' | grep -o "Changed on disk" | wc -l)" -eq 1 ]
}

@test "a change while the agent works is named with the next result" {
	cat >replies <<-EOR
	[{"calls": [$views]},
	 {"hold": true, "calls": [["str_replace_editor", {"command": "view", "path": "$work/ws/b.txt"}]]},
	 {"calls": [["finish", {"message": "Done."}]]}]
	EOR
	steer message:look requests:2 touch:ws/a.txt release wait:finished prefix stop
	[[ "$(messages 3 '.[-1].content | tostring')" == *"two"*"$notice"* ]]
}

@test "changes by the agent's own calls are not named" {
	cat >replies <<-EOR
	[{"calls": [$views]},
	 {"calls": [["execute_bash", {"command": "echo changed >>a.txt"}],
		["str_replace_editor", {"command": "insert", "path": "$work/ws/b.txt", "insert_line": 0, "new_str": "x"}]]},
	 {"calls": [["execute_bash", {"command": "echo more"}]]},
	 {"calls": [["finish", {"message": "Done."}]]}]
	EOR
	steer message:look wait:finished prefix stop
	grep -q changed ws/a.txt
	grep -q x ws/b.txt
	run -1 grep -c "Changed on disk" requests
}

@test "a change right before a command is not attributed to the command" {
	cat >hook <<-EOF
	#!/bin/sh
	if grep -q execute_bash; then echo "by a hook" >$work/ws/a.txt; fi
	EOF
	chmod 755 hook
	options=(-o hook.h.event=before-tool -o "hook.h.command=$work/hook")
	cat >replies <<-EOR
	[{"calls": [$views]},
	 {"calls": [["execute_bash", {"command": "echo on"}]]},
	 {"calls": [["finish", {"message": "Done."}]]}]
	EOR
	steer message:look wait:finished stop
	[[ "$(messages 3 '.[-1].content | tostring')" == *"on"*"$notice"* ]]
}

@test "a result can have both a rule for its file and a note on a change" {
	mkdir -p ws/.openhands/skills
	printf -- '---\nname: c-files\npaths: ["*.c"]\n---\nNo goto.\n' \
		>ws/.openhands/skills/c.md
	echo 'int x;' >ws/x.c
	cat >replies <<-EOR
	[{"calls": [$views]},
	 {"hold": true, "calls": [["str_replace_editor", {"command": "view", "path": "$work/ws/x.c"}]]},
	 {"calls": [["finish", {"message": "Done."}]]}]
	EOR
	steer message:look requests:2 touch:ws/a.txt release wait:finished stop
	[[ "$(messages 3 'tostring')" == *"No goto."* ]]
	[[ "$(messages 3 'tostring')" == *"$notice"* ]]
}
