#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# plugin-http.bats - agents and condensers send HTTP requests through the host: results
# from good and bad servers, and requests of a step that is repeated.

bats_require_minimum_version 1.5.0
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	mkdir "$work/ws" "$work/state"
	chmod 700 "$work/state"
	cd "$work/ws"
	export XDG_STATE_HOME=$work/state
	export MORTISE_CORE_PLUGIN_PATH="$top_builddir/tests/plugins,$MORTISE_CORE_PLUGIN_PATH"
	unset http_proxy HTTP_PROXY https_proxy HTTPS_PROXY all_proxy ALL_PROXY
	: >"$work/seen"
	server http
	fetch=(mortise run -q -C "$work/ws" -o controller.agent=fetch -t go)
}

teardown() {
	for pid in "${servers[@]}" $left; do
		kill "$pid" 2>/dev/null || true
	done
}

# server http|https: $url is its address; `seen` gets a line for each request, and
# "closed PATH" when a client has disconnected
server() {
	cat >"$work/server.py" <<-'END'
		import http.server, json, ssl, sys
		class H(http.server.BaseHTTPRequestHandler):
		    protocol_version = "HTTP/1.1"
		    def log_message(self, *a): pass
		    def date_time_string(self): return "Thu, 01 Jan 1970 00:00:00 GMT"
		    def seen(self, *words):
		        with open(sys.argv[2], "a") as f: print(*words, file=f, flush=True)
		    def plain(self, text, status=200, headers=()):
		        self.send_response(status)
		        for h in headers: self.send_header(*h)
		        self.send_header("Content-Length", str(len(text)))
		        self.end_headers()
		        self.wfile.write(text)
		    def forever(self, head, piece):
		        try:
		            self.wfile.write(b"HTTP/1.1 200 OK\r\n" + head)
		            while piece:
		                self.wfile.write(piece)
		                if self.path == "/slow":
		                    self.connection.settimeout(0.05)
		                    try:
		                        if not self.connection.recv(1): return
		                    except TimeoutError: pass
		            self.connection.recv(1)
		        except OSError: pass
		        finally: self.close_connection = True
		    def do(self):
		        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
		        self.seen(self.command, self.path)
		        if self.path.startswith("/hang"): self.forever(b"", b"")
		        elif self.path == "/endless": self.forever(b"\r\n", b"x" * 65536)
		        elif self.path == "/slow": self.forever(b"\r\n", b"x")
		        elif self.path == "/headers": self.forever(b"", b"X-More: " + b"y" * 1000 + b"\r\n")
		        elif self.path == "/header": self.forever(b"X-More: ", b"y" * 1000)
		        elif self.path == "/cut": self.forever(b"Content-Length: 99\r\n\r\n", b""); return
		        elif self.path == "/away": self.plain(b"", 302, [("Location", "http://localhost:1/")])
		        elif self.path == "/bytes": self.plain(b"\xff\x00x")
		        elif self.path == "/empty": self.plain(b"")
		        elif self.path == "/none": self.plain(b"Nothing is here.", 404)
		        elif self.path == "/archive":
		            with open(sys.argv[2].replace("seen", "archived"), "ab") as f: f.write(body)
		            self.plain(b"", 201, [("Location", "/archive/1")])
		        elif self.path == "/secret":
		            self.plain(b"The word is sesame-opens-it.", 200, [("X-Word", "sesame-opens-it")])
		        else:
		            self.plain(json.dumps([self.command, self.path, self.headers.get("X-Own", ""),
		                                   body.decode("latin-1")]).encode())
		        if self.close_connection: self.seen("closed", self.path)
		    do_GET = do_POST = do_PUT = do_DELETE = do_PATCH = do
		s = http.server.ThreadingHTTPServer(("127.0.0.1", 0), H)
		s.daemon_threads = True
		if len(sys.argv) > 3:
		    c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
		    c.load_cert_chain(sys.argv[3])
		    s.socket = c.wrap_socket(s.socket, server_side=True)
		print(s.server_port, flush=True)
		s.serve_forever()
	END
	rm -f "$work/port"
	python3 "$work/server.py" "$1" "$work/seen" "${@:2}" >"$work/port" 2>/dev/null 3>&- &
	servers+=("$!")
	until_true test -s "$work/port"
	url=$1://127.0.0.1:$(cat "$work/port")
}

