# SPDX-License-Identifier: MIT
# wait.bash - waiting for a condition, and tests without what they need, for bats files
# (`load ../wait`) and scripts.

# until_true COMMAND...: run it until it succeeds, for at most 30 seconds. Its output is
# discarded. A test that needs longer says so: LIMIT=60 until_true COMMAND...
until_true() {
	local end=$((SECONDS + ${LIMIT:-30}))
	until "$@" >/dev/null 2>&1; do
		((SECONDS < end)) || { echo "not true in time: $*" >&2; return 1; }
		sleep 0.02
	done
}

# absent REASON: for setup_file, where bats 1.8 takes a skip for a failure. Write
# `|| absent REASON || return 0` there, and call skip_absent first in setup.
absent() {
	export ABSENT=$1
	return 1
}

skip_absent() { [ -z "${ABSENT-}" ] || skip "$ABSENT"; }
