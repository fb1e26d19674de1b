#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# project-state.bats - the first request states the repository, its branch and its changes.
bats_require_minimum_version 1.5.0

setup() {
	command -v git >/dev/null || skip "no git"
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state GIT_CONFIG_GLOBAL=/dev/null
	git -C "$work/ws" init -q -b trunk
	git -C "$work/ws" remote add origin https://example.org/team/shop.git
	echo one >"$work/ws/tracked.txt"
	git -C "$work/ws" add .
	git -C "$work/ws" -c user.name=a -c user.email=a@example.org commit -qm first
	echo two >>"$work/ws/tracked.txt"
	touch "$work/ws/untracked.txt"
}

@test "branch and changes are in the request, and the prefix does not depend on them" {
	cat >"$work/script" <<'END'
[turn]
expect any contains = branch trunk
expect any contains = M tracked.txt
expect any contains = ?? untracked.txt
[call execute_bash]
command = git checkout -q tracked.txt
[turn]
expect any contains = M tracked.txt
[call finish]
message = Done.
END
	run mortise run -C "$work/ws" --model "script:$work/script" -o controller.git_status=yes -t "Look around."
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}
