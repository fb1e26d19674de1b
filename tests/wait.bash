# SPDX-License-Identifier: MIT
# wait.bash - waiting for a condition, for bats files (`load ../wait`) and scripts.

# until_true COMMAND...: run it until it succeeds, for at most 30 seconds. Its output is
# discarded. A test that needs longer says so: LIMIT=60 until_true COMMAND...
until_true() {
	local end=$((SECONDS + ${LIMIT:-30}))
	until "$@" >/dev/null 2>&1; do
		((SECONDS < end)) || { echo "not true in time: $*" >&2; return 1; }
		sleep 0.02
	done
}
