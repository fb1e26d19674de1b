#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# browsing-steps.bats - the browsing agent reads that earlier pages are omitted, and has
# a line for each earlier step.
bats_require_minimum_version 1.5.0

setup() {
	command -v chromium >/dev/null || skip "no Chromium"
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	echo '<title>First</title><p>tea costs 4.50<p><a href=second.html>next</a>' \
		>"$work/ws/first.html"
	echo '<title>Second</title><p>a second page' >"$work/ws/second.html"
}

@test "each request has the current page, and of earlier steps only the sentences" {
	cat >"$work/script" <<'END'
[turn]
expect system contains = Earlier pages are not shown again: state in your sentences what you need
expect user contains = Nothing has been done yet.
text <<STOP
I open the first page.
```
goto('first.html')
```
STOP

[turn]
expect user contains = # I open the first page.
expect user contains = tea costs 4.50
text <<STOP
Tea is 4.50; I continue.
```
goto('second.html')
```
STOP

[turn]
expect user contains = # I open the first page.
expect user contains = goto('first.html')
expect user contains = # Tea is 4.50; I continue.
expect user contains = a second page
expect any lacks = tea costs 4.50
text = ```send_msg_to_user('Tea is 4.50.')```
END
	run -0 mortise run -C "$work/ws" --model "script:$work/script" \
		-o controller.agent=browsing -t 'What does tea cost?'
	[[ "$output" == *"Tea is 4.50."* ]]
}
