#!/bin/sh
# SPDX-License-Identifier: MIT
#
# prompts.sh - the first request of the general agent: how large it is in each
# profile, and what the variants of the system text say.
exec python3 -B "$top_srcdir/tests/context/prompts.py"
