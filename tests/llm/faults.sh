#!/bin/sh
# SPDX-License-Identifier: MIT
#
# faults.sh - conversations of 30 steps through everything that goes wrong between a
# provider and us; and stopped in the middle of a stream, then resumed again.
exec python3 -B "$top_srcdir/tests/llm/faults.py"
