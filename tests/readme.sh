#!/bin/sh
# SPDX-License-Identifier: MIT
# readme.sh - the tables of README.md agree with packages/debian, configure.ac and
# bench/figures.json.
# It does not run the program, so once is enough.
case ${SANITIZE:-} in ?*) echo '1..0 # SKIP it does not depend on the build'; exit 0 ;; esac
command -v python3 > /dev/null || { echo '1..0 # SKIP python3 is not installed'; exit 0; }
exec python3 -B "$top_srcdir/tests/readme.py"
