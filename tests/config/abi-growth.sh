#!/bin/sh
# SPDX-License-Identifier: MIT
# abi-growth.sh [--freeze] - old and new are compatible: plugins built from the headers of
# 1.0 run in this host, and in a host built from headers with one more member in every
# struct; plugins built from those with MT_NEEDS_... at 0 run in this host. Each is
# described and called. The provisional kinds have no such promise: of a file with a
# component of each kind, a host of another version refuses these, and runs the tools.
#
# tests/fixtures/abi-1.0 has the headers of 1.0, and the plugins. --freeze copies the
# headers again, which is right only until 1.0 is released.
frozen=$top_srcdir/tests/fixtures/abi-1.0
if [ "$1" = --freeze ]; then
	cp "$top_srcdir"/sdk-headers/mortise/plugin.h "$top_srcdir"/sdk-headers/mortise/tool.h \
		"$top_srcdir"/sdk-headers/mortise/function.h \
		"$top_srcdir"/sdk-headers/mortise/extensions.h "$frozen/mortise"
	exit
fi
provisional="agent analyzer condenser dialect runtime"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
count=0

report() { # STATUS NAME [OUTPUT FILE]
	count=$((count + 1))
	if [ "$1" -eq 0 ]; then
		echo "ok $count - $2"
	else
		echo "not ok $count - $2"
		[ -z "$3" ] || sed 's/^/# /' "$3"
	fi
}

