#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# browser-results.bats - the text of a page for the model: its messages and dialogs, and
# the part that is shown.

setup() {
	command -v chromium >/dev/null || skip "no Chromium"
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	cat >"$work/ws/page.html" <<'END'
<!doctype html><title>Shop</title>
<table><tr><th>Item<th>Price</tr><tr><td>Tea<td>4.50</tr></table>
<label for=n>Name</label><input id=n>
<a href="other.html"><h3>Other</h3></a>
<button onclick="console.log('pressed', {a: 1}); nothing.here()">Break</button>
<button onclick="document.title = confirm('Delete it?') ? 'gone' : 'kept'">Delete</button>
<button onclick="document.title = prompt('Who?', 'Bob')">Ask</button>
<div style="height:100px;overflow:auto"><div style="height:900px">inner</div></div>
<p style="margin-top:3000px">far below</p>
END
}

play() { # the turns come from standard input; the arguments are options of [llm]
	cat >"$work/script"
	run mortise run -C "$work/ws" --model "script:$work/script" \
		-o 'controller.tools=browser, finish' "${@/#/-ollm.}" -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

@test "a page is short: rows on one line, no label or origin twice" {
	play <<-'END'
	[turn]
	[call browser]
	code = goto('page.html')
	[turn]
	expect last contains = row: 'Tea' | '4.50'
	expect last contains = link 'Other' -> /
	expect last lacks = heading 'Other'
	expect last contains = scrollable=0-100/900px
	[call finish]
	message = Done.
	END
}

@test "the result says which part of the page it shows; find shows lines of all of it" {
	play <<-'END'
	[turn]
	[call browser]
	code = goto('page.html')
	[turn]
	expect last contains = [Shown: 0 to 720 of 3
	expect last lacks = far below
	[call browser]
	code = find('FAR')
	[turn]
	expect last contains = far below
	expect last lacks = Tea
	[call browser]
	code = find('no such text')
	[turn]
	expect last contains = No line of the whole page contains `no such text`. Search for one word, or for a part of it
	expect last lacks = BEGIN accessibility tree
	[call browser]
	code = find('')
	[turn]
	expect last contains = ValueError: find needs a text
	[call browser]
	code = find('break')
	[turn]
	expect last contains = link 'Other'
	expect last contains = button 'Break'
	expect last contains = button 'Delete'
	expect last lacks = button 'Ask'
	[call finish]
	message = Done.
	END
}

@test "a page that fits is called whole, and no sign is explained that is not there" {
	echo '<p>short</p>' >"$work/ws/short.html"
	play <<-'END'
	[turn]
	[call browser]
	code = goto('short.html')
	[turn]
	expect last contains = The whole page.
	expect last lacks = visible part
	[call browser]
	code = noop(1)
	whole := true
	[turn]
	expect last contains = The whole page.
	expect last lacks = ~
	[call finish]
	message = Done.
	END
}

@test "errors and messages of a page are appended, and console() has them all" {
	play <<-'END'
	[turn]
	[call browser]
	code = goto('page.html')
	[turn]
	expect last lacks = [Console
	[call browser]
	code <<C
	find('Break')
	C
	[turn]
	expect last contains = button 'Break'
	[call browser]
	code = click('5')
	[turn]
	[call browser]
	code = console()
	[turn]
	expect last contains = [Console, 
	expect last contains = log: pressed
	expect last contains = uncaught: ReferenceError: nothing is not defined
	[call finish]
	message = Done.
	END
}

@test "the result of a dialog names the call that accepts it, and it works" {
	play <<-'END'
	[turn]
	[call browser]
	code = goto('page.html')
	[turn]
	[call browser]
	code = click('6')
	[turn]
	expect last contains = [Dialog (confirm): Delete it? - dismissed. Call accept_dialog() before the action to accept it.]
	expect last contains = RootWebArea 'kept'
	[call browser]
	code <<C
	accept_dialog()
	click('6')
	C
	[turn]
	expect last contains = [Dialog (confirm): Delete it? - accepted.]
	expect last contains = RootWebArea 'gone'
	[call browser]
	code <<C
	accept_dialog('Ann')
	click('7')
	C
	[turn]
	expect last contains = RootWebArea 'Ann'
	[call finish]
	message = Done.
	END
}

@test "calls by coordinates are named only to a model that gets the screenshot" {
	for vision in yes no; do
		if [ $vision = yes ]; then has=contains lacks=lacks; else has=lacks lacks=contains; fi
		printf '%s\n' '[turn]' '[call browser]' "code = goto('page.html'); screenshot()" \
			'[turn]' "expect last $has = mouse_click(x, y" \
			"expect last $lacks = does not support vision" \
			'expect last contains = Image 1:' '[call finish]' 'message = Done.' >"$work/turns"
		rm -rf "$work/state/mortise"
		play "vision=$vision" <"$work/turns"
	done
}

@test "services that the browser itself contacts are not reported as refused" {
	play <<-'END'
	[turn]
	[call browser]
	code = goto('page.html'); noop(wait_ms=4000)
	[turn]
	expect last contains = row: 'Tea' | '4.50'
	expect last lacks = [Sandbox:
	[call finish]
	message = Done.
	END
}
