#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# editor-patches.bats - the result of a patch: the changed lines, or the nearest lines of
# the file if the patch does not fit.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	printf 'def one():\n    return 1\n\n\ndef two():\n    return 2\n' >"$work/ws/a.py"
}

play() { # the turns come from standard input
	cat >"$work/script"
	run mortise run -C "$work/ws" --model "script:$work/script" \
		-o controller.tools+=apply-patch -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

@test "a patch that does not fit names the file and its nearest lines, then one fits" {
	play <<-'END'
	[turn]
	[call apply_patch]
	patch <<P
	*** Begin Patch
	*** Update File: a.py
	@@
	 def two():
	-    return 22
	+    return 3
	*** End Patch
	P
	[turn]
	expect last contains = a.py does not have these lines, in this order:
	expect last contains = The most similar text is in lines 5-6 (1 of 2 lines agree):
	expect last contains =      6	    return 2
	expect last contains = Nothing was changed.
	[call apply_patch]
	patch <<P
	*** Begin Patch
	*** Update File: a.py
	@@
	 def two():
	-    return 2
	+    return 3
	*** End Patch
	P
	[turn]
	expect last contains = Updated a.py
	expect last contains =      6	    return 3
	[call finish]
	message = Done.
	END
}
