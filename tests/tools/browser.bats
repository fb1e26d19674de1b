#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# browser.bats - the browser agents, with a real Chromium and a scripted model; and the
# cleanup of a browser whose parent processes are killed.
bats_require_minimum_version 1.5.0

setup() {
	command -v chromium chromium-browser google-chrome-stable google-chrome \
		>/dev/null || skip "there is no chromium"
	[ "$MORTISE_TEST_CHROMIUM" != no ] || skip "MORTISE_TEST_CHROMIUM=no"
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state" "$work/run"
	chmod 700 "$work/state" "$work/run"
	cp "$top_srcdir"/tests/browser/pages/{form,counter,tall}.html "$work/ws"
	export XDG_STATE_HOME=$work/state XDG_RUNTIME_DIR=$work/run TMPDIR=$work
	run_it=(mortise run -C "$work/ws" --model "script:$work/script")
}

script() { cat >"$work/script"; }
log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

@test "browsing: fills in a form and reports" {
	script <<'END'
[turn]
expect user contains = Goal: Order a green one
expect user contains = Nothing has been done yet.
expect user contains = [Current URL: about:blank]
text <<STOP
I open the form.
```
goto('form.html')
STOP

[turn]
expect user contains = # I open the form.
expect user contains = [14] textbox 'Name', required
expect user lacks = The last action failed
text <<STOP
I fill it in.
```
fill('14', 'Ada')
select_option('17', 'Pink')
```
STOP

[turn]
expect user contains = The last action failed
expect user contains = it has ["Red","Green","Blue"]
text <<STOP
Green, then.
```
select_option('17', 'Green')
click('12')
```
STOP

[turn]
expect user contains = sent: name=Ada
expect user contains = color=g
text = ```send_msg_to_user('It is ordered.')```
END
	run "${run_it[@]}" -o controller.agent=browsing -t "Order a green one"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output = *"It is ordered."* ]]
	[[ $output = *"I open the form."*"* goto('form.html')"*"/form.html"* ]]
	[[ $output = *"* select_option('17', 'Pink')"*"Error: "*"has no option"* ]]
	[ "$(log | jq -r 'select(.action == "finish").args.outputs.content')" = "It is ordered." ]
	[ "$(log | jq -r 'select(.observation == "browse").extras.error' | tr '\n' ' ')" \
		= "false false true false " ]
}

@test "browsing: a reply with actions is the answer once they are done" {
	script <<'END'
[turn]
text = ```goto('counter.html')
[turn]
text <<STOP
```
click('1')
send_msg_to_user('Counted.')
```
STOP
END
	run "${run_it[@]}" -o controller.agent=browsing -t "Count"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output = *"Counted."* ]]
	log | jq -r 'select(.observation == "browse").content' | grep -q "'1'"
}

@test "a browse action is executed, and its observation names it" {
	cat >"$work/r.json" <<'END'
[{"id":0,"source":"user","action":"message","args":{"content":"go"}},
 {"id":1,"source":"agent","action":"browse","args":{"url":"form.html"}},
 {"id":2,"source":"agent","action":"finish","args":{}}]
END
	run mortise replay -C "$work/ws" "$work/r.json" -o controller.tools+=browser
	echo "$output"
	log | jq -c 'select(.observation == "browse") | .extras
		| .trigger_by_action == "browse" and (.url | endswith("/form.html"))' | grep -x true
}

@test "browsing: gives up when the browser fails repeatedly" {
	for ((i = 0; i < 8; i++)); do
		printf '[turn]\ntext = ```click(%s)```\n' "$((900 + i))"
	done | script
	run "${run_it[@]}" -o controller.agent=browsing -t "Count"
	echo "$output"
	[[ $output = *"I gave up after 6 errors in a row"* ]]
	[[ $output = *"no element has the bid '905'"* ]]
}

@test "browsing: a missing browser is reported" {
	for ((i = 0; i < 8; i++)); do printf '[turn]\ntext = ```noop(%d)```\n' "$i"; done |
		script
	for program in "$work/none" "$work"; do
		run "${run_it[@]}" -o controller.agent=browsing \
			-o "tool.browser.program=$program" -t "Count"
		echo "$output"
		[[ $output = *"Chromium is not installed"* ]]
	done
}

