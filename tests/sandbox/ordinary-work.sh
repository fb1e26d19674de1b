#!/bin/bash
# SPDX-License-Identifier: MIT
# ordinary-work.sh - runs the commands of `ordinary-work` in a sample project, with the shell
# tool: in the sandbox of the default profile, and without it. Prints the commands that were
# not approved, and those that fail only in the sandbox, with the end of their output. Exits
# with 1 if there are any of the latter.
list=${1:-$top_srcdir/tests/sandbox/ordinary-work}
work=$(mktemp -d -p "$HOME") || exit 2
trap 'rm -rf "$work"' EXIT
unset MORTISE_SANDBOX_READ MORTISE_SANDBOX_WRITE MORTISE_CONTROLLER_CONFIRMATION
export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
export MORTISE_CORE_PASS_ENV=GIT_AUTHOR_NAME,GIT_AUTHOR_EMAIL,GIT_COMMITTER_NAME,GIT_COMMITTER_EMAIL,RUSTUP_HOME

# A package that pip installs without a network.
make_wheel() {
	python3 - "$1" <<-'P'
		import sys, zipfile
		info = "sample_wheel-1.0.dist-info/"
		with zipfile.ZipFile(sys.argv[1] + "/sample_wheel-1.0-py3-none-any.whl", "w") as z:
		    z.writestr("sample_wheel.py", "x = 1\n")
		    z.writestr(info + "METADATA", "Metadata-Version: 2.1\nName: sample-wheel\nVersion: 1.0\n")
		    z.writestr(info + "WHEEL", "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
		    z.writestr(info + "RECORD", "")
	P
}

make_project() {
	mkdir -p "$1"/{src,tests,c,js/dep,go,rust/src,scripts,wheels}
	cd "$1" || exit 2
	git init -q -b main
	printf '# Sample\ntext\n' >README.md
	printf 'build\nout\n' >.gitignore
	printf 'def add(a, b):\n    return a + b\n' >src/app.py
	printf 'import sys, unittest\nsys.path.insert(0, "src")\nimport app\n\n\nclass T(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(app.add(1, 2), 3)\n' >tests/test_app.py
	printf '#include <stdio.h>\nint main(void)\n{\n\tputs("hello");\n\treturn 0;\n}\n' >c/hello.c
	printf 'build/hello: c/hello.c\n\tmkdir -p build\n\t$(CC) $(CFLAGS) -o $@ $<\ntest: build/hello\n\t./build/hello | grep hello\nclean:\n\trm -rf build\n' >Makefile
	printf '{"name":"sample","version":"1.0.0","dependencies":{"dep":"file:./dep"},"scripts":{"hello":"echo hello","test":"node index.js"}}\n' >js/package.json
	printf '{"name":"dep","version":"1.0.0"}\n' >js/dep/package.json
	echo 'console.log("hello")' >js/index.js
	printf 'module sample\n\ngo 1.18\n' >go/go.mod
	printf 'package main\n\nfunc main() { println("hello") }\n' >go/main.go
	printf 'package main\n\nimport "testing"\n\nfunc TestMain1(t *testing.T) {}\n' >go/main_test.go
	printf '[package]\nname = "sample"\nversion = "0.1.0"\nedition = "2021"\n' >rust/Cargo.toml
	printf 'fn main() {\n    println!("hello");\n}\n\n#[test]\nfn one() {}\n' >rust/src/main.rs
	printf '#!/bin/sh\necho running\n' >scripts/run.sh
	cat >scripts/sockets.py <<-'P'
		import os, socket
		for family, address in (socket.AF_INET, ("127.0.0.1", 0)), (socket.AF_INET6, ("::1", 0)), \
		        (socket.AF_UNIX, "sock.tmp"), (socket.AF_UNIX, "\0sample-%d" % os.getpid()):
		    server = socket.socket(family)
		    server.bind(address)
		    server.listen()
		    client = socket.socket(family)
		    client.connect(server.getsockname())
		os.unlink("sock.tmp")
		a, b = socket.socketpair()
		u = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
		u.bind(("127.0.0.1", 0))
		u.sendto(b"x", u.getsockname())
		assert u.recv(1) == b"x"
	P
	cat >scripts/workers.py <<-'P'
		import multiprocessing as mp


		def square(x):
		    return x * x


		if __name__ == "__main__":
		    for method in "fork", "spawn", "forkserver":
		        with mp.get_context(method).Pool(2) as pool:
		            assert pool.map(square, [1, 2]) == [1, 4]
		    with mp.Manager() as manager:
		        manager.list().append(1)
	P
	cat >scripts/terminal.py <<-'P'
		import os, pty, subprocess
		main, side = pty.openpty()
		subprocess.run(["tty"], stdin=side, stdout=side, check=True)
		assert b"/dev/pts/" in os.read(main, 100)
	P
	make_wheel wheels
	git add -A
	git commit -qm 'First'
	echo more >>README.md
	git commit -qam 'Second'
}

# run NAME OPTION...: the commands in a project of their own; $work/NAME.json
run() {
	local name=$1
	shift
	make_project "$work/$name/project"
	timeout 1200 mortise run --json --model "script:$work/script" -t go "$@" \
		</dev/null >"$work/$name.json" 2>"$work/$name.err"
	# NUMBER CODE, "asked" if it was not approved
	jq -r 'select(.observation == "run" or .observation == "error") |
		[(.tool_call_metadata.tool_call_id | split("_")[1] | tonumber + 1),
		 (if .observation == "run" then .extras.metadata.exit_code
		  elif .extras.error_id == "AGENT_ERROR$ACTION_DENIED" then "asked"
		  else "error" end)] | @tsv' "$work/$name.json" |
		sort -n -u >"$work/$name"-codes
}

number=0
while IFS= read -r line; do
	[[ "$line" == '#'* ]] && continue
	number=$((number + 1))
	commands[number]=$line
	printf '[turn]\n[call execute_bash]\ncommand = %s\ntimeout = 300\n' "$line"
done <"$list" >"$work/script"
printf '[turn]\n[call finish]\nmessage = Done.\n' >>"$work/script"
: "${commands[1]:?}"

run with -o controller.confirmation=auto
run without -o sandbox.mode=off -o controller.confirmation=never
asked=$(grep -c asked "$work/with-codes")
wrong=0
failed=0
while read -r n code; do
	bare=$(awk -v n="$n" '$1 == n { print $2 }' "$work/without-codes")
	if [ "$code" = asked ]; then
		reason=$(jq -r --arg n "call_$((n - 1))_0" 'select(.tool_call_metadata.tool_call_id == $n and .observation) | .content' \
			"$work/with.json" | tail -n 1)
		printf 'asked: %s (without: %s) %s\n' "${commands[n]}" "$bare" "$reason"
	elif [ "$code" != "$bare" ]; then
		wrong=$((wrong + 1))
		printf 'refused: %s (exit code %s, without: %s)\n' "${commands[n]}" "$code" "$bare"
		jq -r --arg n "call_$((n - 1))_0" 'select(.tool_call_metadata.tool_call_id == $n and .observation) | .content' \
			"$work/with.json" | tail -n 5 | sed 's/^/    /'
	elif [ "$code" != 0 ]; then
		failed=$((failed + 1))
		printf 'fails in both: %s (exit code %s)\n' "${commands[n]}" "$code"
	fi
done <"$work/with-codes"
echo "$(wc -l <"$work/with-codes") of $number commands: $asked asked, $wrong refused in the sandbox only, $failed fail in both"
[ "$wrong" -eq 0 ] && [ "$(wc -l <"$work/with-codes")" -eq "$number" ]
