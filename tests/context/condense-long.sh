#!/bin/sh
# SPDX-License-Identifier: MIT
#
# condense-long.sh - a long conversation with each condenser in turn: what is sent
# has no orphaned call, does not grow, keeps what is pinned, and the bill is right.
#
#   CONDENSE_STEPS=1000   steps of each conversation (three events a step)
exec python3 -B "$top_srcdir/tests/context/condense-long.py"
