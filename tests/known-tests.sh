#!/bin/sh
# SPDX-License-Identifier: MIT
# known-tests.sh - `make check` names the tests of its command line that do not exist.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL
echo 1..3
if make -C "$top_builddir" check TESTS='tests/wrong tests/layers.sh' >"$work/out" 2>&1; then
	printf 'not '
fi
echo "ok 1 - a test that does not exist fails"
grep -q '^make check: no test `tests/wrong`; make list-tests prints their names$' "$work/out" &&
	[ "$(grep -c 'no test' "$work/out")" -eq 1 ] || {
	printf 'not '
	fault=yes
}
echo "ok 2 - it is named"
make -s -C "$top_builddir" known-tests TESTS=tests/not-built \
	check_PROGRAMS=tests/not-built >"$work/out" 2>&1 || {
	printf 'not '
	fault=yes
}
echo "ok 3 - a program that is not built yet is known"
[ -z "${fault:-}" ] || sed 's/^/# /' "$work/out"
