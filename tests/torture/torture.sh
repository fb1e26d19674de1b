#!/bin/sh
# SPDX-License-Identifier: MIT
# A scripted task whose n-th allocation, write, sync, open or fork fails, for a sample
# of n; TORTURE_SAMPLES=0 for every one.
case $SANITIZE in *address*) echo "1..0 # SKIP the sanitizer wants to be loaded first"; exit 0 ;; esac
exec python3 "$top_srcdir/tests/torture/torture.py" "$top_builddir/tests/torture/calls.so" \
	"$(mktemp -d "$MORTISE_TEST_HOME/torture-XXXXXX")" "${TORTURE_SAMPLES:-60}"
