#!/bin/sh
# SPDX-License-Identifier: MIT
# resume-reasoning.sh - what models thought, signed and sealed, goes back to them as
# it came after a conversation was killed and resumed: in every dialect the same bytes.
command -v python3 > /dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
PYTHONPATH="$top_srcdir/tests/llm" exec python3 "$top_srcdir/tests/controller/resume_reasoning.py"
