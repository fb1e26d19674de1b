#!/bin/sh
# SPDX-License-Identifier: MIT
#
# miniwob.sh - at least 110 of the 130 tasks of MiniWoB++ can be done with what the
# tool `browser` shows and offers, with a real Chromium. $MINIWOB names the directory with
# the tasks (`miniwob/html` in PyPI's package miniwob); skipped otherwise.
# MINIWOB_TASKS="click-pie draw-line" does those alone.
if [ -z "$MINIWOB" ]; then
	echo "1..0 # SKIP MINIWOB does not name the html directory of MiniWoB++"
	exit 0
fi
# shellcheck disable=SC2086
exec python3 -B "$top_srcdir/tests/browser/miniwob.py" "$MINIWOB" $MINIWOB_TASKS
