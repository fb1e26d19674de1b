#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# escape.bats - attempts to break out of the sandbox of tools, at every version of Landlock,
# and with the shell tool and limits. doc/sandbox.md says what is not enforced.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	export HOME=$work/home XDG_STATE_HOME=$work/s XDG_CACHE_HOME=$work/cache
	mkdir -m 700 "$HOME" "$XDG_STATE_HOME" "$XDG_CACHE_HOME" "$work/ws"
	unset MORTISE_SANDBOX_WRITE
	export MORTISE_SANDBOX_READ=$top_builddir
	escape=$top_builddir/tests/escape/escape
	cd "$work/ws"
	git init -q
}

# Known to succeed in every version of the sandbox, see doc/sandbox.md.
always() {
	echo "see the arguments of a process outside"
	# Of processes of an ordinary user.
	echo "change the priority of a process outside"
	echo "change the scheduling of a process outside"
}

signals() { echo "signal a process outside"; }

# What only namespaces prevent.
without_namespaces() {
	printf '%s\n' "open shared memory of a process outside" "replace the repository"
}

# only COMMAND...: nothing of $output succeeded but the lines that COMMAND prints
only() {
	run grep -Fvxf <("$@") <<<"$output"
	[ -z "$output" ] || {
		printf 'these succeeded too:\n%s\n' "$output"
		return 1
	}
}

# at VERSION OPTION...: make the attempts
at() {
	run -0 timeout 60 "$escape" --failed mortise sandbox run -o sandbox.landlock="$@" --
	output=$(grep -v '^mortise: ' <<<"$output" || true)
}

needs() { # a version of Landlock
	[ "$(mortise sandbox --json | jq .landlock)" -ge "$1" ] ||
		skip "Landlock is older than version $1"
}

@test "without a sandbox, attempts succeed" {
	run -0 timeout 60 "$escape" --failed env
	for attempt in "create a file outside" "delete a file outside" \
		"change the mode of a file outside" "read a file of the user" \
		"add a hook to the repository" "connect to a TCP port of localhost" \
		"send a UDP datagram" "connect to a Unix socket" \
		"connect to an abstract Unix socket" "signal a process outside" \
		"change a resource limit of a process outside"; do
		[[ "$output" == *"$attempt"* ]]
	done
	# Races depend on the scheduler.
	for ((i = 0; i < 20; i++)); do
		if [ "$(grep -c 'changes$' <<<"$output")" -eq 3 ]; then break; fi
		output+=$'\n'$(timeout 60 "$escape" --failed env)
		output=$(sort -u <<<"$output")
	done
	[ "$(grep -c 'changes$' <<<"$output")" -eq 3 ]
	run -0 git status --porcelain
	[ -z "$output" ]
}

@test "with namespaces, at every version of Landlock" {
	mortise sandbox --json | jq -e .namespaces >/dev/null || skip "no user namespaces here"
	for version in 0 1 2 3 4 5; do
		at $version
		only eval 'always; signals'
	done
	needs 6
	for version in 6 7; do
		at $version
		only always
	done
}

@test "without namespaces, at every version of Landlock" {
	needs 1
	for version in 1 2 3 4 5; do
		at $version -o sandbox.namespaces=no
		only eval 'always; signals; without_namespaces'
	done
	needs 6
	for version in 6 7; do
		at $version -o sandbox.namespaces=no
		only eval 'always; without_namespaces'
	done
}

@test "with the shell tool, and floods with limits" {
	mortise sandbox --json | jq -e .namespaces >/dev/null || skip "no user namespaces here"
	export ESCAPE_OPTIONS="-o limits.memory=200M -o limits.processes=150 -o limits.disk_written=40M -o limits.output=1M"
	run -0 timeout 120 "$escape" --floods "$top_srcdir/tests/escape/shell-tool"
	printf '%s\n' "$output"
	[[ "$output" != *"not tried"* ]]
	[[ "$output" == *"limit \`disk_written\` is 40 MiB"* ]]
	output=$(grep SUCCEEDED <<<"$output" | cut -d '|' -f 2 | sed 's/^ *//; s/ *$//')
	only eval 'always; signals'
}

@test "under bwrap, other processes cannot be seen, and the sandbox is the same" {
	[ -x /usr/bin/bwrap ] || skip "no bwrap"
	bwrap --dev-bind / / --unshare-pid --proc /proc true || skip "bwrap cannot be used here"
	mortise sandbox --json | jq -e .namespaces >/dev/null || skip "no user namespaces here"
	export ESCAPE_OPTIONS="-o controller.runtime=bwrap -o limits.processes=150"
	run -0 timeout 120 "$escape" --failed "$top_srcdir/tests/escape/shell-tool"
	only echo
}

@test "bwrap without the sandbox does not count as one" {
	[ -x /usr/bin/bwrap ] || skip "no bwrap"
	bwrap --dev-bind / / --unshare-pid --proc /proc true || skip "bwrap cannot be used here"
	printf '[turn]\n[call execute_bash]\ncommand = ./unknown; touch ran\n[turn]\ntext = Done.\n' >"$work/script"
	run -0 mortise run --model "script:$work/script" -t go -o controller.confirmation=risky \
		-o controller.runtime=bwrap -o sandbox.mode=off
	[ ! -e ran ]
}

@test "kill -9 of the conversation process under bwrap: nothing is left" {
	[ -x /usr/bin/bwrap ] || skip "no bwrap"
	bwrap --dev-bind / / --unshare-pid --proc /proc true || skip "bwrap cannot be used here"
	mkdir "$work/tmp"
	printf '[turn]\n[call execute_bash]\ncommand = touch ran; sleep 567.75\n' >"$work/script"
	TMPDIR=$work/tmp mortise run --model "script:$work/script" -t go \
		-o controller.runtime=bwrap -o controller.confirmation=never 3>&- &
	until [ -e ran ] || ! kill -0 $!; do sleep 0.05; done
	[ -e ran ]
	kill -9 $!
	for ((i = 0; i < 200; i++)); do
		if ! pgrep -f 'sleep 567.75' >/dev/null && [ -z "$(ls "$work/tmp")" ]; then break; fi
		sleep 0.1
	done
	run -1 pgrep -f 'sleep 567.75'
	[ -z "$(ls "$work/tmp")" ]
}
