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

# goals N: the n-th request up to the page
goals() { jq -sr ".[$1 - 1].messages[-1].content" requests | sed -e '/^Current page/,$d' -e "s|$work/ws|WS|"; }

@test "a message during the task is added to it; after an answer, the next goal has both" {
	cd "$work"
	cat >replies <<-'END'
	[{"text": "I open it.\n```\ngoto('first.html')\n```"},
	 {"hold": true, "text": "I scroll.\n```\nscroll(0, 100)\n```"},
	 {"text": "```\nsend_msg_to_user('Tea is 4.50.')\n```"},
	 {"text": "```\nsend_msg_to_user('Yes.')\n```"}]
	END
	run python3 "$top_srcdir/tests/model/steer.py" replies message:"What does tea cost?" \
		requests:2 message:"only green tea" release wait:finished \
		message:"Is that cheap?" wait:finished stop -- \
		mortise run --json --keep-alive -C ws --model openai/gpt-4.1 \
		-o controller.agent=browsing
	echo "$output"
	[ "$status" -eq 0 ]
	goals 3 >third
	diff - third <<-'END'
	Goal: What does tea cost?
	The user then wrote: only green tea

	# I open it.
	goto('first.html')
	-> file://WS/first.html

	END
	goals 4 >fourth
	diff - fourth <<-'END'
	Earlier in this conversation:
	The user: What does tea cost?
	The user: only green tea
	You answered: Tea is 4.50.

	Goal: Is that cheap?

	Nothing has been done yet.

	END
}
