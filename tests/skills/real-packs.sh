#!/bin/sh
# SPDX-License-Identifier: MIT
#
# real-packs.sh - skills that others wrote, npm's @openhands/extensions, as an archive
# and as a directory: every one is listed or refused with a reason, and names and
# descriptions are those that npm's skills-ref reads. $SKILL_PACKS names the directory
# where both were installed (npm install --prefix DIR); skipped otherwise.
if [ -z "$SKILL_PACKS" ]; then
	echo "1..0 # SKIP SKILL_PACKS does not name a directory with @openhands/extensions"
	exit 0
fi
exec python3 -B "$top_srcdir/tests/skills/real-packs.py"
