#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# sandbox.bats - the sandbox of tools: what it refuses, and the ordinary work that it does
# not hinder.
bats_require_minimum_version 1.5.0
load ../wait

setup() {
	work=$BATS_TEST_TMPDIR
	export HOME=$work/home XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state
	mkdir -m 700 "$HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME" "$work/ws"
	export GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b
	export MORTISE_CORE_PASS_ENV=GIT_AUTHOR_NAME,GIT_AUTHOR_EMAIL,GIT_COMMITTER_NAME,GIT_COMMITTER_EMAIL
	cd "$work/ws"
	unset MORTISE_SANDBOX_READ MORTISE_SANDBOX_WRITE
}

needs_namespaces() {
	mortise sandbox show --json | jq -e .namespaces >/dev/null ||
		skip "no user namespaces here"
}

inside() { timeout 120 mortise sandbox run -- "$@"; }

# play TEXT: run a conversation with this script
play() {
	printf '%s\n' "$1" >"$work/script"
	shift
	timeout 120 mortise run -C "$work/ws" --model "script:$work/script" -t go "$@"
}

# ---- what it refuses ----------------------------------------------------------------

# What is refused at which version of Landlock: tests/escape.
@test "verify tries to break out, and reports what succeeds" {
	needs_namespaces
	run -0 timeout 120 mortise sandbox verify
	[[ "$output" == *"refused    create a file outside ("* ]]
	[[ "$output" == *"skipped    change the configuration of the repository"* ]]
	[[ "$output" != *SUCCEEDED* ]]
	[[ "$output" != *"not tried"* ]]
	run -1 timeout 120 mortise sandbox verify --json -o sandbox.namespaces=no -o sandbox.landlock=0
	[[ "$output" == *'{"attempt":"change the mode of a file outside","result":"SUCCEEDED","error":""}'* ]]
	[[ "$output" == *" attempts succeeded or were not made: namespaces are disabled in the configuration"* ]]
}

# The build directory may be anywhere, even in a directory of / that no standard names. It
# is readable here; the directory that contains it is not.
@test "Unix sockets cannot be connected to, wherever they are" {
	needs_namespaces
	local dir
	dir=$(mktemp -d "$top_builddir/../socket-XXXXXX") || skip "the directory cannot be created"
	TMPDIR=$dir XDG_STATE_HOME=$dir run timeout 120 mortise sandbox verify
	rm -rf "$dir"
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"refused    connect to a Unix socket outside"* ]]
}

@test "mode = required refuses to run without all of it" {
	run -1 mortise sandbox run -o sandbox.mode=required -o sandbox.namespaces=no -o sandbox.landlock=0 -- true
	[[ "$output" == *"the sandbox is required, but not all of it is enforced"* ]]
	run play $'[turn]\n[call execute_bash]\ncommand = touch ran\n[turn]\n[call finish]\nmessage = Done.' \
		-o sandbox.mode=required -o sandbox.namespaces=no -o sandbox.landlock=0
	[ ! -e ran ]
	[[ "$output" == *"the sandbox is required"* ]]
}

@test "files of git that run code cannot be changed, nor replaced" {
	needs_namespaces
	git init -q
	run ! inside sh -c 'echo "[core] fsmonitor = touch ran" >>.git/config'
	run ! inside git config core.fsmonitor 'touch ran'
	run ! inside sh -c 'echo "touch ran" >.git/hooks/pre-commit'
	run ! inside mv .git moved
	run -0 inside git status
	git status
	[ ! -e ran ]
	run ! inside rm -rf .git
	[ -e .git/config ]
}

@test "a repository cannot be redirected to another configuration" {
	needs_namespaces
	git init -q
	cat >plant <<-'E'
	mkdir -p evil && cp -r .git/objects .git/refs evil
	printf '[core]\n\trepositoryformatversion = 0\n\tfsmonitor = touch ran #\n' >evil/config
	echo ../evil >.git/commondir
	E
	run -0 inside sh ./plant
	[[ "$output" == *"$work/ws/.git/commondir was changed while tools ran. The change was reverted"* ]]
	[ ! -e .git/commondir ]
	git status
	[ ! -e ran ]
	git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
	git worktree add -q "$work/linked"
	cd "$work/linked"
	run ! inside sh -c "echo $work/ws/evil >$work/ws/.git/worktrees/linked/commondir"
}