@test "visualbrowsing: the model gets a marked screenshot and the whole page" {
	script <<'END'
[turn]
text = ```goto('tall.html')```
[turn]
expect user contains = button 'Top'
expect user contains = [4] button 'Foot'
text = ```click('4')```
[turn]
expect user contains = foot pressed
expect user lacks = screenshot(
text = ```report_infeasible('There is no more.')```
END
	run "${run_it[@]}" -o controller.agent=visualbrowsing -t "Press the lowest button"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output = *"There is no more."* ]]
	[ "$(log | jq -c 'select(.observation == "browse") | .extras.media | length' |
		tr '\n' ' ')" = "1 1 1 " ]
}

@test "visualbrowsing: calls by coordinates are offered if they are allowed" {
	for coordinates in yes no; do
		rm -rf "$work/state"
		[ "$coordinates" = yes ] && has=contains || has=lacks
		printf '[turn]\nexpect system %s = mouse_click(x, y\nexpect system %s = keyboard_press\n' \
			"$has" "$has" >"$work/script"
		printf 'text = ```report_infeasible("No.")```\n' >>"$work/script"
		run "${run_it[@]}" -o controller.agent=visualbrowsing -t "Press it" \
			-o tool.browser.coordinates=$coordinates
		echo "$output"
		[ "$status" -eq 0 ]
	done
}

@test "codeact gives a task to browsing" {
	cat "$top_srcdir/examples/browsing.ini" - >"$work/m.ini" <<END
[controller.browsing]
llm = browsing
[llm.browsing]
model = script:$work/other
END
	script <<'END'
[turn]
[call delegate]
agent = browsing
task = What does the counter say after one click?
[turn]
text = not mine
[turn]
text = not mine
[turn]
text = not mine
[turn]
expect last contains = It says 1.
[call finish]
message = One.
END
	cat >"$work/other" <<'END'
[turn]
text = not mine
[turn]
expect user contains = Goal: TASK: What does the counter say
text = ```goto('counter.html')```
[turn]
text = ```click('1')```
[turn]
expect user contains = '1'
text = ```send_msg_to_user('It says 1.')```
END
	run "${run_it[@]}" --config "$work/m.ini" -t "Ask the counter"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(log | jq -r 'select(.action == "finish").args.final_thought' | tail -n 1)" = One. ]
}

@test "tools call: an action that fails is an error" {
	run --separate-stderr mortise tools call browser '{"code":"click(\"404\")"}' \
		-o controller.tools=browser
	echo "$output" "$stderr"
	[ "$status" -eq 1 ]
	[[ "$output" == *"no element has the bid '404'"* ]]
	[ "$stderr" = "mortise: the tool reported an error" ]
}

@test "temporary files of the browser are below TMPDIR" {
	printf '#!/bin/sh\nprintf %%s "$TMPDIR" >"%s/seen"\nexit 1\n' "$work" >"$work/fake"
	chmod 700 "$work/fake"
	TMPDIR=$(mktemp -d /tmp/mt.XXXXXX) # short: it has to hold a socket
	run mortise tools call browser '{"code":"noop(0)"}' -o controller.tools=browser \
		-o "tool.browser.program=$work/fake" -o sandbox.mode=off
	rm -rf "$TMPDIR"
	echo "$output"
	[[ $(cat "$work/seen") == "$TMPDIR"* ]]
}

@test "a browser exits completely when its runner is killed" {
	script <<'END'
[turn]
[call browser]
code = goto('counter.html')
[turn]
[call browser]
code = noop(60000)
END
	mkfifo "$work/out"
	"${run_it[@]}" -o controller.tools+=browser -t "Wait" >"$work/log" 2>&1 3>&- &
	mortise=$!
	for ((i = 0; i < 600; i++)); do
		if log 2>/dev/null | grep -q '"noop(60000)"'; then break; fi
		sleep 0.05
	done
	profile=$(echo "$work"/mortise-runner-*/*/browser-*)
	[ -d "$profile" ]
	kill -9 "$mortise"
	for ((i = 0; i < 600; i++)); do
		[ -e "$profile" ] || pgrep -f "user-data-dir=$profile" >/dev/null || break
		sleep 0.05
	done
	[ ! -e "$profile" ]
	run -1 pgrep -f "user-data-dir=$profile"
	[ -z "$(echo "$work"/mortise-runner-*/ | grep -v '\*')" ]
}
