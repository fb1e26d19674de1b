#!/usr/bin/env bats
# SPDX-License-Identifier: MIT
# packs.bats - archives of skills: listed, installed, signed, refused.
bats_require_minimum_version 1.5.0

setup() {
	work=$BATS_TEST_TMPDIR
	export HOME=$work/home XDG_STATE_HOME=$work/state XDG_CONFIG_HOME=$work/config
	export XDG_DATA_HOME=$work/data XDG_CACHE_HOME=$work/cache
	mkdir -m 700 "$work/home" "$work/state" "$work/config" "$work/data" "$work/cache"
	mkdir -p "$work/ws" "$work/p/skills/zed/scripts"
	cd "$work"
	cat >p/pack.ini <<'EOF'
[pack]
name = zoo
version = 1.2
license = MIT
requires = mortise >= 0.1
capabilities = scripts
EOF
	printf -- '---\nname: zed\ndescription: Stripes.\ntriggers: [zebra]\n---\nAll of it.\n' \
		>p/skills/zed/SKILL.md
	echo 'echo out' >p/skills/zed/scripts/run.sh
	printf -- '---\nname: gnu\ntriggers: [gnu]\n---\nHorns.\n' >p/skills/gnu.md
	export MORTISE_SKILLS_BUNDLED=
}

# hostile NAME PYTHON: an archive made by Python's tarfile is refused with these words
hostile() {
	python3 - "$work/bad.tar.gz" "$2" <<'EOF'
import io, sys, tarfile
t = tarfile.open(sys.argv[1], "w:gz", format=tarfile.PAX_FORMAT)
def f(name, data=b"---\nname: x\n---\n", **more):
    i = tarfile.TarInfo(name)
    i.size = len(data)
    for k, v in more.items():
        setattr(i, k, v)
    t.addfile(i, io.BytesIO(data))
f("skills/x/SKILL.md")
exec(sys.argv[2])
t.close()
EOF
	run mortise skills verify bad.tar.gz
	[ "$status" -ne 0 ]
	[[ "$output" == *"$1"* ]] || { echo "$output"; false; }
}

@test "a directory becomes a pack, and every format gives the same content" {
	mortise skills pack p
	for form in tar tar.xz tar.zst zip; do
		case $form in
		zip) (cd p && python3 -m zipfile -c ../q.zip .) ;;
		tar.zst) command -v zstd >/dev/null || continue
			tar -C p -cf - . | zstd -q >q.tar.zst ;;
		*) tar -C p -caf "q.$form" . ;;
		esac
		mortise skills show "q.$form" >"list.$form"
		diff <(mortise skills show p.tar.gz) "list.$form"
	done
	mortise skills show p.tar.gz | grep -F 'version: 1.2'
	mortise skills show p.tar.gz | grep -xF 'license: MIT'
	mortise skills show p.tar.gz | grep '^zed .*Stripes'
	cp p.tar.gz first
	rm p.tar.gz
	mortise skills pack p
	cmp first p.tar.gz
	sed -i s/^license/licence/ p/pack.ini # the older spelling
	rm p.tar.gz
	mortise skills pack p
	mortise skills show p.tar.gz | grep -xF 'license: MIT'
}

@test "a pack appears when it is complete; a signal or an error leaves nothing" {
	mkdir -p p/zz
	head -c 16000000 /dev/urandom >p/zz/data
	mortise skills pack p >/dev/null &
	while kill -0 $! 2>/dev/null; do
		[ ! -e p.tar.gz ] || gzip -t p.tar.gz
	done
	wait $!
	[ "$(echo p.tar.gz*)" = p.tar.gz ]
	run mortise skills pack p
	[ "$status" -ne 0 ]
	[[ "$output" == *"cannot create p.tar.gz: File exists"* ]]
	gzip -t p.tar.gz
	rm p.tar.gz
	mortise skills pack p >/dev/null &
	until [ "$(echo p.tar.gz*)" != 'p.tar.gz*' ]; do
		kill -0 $!
	done
	kill -TERM $! || true
	if ! wait $!; then
		[ "$(echo p.tar.gz*)" = 'p.tar.gz*' ]
	fi
	rm -f p.tar.gz
	run mortise skills pack p --key none.pem
	[ "$status" -ne 0 ]
	[ "$(echo p.tar.gz*)" = 'p.tar.gz*' ]
	(umask 077 && mortise skills pack p)
	[ "$(stat -c %a p.tar.gz)" = 600 ]
}

