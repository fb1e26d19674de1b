#!/bin/sh
# Runs a conversation that uses the plugin, with a model that needs no network.
set -eu
directory=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/workspace"
XDG_STATE_HOME=$work/state "${MORTISE:-mortise}" run -q -C "$work/workspace" \
	-o "core.plugin_path+=$directory" -o @enable@ \
	-o "llm.model=@model@" -t 'Say hello.' > "$work/output"
cat "$work/output"
grep -q 'Hello from @name@' "$work/output"
