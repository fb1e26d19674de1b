#!/bin/sh
# SPDX-License-Identifier: MIT
# proxy.sh - models behind a proxy and behind certificates that only the user trusts.
command -v python3 > /dev/null || { echo "1..0 # SKIP no python3"; exit 0; }
command -v openssl > /dev/null || { echo "1..0 # SKIP no openssl"; exit 0; }
exec python3 "$top_srcdir/tests/llm/proxy.py"