@test "an installed pack is listed, loaded on demand, removed" {
	mortise skills pack p
	run mortise skills install p.tar.gz
	[ "$status" -eq 0 ]
	[[ "$output" == *"zoo is installed, not signed"* ]]
	[ -f data/mortise/skills.d/zoo-1.2.tar.gz ]
	mortise skills list --json | jq -e 'map(.name) | sort == ["gnu", "zed"]'
	mortise skills list --json | jq -e 'map(.name) | sort == ["gnu", "zed"]' # cached
	[ -n "$(ls cache/mortise/packs)" ]
	mortise skills show zed | grep -F 'All of it.'
	mortise skills show zed | grep -F 'scripts/run.sh'
	mortise skills remove zoo
	[ "$(mortise skills list)" = "" ]
	run mortise skills remove zoo
	[ "$status" -ne 0 ]
}

@test "a trigger word loads a skill of a pack, the tool reads a file" {
	mortise skills pack p
	mortise skills install p.tar.gz
	cat >script <<'EOF'
[turn]
[call invoke_skill]
name = zed
file = scripts/run.sh
[turn]
[call finish]
message = Done.
EOF
	mortise run -C ws --model "script:$work/script" -t "a zebra"
	cat state/mortise/conversations/*/events.jsonl >log
	jq -r 'select(.observation == "recall") | .extras.microagent_knowledge[].content' log |
		grep -Fx 'All of it.'
	jq -r 'select(.observation == "tool") | .content' log | grep -Fx 'echo out'
}

@test "a pack that changed after its installation is not used" {
	mortise skills pack p
	mortise skills install p.tar.gz
	printf -- '---\nname: evil\n---\nx\n' >p/skills/gnu.md
	rm p.tar.gz
	mortise skills pack p
	cp p.tar.gz data/mortise/skills.d/zoo-1.2.tar.gz
	run mortise skills list --problems
	[[ "$output" == *"has changed since it was installed"* ]]
	[ "$(mortise skills list 2>/dev/null)" = "" ]
}

@test "signatures: created, valid, broken, by another key" {
	openssl genpkey -algorithm ed25519 -out key.pem
	openssl pkey -in key.pem -pubout -out pub.pem
	openssl genpkey -algorithm ed25519 | openssl pkey -pubout -out other.pem
	mortise skills pack p --key key.pem
	run mortise skills verify p.tar.gz --key pub.pem
	[ "$status" -eq 0 ]
	[[ "$output" == *"signed by pub.pem"* ]]
	base64 -d p.tar.gz.sig >raw
	openssl pkeyutl -verify -pubin -inkey pub.pem -rawin -in p.tar.gz -sigfile raw
	run mortise skills verify p.tar.gz --key other.pem
	[ "$status" -ne 0 ]
	run mortise skills install p.tar.gz
	[ "$status" -ne 0 ] # signed, but with an unknown key
	mkdir -p config/mortise/keys
	cp pub.pem config/mortise/keys/zoo.pem
	run mortise skills install p.tar.gz
	[[ "$output" == *"signed by zoo.pem"* ]]
	cp p.tar.gz other.tar.gz # unsigned, where one of zoo.pem is
	run mortise skills install other.tar.gz
	[ "$status" -ne 0 ]
	[[ "$output" == *"was signed by zoo.pem, but this one is not signed"* ]]
	mortise skills remove zoo
	mortise skills install other.tar.gz
	printf x >>p.tar.gz
	run mortise skills verify p.tar.gz
	[[ "$output" == *"signature verification failed"* ]]
	run mortise skills verify first.tar.gz --key pub.pem
	[ "$status" -ne 0 ]
}

@test "an embedded signature is valid in every format, for the content" {
	openssl genpkey -algorithm ed25519 -out key.pem
	openssl pkey -in key.pem -pubout -out pub.pem
	run mortise skills pack p --inside
	[ "$status" -ne 0 ]
	mortise skills pack p --key key.pem --inside
	[ ! -e p.tar.gz.sig ]
	run mortise skills verify p.tar.gz --key pub.pem
	[ "$status" -eq 0 ]
	[[ "$output" == *"signed by pub.pem"* ]]
	mkdir u
	tar -C u -xzf p.tar.gz
	(cd u && python3 -m zipfile -c ../again.zip .)
	mortise skills verify again.zip --key pub.pem | grep -F 'signed by pub.pem'
	# a shell can create the signed data
	(cd u && { echo mortise-pack-1
		find . -type f ! -name pack.sig -printf '%P\n' | LC_ALL=C sort |
			while read -r f; do
				printf '%s\tf %s\n' "$f" "$(sha256sum <"$f" | cut -d' ' -f1)"
			done; } >../listing)
	base64 -d u/pack.sig >raw
	openssl pkeyutl -verify -pubin -inkey pub.pem -rawin -in listing -sigfile raw
	for change in 'echo x >u/more' 'echo x >>u/skills/gnu.md' 'rm u/skills/gnu.md' \
		'ln -s gnu.md u/skills/l' 'mv u/skills/gnu.md u/skills/ant.md' \
		'echo x >u/pack.sig'; do
		rm -rf u
		mkdir u
		tar -C u -xzf p.tar.gz
		eval "$change"
		tar -C u -cf changed.tar .
		run mortise skills verify changed.tar --key pub.pem
		[ "$status" -ne 0 ]
		[[ "$output" == *"signature verification failed"* || "$output" == *"not an Ed25519"* ]]
		run mortise skills install changed.tar
		[ "$status" -ne 0 ]
	done
}

@test "installing from an address, with the signature next to it" {
	mkdir -p www ca
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 \
		-subj /CN=localhost -addext subjectAltName=DNS:localhost \
		-keyout tls.pem -out ca/tls.pem 2>/dev/null
	cat ca/tls.pem >>tls.pem
	openssl rehash ca
	openssl genpkey -algorithm ed25519 -out key.pem
	mkdir -p config/mortise/keys
	openssl pkey -in key.pem -pubout -out config/mortise/keys/zoo.pem
	mortise skills pack p --key key.pem
	mv p.tar.gz p.tar.gz.sig www
	python3 - www tls.pem port <<'EOF2' 3>&- &
import http.server, os, ssl, sys
os.chdir(sys.argv[1])
s = http.server.HTTPServer(("127.0.0.1", 0), http.server.SimpleHTTPRequestHandler)
c = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
c.load_cert_chain("../" + sys.argv[2])
s.socket = c.wrap_socket(s.socket, server_side=True)
open("../" + sys.argv[3] + ".new", "w").write(str(s.server_address[1]))
os.rename("../" + sys.argv[3] + ".new", "../" + sys.argv[3])
s.serve_forever()
EOF2
	server=$!
	for ((i = 0; i < 300; i++)); do [ ! -e port ] || break; sleep 0.1; done
	at=https://localhost:$(cat port)
	run mortise skills install "$at/p.tar.gz" # the server is not trusted
	[ "$status" -ne 0 ]
	run mortise skills install "$at/none.tar.gz" -o llm.ca_path="$work/ca"
	[[ "$output" == *"HTTP status 404"* ]]
	run mortise skills install "$at/p.tar.gz" -o llm.ca_path="$work/ca"
	kill $server
	echo "$output"
	[ "$status" -eq 0 ]
	[[ "$output" == *"zoo is installed, signed by zoo.pem"* ]]
	jq -e --arg at "$at/p.tar.gz" '.zoo.source == $at and .zoo.signer == "zoo.pem"' \
		data/mortise/skills.d/skills.lock
}

@test "hostile zip archives are refused" {
	for name in ../x /etc/x; do
		python3 -c 'import sys, zipfile
z = zipfile.ZipFile("bad.zip", "w"); z.writestr("skills/x/SKILL.md", "---\nname: x\n---\n")
z.writestr(sys.argv[1], "x")' $name
		run mortise skills verify bad.zip
		[ "$status" -ne 0 ]
		[[ "$output" == *"path with ..: ../x"* || "$output" == *"absolute path: /etc/x"* ]]
	done
	python3 -c 'import zipfile
z = zipfile.ZipFile("bad.zip", "w", zipfile.ZIP_DEFLATED); z.writestr("big", bytes(60 << 20))'
	run mortise skills verify bad.zip
	[[ "$output" == *"bomb"* ]]
	python3 -W ignore -c 'import zipfile
z = zipfile.ZipFile("bad.zip", "w"); z.writestr("a", "1"); z.writestr("a", "2")'
	run mortise skills verify bad.zip
	[[ "$output" == *"duplicate entry"* ]]
	python3 -c 'import zipfile
z = zipfile.ZipFile("bad.zip", "w"); i = zipfile.ZipInfo("l"); i.create_system = 3
i.external_attr = 0o120777 << 16; z.writestr(i, "../../etc/passwd")'
	run mortise skills verify bad.zip
	[[ "$output" == *"points outside"* ]]
	python3 -c 'import zipfile
z = zipfile.ZipFile("bad.zip", "w"); z.writestr("aXb", "1"); z.close()
b = open("bad.zip", "rb").read().replace(b"aXb", b"a\xffb"); open("bad.zip", "wb").write(b)'
	run mortise skills verify bad.zip
	[[ "$output" == *"not UTF-8"* ]]
	python3 -c 'import zipfile
z = zipfile.ZipFile("bad.zip", "w"); z.writestr("a", "1"); z.close()
b = bytearray(open("bad.zip", "rb").read()); b[6] |= 1; b[b.index(b"PK\1\2") + 8] |= 1
open("bad.zip", "wb").write(b)'
	run mortise skills verify bad.zip
	[[ "$output" == *"encrypted"* ]]
}

@test "hostile archives are refused with an error message" {
	hostile "duplicate entry" 'f("a"); f("a", b"", type=tarfile.DIRTYPE)'
	hostile "duplicate entry" 'f("a", b"", type=tarfile.DIRTYPE); f("a")'
	hostile "longer than" 'f("n/" * 300)'
	hostile "backslash" 'f("..\\\\x")'

	hostile "absolute path" 'f("/etc/x")'
	hostile "path with .." 'f("a/../../x")'
	hostile "points outside" 'f("a/l", b"", type=tarfile.SYMTYPE, linkname="../../etc/passwd")'
	hostile "points outside" 'f("l", b"", type=tarfile.SYMTYPE, linkname="/etc/passwd")'
	hostile "hard link" 'f("l", b"", type=tarfile.LNKTYPE, linkname="skills/x/SKILL.md")'
	hostile "device" 'f("d", b"", type=tarfile.CHRTYPE)'
	hostile "device" 'f("d", b"", type=tarfile.FIFOTYPE)'
	hostile "duplicate entry" 'f("a"); f("./a")'
	hostile "entries" '[f("f%d" % i, b"") for i in range(20001)]'
	hostile "bomb" 'f("big", bytes(60 << 20))'
	hostile "control character" 'f("a\nb")'
	hostile "not supported" 'f("pack.ini", b"[pack]\nrequires = moon\n")'
	hostile "SKILL.md is larger" 'f("y/SKILL.md", b"#" * (2 << 20))'
	printf 'no archive' >bad.tar.gz
	run mortise skills verify bad.tar.gz
	[[ "$output" == *"cannot read the archive"* ]]
	python3 -c 'import tarfile; t = tarfile.open("bad.tar", "w", encoding="latin-1",
format=tarfile.GNU_FORMAT); t.addfile(tarfile.TarInfo("a\xff")); t.close()'
	run mortise skills verify bad.tar
	[[ "$output" == *"not UTF-8"* ]]
}

@test "texts of skills cannot control the terminal" {
	mkdir -p q/skills
	printf -- '---\nname: "a\\eb"\ndescription: "x\\e[2Jy\\u202e"\n---\nbody \033[2J\n' \
		>q/skills/e.md
	tar -C q -czf q.tgz skills
	mkdir -p ws/.agents
	cp -r q/skills ws/.agents
	for words in "show q.tgz" "list -C ws" "show e -C ws"; do
		run mortise skills $words
		[[ "$output" != *$'\033'* && "$output" != *$'\u202e'* ]]
	done
	run mortise skills show $'a\033b' -C ws
	[ "$status" -eq 0 ]
	[[ "$output" == *"x [2Jy"*"body  [2J"* ]]
}

@test "an internal link, a bad skill and a README do not affect other skills" {
	mkdir -p q/.plugin q/skills/bad q/skills/ok
	echo '{"name": "plug", "version": "3"}' >q/.plugin/plugin.json
	ln -s .plugin q/.claude-plugin
	printf -- '---\nname: [x\n---\n' >q/skills/bad/SKILL.md
	printf -- '---\nname: ok\ndescription: Fine.\n---\nYes.\n' >q/skills/ok/SKILL.md
	echo '# About' >q/skills/README.md
	ln -s ok/SKILL.md q/skills/again.md
	tar -C q -czf q.tgz .
	run mortise skills verify q.tgz
	[ "$status" -eq 0 ]
	[[ "$output" == *"name: plug"* ]]
	[[ "$output" == *"ok "*"Fine."* ]]
	[[ "$output" == *"bad/SKILL.md: line"* ]]
	[[ "$output" == *"again.md: ignored: it is a link"* ]]
	[[ "$output" != *"About"* ]]
}

@test "commands of a plugin are called by the user; a duplicate of a skill is omitted" {
	mkdir -p q/.claude-plugin q/commands q/skills/ok
	echo '{"name": "plug"}' >q/.claude-plugin/plugin.json
	printf -- '---\nname: ok\ndescription: Fine.\n---\nYes.\n' >q/skills/ok/SKILL.md
	printf -- '---\ndescription: Again.\n---\nNo.\n' >q/commands/ok.md
	printf -- '---\ndescription: Do it.\n---\nThe steps of it.\n' >q/commands/steps.md
	printf -- '---\ndescription: a: b\n---\nNo.\n' >q/commands/broken.md
	tar -C q -czf q.tgz commands skills .claude-plugin
	mortise skills install q.tgz
	mortise skills list --json | jq -e 'map([.name, .description, .triggers]) ==
		[["ok", "Fine.", []], ["steps", "Do it.", ["/steps"]]]'
	mortise skills list --problems | grep -F 'commands/broken.md: line'
	printf '[turn]\n[call finish]\nmessage = Done.\n' >script
	mortise run -C ws --model "script:$work/script" -t "/steps now"
	cat state/mortise/conversations/*/events.jsonl >log
	jq -r 'select(.observation == "recall") | .extras.microagent_knowledge[].content' log |
		grep -Fx 'The steps of it.'
	[ "$(jq -r '.extras.available_skills // empty' log | grep -c steps)" = 0 ]
}

