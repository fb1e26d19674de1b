#!/bin/sh
# SPDX-License-Identifier: MIT
#
# vectors.sh - every component whose recorded cases lie next to the sources.
dir=$top_srcdir/../shared/vectors
n=0
for c in $("$top_srcdir"/tests/vectors); do
	n=$((n + 1))
	file=$dir/$c.json
	[ ! -d "$dir/$c" ] || file=$dir/$c
	[ ! -d "$dir/llm-wire/$c" ] || file=$dir/llm-wire/$c
	if [ ! -d "$dir" ]; then
		echo "ok $n - $c # SKIP no recorded cases next to the sources"
	elif [ ! -e "$file" ]; then
		echo "ok $n - $c # SKIP no file of that name"
	elif out=$("$top_srcdir"/tests/vectors "$c" "$file" 2>&1); then
		echo "ok $n - $c: $(echo "$out" | tail -n 1)"
	else
		echo "$out" | grep -v '^{' | sed 's/^/# /'
		echo "not ok $n - $c: $(echo "$out" | tail -n 1)"
	fi
done
echo "1..$n"
