#!/bin/sh
# SPDX-License-Identifier: MIT
# pack.sh OUT TOP VERSION FILE... - packs the bundled skills into OUT/mortise.tar.gz and
# signs them: with $PACK_KEY, else with a key of which only the public half is kept.
# OUT/mortise.pem is that half. $MORTISE and $OPENSSL are the programs.
set -eu
out=$1 top=$2 version=$3
shift 3
umask 077
work=$out/mortise.tmp
rm -rf "$work"
mkdir -p "$work/mortise"
for file; do
	mkdir -p "$work/mortise/$(dirname "$file")"
	cat "$top/$file" >"$work/mortise/$file"
done
cat >"$work/mortise/pack.ini" <<EOF
[pack]
name = mortise
version = $version
license = MIT
description = The skills that come with Mortise.
EOF
key=${PACK_KEY:-}
if [ -z "$key" ]; then
	key=$work/key.pem
	"$OPENSSL" genpkey -algorithm ed25519 -out "$key"
fi
"$OPENSSL" pkey -in "$key" -pubout -out "$work/mortise.pem"
home=$(cd "$work" && pwd)
env HOME="$home" XDG_CONFIG_HOME="$home" XDG_CACHE_HOME="$home" XDG_DATA_HOME="$home" \
	XDG_STATE_HOME="$home" "$MORTISE" skills pack "$work/mortise" --key "$key" --inside \
	>"$work/log"
rm -f "$work/key.pem"
chmod 644 "$work/mortise.pem" "$work/mortise.tar.gz"
mv "$work/mortise.pem" "$work/mortise.tar.gz" "$out"
rm -rf "$work"