@test "a cut archive is refused, or gives less, and never hangs" {
	mortise skills pack p
	size=$(stat -c %s p.tar.gz)
	for ((n = 0; n < size; n += size / 20 + 1)); do
		head -c "$n" p.tar.gz >cut.tar.gz
		run timeout 20 mortise skills verify cut.tar.gz
		[ "$status" -ne 124 ]
		[ "$status" -lt 128 ]
	done
}

@test "plain HTTP is refused" {
	run mortise skills install http://example.org/p.tar.gz
	[ "$status" -ne 0 ]
	[[ "$output" == *"only https://"* ]]
}

@test "pack follows links inside the tree, takes directories with a dot, refuses the rest" {
	mkdir -p p/skills/.curated/dot p/shared p/.git
	printf -- '---\nname: dot\ndescription: Dotted.\n---\nx\n' >p/skills/.curated/dot/SKILL.md
	echo 'shared text' >p/shared/help.md
	echo no >p/.git/config
	echo no >p/.hidden
	ln -s ../../../shared/help.md p/skills/zed/scripts/help.md
	ln -s ../shared p/skills/more
	ln -s .. p/skills/zed/up
	mortise skills pack p
	tar -tzf p.tar.gz >names
	grep -Fx skills/zed/scripts/help.md names
	grep -Fx skills/more/help.md names
	grep -Fx skills/.curated/dot/SKILL.md names
	run -1 grep -E 'git|hidden|up' names
	[ "$(tar -xzOf p.tar.gz skills/zed/scripts/help.md)" = "shared text" ]
	[ -z "$(tar -tvzf p.tar.gz | grep '^l')" ]
	rm p.tar.gz
	ln -s /etc/passwd p/skills/out.md
	run mortise skills pack p
	[ "$status" -ne 0 ]
	[[ "$output" == *"p/skills/out.md: symbolic link points outside p"* ]]
	ln -sf nowhere p/skills/out.md
	run mortise skills pack p
	[[ "$output" == *"dangling symbolic link"* ]]
	[ ! -e p.tar.gz ]
	mkdir -p empty/docs bad/skills/bad
	echo text >empty/docs/text.md
	run mortise skills pack empty
	[ "$status" -ne 0 ]
	[[ "$output" == *"empty contains no skills"* ]]
	[ ! -e empty.tar.gz ]
	printf -- '---\nname: [x\n---\n' >bad/skills/bad/SKILL.md
	run mortise skills pack bad
	[ "$status" -ne 0 ]
	[[ "$output" == *"bad contains no skills"*"bad/SKILL.md: line"* ]]
}

