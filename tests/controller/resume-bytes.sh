#!/bin/sh
# SPDX-License-Identifier: MIT
# resume-bytes.sh - a log cut after each of its records, as if the process had
# been killed there: resume repairs it, continues, and sends the model the same
# bytes as the conversation that was never interrupted.
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
exec python3 "$top_srcdir/tests/controller/resume_bytes.py"
