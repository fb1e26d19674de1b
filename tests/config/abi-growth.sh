#!/bin/sh
# SPDX-License-Identifier: MIT
# abi-growth.sh [--freeze] - old and new are compatible: plugins built from the headers of
# 1.0 run in this host, and in a host built from headers with one more member in every
# struct; plugins built from those with MT_NEEDS_... at 0 run in this host. Each is
# described and called.
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
	for name in plugin tool function extensions; do
		awk '/^struct mt_[a-z_]* \{$/ { sized = 0; inside = 1 }
		     inside && /^\tuint32_t size;/ { sized = 1 }
		     inside && /^};/ { inside = 0; if (sized) print "\tuint64_t grown;" }
		     { print }' "$1/mortise/$name.h" |
			sed 's/^\(#define MT_[A-Z]*_MINOR\) 0u/\1 1u/' > "$2/mortise/$name.h"
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
		"$top_srcdir"/lib/function-*.c "$top_srcdir"/runner/*.c || return 1
	# shellcheck disable=SC2086
	${CC:-cc} $SANITIZE -o "$work/mortise-runner" "$work"/objects/*.o \
		"$top_builddir/libmt.a" $links || return 1
	rm "$work"/objects/*.o
	compile "$top_srcdir"/lib/options*.c "$top_srcdir"/lib/function-*.c \
		"$top_srcdir"/lib/registry/descriptor.c \
		"$top_srcdir"/lib/registry/describe.c \
		"$top_srcdir"/tests/config/abi-growth.c || return 1
	# shellcheck disable=SC2086
	${CC:-cc} $SANITIZE -o "$work/describe" "$work"/objects/*.o \
		"$top_builddir/libmt.a" $links -ldl
}

# call PLUGIN TOOLSET TOOL ARGUMENTS RESULT [RUNNER]
call() {
	mkdir -p "$work/only"
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

grow "$top_srcdir/sdk-headers" "$work/grown"
build_host > "$work/out" 2>&1
report $? "a host with one member more in every struct is built" "$work/out"

printf 'one two\n' > "$work/text"
for name in wc functions state; do
	source="$frozen/$name.c"
	plugin "old-$name" "$source" "$frozen" > "$work/out" 2>&1 &&
		plugin "new-$name" "$source" "$work/grown" -DMT_NEEDS_MINOR=0 \
			-DMT_NEEDS_TOOL_MINOR=0 >> "$work/out" 2>&1
	report $? "$name is built from the headers of 1.0 and from later ones" "$work/out"
	"$work/describe" "$work/old-$name.so" > "$work/grown.json" 2>&1
	report $? "old-$name: described by a later registry" "$work/grown.json"
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
state|other|say_again|{}|late 0
END

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

# A plugin that needs the newer host declares it, and is refused.
plugin newer "$frozen/wc.c" "$work/grown" > "$work/out" 2>&1
mortise plugins check "$work/newer.so" > "$work/out" 2>&1
grep -q 'built for plugin ABI 1.1, but this mortise has 1.0; update mortise' "$work/out"
report $? "a plugin that needs the newer host is refused" "$work/out"
"$work/describe" "$work/newer.so" > "$work/out" 2>&1
report $? "the newer host takes it" "$work/out"
echo "1..$count"