@test "a broken skill of an installed pack is reported once" {
	mkdir -p p/skills/bad
	printf -- '---\nname: [x\n---\n' >p/skills/bad/SKILL.md
	mortise skills pack p >/dev/null
	run mortise skills install p.tar.gz
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c 'skills/bad/SKILL.md: line' <<<"$output")" -eq 1 ]
	printf '[turn]\n[call finish]\nmessage = Done.\n' >script
	for _ in 1 2; do
		run mortise run -C ws --model "script:$work/script" -t hello
		[ "$status" -eq 0 ]
		[[ "$output" != *"bad/SKILL.md"* ]]
	done
	run mortise skills list --problems
	echo "$output"
	[[ "$output" == "$work/data/mortise/skills.d/"*".tar.gz: skills/bad/SKILL.md: line "* ]]
	rm -r cache # it is the same when the archive is read again
	mortise skills list --problems 2>/dev/null | diff - <(echo "$output")
}

@test "the bundled skills are a signed pack" {
	pack=$top_builddir/skills/mortise.tar.gz
	mkdir -p config/mortise/keys
	cp "$top_builddir/skills/mortise.pem" config/mortise/keys
	run mortise skills verify "$pack"
	[[ "$output" == *"signed by mortise.pem"* ]]
	[ "$(mortise skills list -o "skills.bundled=$pack" | awk '{ print $1, $2 }' | sort)" = \
"code-review bundled
fix_test bundled
github bundled
mortise-plugin bundled" ]
	cp "$pack" changed.tar.gz
	mkdir u
	tar -C u -xzf changed.tar.gz
	echo More. >>u/skills/github/SKILL.md
	tar -C u -czf changed.tar.gz .
	run mortise skills list -o "skills.bundled=$work/changed.tar.gz"
	echo "$output"
	[[ "$output" == *" skills: $work/changed.tar.gz: signature verification failed"* ]]
	[[ "$output" != *"github"* ]]
	mortise skills pack p
	run mortise skills list -o "skills.bundled=$work/p.tar.gz"
	[[ "$output" == *"not signed"* ]]
	# with a key of the user
	openssl genpkey -algorithm ed25519 -out own.pem
	PACK_KEY=own.pem OPENSSL=openssl MORTISE=mortise sh "$top_srcdir/skills/pack.sh" . \
		"$top_srcdir" 1 skills/github/SKILL.md
	openssl pkey -in own.pem -pubout | cmp - mortise.pem
	mortise skills verify mortise.tar.gz --key mortise.pem | grep -F 'signed by mortise.pem'
	# and with a key that no directory of keys holds
	rm config/mortise/keys/mortise.pem
	run mortise skills list -o "skills.bundled=$work/mortise.tar.gz"
	[[ "$output" != *"bundled"* ]]
}
