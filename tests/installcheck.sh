#!/bin/sh
# SPDX-License-Identifier: MIT
# make installcheck: the installed program makes plugins from the installed templates and
# tests them; the installed examples build with the installed headers; the installed
# documents contain no dead links. The caller sets the directories of the installation.
# Nothing is installed or changed.
set -eu
root=${DESTDIR:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MAKELEVEL MFLAGS MAKEOVERRIDES LDFLAGS MORTISE_SDK
export PKG_CONFIG_PATH="$root$pkgconfigdir"
[ -z "$root" ] || export PKG_CONFIG_SYSROOT_DIR="$root"
export MORTISE_BUILTIN_PLUGINS=no MORTISE_CORE_PLUGIN_PATH="$root$plugindir"
export MORTISE_CORE_RUNNER="$root$helperdir/mortise-runner"
export MORTISE_CORE_PROMPT_DIR="$root$promptdir"
export MORTISE_CORE_TEMPLATE_DIR="$root$examplesdir/examples/templates"
export MORTISE_CORE_MODEL_TABLE="$root$modelsdir/models.ini"
export HOME="$work" XDG_CONFIG_HOME="$work" XDG_CACHE_HOME="$work" XDG_STATE_HOME="$work"
mortise=$root$bindir/mortise

for kind in tool agent condenser analyzer dialect runtime; do
	"$mortise" plugins new $kind my-$kind "$work/$kind"
	make -C "$work/$kind" CC="${CC:-cc}" MORTISE="$mortise" test
done
find "$root$docdir" "$root$examplesdir" -name "*.md" > "$work/pages"
while read -r page; do
	grep -o '](\([^) ]*\)' "$page" | cut -c 3- | grep -v : | while read -r link; do
		link=${link%%#*}
		[ -z "$link" ] || [ -e "${page%/*}/$link" ] || { echo "$page: $link does not exist" >&2; exit 1; }
	done
done < "$work/pages"
cp -R "$root$examplesdir/examples/vendor" "$work"
make -C "$work/vendor" CC="${CC:-cc}"
"$mortise" plugins check "$work/vendor/wc.so"
