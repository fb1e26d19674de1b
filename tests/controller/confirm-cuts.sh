#!/bin/sh
# SPDX-License-Identifier: MIT
# confirm-cuts.sh - a conversation with actions that wait for the user, cut after
# each record of its log as if the process had been killed there: what waits waits
# on, what was answered is carried out, and nothing runs without approval.
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
exec python3 "$top_srcdir/tests/controller/confirm_cuts.py"
