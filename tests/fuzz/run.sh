#!/bin/sh
# SPDX-License-Identifier: MIT
# run.sh - builds and runs fuzz targets, all or those named in FUZZ_ONLY; called by
# `make fuzz` with its lists.
set -eu
cc=${FUZZ_CC:-clang}
flags='-g -O1 -std=gnu17 -fsanitize=address,undefined -fno-sanitize-recover=undefined'
build=fuzz-build
mkdir -p "$build"

if ! printf 'int LLVMFuzzerTestOneInput(const char *, unsigned long);
int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return d && n > 9; }' |
	"$cc" -fsanitize=fuzzer -x c - -o "$build/probe" 2> /dev/null; then
	echo "fuzz: $cc has no libFuzzer: install clang, or set FUZZ_CC" >&2
	exit 1
fi

# Compile what is older than its source or any header. Leaves $objects.
compile() {
	objects=
	for source in "$@"; do
		case $source in *.c) ;; *) continue ;; esac
		object=$build/$(echo "${source%.c}" | tr / _).o
		objects="$objects $object"
		if [ -e "$object" ] && [ -z "$(cd "$srcdir" &&
			find "$source" lib host sdk-headers plugins runner tests/fuzz \
				\( -name '*.h' -o -path "$source" \) \
				-newer "$OLDPWD/$object" -print | head -n 1)" ]; then
			continue
		fi
		# shellcheck disable=SC2086 # lists of words
		"$cc" $flags -fsanitize=fuzzer-no-link $cppflags \
			-iquote "$srcdir/lib" -c "$srcdir/$source" -o "$object"
	done
}

cppflags=$FUZZ_LIB_CPPFLAGS
compile $FUZZ_LIB_SOURCES
lib_objects=$objects
cppflags=$FUZZ_CPPFLAGS
status=0
for fuzzer in "$@"; do
	name=${fuzzer%%:*}
	case " ${FUZZ_ONLY:-$name} " in *" $name "*) ;; *) continue ;; esac
	sources="tests/fuzz/fuzz-$name.c"
	libs=$FUZZ_LIBS
	for word in $(echo "$fuzzer" | tr ':,' '  '); do
		case $word in
		"$name") ;;
		host)
			sources="$sources $FUZZ_HOST_SOURCES"
			libs="$libs $FUZZ_HOST_LIBS" ;;
		-l*) libs="$libs $word" ;;
		*) sources="$sources $word" ;;
		esac
	done
	compile $sources
	# shellcheck disable=SC2086
	"$cc" $flags -fsanitize=fuzzer $objects $lib_objects $libs -o "$build/fuzz-$name"
	mkdir -p "$build/corpus/$name"
	seeds="$srcdir/tests/fuzz/corpus/$name"
	[ -d "$seeds" ] || seeds=
	echo "fuzz: $name for $FUZZ_SECONDS s"
	if ! "$build/fuzz-$name" -max_total_time="$FUZZ_SECONDS" -max_len=4096 -timeout=10 \
		-rss_limit_mb=1024 -artifact_prefix="$build/$name-" \
		-verbosity=0 -print_final_stats=1 "$build/corpus/$name" $seeds \
		> "$build/$name.log" 2>&1; then
		tail -n 40 "$build/$name.log" >&2
		echo "fuzz: $name failed: $build/$name.log" >&2
		status=1
	else
		grep number_of_executed_units "$build/$name.log" | sed 's/^stat:/  /'
	fi
done
exit $status
