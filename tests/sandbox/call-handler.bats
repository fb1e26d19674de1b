#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# call-handler.bats - the sandbox without namespaces: the handler of system calls.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	export HOME=$work/home XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state
	mkdir -m 700 "$HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME" "$work/ws"
	export MORTISE_SANDBOX_NAMESPACES=no
	cd "$work/ws"
	cp "$top_builddir/tests/sandbox/hostile-calls" hostile
	echo secret >"$work/outside"
	chmod 600 "$work/outside"
	touch -d 2001-01-01 "$work/outside"
	unset MORTISE_SANDBOX_WRITE
	export MORTISE_SANDBOX_READ=$work/outside
	mortise sandbox show --json | jq -e .handler >/dev/null || skip "calls cannot be held here"
}

inside() { timeout 120 mortise sandbox run -- "$@" 2>"$work/err"; }

outside_is_unchanged() {
	[ "$(stat -c '%a %Y %s' "$work/outside")" = "600 978307200 7" ]
}

@test "without namespaces, attempts to break out are refused" {
	for version in 1 3 6; do
		run timeout 120 mortise sandbox verify -o sandbox.landlock=$version
		for attempt in "change the mode" "change the owner" "change the times" \
			"change an attribute" "connect to a Unix" "connect to an abstract" \
			"truncate a file"; do
			grep "^refused *$attempt" <<<"$output"
		done
	done
}

@test "no call changes metadata of a file outside, all do in the workspace" {
	for version in 1 3 6; do
		run -0 inside ./hostile change "$work/outside"
		[ "$output" = "" ]
		MORTISE_SANDBOX_LANDLOCK=$version run -0 inside ./hostile change "$work/outside"
		[ "$output" = "" ]
	done
	outside_is_unchanged
	touch file
	run -0 inside ./hostile change file
	for call in chmod fchmod fchmodat chown lchown fchown fchownat utimensat futimens utime \
		setxattr lsetxattr fsetxattr removexattr truncate; do
		grep -x "$call" <<<"$output"
	done
	[ "$(stat -c %a file)" = 777 ]
}

@test "a path that changes during the call does not reach a file outside" {
	case ${SANITIZE:-} in *address*) skip "the program hangs with the sanitizer" ;; esac
	run -0 inside ./hostile race "$work/outside" 20000
	[ "$output" = "" ]
	outside_is_unchanged
}

@test "arguments that are not valid, and connections that no server accepts" {
	run -0 inside ./hostile arguments
	[ "$output" = "" ]
	run -0 inside ./hostile block
	[ "$output" = "" ]
}

@test "programs cannot look into the handler" {
	run -0 inside ./hostile handler
	[ "$output" = $'handler\nkeeper' ]
}

@test "Unix sockets outside are refused, those in the workspace are not" {
	cat >serve.py <<-'E'
	import socket, sys, time
	path = sys.argv[1].replace("@", "\0")
	for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
	    s = socket.socket(socket.AF_UNIX, kind)
	    s.bind(path + str(int(kind)))
	    if kind == socket.SOCK_STREAM:
	        s.listen()
	    globals()["s%d" % kind] = s
	open(sys.argv[2], "w").close()
	time.sleep(60)
	E
	cat >client.py <<-'E'
	import socket, sys
	s = socket.socket(socket.AF_UNIX)
	try:
	    s.connect(sys.argv[1].replace("@", "\0"))
	    print("connected")
	except PermissionError:
	    print("refused")
	E
	python3 serve.py "$work/path" "$work/ready1" 3>&- &
	one=$!
	python3 serve.py "@mortise-$$-" "$work/ready2" 3>&- &
	two=$!
	until [ -e "$work/ready1" ] && [ -e "$work/ready2" ]; do sleep 0.1; done
	ln -s "$work/path1" link
	for version in 3 6; do
		export MORTISE_SANDBOX_LANDLOCK=$version
		for address in "$work/path1" ../path1 link "@mortise-$$-1"; do
			run -0 inside python3 client.py "$address"
			[ "$output" = refused ]
		done
	done
	run -0 inside ./hostile send "$work/path2"
	[ "$output" = "" ]
	kill $one $two
	cat >own.py <<-'E'
	import os, socket, tempfile
	for path in "socket", tempfile.mkdtemp() + "/socket":
	    server = socket.socket(socket.AF_UNIX)
	    server.bind(path)
	    server.listen()
	    client = socket.socket(socket.AF_UNIX)
	    client.connect(path)
	    server.accept()[0].send(b"x")
	    assert client.recv(1) == b"x"
	E
	run -0 inside python3 own.py
}

