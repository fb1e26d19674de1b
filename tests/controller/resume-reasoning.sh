#!/bin/sh
# SPDX-License-Identifier: MIT
# resume-reasoning.sh - a resumed conversation sends signed and encrypted reasoning back to
# the model unchanged, in every dialect.
command -v python3 > /dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
PYTHONPATH="$top_srcdir/tests/llm" exec python3 "$top_srcdir/tests/controller/resume_reasoning.py"
