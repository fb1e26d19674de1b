#!/bin/sh
# SPDX-License-Identifier: MIT
# plugin-json.sh - runs test-plugin-json, whose functions replace malloc.
case $SANITIZE in *address*) echo "1..0 # SKIP the sanitizer wants to be loaded first"; exit 0 ;; esac
exec "$top_builddir/tests/torture/test-plugin-json"