@test "ordinary work: files, archives, git, processes that talk to each other" {
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
	export MORTISE_CORE_PASS_ENV=GIT_AUTHOR_NAME,GIT_AUTHOR_EMAIL,GIT_COMMITTER_NAME,GIT_COMMITTER_EMAIL
	cat >work.sh <<-'E'
	set -e
	touch a
	chmod 751 a
	touch -d 2001-01-01 a
	cp -p a b
	ln -s a l
	touch -h -d 2002-02-02 l
	tar cf t.tar a b l
	mkdir x
	tar xpf t.tar -C x
	stat -c '%a %Y' x/b
	stat -c %Y x/l
	chown -h "$(id -u)" l
	git init -q g
	cd g
	cp -a ../x .
	git add .
	git commit -qm x
	git clone -q . ../clone
	install -m 600 ../a "$TMPDIR/a"
	chmod 644 /dev/stdin <../a
	E
	run -0 inside sh work.sh
	[ "$output" = $'751 978307200\n1012608000' ]
	[ "$(stat -c %a a)" = 644 ]
	cat >pool.py <<-'E'
	import multiprocessing as mp

	def square(x):
	    return x * x

	if __name__ == "__main__":
	    for method in "fork", "spawn", "forkserver":
	        with mp.get_context(method).Pool(2) as pool:
	            assert pool.map(square, [1, 2]) == [1, 4]
	    with mp.Manager() as manager:
	        manager.list([1]).append(2)
	E
	for version in 2 6; do
		MORTISE_SANDBOX_LANDLOCK=$version run -0 inside python3 pool.py
	done
	run -0 inside python3 -m venv --without-pip venv
	run -3 inside sh -c 'exit 3'
	run -143 inside sh -c 'kill -TERM $$'
}

@test "the editor keeps mode and attributes of a file" {
	echo one >file
	chmod 751 file
	python3 -c 'import os; os.setxattr("file", "user.x", b"1")' || skip "no attributes here"
	cat >"$work/script" <<-E
	[turn]
	[call str_replace_editor]
	command = view
	path = $work/ws/file
	[turn]
	[call str_replace_editor]
	command = str_replace
	path = $work/ws/file
	old_str = one
	new_str = two
	[turn]
	[call finish]
	message = Done.
	E
	run -0 timeout 120 mortise run -C "$work/ws" --model "script:$work/script" -t go -o controller.confirmation=never
	[ "$(cat file)" = two ]
	[ "$(stat -c %a file)" = 751 ]
	run -0 python3 -c 'import os; print(os.getxattr("file", "user.x"))'
	[ "$output" = "b'1'" ]
}

@test "the handler dies with its runner" {
	export MORTISE_CORE_PASS_ENV=MARK MARK=$work
	printf '[turn]\n[call execute_bash]\ncommand = touch ran; sleep 60\n[turn]\n[call finish]\nmessage = Done.\n' >"$work/script"
	mortise run -C "$work/ws" --model "script:$work/script" -t go -o controller.confirmation=never 3>&- &
	host=$!
	for ((i = 0; i < 300; i++)); do
		if [ -e ran ]; then break; fi
		sleep 0.1
	done
	guard=$(pgrep -P $host -n)
	supervisor=$(pgrep -P "$guard")
	handlers=$(pgrep -P "$supervisor" -x mortise-calls)
	[ -n "$handlers" ]
	kill -9 $host
	for pid in $guard $supervisor $handlers; do
		for ((i = 0; i < 100; i++)); do
			[ -d "/proc/$pid" ] || break
			sleep 0.1
		done
		[ ! -d "/proc/$pid" ]
	done
}
