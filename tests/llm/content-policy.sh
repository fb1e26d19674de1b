#!/bin/sh
# SPDX-License-Identifier: MIT
#
# content-policy.sh - refusals by a provider's content policy are reported as such,
# whichever model refuses.
exec python3 -B "$top_srcdir/tests/llm/content-policy.py"