@test "the settings of other linked work trees cannot be redirected" {
	needs_namespaces
	git init -q
	git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one
	git worktree add -q "$work/linked"
	other=$work/ws/.git/worktrees/linked
	run -0 inside sh -c "mkdir evil && echo $work/ws/evil >.git/worktrees/linked/commondir"
	[[ "$output" == *"$other/commondir was changed while tools ran. The change was reverted"* ]]
	[ "$(cat "$other/commondir")" = ../.. ]
	run -0 inside sh -c "mv $other x && mkdir $other && cp x/HEAD x/gitdir $other && touch $other/config"
	[[ "$output" == *"$other/commondir was changed"* ]]
	[ "$(cat "$other/commondir")" = ../.. ]
	run -0 inside git worktree list
	[[ "$output" != *"was changed"* ]]
}

@test "a .git file of the project does not open the directory that it names" {
	mkdir "$work/other"
	echo "gitdir: $work/other" >.git
	run ! inside touch "$work/other/x"
	[ ! -e "$work/other/x" ]
}

@test "profile = read-only: nothing can be changed but temporary files" {
	run -0 mortise sandbox run -p read-only -- sh -c 'echo x >/tmp/x && cat /tmp/x'
	run ! mortise sandbox run -p read-only -- touch x
	[ ! -e x ]
}

@test "files of the home directory are not visible, but those that are listed" {
	needs_namespaces
	mkdir "$HOME/.ssh" "$HOME/data"
	echo key >"$HOME/.ssh/id"
	echo public >"$HOME/data/x"
	run ! inside cat "$HOME/.ssh/id"
	run ! inside ls "$HOME/.ssh"
	MORTISE_SANDBOX_READ=$HOME/data run -0 inside cat "$HOME/data/x"
	[ "$output" = public ]
	MORTISE_SANDBOX_READ=$HOME/data run ! inside touch "$HOME/data/x"
	MORTISE_SANDBOX_WRITE=$HOME/data run -0 inside touch "$HOME/data/y"
	[ -e "$HOME/data/y" ]
}

@test "in the home directory, hidden files are out of reach" {
	needs_namespaces
	mkdir "$HOME/.ssh" "$HOME/project"
	echo key >"$HOME/.ssh/id"
	cd "$HOME"
	run -0 inside touch project/x
	run ! inside cat .ssh/id
	inside touch .profile || true
	[ ! -e .profile ]
	cd "$work"
	run ! inside touch ws/x
	[ ! -e ws/x ]
}

# ---- ordinary work ---------------------------------------------------------------------

@test "git: commits from a subdirectory and in a linked work tree" {
	git init -q
	mkdir sub
	echo x >sub/file
	cd sub
	run -0 inside sh -c 'git add file && git commit -qm one && git log --oneline'
	[[ "$output" == *one ]]
	git worktree add -q "$work/linked"
	cd "$work/linked"
	run -0 inside sh -c 'echo y >more && git add more && git commit -qm two && git log --oneline'
	[[ "$output" == *two* ]]
}

@test "compilers, temporary files, pseudo-terminals and processes" {
	echo 'int main(void){return 0;}' >a.c
	run -0 inside sh -c 'cc a.c -o a && ./a'
	run -0 inside sh -c 'mktemp && mktemp -p /tmp && echo x >/var/tmp/x'
	cat >pool.py <<-'E'
	import multiprocessing as mp, os, pty

	def square(x):
	    return x * x

	if __name__ == "__main__":
	    for method in "fork", "spawn", "forkserver":
	        with mp.get_context(method).Pool(2) as pool:
	            assert pool.map(square, [1, 2]) == [1, 4]
	    pid, fd = pty.fork()
	    if pid == 0:
	        os.execvp("tty", ["tty"])
	    assert b"/dev/pts/" in os.read(fd, 100)
	E
	run -0 inside python3 pool.py
}

