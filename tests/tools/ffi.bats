#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# ffi.bats - C functions of real libraries, declared in INI alone.

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	# of this user alone: the sources may have been unpacked with another umask
	examples=$work/ffi.ini
	install -m 600 "$top_srcdir/examples/ffi.ini" "$examples"
}

events() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

play() { # CONFIG TOOLS OPTION... : the turns of $work/script
	run mortise run -C "$work/ws" --config "$1" --model "script:$work/script" \
		-o "controller.tools=$2, finish" "${@:3}" -t go
	printf '%s\n' "$output"
	seen=$(events | jq -cs '[.[] | select(.tool_call_metadata and .observation) | .content]')
}

turns() { # "NAME KEY=JSON..." ... : a script of one call a turn
	for call; do
		printf '[turn]\n[call %s]\n' "${call%% *}"
		[[ "$call" == *" "* ]] && printf '%s\n' "${call#* }" | tr '&' '\n'
	done >"$work/script"
	printf '[turn]\n[call finish]\nmessage = Done.\n' >>"$work/script"
}

call() { # INSTANCE TOOL JSON
	run mortise tools call --config "$examples" -C "$work/ws" \
		-o "controller.tools=$1" "$2" "$3"
	printf '%s\n' "$output"
}

library() { # NAME: is it there?
	python3 -c 'import ctypes, sys; ctypes.CDLL(sys.argv[1])' "$1" 2>/dev/null
}

@test "libm: numbers and output parameters" {
	call math cos '{"x": 0}'
	[ "$status" -eq 0 ]
	[ "$output" = 1 ]
	call math split '{"x": 10.5}'
	[ "$(jq -c . <<<"$output")" = '{"returns":0.65625,"exponent":4}' ]
	call math cos '{"x": "much"}'
	[ "$status" -ne 0 ]
	[[ "$output" == *"/x: must be a number"* ]]
	call math cos '{"x": 1, "y": 2}'
	[ "$status" -ne 0 ]
	[[ "$output" == *"y"* ]]
}

@test "libc: strings, enums, errno, counted bytes" {
	call libc absolute '{"n": -9000000000}'
	[ "$output" = 9000000000 ]
	call libc length '{"text": "héllo"}'
	[ "$output" = 6 ]
	call libc parse '{"text": "ff", "base": "HEX"}'
	[ "$output" = 255 ]
	call libc parse '{"text": "ff", "base": "SIXTEEN"}'
	[ "$status" -ne 0 ]
	[[ "$output" == *"/base: must be one of"* ]]
	call libc host_name '{}'
	[ "$(jq -r .name <<<"$output")" = "$(uname -n)" ]
	call libc make_directory "{\"path\": \"$work/ws/new\"}"
	[ "$output" = 0 ]
	[ -d "$work/ws/new" ]
	call libc make_directory "{\"path\": \"$work/ws/new\"}"
	[ "$status" -ne 0 ]
	[[ "$output" == *"the function returned -1: File exists"* ]]
	ln -s somewhere "$work/ws/link"
	call libc target "{\"link\": \"$work/ws/link\"}"
	[ "$(jq -c . <<<"$output")" = '{"returns":9,"path":"somewhere"}' ]
}

@test "zlib: bytes in both directions" {
	library libz.so.1 || skip "zlib is not installed"
	call zlib checksum '{"crc": 0, "bytes": "123456789"}'
	[ "$output" = 3421780262 ]
	text=$(printf 'again and %.0s' {1..500})
	call zlib pack "$(jq -n --arg t "$text" '{bytes: $t}')"
	packed=$(jq -c .packed <<<"$output")
	[ "${#packed}" -lt 200 ]
	call zlib unpack "{\"packed\": $packed}"
	[ "$(jq -r .bytes <<<"$output")" = "$text" ]
	call zlib unpack '{"packed": "no such thing"}'
	[ "$status" -ne 0 ]
	[[ "$output" == *"the function returned -3"* ]]
}

