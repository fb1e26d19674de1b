#!/bin/sh
# SPDX-License-Identifier: MIT
#
# aimock-long.sh - conversations of 30 steps with a mock of the providers that we
# did not write, npm's @copilotkit/aimock: each dialect that it speaks, streamed and
# not, calm and through chaos. Its program llmock is named by $LLMOCK; skipped
# otherwise. By hand, LLMOCK=... sh tests/llm/aimock-long.sh chat anthropic: only these.
if [ -z "$LLMOCK" ]; then
	echo "1..0 # SKIP LLMOCK does not name the program llmock of @copilotkit/aimock"
	exit 0
fi
exec python3 -B "$top_srcdir/tests/llm/aimock-long.py" "$@"
