#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# grants.bats - [grant.NAME] opens paths and hosts in the sandbox if the user turns it on.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	export HOME=$work/home XDG_CACHE_HOME=$work/cache XDG_STATE_HOME=$work/state
	export XDG_CONFIG_HOME=$work/config XDG_RUNTIME_DIR=$work/run
	mkdir -m 700 "$HOME" "$XDG_CACHE_HOME" "$XDG_STATE_HOME" "$work/ws" "$XDG_CONFIG_HOME" \
		"$XDG_RUNTIME_DIR" "$HOME/.ssh"
	cd "$work/ws"
	unset MORTISE_SANDBOX_READ MORTISE_SANDBOX_WRITE SSH_AUTH_SOCK DOCKER_HOST DISPLAY
	pids=
}

teardown() {
	# shellcheck disable=SC2086 # a list
	[ -z "$pids" ] || kill $pids 2>/dev/null || true
}

needs_namespaces() {
	mortise sandbox show --json | jq -e .namespaces >/dev/null ||
		skip "no user namespaces here"
}

# inside OPTION... -- COMMAND
inside() { timeout 120 mortise sandbox run "$@"; }

# config TEXT: the configuration of the user
config() {
	mkdir -p "$XDG_CONFIG_HOME/mortise"
	printf '%s\n' "$@" >>"$XDG_CONFIG_HOME/mortise/mortise.ini"
}

# serve PATH: answer each connection to this Unix socket with a line
serve() {
	python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX)
s.bind(sys.argv[1])
s.listen()
while True:
    c = s.accept()[0]
    c.sendall(b"hello from outside\n")
    c.close()' "$1" 3>&- &
	pids+=" $!"
	for ((i = 0; i < 400; i++)); do
		[ ! -S "$1" ] || return 0
		sleep 0.05
	done
	return 1
}

# A client of that server.
ask='import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
print(s.recv(100).decode(), end="")'

# ---- what a grant opens --------------------------------------------------------------

@test "without namespaces, a grant opens its sockets, and no others" {
	export MORTISE_SANDBOX_NAMESPACES=no
	mortise sandbox show --json | jq -e '.landlock > 0' >/dev/null || skip "no Landlock here"
	serve "$HOME/socket"
	config '[sandbox]' 'grants = own' '[grant.own]' 'sockets = ~/socket'
	run -0 inside -- python3 -c "$ask" "$HOME/socket"
	[[ "$output" == *"hello from outside" ]]
	run ! inside -o sandbox.grants= -- python3 -c "$ask" "$HOME/socket"
}

@test "a grant opens paths, sockets and variables, and only if it is on" {
	needs_namespaces
	mkdir "$HOME/data" "$HOME/out"
	echo public >"$HOME/data/x"
	serve "$HOME/socket"
	config '[grant.own]' 'read = ~/data' 'write = ~/out' 'sockets = $OWN_SOCKET' \
		'variables = OWN_SOCKET, OWN_*'
	export OWN_SOCKET=$HOME/socket OWN_WORD=word
	run ! inside -- cat "$HOME/data/x"
	run ! inside -- python3 -c "$ask" "$HOME/socket"
	run ! inside -- touch "$HOME/out/x"
	run -0 inside -- sh -c 'echo ".$OWN_SOCKET$OWN_WORD"'
	[ "$output" = . ]
	config '[sandbox]' 'grants = own'
	run -0 inside -- cat "$HOME/data/x"
	[ "$output" = public ]
	run -0 inside -- python3 -c "$ask" "$HOME/socket"
	[ "$output" = "hello from outside" ]
	run -0 inside -- touch "$HOME/out/x"
	run ! inside -- touch "$HOME/data/y"
	run -0 inside -- sh -c 'echo "$OWN_SOCKET $OWN_WORD"'
	[ "$output" = "$HOME/socket word" ]
}