@test "sqlite3: handles are returned, passed back, and closed" {
	library libsqlite3.so.0 || skip "sqlite3 is not installed"
	mkfifo "$work/port"
	python3 "$top_srcdir/tests/tools/ffi-model.py" "$work/transcript" >"$work/port" 3>&- &
	model=$!
	read -r port <"$work/port"
	MORTISE_LLM_STREAM=no OPENAI_API_KEY=a-key-of-no-use run mortise run -C "$work/ws" \
		--config "$examples" --model openai/m -o llm.base_url="http://127.0.0.1:$port" \
		-o 'controller.tools=sqlite, finish' -t go
	kill "$model"
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
	at() { jq -r ".[$1]" "$work/transcript"; }
	[ "$(at 2)" = 0 ]
	[ "$(at 3)" = 1 ]
	[ "$(at 4)" = "no such table: nowhere" ]
	[ "$(at 6)" = 100 ]
	[ "$(at 7)" = one ]
	[ "$(at 9)" = zwölf ]
	[ "$(at 10)" = 101 ]
	[ "$(at 11)" = 0 ]
	[[ "$(at 12)" == *"unknown handle 0x"* ]]
	[[ "$(at 13)" == *"unknown handle 0x1234"* ]]
	[ "$(at 14)" = 0 ]
}

@test "a conversation calls all of them" {
	library libz.so.1 || skip "zlib is not installed"
	turns "cos x := 0" 'parse text = 777&base = OCTAL' "zlib_version" \
		'db_open file = :memory:'
	play "$examples" "math, libc, zlib, sqlite"
	[ "$status" -eq 0 ]
	[ "$(jq -r '.[0]' <<<"$seen")" = 1 ]
	[ "$(jq -r '.[1]' <<<"$seen")" = 511 ]
	[[ "$(jq -r '.[2]' <<<"$seen")" == [0-9].* ]]
	[[ "$(jq -r '.[3]' <<<"$seen")" == *'"db":"0x'* ]]
}

@test "a call that crashes, exits or hangs costs one observation" {
	cat >"$work/config" <<-'END'
	[tool.wrong]
	plugin = ffi
	library = libc.so.6
	deadline = 1s
	function.length.symbol = strlen
	function.length.returns = size
	function.length.arg.text = long, which is a wrong signature
	function.leave.symbol = exit
	function.leave.arg.status = int
	function.wait.symbol = pause
	function.abort.symbol = abort
	function.getpid.returns = int
	[tool.right]
	plugin = ffi
	library = libc.so.6
	function.own.symbol = getpid
	function.own.returns = int
	END
	turns own 'length text := 1' getpid 'leave status := 0' getpid abort getpid wait getpid own
	play "$work/config" "wrong, right"
	[ "$status" -eq 0 ]
	at() { jq -r ".[$1]" <<<"$seen"; }
	died=signal
	case $SANITIZE in *address*) died="exited with code 1" ;; esac # by ASan's handler
	[[ "$(at 1)" == *"length"*"wrong"*"$died"* ]]
	[[ "$(at 2)" =~ ^[0-9]+$ ]]
	[[ "$(at 3)" == *"leave"* ]]
	[[ "$(at 4)" =~ ^[0-9]+$ ]]
	[[ "$(at 5)" == *"abort"* ]]
	[[ "$(at 6)" =~ ^[0-9]+$ ]]
	[[ "$(at 7)" == *"wait"* ]]
	[[ "$(at 8)" =~ ^[0-9]+$ ]]
	# The other library was in its own process all the time.
	[ "$(at 0)" = "$(at 9)" ]
	[ "$(at 0)" != "$(at 2)" ]
	[ "$(at 2)" != "$(at 4)" ]
}