@test "a browser that a command starts" {
	command -v chromium >/dev/null || skip "no chromium"
	run -0 --separate-stderr inside chromium --headless --no-sandbox --disable-gpu \
		--dump-dom 'data:text/html,<p>hello</p>'
	[[ "$output" == *"<p>hello</p>"* ]]
}

@test "local ports" {
	needs_namespaces
	cat >serve.py <<-'E'
	import http.server, threading, urllib.request
	server = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
	threading.Thread(target=server.serve_forever, daemon=True).start()
	url = "http://127.0.0.1:%d/serve.py" % server.server_port
	assert b"HTTPServer" in urllib.request.urlopen(url).read()
	E
	run -0 inside python3 serve.py
}

@test "caches are in a directory of the workspace, which another one does not share" {
	run -0 inside sh -c 'mkdir -p "$XDG_CACHE_HOME" && echo x >"$XDG_CACHE_HOME/x" && echo "$PIP_CACHE_DIR"'
	[[ "$output" == "$work/cache/mortise/workspaces/"*/pip ]]
	git init -q
	mkdir sub
	cd sub
	run -0 inside sh -c 'cat "$XDG_CACHE_HOME/x"'
	mkdir "$work/second"
	cd "$work/second"
	run ! inside sh -c 'cat "$XDG_CACHE_HOME/x"'
}

@test "without a directory for caches, the sandbox runs without them" {
	unset XDG_CACHE_HOME
	run -0 env -u HOME timeout 120 mortise sandbox run -- sh -c 'echo "$CCACHE_DIR."'
	[ "$output" = . ]
	export XDG_CACHE_HOME=/dev/null/cache
	run -0 inside sh -c 'echo "$CCACHE_DIR."'
	[ "$output" = . ]
}

@test "run passes the exit code on, and names a program that it cannot run" {
	run -3 inside sh -c 'exit 3'
	run -127 inside mortise-no-such-program
	[[ "$output" == *"cannot run mortise-no-such-program: No such file or directory"* ]]
	run -143 inside sh -c 'kill -TERM $$'
}

# ---- conversations ----------------------------------------------------------------------