@test "a grant opens hosts" {
	run -0 mortise sandbox explain git.example:22
	[[ "$output" == *"tools cannot reach it"* ]]
	config '[grant.own]' 'hosts = git.example:22'
	run -0 mortise sandbox explain -o sandbox.grants=own git.example:22
	[ "$output" = "git.example:22: tools can reach it, through the proxy of the sandbox" ]
}

@test "grants that do not exist, and invalid ports, are reported" {
	run -2 inside -o sandbox.grants=shh -- true
	[[ "$output" == *"unknown grant \`shh\` in \`grants\` of [sandbox]; there are: "*ssh* ]]
	config '[grant.own]' 'ports = 80, many'
	run -2 inside -o sandbox.grants=own -- true
	[[ "$output" == *"[grant.own] \`ports\`: \`many\` is neither a port nor a range"* ]]
	run -2 inside -o sandbox.grants=own -o grant.own.ports=1-65535 -- true
	[[ "$output" == *"[grant.own] \`ports\` lists 65535 ports (maximum 4096)"* ]]
}

@test "a project can neither turn a grant on nor define one" {
	mkdir .mortise
	for text in $'[sandbox]\ngrants = ssh' $'[grant.ssh]\nread = ~' $'[grant.own]\nwrite = /'; do
		printf '%s\n' "$text" >.mortise/mortise.ini
		run ! mortise config trust
		[[ "$output" == *"a project cannot"* ]]
	done
}

@test "sandbox grants lists what they open, and which are on" {
	config '[sandbox]' 'grants = docker'
	run -0 mortise sandbox grants
	[[ "$output" == *"docker       on   the Docker daemon: equal to root"* ]]
	[[ "$output" == *"ssh          off  "* ]]
	[[ "$output" == *"variables  SSH_AUTH_SOCK"* ]]
	run -0 mortise sandbox grants --json -o sandbox.mode=off
	[ "$(jq -r 'select(.on).name' <<<"$output")" = docker ]
	[ "$(jq -s length <<<"$output")" -ge 5 ]
}

# ---- the shipped ones ------------------------------------------------------------------

@test "ssh: the agent and known hosts, but no private key" {
	needs_namespaces
	eval "$(ssh-agent -a "$work/agent" 3>&-)" >/dev/null
	pids=$SSH_AGENT_PID
	ssh-keygen -q -t ed25519 -N '' -C mine -f "$HOME/.ssh/id_ed25519"
	ssh-add -q "$HOME/.ssh/id_ed25519"
	echo 'git.example ssh-ed25519 AAAA' >"$HOME/.ssh/known_hosts"
	run ! inside -- ssh-add -l
	run -0 inside -o sandbox.grants=ssh -- ssh-add -l
	[[ "$output" == *" mine (ED25519)" ]]
	run -0 inside -o sandbox.grants=ssh -- cat "$HOME/.ssh/known_hosts" "$HOME/.ssh/id_ed25519.pub"
	run ! inside -o sandbox.grants=ssh -- cat "$HOME/.ssh/id_ed25519"
	run ! inside -o sandbox.grants=ssh -- sh -c "echo x >>$HOME/.ssh/known_hosts"
}

@test "ssh: git and ssh get through the proxy of the sandbox" {
	needs_namespaces
	python3 -u -c 'import socket
s = socket.create_server(("127.0.0.1", 0))
print(s.getsockname()[1])
c = s.accept()[0]
c.sendall(c.recv(100) + b" answered\n")
c.close()' >port 3>&- &
	pids=$!
	for ((i = 0; i < 400; i++)); do
		[ ! -s port ] || break
		sleep 0.05
	done
	serve "$work/agent"
	export SSH_AUTH_SOCK=$work/agent
	connect='bash -c "$MORTISE_CONNECT" - 127.0.0.1 '$(cat port)
	run -1 inside -o sandbox.grants=ssh -- sh -c "echo question | $connect"
	[[ "$output" == *"is not allowed by the sandbox"* ]]
	run -0 inside -o sandbox.grants=ssh -o "grant.ssh.hosts+=127.0.0.1:$(cat port)" -- \
		sh -c "printf question | $connect"
	[ "$output" = "question answered" ]
	run inside -o sandbox.grants=ssh -o sandbox.hosts= -o grant.ssh.hosts= -- \
		git ls-remote git@github.com:x/y
	echo "$output"
	[[ "$output" == *"Host github.com port 22 is not allowed by the sandbox"* ]]
}