@test "invalid declarations give one error each, with file and line" {
	cat >"$work/wrong.ini" <<-'END'
	[tool.a]
	plugin = ffi
	library = libm.so.6
	function.a.returns = dobule
	function.b.arg.x = char *
	function.c.arg.x = out int 64K
	function.d.retruns = int
	function.e.arg.x = int = 1x
	function.f.hints = readonly
	function.g.fails = sometimes
	function.h.returns = buffer
	function.i.arg.x = out optional int
	function.9.symbol = cos
	[tool.b]
	plugin = ffi
	library = libm.so.6
	function.x.symbol = cos
	function.y.arg.x = buffer
	[tool.c]
	plugin = ffi
	library = libno-such.so.1
	symbol = cos
	[tool.d]
	plugin = ffi
	symbol = cos
	[tool.e]
	plugin = ffi
	library = libm.so.6
	function.cosine.returns = double
	[tool.other]
	plugin = other
	END
	cd "$work"
	run mortise ffi check wrong.ini
	printf '%s\n' "$output"
	[ "$status" -eq 2 ]
	[ "${#lines[@]}" -eq 14 ]
	n=0
	for line in 4 5 6 7 8 9 10 11 12 13 18 21 23 29; do
		[[ "${lines[n]}" == "wrong.ini:$line: [tool."* ]]
		n=$((n + 1))
	done
	[ "${lines[0]}" = 'wrong.ini:4: [tool.a] function.a.returns: unknown type `dobule`; did you mean `double`?' ]
	[[ "${lines[13]}" == *"libm.so.6 does not export function cosine"* ]]
	# A conversation does not start with one of these, and prints the same error.
	turns finish
	play wrong.ini a
	[ "$status" -eq 2 ]
	[[ "$output" == *"wrong.ini:13: [tool.a] function.9.symbol: write function.NAME.KEY"* ]] ||
		[[ "$output" == *"wrong.ini:4: [tool.a] function.a.returns: "*"double"* ]]
	# Errors that only the library can detect are reported at the call.
	turns cosine
	play wrong.ini e
	[[ "$(jq -r '.[0]' <<<"$seen")" == *"cosine"* ]]
}

@test "the examples are valid; a file without functions gets an error" {
	library libsqlite3.so.0 && library libz.so.1 || skip "zlib and sqlite3 are not both installed"
	run mortise ffi check "$examples"
	[ "$status" -eq 0 ]
	[[ "$output" == *"functions declared and found" ]]
	echo '[core]' >"$work/none.ini"
	run mortise ffi check "$work/none.ini"
	[ "$status" -eq 2 ]
	[[ "$output" == *'no section [tool.NAME] with plugin = ffi'* ]]
	run mortise ffi check "$work/absent.ini"
	[ "$status" -eq 2 ]
	run mortise ffi
	[ "$status" -eq 2 ]
}

@test "a library that others may write to is refused" {
	cp "$(ldconfig -p 2>/dev/null | sed -n 's/.*libm\.so\.6.* => //p' | head -n 1)" \
		"$work/libm.so" || skip "no libm"
	chmod 666 "$work/libm.so"
	printf '[tool.m]\nplugin = ffi\nlibrary = %s\nsymbol = cos\n' "$work/libm.so" >"$work/c.ini"
	run mortise ffi check "$work/c.ini"
	printf '%s\n' "$output"
	[ "$status" -eq 2 ]
	[[ "$output" == *"libm.so"* ]]
}

blocks() { # LANGUAGE: the blocks of doc/ffi.md
	awk -v l="$1" '$0 == "```" l { on = 1; next } /^```$/ { on = 0 } on' "$top_srcdir/doc/ffi.md"
}

@test "the examples of the documentation are correct" {
	blocks ini >"$work/page.ini"
	run mortise ffi check "$work/page.ini"
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
	run mortise tools call --config "$work/page.ini" -o "controller.tools=angles" cos '{"x": 1}'
	[ "$output" = 0.5403023058681398 ]
	blocks c >"$work/add.c"
	mkdir "$work/plugins"
	${CC:-cc} -Wall -Wextra -Werror -fPIC -shared -fvisibility=hidden \
		-I"$top_srcdir/sdk-headers" -o "$work/plugins/add.so" "$work/add.c"
	run mortise tools call -o core.plugin_path+="$work/plugins" -o controller.tools=adding \
		add '{"a": 40, "b": 2}'
	printf '%s\n' "$output"
	[ "$output" = 42 ]
}
