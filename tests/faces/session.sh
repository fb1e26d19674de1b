#!/bin/sh
# SPDX-License-Identifier: MIT
# session.sh - whole sessions with a scripted model, by a client of its own.
exec python3 "$top_srcdir/tests/faces/session.py"
