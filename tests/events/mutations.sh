#!/bin/sh
# SPDX-License-Identifier: MIT
# mutations.sh - damaged files of a conversation, a sample of them; MUTATIONS=2000 for
# more. The damage of single records is in test-repair.c.
command -v python3 >/dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
exec python3 "$top_srcdir/tests/events/mutations.py" "${MUTATIONS:-40}"
