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

look() { run -0 mortise run -C "$work/ws" --model "script:$work/script" "$@" -t "Look around."; }

@test "branch and changes are in the request, and the prefix does not depend on them" {
	cat >"$work/script" <<'END'
[turn]
expect any contains = branch trunk
expect last contains <<STATUS
Uncommitted changes at the start (git status):
 M tracked.txt
?? untracked.txt
STATUS
[call execute_bash]
command = git checkout -q tracked.txt
[turn]
expect any contains = M tracked.txt
[call finish]
message = Done.
END
	look
	run ! grep -F fsmonitor <<<"$output"
}

@test "at most twenty changes are listed; without changes, the request says so" {
	(cd "$work/ws" && touch new-{1..30})
	printf '[turn]\nexpect last contains = [12 more]\ntext = Done.\n' >"$work/script"
	look
	git -C "$work/ws" clean -qfd
	git -C "$work/ws" checkout -q .
	printf '[turn]\nexpect last contains = The work tree has no uncommitted changes.\ntext = Done.\n' \
		>"$work/script"
	look
}

@test "at most 4 KiB of changes are listed" {
	local long n
	printf -v long '%0250d' 0
	for n in {1..20}; do touch "$work/ws/$long$n"; done
	printf '[turn]\nexpect last contains = [more, with long names]\ntext = Done.\n' >"$work/script"
	look
	[ "$(jq -r 'select(.source == "environment" and .action == "message") | .args.content' \
		"$work"/state/mortise/conversations/*/events.jsonl | wc -c)" -lt 4200 ]
}

@test "without a shell or a repository, or with the option off, nothing is said" {
	printf '[turn]\nexpect any lacks = ncommitted changes\ntext = Done.\n' >"$work/script"
	look -o controller.git_status=no
	look -o controller.agent=readonly
	chmod -R u+w "$work/ws" && rm -rf "$work/ws/.git"
	look
}
