#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# results-environment.bats - the variables that commands get, and the names of
# those withheld, in the prompt.

setup() {
	export MORTISE_SANDBOX_MODE=off MORTISE_CONTROLLER_CONFIRMATION=never # it has its own proxy
	work=$BATS_TEST_TMPDIR
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	export XDG_STATE_HOME=$work/state
	unset SSH_AUTH_SOCK GITHUB_TOKEN GH_TOKEN
}

play() { # OPTION...
	{ cat; printf '[turn]\n[call finish]\nmessage = Done.\n'; } >"$work/script"
	run mortise run -C "$work/ws" --model "script:$work/script" \
		-o 'controller.tools=bash, finish' "$@" -t go
	printf '%s\n' "$output"
	[ "$status" -eq 0 ]
}

@test "proxies, certificates and tool chains are passed on, other variables are not" {
	export https_proxy=http://user:pass-word-1@proxy.example:3128 NO_PROXY=localhost
	export SSL_CERT_FILE=/certs.pem VIRTUAL_ENV=/venv JAVA_HOME=/java CARGO_HOME=/cargo
	export PIP_INDEX_URL=https://pip.example/simple PIP_TOKEN=piptoken12 OTHER=other1
	play <<-'END'
	[turn]
	[call execute_bash]
	command = echo "$NO_PROXY $SSL_CERT_FILE $VIRTUAL_ENV $JAVA_HOME $CARGO_HOME $PIP_INDEX_URL [$PIP_TOKEN$OTHER]"; echo "$https_proxy"
	[turn]
	expect last contains = localhost /certs.pem /venv /java /cargo https://pip.example/simple []
	expect last contains = @proxy.example:3128
	expect last lacks = pass-word-1
	END
}

@test "credentials in URLs are masked: each of a list, a token, a proxy without a scheme" {
	export PIP_EXTRA_INDEX_URL="https://a:pass-word-2@one.example/x https://b:pass-word-3@two.example/y"
	export PIP_INDEX_URL=https://token-of-pip@index.example/simple
	export HTTPS_PROXY=user:pass-word-4@proxy.example:3128
	export PIP_FIND_LINKS="git+ssh://git@three.example/z https://token-two-x:@four.example"
	play <<-'END'
	[turn]
	[call execute_bash]
	command = echo "$PIP_EXTRA_INDEX_URL $PIP_INDEX_URL $HTTPS_PROXY $PIP_FIND_LINKS"
	[turn]
	expect last contains = https://a:<secret_hidden>@one.example/x https://b:<secret_hidden>@two.example/y
	expect last contains = https://<secret_hidden>@index.example/simple user:<secret_hidden>@proxy
	expect last contains = git+ssh://git@three.example/z https://<secret_hidden>:@four.example
	END
}

@test "pass_env adds variables, and the values of secrets among them are masked" {
	export OTHER=other1 MORE_A=more-a MORE_TOKEN=moretoken1 GITHUB_TOKEN=ghp-secret-1
	play -o 'core.pass_env=OTHER, MORE_*, GITHUB_TOKEN' <<-'END'
	[turn]
	expect system lacks = GITHUB_TOKEN
	[call execute_bash]
	command = echo "$OTHER $MORE_A [$MORE_TOKEN] ${#GITHUB_TOKEN} $GITHUB_TOKEN"
	[turn]
	expect last contains = other1 more-a [] 12 <secret_hidden>
	END
}

@test "the prompt names withheld variables; a grant passes the SSH agent socket" {
	export SSH_AUTH_SOCK=/tmp/agent-socket-1 GH_TOKEN=gh-secret-12
	play <<-'END'
	[turn]
	expect system contains = Commands do not get these environment variables: SSH_AUTH_SOCK, GH_TOKEN
	[call execute_bash]
	command = echo "[$SSH_AUTH_SOCK$GH_TOKEN]"
	[turn]
	expect last contains = []
	END
	rm -r "$work/state/mortise"
	play -o grant.ssh.env=SSH_AUTH_SOCK -o grant.ssh.tools=bash <<-'END'
	[turn]
	expect system contains = environment variables: GH_TOKEN
	expect system lacks = SSH_AUTH_SOCK
	[call execute_bash]
	command = [ -n "$SSH_AUTH_SOCK" ] && echo has agent
	[turn]
	expect last contains = has agent
	END
}

@test "the prompt does not mention withheld variables if none is set" {
	unset NPM_TOKEN HF_TOKEN GITLAB_TOKEN AWS_PROFILE AWS_ACCESS_KEY_ID KUBECONFIG
	unset DOCKER_HOST DATABASE_URL GOOGLE_APPLICATION_CREDENTIALS
	play <<-'END'
	[turn]
	expect system lacks = Commands do not get
	END
}
