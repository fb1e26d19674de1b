#!/bin/sh
# SPDX-License-Identifier: MIT
# The demo of quickstart: a program with a bug and a failing test, fixed by an
# agent whose model is scripted. Everything but the model is real.
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
n=0
check() { # NAME STATUS
	n=$((n + 1))
	[ "$2" = 0 ] && echo "ok $n - $1" || echo "not ok $n - $1"
}

echo 1..5
work=$tmp/work
cp -R "$top_srcdir/examples/demo" "$work" && chmod -R u+w "$work" || exit 1
sed "s|@WORKSPACE@|$work|" "$work/repair.script" > "$tmp/repair.script"
rm "$work/repair.script"
(cd "$work" && git init -q . && git add . &&
	git -c user.name=t -c user.email=t@localhost commit -qm x) >&2 || exit 1
! make -s -C "$work" check > "$tmp/before" 2>&1 && grep -q '^FAILED' "$tmp/before"
check 'the test of the project fails' $?
mortise run -C "$work" --model "script:$tmp/repair.script" \
	-t 'The test of this project fails: see `make check`. Fix it.' > "$tmp/run" 2>&1
status=$?
[ $status = 0 ] || cat "$tmp/run" >&2
check 'the agent finishes' $status
make -s -C "$work" check > "$tmp/after" 2>&1
check 'the test of the project passes' $?
[ "$(git -C "$work" diff --name-only)" = csv.c ]
check 'only the broken file was changed' $?
[ "$(git -C "$work" diff --numstat)" = "1	1	csv.c" ]
check 'by one line' $?
