#!/bin/sh
# SPDX-License-Identifier: MIT
# resume-long.sh - resuming a long log costs time and memory in proportion to its
# length, gives the same account with its checkpoint and without, and obeys SIGINT and
# SIGTERM at any moment.
#
#   RESUME_EVENTS=20000   events of the longer log; the shorter one has half of them
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
exec python3 -B "$top_srcdir/tests/controller/resume_long.py"