log() { cat "$work"/state/mortise/conversations/*/events.jsonl; }

# sends REQUESTS [OPTION...]: run the agent, inside and in copies
sends() {
	for run in inside fork; do
		: >"$work/seen"
		run timeout 60 "${fetch[@]}" -o "agent.fetch.requests=$1" \
			-o "agent.fetch.run=$run" "${@:2}"
		echo "$run: $output"
		[ "$status" -eq 0 ]
		output=$(sed -E 's/after [0-9]+ ms/after N ms/g' <<<"$output")
		outputs+=("$output")
	done
	[ "${outputs[-1]}" = "${outputs[-2]}" ]
}

@test "requests of an agent, one after the other" {
	sends "GET $url/a?b;POST $url/c text with spaces;PUT $url/d x;DELETE $url/e;PATCH $url/f y"
	[[ "$output" == *'<200, error 0, '*'[.GET., ./a?b., .., ..]'* ]]
	[[ "$output" == *'[.POST., ./c., .., .text with spaces.]'* ]]
	[[ "$output" == *'[.PUT., ./d., .., .x.]'* ]]
	[[ "$output" == *'[.DELETE., ./e., .., ..]'* ]]
	[[ "$output" == *'[.PATCH., ./f., .., .y.]'* ]]
	[[ "$output" == "4 places: "* ]]
	[ "$(wc -l <"$work/seen")" -eq 5 ]
	sends "GET $url/a" -o "agent.fetch.header=X-Own: mine"
	[[ "$output" == *'.mine.'* ]]
	sends "GET $url/empty;GET $url/none;GET $url/bytes;POST $url/blob last"
	[[ "$output" == *'<200, error 0, 0 bytes>  <404, error 0, 16 bytes> Nothing is here.'* ]]
	[[ "$output" == *'<200, error 0, 3 bytes> ..x '* ]]
	[[ "$output" == *'.ÿ.u0000x.'* || "$output" == *'u00ff.u0000x.'* ]]
}

@test "a redirect is returned, and is not followed" {
	sends "GET $url/away" -o agent.fetch.headers=yes
	[[ "$output" == *'<302, error 0, 0 bytes>'*'location: http://localhost:1/'* ]]
}

@test "only hosts that the plugin declares or the user allows" {
	local port=${url##*:}
	for bad in "http://localhost:$port/" "file:///etc/passwd" "http://127.0.0.1@localhost/"; do
		run "${fetch[@]}" -o "agent.fetch.requests=GET $bad"
		echo "$output"
		[ "$status" -eq 6 ]
		[[ "$output" == *'agent fetch: the agent may not connect to localhost: its plugin does not declare this host; `http_hosts` in [agent.fetch] allows it'* ||
			"$output" == *'agent fetch: `url` is not an http or https URL'* ]]
	done
	sends "GET http://localhost:$port/x" -o agent.fetch.http_hosts=localhost
	[[ "$output" == *'./x.'* ]]
	run "${fetch[@]}" -o "agent.fetch.requests=GET $url/" -o agent.fetch.http_hosts=localhost
	[[ "$output" == *'may not connect to 127.0.0.1'* ]]
	run "${fetch[@]}" -o "agent.fetch.requests=GET $url/" -o "agent.fetch.header=Host: x"
	[[ "$output" == *'a plugin cannot set the header `Host`'* ]]
	run "${fetch[@]}" -o "agent.fetch.requests=GET $url/" -o agent.fetch.header=nonsense
	[[ "$output" == *'a header is not `Name: value`'* ]]
	[ "$(cat "$work/seen")" = "GET /x" ]
}

@test "bad servers" {
	sends "GET $url/endless" -o agent.fetch.max=100000
	[[ "$output" == *'<0, error -'*'the response is larger than 100000 bytes'* ]]
	sends "GET $url/slow;GET $url/hang" -o agent.fetch.timeout=300
	[[ "$output" == *'the server did not respond in time'*'the server did not respond in time'* ]]
	sends "GET $url/headers;GET $url/header"
	[[ "$output" == *'the headers of the response are larger than 262144 bytes'* ]]
	[ "$(grep -o 'error -' <<<"$output" | wc -l)" -eq 2 ]
	sends "GET $url/cut" -o agent.fetch.timeout=300
	[[ "$output" == *'<0, error -'* ]]
	sends "GET http://127.0.0.1:1/"
	[[ "$output" == *'cannot send the request: '* ]]
}

@test "a certificate that is not trusted, and one that is" {
	openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 \
		-addext subjectAltName=IP:127.0.0.1 -keyout "$work/key" -out "$work/ca" 2>/dev/null
	cat "$work/key" "$work/ca" >"$work/pem"
	server https "$work/pem"
	sends "GET $url/x"
	[[ "$output" == *'<0, error -'*'cannot send the request: '* ]]
	[ ! -s "$work/seen" ]
	sends "GET $url/x" -o llm.ca_path="$work/ca"
	[[ "$output" == *'./x.'* ]]
}

@test "secrets are masked in responses and in the log" {
	export OUR_KEY=sesame-opens-it
	sends "GET $url/secret;GET $url/x?sesame-opens-it" -o llm.api_key_env=OUR_KEY \
		-o agent.fetch.headers=yes
	[[ "$output" == *'The word is <secret_hidden>.'*'x-word: <secret_hidden>'* ]]
	[[ "$(cat "$work/seen")" == *"GET /x?sesame-opens-it"* ]]
	run -1 grep -r sesame "$work/state"
}

@test "a step can send 32 requests" {
	requests="GET $url/0"
	for n in {1..31}; do requests+=";GET $url/$n"; done
	sends "$requests"
	[ "$(wc -l <"$work/seen")" -eq 32 ]
	run "${fetch[@]}" -o "agent.fetch.requests=$requests;GET $url/32"
	[ "$status" -eq 6 ]
	[[ "$output" == *'a step can send at most 32 HTTP requests'* ]]
}

@test "results reach the model of an agent" {
	cat >"$work/script" <<-'END'
		[turn]
		expect last contains = ./guidelines.
		[call finish]
		message = Read.
	END
	for run in inside fork; do
		run mortise run -q -C "$work/ws" -o controller.agent=teller -t go \
			--model "script:$work/script" -o core.log_level=info \
			-o core.log_file="$work/log" -o agent.teller.run=$run \
			-o "agent.teller.requests=GET $url/guidelines"
		echo "$output"
		[ "$output" = Read. ]
		grep "after the reply: -" "$work/log" # MT_EUNSUPPORTED
		rm "$work/log"
	done
}

@test "requests of a condenser" {
	printf '[turn]\n[call finish]\nmessage = Done.\n' >"$work/script"
	for run in inside fork; do
		run mortise run -q -C "$work/ws" -t go --model "script:$work/script" \
			-o controller.condensers=fetch -o core.log_level=info \
			-o core.log_file="$work/log" -o condenser.fetch.run=$run \
			-o "condenser.fetch.requests=GET $url/1;POST $url/2 x;GET $url/slow" \
			-o condenser.fetch.timeout=2000
		echo "$output"
		[ "$output" = Done. ]
		cat "$work/log"
		grep -E '[1-9] places: .*\./1\..*\./2\..*did not respond in time' "$work/log"
		rm "$work/log"
	done
	requests="GET $url/0"
	for n in {1..8}; do requests+=";GET $url/$n"; done
	run mortise run -q -C "$work/ws" -t go --model "script:$work/script" \
		-o controller.condensers=fetch -o "condenser.fetch.requests=$requests"
	[ "$status" -ne 0 ]
	[[ "$output" == *"condenser fetch sent more than 8 requests"* ]]
}

@test "analyzers have no effects" {
	printf '[turn]\n[call execute_bash]\ncommand = true\n[turn]\n[call finish]\nmessage = Done.\n' \
		>"$work/script"
	for run in inside fork; do
		run mortise run -q -C "$work/ws" -t go --model "script:$work/script" \
			-o controller.analyzers=fetch -o analyzer.fetch.run=$run \
			-o controller.analyzer_failure=high -o core.log_level=warning \
			-o core.log_file="$work/log"
		[ "$output" = Done. ]
		[ ! -s "$work/log" ]
	done
}

# begin REQUESTS [OPTION...]: the agent in the background, until the server has its last
# request, which it does not answer
begin() {
	rm -rf "$work/state/mortise"
	: >"$work/seen"
	mortise run --json --keep -C "$work/ws" -o controller.agent=fetch -t go \
		-o "agent.fetch.requests=$1" "${@:2}" <&9 >"$work/out" 2>"$work/err" 3>&- &
	pid=$!
	left+=" $pid"
	until_true grep "^[A-Z]* /hang" "$work/seen"
}

@test "a pause cancels the request; the step says so when it is repeated" {
	mkfifo "$work/fifo"
	exec 9<>"$work/fifo"
	for run in inside fork; do
		begin "GET $url/a;POST $url/b x;POST $url/hang x" -o agent.fetch.run=$run
		echo '{"type":"pause"}' >&9
		until_true grep "closed /hang" "$work/seen"
		until_true grep '"state":"paused"' "$work/out"
		echo '{"type":"resume"}' >&9
		until_true grep '"action":"finish"' "$work/out"
		grep '"final_thought":' "$work/out"
		grep 'may have had its effect' "$work/out"
		kill -9 "$pid"
		cat "$work/seen"
		[ "$(grep -v closed "$work/seen")" = "GET /a"$'\n'"POST /b"$'\n'"POST /hang" ]
	done
	exec 9>&-
}

@test "after a crash no response is lost, and nothing is repeated silently" {
	exec 9</dev/null
	for run in inside fork; do
		begin "GET $url/a;POST $url/b x;POST $url/hang y" -o agent.fetch.run=$run
		kill -9 "$pid"
		until_true grep "closed /hang" "$work/seen"
		run timeout 120 mortise resume -q last
		echo "$output"
		[ "$status" -eq 0 ]
		[[ "$output" == *'./a.'*'./b.'*'<0, error -'*'it may have had its effect'* ]]
		[ "$(grep -v closed "$work/seen")" = "GET /a"$'\n'"POST /b"$'\n'"POST /hang" ]
		[ "$(log | grep -c '"action":"finish"')" -eq 1 ]

		# Requests that can be repeated are sent again.
		for kind in "GET $url/hang" "POST $url/hang y"; do
			begin "POST $url/b x;$kind" -o agent.fetch.run=$run \
				-o agent.fetch.repeatable=yes
			kill -9 "$pid"
			mortise resume -q last >"$work/out" 2>&1 3>&- &
			left+=" $!"
			until_true eval '[ "$(grep -c "^[A-Z]* /hang" "$work/seen")" -eq 2 ]'
			[ "$(grep -c "POST /b" "$work/seen")" -eq 1 ]
			kill -9 "$!"
		done
	done
}

@test "the next step sends new requests" {
	cat >"$work/script" <<-'END'
		[turn]
		[call execute_bash]
		command = true

		[turn]
		[call finish]
		message = Read.
	END
	run mortise run -q -C "$work/ws" -o controller.agent=teller -t go \
		--model "script:$work/script" -o "agent.teller.requests=POST $url/a x;POST $url/a x"
	echo "$output"
	[ "$output" = Read. ]
	[ "$(wc -l <"$work/seen")" -eq 4 ]
}

@test "a fork has the responses that its log names" {
	state=$work/state/mortise/conversations
	one="GET $url/a"
	many=$one
	pad=$(printf %0300d 0)
	for n in {1..31}; do many+=";GET $url/$n?$pad"; done # the record is a blob itself
	for requests in "$one" "$many"; do
		rm -rf "$work/state/mortise"
		run "${fetch[@]}" -o "agent.fetch.requests=$requests"
		[ "$status" -eq 0 ]
		old=$(ls "$state")
		new=$(mortise fork -q)
		echo "$requests"
		ls "$state/$old/blobs" | diff - <(ls "$state/$new/blobs")
		[ -n "$(ls "$state/$new/blobs")" ]
	done
}

# The example of a condenser, built as a vendor builds it.
build_archive() {
	cp "$top_srcdir"/examples/archive/* "$work"
	mkdir "$work/plugins"
	# shellcheck disable=SC2086
	${CC:-cc} -g -Wall -Wextra -Werror $SANITIZE -I"$top_srcdir/sdk-headers" "$@"
}

@test "the example archive: its own test" {
	build_archive -o "$work/test" "$work/test.c"
	"$work/test"
}

@test "the example archive: events are on a server before they are forgotten" {
	build_archive -shared -fPIC -fvisibility=hidden -o "$work/plugins/archive.so" \
		"$work/archive.c"
	for _ in {1..6}; do
		printf '[turn]\n[call execute_bash]\ncommand = echo the word is sesame\n\n'
	done >"$work/script"
	cat >>"$work/script" <<-'END'
		[turn]
		[call finish]
		message = Done.
	END
	archive=(mortise run -q -C "$work/ws" --model "script:$work/script" -t go
		-o "core.plugin_path=$MORTISE_CORE_PLUGIN_PATH,$work/plugins"
		-o controller.condensers=archive -o condenser.archive.max_events=10
		-o controller.stuck_detection=no -o condenser.archive.http_hosts=127.0.0.1)
	run "${archive[@]}" -o "condenser.archive.url=$url/archive"
	echo "$output"
	[ "$output" = Done. ]
	grep "POST /archive" "$work/seen"
	grep "the word is sesame" "$work/archived"
	log | grep '"action":"condensation"' | grep 'archived at /archive/1'

	# Nothing is forgotten if the server refuses it.
	rm -r "$work/state/mortise"
	run "${archive[@]}" -o "condenser.archive.url=$url/none" -o core.log_file="$work/log"
	[ "$output" = Done. ]
	run -1 grep '"action":"condensation"' "$work"/state/mortise/conversations/*/events.jsonl
	grep 'no events were archived: HTTP status 404' "$work/log"
}