@test "gpg: signs with the agent, without the private key" {
	needs_namespaces
	command -v gpg >/dev/null || skip "no gpg"
	mkdir -m 700 "$HOME/.gnupg"
	gpg -q --batch --passphrase '' --quick-gen-key me@example default default never 3>&-
	run ! inside -- gpg --batch --clearsign <<<text
	run inside -o sandbox.grants=gpg -- gpg --batch --clearsign <<<text
	gpgconf --kill gpg-agent
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"BEGIN PGP SIGNATURE"* ]]
	run ! inside -o sandbox.grants=gpg -- ls "$HOME/.gnupg/private-keys-v1.d"
}

@test "docker: the socket that DOCKER_HOST names" {
	needs_namespaces
	serve "$work/docker.sock"
	export DOCKER_HOST=unix://$work/docker.sock
	run ! inside -- python3 -c "$ask" "$work/docker.sock"
	run -0 inside -o sandbox.grants=docker -- sh -c 'python3 -c "$1" "${DOCKER_HOST#unix://}"' - "$ask"
	[ "$output" = "hello from outside" ]
}

@test "x11: display and cookie" {
	needs_namespaces
	echo cookie >"$HOME/.Xauthority"
	export DISPLAY=:7 XAUTHORITY=$HOME/.Xauthority
	run -0 inside -- sh -c 'echo "$DISPLAY."'
	[ "$output" = . ]
	run -0 inside -o sandbox.grants=x11 -- sh -c 'echo "$DISPLAY"; cat "$XAUTHORITY"'
	[ "$output" = $':7\ncookie' ]
}

@test "local-ports: without namespaces, TCP on listed ports" {
	[ "$(mortise sandbox --json -o sandbox.namespaces=no | jq .landlock)" -ge 4 ] ||
		skip "Landlock is older than version 4"
	cat >serve.py <<-'E'
	import socket, sys
	for port in range(int(sys.argv[1]), int(sys.argv[1]) + 100):
	    try:
	        server = socket.create_server(("127.0.0.1", port))
	        break
	    except OSError as e:
	        if e.errno != 98:
	            raise
	client = socket.create_connection(("127.0.0.1", port))
	server.accept()[0].sendall(b"hello")
	assert client.recv(5) == b"hello"
	E
	run ! inside -o sandbox.namespaces=no -- python3 serve.py 3400
	run -0 inside -o sandbox.namespaces=no -o sandbox.grants=local-ports -- python3 serve.py 3400
	run ! inside -o sandbox.namespaces=no -o sandbox.grants=local-ports -- python3 serve.py 4400
	[[ "$output" == *"Permission denied"* ]]
	run ! inside -o sandbox.namespaces=no -o sandbox.grants=local-ports -- python3 -c \
		'import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM)'
	[[ "$output" == *"not supported"* ]]
}

# ---- refusals ------------------------------------------------------------------------

# play TEXT: run a conversation with this script
play() {
	printf '%s\n' "$1" >"$work/script"
	shift
	timeout 120 mortise run -C "$work/ws" --model "script:$work/script" -t go "$@"
}