# The headers as a later version could have them.
grow() { # FROM TO
	mkdir -p "$2/mortise"
	cp "$1"/mortise/*.h "$2/mortise"
	for name in plugin tool function extensions advance $provisional; do
		awk '/^struct mt_[a-z_]* \{$/ { sized = 0; inside = 1 }
		     inside && /^\tuint32_t size;/ { sized = 1 }
		     inside && /^};/ { inside = 0; if (sized) print "\tuint64_t grown;" }
		     /^#define MT_[A-Z]*_MINOR [0-9]+u$/ { $3 = $3 + 1 "u" }
		     { print }' "$1/mortise/$name.h" > "$2/mortise/$name.h"
	done
}

variable() { # NAME : of the Makefile
	sed -n "s/^$1 = //p" "$top_builddir/Makefile"
}

common="-g -O0 -std=gnu17 -fPIC $SANITIZE"
links="$(variable JSONC_LIBS) $(variable FFI_LIBS) $(variable PCRE2_LIBS) \
	$(variable INIH_LIBS) -lm -pthread"

# plugin NAME SOURCE HEADERS [FLAG]...
plugin() {
	output="$work/$1.so"
	plugin_source=$2
	headers=$3
	shift 3
	# shellcheck disable=SC2086
	${CC:-cc} $common -shared -fvisibility=hidden -I"$headers" -o "$output" "$@" \
		"$plugin_source" -pthread
}

# compile SOURCE... : objects against the grown headers
compile() {
	for source; do
		# shellcheck disable=SC2086
		${CC:-cc} $common -D_GNU_SOURCE -I"$work/grown" -I"$top_srcdir/lib" \
			-I"$top_srcdir/host" -I"$top_srcdir/runner" -I"$top_builddir" \
			-DPLUGIN_DIR='""' $(variable JSONC_CFLAGS) $(variable FFI_CFLAGS) \
			-c -o "$work/objects/$(basename "$source" .c).o" "$source" || return 1
	done
}

build_host() {
	mkdir "$work/objects" && compile "$top_srcdir"/lib/options*.c \
		"$top_srcdir"/lib/function-*.c "$top_srcdir"/lib/limits/*.c "$top_srcdir"/runner/*.c || return 1
	# shellcheck disable=SC2086
	${CC:-cc} $SANITIZE -o "$work/mortise-runner" "$work"/objects/*.o \
		"$top_builddir/libsandbox.a" "$top_builddir/libmt.a" $links || return 1
	rm "$work"/objects/*.o
	compile "$top_srcdir"/lib/options*.c "$top_srcdir"/lib/function-*.c \
		"$top_srcdir"/lib/registry/descriptor.c \
		"$top_srcdir"/lib/registry/describe.c \
		"$top_srcdir"/lib/registry/describe-permissions.c \
		"$top_srcdir"/tests/config/abi-growth.c || return 1
	# shellcheck disable=SC2086
	${CC:-cc} $SANITIZE -o "$work/describe" "$work"/objects/*.o \
		"$top_builddir/libsandbox.a" "$top_builddir/libmt.a" $links -ldl
}

# call PLUGIN TOOLSET TOOL ARGUMENTS RESULT [RUNNER]
call() {
	mkdir -p "$work/only"
	export MORTISE_SANDBOX_READ=$work # the arguments name files there
	rm -f "$work"/only/*
	cp "$work/$1.so" "$work/only/$2.so"
	chmod 755 "$work/only/$2.so"
	MORTISE_CORE_RUNNER=${6:-$MORTISE_CORE_RUNNER} mortise tools call \
		-o "core.plugin_path=$work/only,$MORTISE_CORE_PLUGIN_PATH" \
		-o controller.tools="$2" "$3" "$4" > "$work/out" 2>&1
	status=$?
	grep -qxF -e "$5" "$work/out" && [ "$status" = 0 ]
	report $? "$1: $3${6:+ in a grown runner}" "$work/out"
}

# declarations DIR HEADER : without comments
declarations() { ${CC:-cc} -std=gnu17 -I"$1" -E -P -dD "$1/mortise/$2"; }

for name in plugin tool function; do
	declarations "$frozen" "$name.h" > "$work/a" &&
		declarations "$top_srcdir/sdk-headers" "$name.h" > "$work/b" &&
		diff "$work/a" "$work/b" > "$work/out"
	report $? "$name.h is that of 1.0, until that is released; else: abi-growth.sh --freeze" \
		"$work/out"
done

grow "$top_srcdir/sdk-headers" "$work/grown"
build_host > "$work/out" 2>&1
report $? "a host with one member more in every struct is built" "$work/out"

printf 'one two\n' > "$work/text"
for name in wc functions state mixed; do
	source="$frozen/$name.c"
	plugin "old-$name" "$source" "$frozen" -I"$top_srcdir/sdk-headers" \
		> "$work/out" 2>&1 &&
		plugin "new-$name" "$source" "$work/grown" -DMT_NEEDS_MINOR=0 \
			-DMT_NEEDS_TOOL_MINOR=0 >> "$work/out" 2>&1
	report $? "$name is built from the headers of 1.0 and from later ones" "$work/out"
	"$work/describe" "$work/old-$name.so" > "$work/grown.json" 2>&1
	report $? "old-$name: described by a later registry" "$work/grown.json"
	[ "$name" != mixed ] || continue
	mortise plugins check --json "$work/old-$name.so" > "$work/old.json"
	mortise plugins check --json "$work/new-$name.so" > "$work/new.json"
	jq -S . "$work/old.json" > "$work/want" && jq -S . "$work/grown.json" > "$work/a" &&
		jq -S . "$work/new.json" > "$work/b" && diff "$work/want" "$work/a" \
		> "$work/out" && diff "$work/want" "$work/b" >> "$work/out"
	report $? "$name: all of them say the same of it" "$work/out"
done

while IFS='|' read -r name toolset tool arguments result; do
	arguments=$(printf '%s' "$arguments" | sed "s|@work@|$work|")
	call "old-$name" "$toolset" "$tool" "$arguments" "$result"
	call "old-$name" "$toolset" "$tool" "$arguments" "$result" "$work/mortise-runner"
	call "new-$name" "$toolset" "$tool" "$arguments" "$result"
done << 'END'
wc|wc|count_words|{"path": "@work@/text"}|1 lines, 2 words, 8 bytes
functions|functions|add|{"a": 2, "b": 3}|5
functions|functions|count_byte|{"bytes": "abca", "wanted": 97}|2
functions|functions|greet|{"name": "you"}|{"returns":0,"text":"hello you"}
state|state|say|{"name": "you"}|say: hello you short 3 1 1
state|state|say_twice|{}|late 0
state|other|say_again|{}|late 0
mixed|mixed|twice|{"number": 21}|42
END

# A preview, a structured result and an argument in pieces
cat > "$work/cases" << 'END'
[a preview]
call = say
arguments = {"name": "you"}
preview = Greets you for the 1th time.

[a structured result]
call = say
arguments = {"name": "you"}
structured = {"n": 1}
END
for name in old-state new-state; do
	for runner in "$MORTISE_CORE_RUNNER" "$work/mortise-runner"; do
		[ "$name $runner" != "new-state $work/mortise-runner" ] || continue
		case $runner in "$work"/*) where=" in a grown runner" ;; *) where= ;; esac
		rm -f "$work"/only/*
		cp "$work/$name.so" "$work/only/state.so"
		mortise plugins test -o core.runner="$runner" "$work/only/state.so" \
			"$work/cases" > "$work/out" 2>&1
		report $? "$name: a preview and a structured result$where" "$work/out"
	done
done

# The list of tools that is made at run time has a larger element, too.
for name in old-state new-state; do
	for runner in "$MORTISE_CORE_RUNNER" "$work/mortise-runner"; do
		[ "$name $runner" != "new-state $work/mortise-runner" ] || continue
		printf '%s\n' '{"id":"hello","method":"hello","params":{"protocol":"mortise-runner/1",' \
			'"instances":[{"name":"state","plugin":"'"$work/$name.so"'"}]}}' |
			tr -d '\n' > "$work/lines"
		printf '\n%s\n' '{"id":1,"method":"tools/call","params":{"instance":"state","name":"late","arguments":{}}}' >> "$work/lines"
		mkfifo "$work/in"
		"$runner" < "$work/in" > "$work/out" 2>&1 &
		exec 3> "$work/in"
		cat "$work/lines" >&3
		# shellcheck disable=SC2034
		for turn in $(seq 600); do
			grep -q '"id":1,' "$work/out" && break
			sleep 0.05
		done
		exec 3>&-
		wait
		rm "$work/in"
		grep -q '"text":"late 4"' "$work/out"
		case $runner in "$work"/*) where=" in a grown runner" ;; *) where= ;; esac
		report $? "$name: a tool that it lists$where" "$work/out"
	done
done

# How each provisional component of another version is refused.
minor() { # HEADERS KIND
	sed -n 's/^#define MT_[A-Z]*_MINOR \([0-9]*\)u$/\1/p' "$1/mortise/$2.h"
}
refusals() { # HEADERS OF THE PLUGIN, HEADERS OF THE HOST, REMEDY
	for kind in $provisional; do
		echo "built for $kind ABI 0.$(minor "$1" "$kind"), but this mortise has \
0.$(minor "$2" "$kind") (provisional versions must be equal); $3"
	done
}
one_tool='[.components[] | .kind + " " + .name] == ["tool mixed"]'
refusals "$top_srcdir/sdk-headers" "$work/grown" "use a newer build of the plugin" \
	> "$work/want"
jq -r '.refusals[].reason' "$work/grown.json" | sort | diff "$work/want" - > "$work/out" &&
	jq -e "$one_tool" "$work/grown.json" >> "$work/out"
report $? "old-mixed: a later registry refuses all but the tool" "$work/out"
refusals "$work/grown" "$top_srcdir/sdk-headers" "update mortise" > "$work/want"
mortise plugins check --json "$work/new-mixed.so" > "$work/new.json"
jq -r '.refusals[].reason' "$work/new.json" | sort | diff "$work/want" - > "$work/out" &&
	jq -e "$one_tool" "$work/new.json" >> "$work/out"
report $? "new-mixed: this host refuses all but the tool" "$work/out"
"$work/describe" "$work/new-mixed.so" > "$work/new.json" 2>&1
jq -e '(.components | length) == 6 and (has("refusals") | not)' "$work/new.json" \
	> "$work/out" 2>&1
report $? "new-mixed: a later registry takes every component" "$work/out"

# run OPTION... : a conversation with a file of mixed components
run() {
	mkdir -p "$work/ws" "$work/state"
	chmod 700 "$work/state"
	XDG_STATE_HOME="$work/state" mortise run -q -C "$work/ws" -t go \
		-o "core.plugin_path=$work/only,$MORTISE_CORE_PLUGIN_PATH" \
		-o controller.tools=mixed,finish "$@" > "$work/out" 2>&1 < /dev/null
}
cat > "$work/script" << 'END'
[turn]
[call twice]
number = 21

[turn]
expect last contains = 42
[call finish]
message = the tool ran
END
while IFS='|' read -r kind option result; do
	cp "$work/old-mixed.so" "$work/only/mixed.so"
	# shellcheck disable=SC2086
	run --model "script:$work/script" $option
	[ $? = 0 ] && [ "$(cat "$work/out")" = "$result" ]
	report $? "old-mixed: its $kind runs in a host of its version" "$work/out"
	cp "$work/new-mixed.so" "$work/only/mixed.so"
	# shellcheck disable=SC2086
	run --model "script:$work/script" $option
	[ $? = 2 ] && grep -qF "built for $kind ABI 0." "$work/out"
	report $? "new-mixed: its $kind is refused by name" "$work/out"
done << 'END'
agent|-o controller.agent=mixed|the agent ran
analyzer|-o controller.analyzers=mixed|the tool ran
condenser|-o controller.condensers=mixed|the tool ran
dialect|--model mixed/any|the dialect ran
runtime|-o controller.runtime=mixed|the tool ran
END
run --model "script:$work/script"
[ $? = 0 ] && grep -qx 'the tool ran' "$work/out"
report $? "new-mixed: a conversation uses its tool" "$work/out"

# A plugin that needs the newer host declares it, and is refused.
plugin newer "$frozen/wc.c" "$work/grown" > "$work/out" 2>&1
mortise plugins check "$work/newer.so" > "$work/out" 2>&1
grep -q 'built for plugin ABI 1.1, but this mortise has 1.0; update mortise' "$work/out"
report $? "a plugin that needs the newer host is refused" "$work/out"
"$work/describe" "$work/newer.so" > "$work/out" 2>&1
report $? "the newer host takes it" "$work/out"
echo "1..$count"
