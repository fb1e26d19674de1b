#!/bin/sh
# SPDX-License-Identifier: MIT
# session.sh - whole sessions with a scripted model, by a client of its own.
# Nothing here is about approvals.
MORTISE_CONTROLLER_CONFIRMATION=never
export MORTISE_CONTROLLER_CONFIRMATION
exec python3 "$top_srcdir/tests/frontends/session.py"
