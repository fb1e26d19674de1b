#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# network-proxy.bats - ordinary programs behind the network proxy of the sandbox: curl, git
# and Python, with real TLS.
bats_require_minimum_version 1.5.0

# await FILE PATTERN: wait until a line matches; prints what \1 is
await() {
	local i found
	for ((i = 0; i < 400; i++)); do
		found=$(sed -n "s/$2/\\1/p" "$1" 2> /dev/null | head -n 1)
		[ -z "$found" ] || break
		sleep 0.05
	done
	echo "$found"
}

setup() {
	work=$BATS_TEST_TMPDIR
	cd "$work"
	unset no_proxy NO_PROXY http_proxy https_proxy HTTPS_PROXY all_proxy ALL_PROXY
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
		-subj /CN=localhost -addext subjectAltName=DNS:localhost,DNS:other.example \
		-keyout key.pem -out cert.pem 2> /dev/null
	openssl s_server -accept 127.0.0.1:0 -cert cert.pem -key key.pem -WWW \
		> tls.log 2>&1 3>&- < /dev/null &
	pids=$!
	mkdir www
	echo 'a page' > www/page
	cp www/page page
	python3 -u -m http.server --bind 127.0.0.1 --directory www 0 > web.log 2>&1 3>&- &
	pids+=" $!"
	tls=$(await tls.log '^ACCEPT .*:\([0-9]*\)$')
	web=$(await web.log '^Serving HTTP on .* port \([0-9]*\) .*$')
	"$top_builddir/tests/sandbox/serve-network-proxy" "{\"hosts\": [\"localhost:$tls\",
		\"localhost:$web\", \"127.0.0.1:$tls\", \"127.0.0.1:$web\", \"other.example\"]}" \
		> proxy.log 2> reports 3>&- &
	pids+=" $!"
	export http_proxy=http://127.0.0.1:$(await proxy.log '^\([0-9]*\)$')
	export https_proxy=$http_proxy all_proxy=$http_proxy
	fetch=(curl -sS --max-time 20 --cacert cert.pem)
}

teardown() {
	# shellcheck disable=SC2086 # a list
	kill $pids
}

@test "curl gets pages with and without TLS" {
	run -0 "${fetch[@]}" "https://localhost:$tls/page"
	[ "$output" = 'a page' ]
	run -0 "${fetch[@]}" --tlsv1.3 "https://localhost:$tls/page"
	[ "$output" = 'a page' ]
	run -0 "${fetch[@]}" --tls-max 1.2 "https://localhost:$tls/page"
	[ "$output" = 'a page' ]
	run -0 "${fetch[@]}" "http://localhost:$web/page" "http://127.0.0.1:$web/page"
	[ "$output" = $'a page\na page' ]
	run -0 "${fetch[@]}" --proxytunnel "http://localhost:$web/page"
	[ "$output" = 'a page' ]
	run -0 "${fetch[@]}" -k "https://127.0.0.1:$tls/page"
	[ "$output" = 'a page' ]
	[ ! -s reports ]
}

@test "a TLS connection for another host is refused, and reported" {
	run "${fetch[@]}" --connect-to "other.example:443:localhost:$tls" https://other.example/page
	echo "$output"
	[ "$status" -eq 35 ]
	[[ "$output" == *"unrecognized name"* ]]
	run -0 jq -r '.reason' reports
	[ "$output" = "The TLS connection to the host localhost names another server, other.example, so the sandbox refuses it." ]
}

@test "a host that is not listed is refused, with the way to allow it" {
	run -0 "${fetch[@]}" http://evil.example/
	[ "$output" = "Host evil.example is not allowed by the sandbox; allow it with \`hosts += evil.example\` in [sandbox]." ]
	run "${fetch[@]}" https://evil.example/
	[ "$status" -eq 56 ]
	[[ "$output" == *"response 403"* ]]
	run -0 jq -r '"\(.host) \(.port)"' reports
	[ "$output" = $'evil.example 80\nevil.example 443' ]
}

@test "a redirect to another host is refused" {
	printf 'HTTP/1.0 302 Found\r\nLocation: http://169.254.169.254/latest\r\n\r\n' > moved
	python3 - moved 3>&- > moved.log 2>&1 <<- 'EOF' &
		import socket, sys
		s = socket.create_server(("127.0.0.1", 0))
		print("port", s.getsockname()[1], flush=True)
		c, _ = s.accept()
		c.recv(65536)
		c.sendall(open(sys.argv[1], "rb").read())
		c.close()
	EOF
	pids+=" $!"
	port=$(await moved.log '^port \([0-9]*\)$')
	env -u http_proxy -u all_proxy "$top_builddir/tests/sandbox/serve-network-proxy" \
		"{\"hosts\": [\"127.0.0.1:$port\"]}" \
		> second.log 2> reports 3>&- &
	pids+=" $!"
	http_proxy=http://127.0.0.1:$(await second.log '^\([0-9]*\)$')
	run -0 "${fetch[@]}" -L "http://127.0.0.1:$port/"
	echo "$output"
	[[ "$output" == "Host 169.254.169.254 is not allowed by the sandbox"* ]]
}

@test "git clones and Python reads through the proxy" {
	git init -q -b main origin
	git -C origin -c user.name=n -c user.email=e commit -q --allow-empty -m first
	git clone -q --bare origin www/repo.git
	git -C www/repo.git update-server-info
	run -0 git clone -q "http://localhost:$web/repo.git" clone
	[ "$(git -C clone log --format=%s)" = first ]
	run git clone -q "https://evil.example/repo.git" no
	echo "$output"
	[ "$status" -ne 0 ]
	[[ "$output" == *403* ]]
	run -0 env SSL_CERT_FILE=cert.pem python3 -c 'import sys, urllib.request
for url in sys.argv[1:]: print(urllib.request.urlopen(url).read().decode(), end="")' \
		"http://localhost:$web/page" "https://localhost:$tls/page"
	[ "$output" = $'a page\na page' ]
}