@test "a command of unknown risk runs without approval, one of high risk is refused" {
	needs_namespaces
	run -0 play "[turn]
[call execute_bash]
command = ./no-such-program; touch ran
[turn]
expect last contains = No such file
[call execute_bash]
command = sudo rm -rf /etc
[turn]
expect last contains = requires approval (risk HIGH
expect last contains = no user is available
[call finish]
message = Done."
	[ -e ran ]
	run -8 play "[turn]
[call execute_bash]
command = sudo rm -rf /etc
[turn]
[call finish]
message = Done." -o controller.on_ask=stop
}

# descendant NAME PID: a process of this name that PID has started
descendant() {
	local pid at
	for pid in $(pgrep -x "$1"); do
		for ((at = pid; at > 1; at = $(ps -o ppid= -p "$at" || echo 0))); do
			[ "$at" -ne "$2" ] || { echo "$pid"; return; }
		done
	done
	return 1
}

@test "a network proxy that is killed is started again" {
	needs_namespaces
	command -v curl >/dev/null || skip "no curl"
	play "[turn]
[call execute_bash]
command = touch ready; until [ -e killed ]; do sleep 0.05; done; curl -s http://refused.example
[turn]
expect last contains = started again
expect last contains = hosts += refused.example
[call finish]
message = Done." 3>&- >"$work/out" 2>&1 &
	player=$!
	until_true test -e ready
	kill -9 "$(descendant mortise-proxy $player)"
	until_true descendant mortise-proxy $player
	touch killed
	wait $player || { cat "$work/out"; false; }
}

@test "without a sandbox, a command of unknown risk is refused, unless approval is off" {
	script="[turn]
[call execute_bash]
command = ./no-such-program; touch ran
[turn]
[call finish]
message = Done."
	run -0 play "$script" -o sandbox.mode=off -o controller.confirmation=auto
	[ ! -e ran ]
	[[ "$output" == *"requires approval (risk UNKNOWN"* ]]
	run -0 play "$script" -o sandbox.network=full -o controller.confirmation=auto
	[ ! -e ran ]
	run -0 play "$script" -o sandbox.mode=off -o controller.confirmation=never
	[ -e ran ]
}

@test "a notice names what the sandbox lacks" {
	run -0 play $'[turn]\n[call execute_bash]\ncommand = true\n[turn]\n[call finish]\nmessage = Done.' \
		-o sandbox.namespaces=no -o sandbox.landlock=0 -o controller.confirmation=never
	[ "$(grep -c 'not all of the sandbox is enforced: namespaces are disabled' <<<"$output")" -eq 1 ]
}

@test "a note names the path that the sandbox refused, and the setting" {
	needs_namespaces
	mkdir "$work/outside"
	MORTISE_SANDBOX_READ=$work/outside run -0 play "[turn]
[call execute_bash]
command = touch $work/outside/x
[turn]
expect last contains = [Sandbox: $work/outside/x is outside of what tools can change.
expect last contains = \`write += $work/outside/x\` in [sandbox]
[call execute_bash]
command = false
[turn]
expect last contains = exit code 1
[call finish]
message = Done."
	run ! grep -q '"text":"\[Sandbox.*false' "$work"/state/mortise/conversations/*/events.jsonl
}

@test "a note names the host that the proxy refused, and the setting" {
	needs_namespaces
	run -0 play "[turn]
[call execute_bash]
command = curl -sS https://not-allowed.example/
[turn]
expect last contains = [Sandbox: Host not-allowed.example is not allowed by the sandbox
expect last contains = hosts += not-allowed.example
[call finish]
message = Done."
}

@test "nothing is left when the host is killed" {
	needs_namespaces
	printf '[turn]\n[call execute_bash]\ncommand = sleep 567.25\n[turn]\n[call finish]\nmessage = Done.\n' >"$work/script"
	TMPDIR=$work mortise run -C "$work/ws" --model "script:$work/script" -t go 3>&- &
	pid=$!
	for ((i = 0; i < 300; i++)); do
		if pgrep -f "sleep 567.25" >/dev/null; then break; fi
		sleep 0.1
	done
	pgrep -f 'sleep 567.25'
	kill -9 $pid
	for ((i = 0; i < 100; i++)); do
		pgrep -f 'sleep 567.25' >/dev/null || break
		sleep 0.1
	done
	run ! pgrep -f 'sleep 567.25'
	for ((i = 0; i < 100; i++)); do
		[ -n "$(find "$work" -maxdepth 1 -name 'mortise-runner-*')" ] || break
		sleep 0.1
	done
	run -1 grep . <<<"$(find "$work" -maxdepth 1 -name 'mortise-runner-*')"
}

# ---- explain ------------------------------------------------------------------------------

@test "explain says what tools can do with a path or host, and how to allow it" {
	run -0 mortise sandbox explain .
	[[ "$output" == "$work/ws: tools can change it"* ]]
	run -0 mortise sandbox explain /usr/bin/env
	[[ "$output" == *"tools can read it"*"add it to \`write\` in [sandbox]" ]]
	run -0 mortise sandbox explain "$work"
	[[ "$output" == *"cannot read or change it"* ]]
	run -0 mortise sandbox explain pypi.org
	[[ "$output" == *"tools can reach it"* ]]
	run -0 mortise sandbox explain example.org
	[[ "$output" == *"tools cannot reach it; to allow it, add it to \`hosts\`"* ]]
}

@test "a wrong pattern of a host is one sentence" {
	run -2 mortise sandbox -o sandbox.hosts='https://x/'
	[ "${#lines[@]}" -eq 1 ]
	[[ "$output" == "mortise: "*"https://x/"* ]]
}
