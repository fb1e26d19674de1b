#!/bin/sh
# SPDX-License-Identifier: MIT
# doc-links.sh - links and paths in the documents lead to what exists, and
# doc/README.md lists every page.
# It does not run the program, so once is enough.
case ${SANITIZE:-} in ?*) echo '1..0 # SKIP it does not depend on the build'; exit 0 ;; esac
command -v python3 > /dev/null || { echo '1..0 # SKIP python3 is not installed'; exit 0; }
exec python3 -B "$top_srcdir/tests/doc-links.py"