@test "a refusal names the grant that would help, if there is one" {
	needs_namespaces
	echo 'git.example ssh-ed25519 AAAA' >"$HOME/.ssh/known_hosts"
	serve "$work/agent"
	export SSH_AUTH_SOCK=$work/agent
	run play "[turn]
[call execute_bash]
command = cat ~/.ssh/known_hosts
[turn]
expect last contains = .ssh/known_hosts is outside of what tools can reach. The user can allow it with the grant \`ssh\`
[call execute_bash]
command = cat ~/.ssh/other
[turn]
expect last contains = with \`read += $HOME/.ssh/other\` in [sandbox]
[call execute_bash]
command = ssh-add -l
[turn]
expect last contains = [Sandbox: tools cannot use ssh. The user can allow it with the grant \`ssh\`
[call execute_bash]
command = curl -sf --max-time 10 -p telnet://github.com:22
[turn]
expect last contains = in [sandbox]. Or use the grant \`ssh\`.]
[call finish]
message = done" -o controller.confirmation=never
	echo "$output"
	[ "$status" -eq 0 ]
	run -0 mortise sandbox explain ~/.ssh/known_hosts
	[[ "$output" == *"The grant \`ssh\` opens it"* ]]
	run -0 mortise sandbox explain github.com:22
	[[ "$output" == *"The grant \`ssh\` opens it"* ]]
}

# ---- permissions of a conversation -----------------------------------------------------

# session SCRIPT: start a conversation whose input is descriptor 8; its output is in
# $work/out.
session() {
	printf '%s\n' "$1" >"$work/script"
	shift
	mkfifo "$work/in"
	timeout 120 mortise run -C "$work/ws" --model "script:$work/script" --json --keep-alive \
		<"$work/in" >"$work/out" 2>"$work/err" 3>&- &
	pids+=" $!"
	exec 8>"$work/in"
}

# until_line N PATTERN: N lines of the output match
until_line() {
	for ((i = 0; i < 1000; i++)); do
		[ "$(grep -c -- "$2" "$work/out")" -lt "$1" ] || return 0
		sleep 0.02
	done
	cat "$work/out" "$work/err"
	return 1
}

tell() { printf '%s\n' "$1" >&8; }
# answer ID TEXT: answer the question ID
answer() {
	until_line 1 "\"question\":$1,"
	tell "{\"type\":\"answer\",\"question\":$1,\"text\":\"$2\"}"
}

idle='"state":"awaiting_user_input"'
log() { cat "$XDG_STATE_HOME"/mortise/conversations/*/events.jsonl; }

@test "permissions change in a running conversation: the shell keeps its state" {
	needs_namespaces
	echo secret >"$HOME/data"
	session "[turn]
[call execute_bash]
command = mkdir sub; cd sub; export WORD='a b'; f() { echo \"f \$WORD \$PWD\"; }; cat ~/data
[turn]
expect last contains = No such file
text = one
[turn]
expect any contains = [The user changed what your tools may do: read+=$HOME/data.
[call execute_bash]
command = f; cat ~/data
[turn]
expect last contains = f a b $work/ws/sub
expect last contains = secret
text = two
[turn]
expect any contains = [The user reset what your tools may do to the configuration.
[call execute_bash]
command = f; cat ~/data
[turn]
expect last contains = f a b $work/ws/sub
expect last contains = No such file
text = three"
	tell '{"type":"message","text":"go"}'
	answer 1 no
	until_line 1 "$idle"
	tell "{\"type\":\"permissions\",\"set\":[\"read+=$HOME/data\"],\"id\":9001}"
	until_line 1 '"id":9001'
	grep '"id":9001' "$work/out" | jq -r .text >table
	cat table
	grep -q "^profile  *workspace: tools can change the workspace" table
	grep -q "^also read  *$HOME/data" table
	grep -q "^changed here  *read+=$HOME/data" table
	grep -q "^confirmation  *auto" table
	tell '{"type":"message","text":"continue"}'
	until_line 2 "$idle"
	tell '{"type":"permissions","reset":true,"id":9002}'
	tell '{"type":"message","text":"continue"}'
	answer 2 no
	until_line 3 "$idle"
	tell '{"type":"permissions","set":["landlock=0"],"id":9003}'
	tell '{"type":"permissions","set":["grants+=none"],"id":9004}'
	until_line 1 '"id":9004'
	grep '"id":9003' "$work/out" | grep -q 'cannot be changed in a conversation'
	grep '"id":9004' "$work/out" | grep -q 'unknown grant `none`'
	exec 8>&-
}

@test "a resume keeps permissions, and -o of a resume changes them for later ones" {
	needs_namespaces
	mkdir "$HOME/data"
	echo one >"$HOME/data/one"
	echo two >"$HOME/two"
	run play "[turn]
text = first
[turn]
[call execute_bash]
command = cat ~/data/one
[turn]
expect last contains = one
text = second
[turn]
[call execute_bash]
command = cat ~/data/one
[turn]
expect last contains = one
[call execute_bash]
command = cat ~/two
[turn]
expect last contains = No such file
text = third"
	echo "$output"
	[ "$status" -eq 0 ]
	run timeout 120 mortise resume last -o "sandbox.read+=$HOME/data" -t again
	echo "$output"
	[ "$status" -eq 0 ]
	run timeout 120 mortise resume last -t again
	echo "$output"
	[ "$status" -eq 0 ]
	log | grep -q 'The user changed what your tools may do: read='
}

@test "permissions cannot exceed what the administrator enforces" {
	mkdir "$work/etc"
	printf '[sandbox]\nnetwork = none\n' >"$work/etc/enforced.ini"
	export MORTISE_SYSTEM_CONFIG=$work/etc
	session '[turn]
text = one'
	tell '{"type":"permissions","set":["network=full"],"id":9001}'
	tell '{"type":"permissions","id":9002}'
	until_line 1 '"id":9002'
	grep '"id":9001' "$work/out" | grep -q 'is set by the administrator in'
	grep '"id":9002' "$work/out" | jq -r .text | grep -q '^network *none'
	exec 8>&-
}

# ---- a refused command runs again ------------------------------------------------------

once='once: run this command again with it'
always='always: allow it in this conversation, and run the command again'

@test "a refused command runs again: once, always, or not" {
	needs_namespaces
	echo one >"$HOME/one"
	echo two >"$HOME/two"
	echo three >"$HOME/three"
	session "[turn]
[call execute_bash]
command = mkdir sub; cd sub; export WORD=kept
[turn]
[call execute_bash]
command = echo \$WORD; basename \$PWD; cat ~/one
[turn]
expect last contains = kept
expect last contains = sub
expect last contains = one
expect last contains = the user allowed this command once
[call execute_bash]
command = cat ~/one
[turn]
expect last contains = No such file
[call execute_bash]
command = echo \$WORD; cat ~/two
[turn]
expect any contains = [The user changed what your tools may do: read+=$HOME/two.
[call execute_bash]
command = echo \$WORD; cat ~/two
[turn]
expect last contains = kept
expect last contains = two
text = done"
	tell '{"type":"message","text":"go"}'
	until_line 1 '"question":1,'
	grep -q 'command:\\n\\necho $WORD; basename $PWD; cat ~/one\\n\\nAllow it to read '"$HOME/one" "$work/out"
	answer 1 "$once"
	answer 2 no
	answer 3 "$always"
	until_line 1 "$idle"
	cut -c1-1000 "$work/out"
	grep -q '"message":"done"' "$work/out"
	[ "$(grep -c '"question":' "$work/out")" -eq 3 ]
	exec 8>&-
}

@test "in a non-interactive run, a refused command is not asked about" {
	needs_namespaces
	echo one >"$HOME/one"
	run play "[turn]
[call execute_bash]
command = cat ~/one
[turn]
expect last contains = No such file
text = done"
	echo "$output"
	[ "$status" -eq 0 ]
}
