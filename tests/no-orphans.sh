#!/bin/sh
# SPDX-License-Identifier: MIT
# no-orphans.sh - a test that leaves a process behind fails, and the process is killed. A
# test runs in an empty directory.
run() { # SECONDS PROGRAM [ARGUMENT]...
	seconds=$1
	shift
	"$top_builddir/tests/no-orphans" "$seconds" "${limit:-600}" "$@"
}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
count=0 failures=0

# check NAME: reports the status of the last command
check() {
	status=$?
	count=$((count + 1))
	[ $status -eq 0 ] && { echo "ok $count - $1"; return; }
	failures=$((failures + 1))
	echo "not ok $count - $1"
	sed 's/^/# /' "$work/out"
}

run 20 sh -c 'sleep 0 & exit 0' >"$work/out" 2>&1
check "a process that ends in time is accepted"
run 20 sh -c 'exit 7' >"$work/out" 2>&1
[ $? -eq 7 ]
check "the exit code of the test is kept"
run 20 sh -c 'pwd && ls -A && mkdir -p a/b && : >a/b/c' >"$work/out" 2>&1
[ "$(wc -l <"$work/out")" -eq 1 ] && [ ! -e "$(cat "$work/out")" ]
check "a test runs in an empty directory, which is removed"
echo 'pwd' >"$work/script"
(cd "$work" && run 20 sh ./script) >"$work/out" 2>&1
grep -q '^/.*/mortise-test\.[^/]*$' "$work/out"
check "a relative path of a test is found"

# leave COMMAND: leaves a shell behind that has started, as a process that is just being
# started has no command line, and that waits for a child
leave() {
	rm -f "$work/started"
	run 0 "$@" sh -c '
		"$@" sh -c ": >\"\$0/started\"; sleep 7531; :" "$0" & echo $! >"$0/pid"
		until [ -e "$0/started" ]; do sleep 0.01; done' "$work" "$@" >"$work/out" 2>&1
}

leave setsid
[ $? -eq 1 ]
check "a process in another session is found"
grep -q '^# left behind: .*sleep 7531' "$work/out"
check "it is named"
leave env
! kill -0 "$(cat "$work/pid")" 2>"$work/err" && [ "$(grep -c 'sleep 7531' "$work/out")" -ge 1 ]
check "its children are killed too"
limit=1
run 20 sh -c 'sleep 7532; :' >"$work/out" 2>&1
[ $? -eq 124 ] && grep -q '^# killed after 1 seconds' "$work/out" &&
	grep -q '^# left behind: .*sleep 7532' "$work/out"
check "a test that exceeds its time limit is killed with its children"
echo "1..$count"
exit $((failures > 0))
