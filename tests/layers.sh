#!/bin/sh
# SPDX-License-Identifier: MIT
# layers.sh [DIR] - rules of the sources that no compiler holds: who includes
# whom, which functions are banned, how a file begins. Prints TAP; a breach is a
# comment line FILE:LINE: what.
# It does not run the program, so once is enough.
case ${SANITIZE:-} in ?*) echo '1..0 # SKIP it does not depend on the build'; exit 0 ;; esac
LC_ALL=C
export LC_ALL
top_srcdir=${top_srcdir:-$(dirname "$0")/..}
self=$(cd "$top_srcdir" && pwd)/tests/layers.sh
cd "${1:-$top_srcdir}" || exit 1
count=0

# files DIR... : the C files below them
files() {
	for dir in "$@"; do
		[ ! -d "$dir" ] || find "$dir" -name '*.[ch]' ! -path '*/.*'
	done | sort
}

# report NAME COMMAND... : one test; what the command prints are the breaches
report() {
	count=$((count + 1))
	name=$1
	shift
	breaches=$("$@")
	if [ -z "$breaches" ]; then
		echo "ok $count - $name"
	else
		echo "not ok $count - $name"
		echo "$breaches" | sed 's/^/# /'
	fi
}

# includes FILE... : "FILE:LINE KIND NAME", KIND " or <
includes() {
	[ $# -eq 0 ] || awk '
		match($0, /^[ \t]*#[ \t]*include(_next)?[ \t]*["<]/) {
			kind = substr($0, RLENGTH, 1)
			name = substr($0, RLENGTH + 1)
			sub(/[">].*/, "", name)
			print FILENAME ":" FNR, kind, name
		}' "$@"
}

# The code of files without comments and the insides of strings.
code() {
	[ $# -eq 0 ] || awk '
		FNR == 1 { comment = 0 }
		{
			line = $0
			out = ""
			while (line != "") {
				if (comment) {
					end = index(line, "*/")
					if (!end) break
					line = substr(line, end + 2)
					comment = 0
				} else if (match(line, /^"([^"\\]|\\.)*"/) ||
					   match(line, /^\047([^\047\\]|\\.)*\047/)) {
					out = out "\"\""
					line = substr(line, RLENGTH + 1)
				} else if (substr(line, 1, 2) == "/*") {
					comment = 1
					line = substr(line, 3)
				} else if (substr(line, 1, 2) == "//") {
					break
				} else {
					out = out substr(line, 1, 1)
					line = substr(line, 2)
				}
			}
			print FILENAME ":" FNR ": " out
		}' "$@"
}

banned() {
	code $(files lib host cli mcp-server runner plugins server terminal acp) | grep -E \
		'(^|[^[:alnum:]_>.])(strcpy|strcat|sprintf|vsprintf|strtok|atoi|atol|gets|system|popen|alloca|assert|mktemp|tmpnam)[[:blank:]]*\('
}

heads() {
	for file in $(files lib host cli mcp-server runner plugins server terminal acp sdk-headers tests \
		bench examples); do
		head -n 1 "$file" | grep -q '^/\* SPDX-License-Identifier: MIT' ||
			echo "$file:1: begins with /* SPDX-License-Identifier: MIT"
		case $file in examples/*) continue ;; esac # code of users
		head -n 4 "$file" | grep -qE "[ /]${file##*/}( \([^)]*\))? - " ||
			echo "$file:1: the first comment says \"${file##*/} - PURPOSE\""
	done
	for file in $(find lib host cli mcp-server runner plugins sdk-headers tests -name '*.sh' -o \
		-name '*.bats' -o -name '*.py' 2> /dev/null | sort); do
		head -n 3 "$file" | grep -q '^# SPDX-License-Identifier: MIT' ||
			echo "$file:1: has # SPDX-License-Identifier: MIT in its first lines"
	done
}

# The purpose of a file begins with a noun or a verb, not with a clause.
purposes() {
	{
		files lib host cli mcp-server runner plugins server terminal acp sdk-headers tests bench
		find tests bench -name '*.sh' -o -name '*.bats' -o -name '*.py' 2> /dev/null
	} | grep -v '^tests/fixtures/' | xargs awk '
		FNR <= 4 && /\.[a-z]+( \([^)]*\))? - (what|whatever|who|which|how|when|where) / {
			print FILENAME ":" FNR ": begin the purpose with a noun or a verb"
		}' /dev/null
}

# lib_gives NAME DIR: lib offers NAME to DIR. lib/text is also for plugins and the terminal,
# lib/sandbox and lib/limits for the runner, the others are for the host and its clients.
lib_gives() {
	case $2:$1 in
	lib:* | plugins:text/* | terminal:text/* | runner:sandbox/* | runner:limits/*) ;;
	*:*/*) return 1 ;;
	esac
	[ -e "lib/$1" ]
}

# Quoted includes of DIR stay in the directory of the file, in DIR (if it is a
# program of its own) and in lib.
stays_at_home() {
	dir=$1
	own=$2
	includes $(files "$dir") | while read -r place kind name; do
		[ "$kind" = '"' ] || continue
		here=${place%/*}
		case $name in
		config.h) continue ;;
		*..*) ;;
		*) [ ! -e "$here/$name" ] && ! lib_gives "$name" "$dir" &&
			{ [ -z "$own" ] || [ ! -e "$dir/$name" ]; } || continue ;;
		esac
		echo "$place: \"$name\" is neither its own nor of lib"
	done
}

# The libraries of lib that include others
library_order='
fncall events request
hooks config
models config
overlay sandbox
registry config
sandbox config text
skills config
snapshot text
tools config events registry runner-client
'

# lib includes none of its libraries; a library includes lib, and those that are listed.
lib_order() {
	includes $(files lib) | while read -r place kind name; do
		case $kind$name in '"'*/*) ;; *) continue ;; esac
		library=${place#lib/}
		library=${library%%/*}
		others=$(echo "$library_order" | sed -n "s,^$library ,,p")
		case " $library $others " in
		*" ${name%%/*} "*) ;;
		*) echo "$place: lib must not know $name" ;;
		esac
	done
}

# Rank of a module of the host; it may include what ranks as it does or lower.
rank() {
	case $1 in
	llm | context) echo 1 ;;
	controller) echo 2 ;;
	conversation) echo 3 ;;
	features) echo 4 ;;
	frontends) echo 5 ;;
	*) echo 0 ;;
	esac
}

# "FROM TO PLACE" for each include between modules of the host
edges() {
	includes $(files host) | while read -r place kind name; do
		[ "$kind" = '"' ] || continue
		from=${place#host/}
		from=${from%%[/:]*}
		case $name in
		*/*) [ "${name%%/*}" = "$from" ] || [ -e "lib/$name" ] ||
			echo "$from ${name%%/*} $place" ;;
		esac
	done
}

host_order() {
	edges | while read -r from to place; do
		a=$(rank "$from")
		b=$(rank "$to")
		[ "$a" -gt 0 ] || echo "$place: $from is not a module of the host"
		[ "$b" -gt 0 ] && [ "$b" -le "$a" ] ||
			echo "$place: $from must not know $to"
	done
	circle=$(edges | cut -d' ' -f1,2 | sort -u | tsort 2>&1 > /dev/null)
	[ -z "$circle" ] || echo "host:1: modules include each other: $circle" | tr '\n' ' '
}

# Headers that only their own directory includes
private_headers() {
	includes $(files host lib) | while read -r place kind name; do
		case $name in
		*/*internal.h) home=${name%/*}/ ;;
		config/layers.h) home=config/ ;;
		conversation/open.h | conversation/wiring.h | conversation/agent-spec.h | \
			conversation/usage-checkpoint.h) home=conversation/ ;;
		controller/core.h)
			case $place in host/conversation/*) continue ;; esac
			home=controller/
			;;
		*) home= ;;
		esac
		case $place in
		host/$home* | lib/$home*) ;;
		*) echo "$place: $name is private to $home" ;;
		esac
	done
}

# The programs that are clients of the host include its headers, but none that is private.
clients_of_host() {
	includes $(files cli mcp-server) | while read -r place kind name; do
		[ "$kind" = '"' ] || continue
		case $name in
		config.h) ;;
		*..*) echo "$place: \"$name\" goes up" ;;
		config/layers.h | controller/core.h | conversation/open.h | \
			conversation/wiring.h | */*internal.h)
			echo "$place: $name is private to the host" ;;
		mcp-server.h) ;;
		*) [ -e "${place%/*}/$name" ] || [ -e "host/$name" ] || [ -e "lib/$name" ] ||
			echo "$place: \"$name\" is neither its own nor of the host or lib" ;;
		esac
	done
}

# The MCP server needs tools and a runner, but no conversation.
mcp_server_order() {
	includes $(files mcp-server) | while read -r place kind name; do
		case $name in
		controller/plugins/launch.h | controller/plugins/plugin-load.h) ;;
		config/* | runner-client/* | skills/* | tools/* | llm/transport/http-requests.h) ;;
		*/*) [ "$kind" != '"' ] || echo "$place: the MCP server must not know $name" ;;
		esac
	done
}

# Bare names in the host are files of lib, or stand next to the file.
host_names() {
	includes $(files host) | while read -r place kind name; do
		[ "$kind" = '"' ] || continue
		case $name in
		config.h) ;;
		*..*) echo "$place: \"$name\" goes up" ;;
		*) [ -e "host/$name" ] || [ -e "lib/$name" ] || [ -e "${place%/*}/$name" ] ||
			echo "$place: \"$name\" is neither of host nor of lib" ;;
		esac
	done
}

# Heavy libraries belong to one place: HEADER PLACE
heavy() {
	includes $(files lib host cli mcp-server runner plugins server terminal acp) |
		while read -r place kind name; do
			case $name in
			libwebsockets.h | libwebsockets/*) home='server/*' ;;
			archive.h | archive_entry.h) home='lib/pack.c' ;;
			ffi.h) home='runner/ffi-call.c' ;;
			vterm.h) home='plugins/tools/bash*' ;;
			lowdown.h) home='terminal/*' ;;
			*) continue ;;
			esac
			# shellcheck disable=SC2254 # a pattern
			case $place in $home*) continue ;; esac
			echo "$place: $name belongs to $home alone"
		done
}

# The headers that go out include libc and each other alone, and the harness for test
# programs also POSIX.
sdk() {
	includes $(files sdk-headers) | while read -r place kind name; do
		case $place:$kind$name in
		sdk-headers/mortise/harness.h:*'<unistd.h') ;;
		*:'<mortise/'*)
			[ -e "sdk-headers/$name" ] || echo "$place: there is no $name" ;;
		*:'<assert.h' | *:'<stddef.h' | *:'<stdint.h' | *:'<stdio.h' | *:'<string.h' | \
			*:'<stdlib.h' | *:'<stdarg.h' | *:'<stdbool.h' | *:'<errno.h') ;;
		*) echo "$place: $name is not of libc" ;;
		esac
	done
}

# A header of the controller and a feature that may include it, one pair per line, sorted.
# A header that is not listed, such as core.h, is private to the core.
feature_headers='
controller/actions.h condense
controller/actions.h nested-calls
controller/actions.h replay
controller/actions.h task-list
controller/agents.h approval
controller/agents.h delegation
controller/agents.h goal
controller/agents.h judge
controller/agents.h limits
controller/agents.h setup
controller/agents.h subagent-process
controller/agents.h subagent-tasks
controller/agents.h subagents
controller/agents.h unattended
controller/call.h approval
controller/call.h effects
controller/call.h environment-command
controller/call.h file-history
controller/call.h follow-ups
controller/call.h hook-runner
controller/call.h nested-calls
controller/call.h parallel-calls
controller/call.h permissions
controller/call.h sandbox-retry
controller/call.h snapshots
controller/call.h tool-http
controller/closing.h effects
controller/closing.h hook-runner
controller/closing.h snapshots
controller/closing.h subagents
controller/conversation-parts.h approval
controller/conversation-parts.h limits
controller/conversation-parts.h side-usage
controller/conversation-parts.h subagent-process
controller/conversation-parts.h subagent-usage
controller/conversation.h all
controller/dispatch.h approval
controller/dispatch.h effects
controller/dispatch.h environment-command
controller/dispatch.h hook-runner
controller/dispatch.h permissions
controller/dispatch.h relist
controller/dispatch.h snapshots
controller/feature-api.h all
controller/feature.h all
controller/features.h delegation
controller/features.h features-table
controller/features.h follow-ups
controller/features.h goal
controller/features.h parallel-calls
controller/features.h side-usage
controller/observations.h approval
controller/observations.h delegation
controller/observations.h effects
controller/observations.h follow-ups
controller/observations.h hook-runner
controller/observations.h limits
controller/observations.h nested-calls
controller/observations.h sandbox-retry
controller/observations.h snapshots
controller/observations.h subagents
controller/overlay.h context-recall
controller/overlay.h effects
controller/overlay.h file-history
controller/overlay.h snapshots
controller/overlay.h subagent-process
controller/plugins/analyzers.h approval
controller/plugins/model-request.h condense
controller/plugins/plugin-ctx.h slices
controller/plugins/plugin-host.h condense
controller/plugins/plugin-host.h condense-preview
controller/plugins/plugin-http.h condense
controller/sandbox.h approval
controller/sandbox.h effects
controller/sandbox.h permissions
controller/sandbox.h sandbox-note
controller/sandbox.h sandbox-retry
controller/sandbox.h setup
controller/sandbox.h subagent-process
controller/step.h approval
controller/step.h condense
controller/step.h delegation
controller/step.h effects
controller/step.h follow-ups
controller/step.h hook-runner
controller/step.h judge
controller/step.h relist
controller/step.h sandbox-retry
controller/step.h slices
controller/step.h snapshots
controller/step.h subagents
controller/transitions.h approval
controller/transitions.h delegation
controller/transitions.h goal
controller/transitions.h judge
controller/transitions.h limits
controller/turn-actions.h approval
controller/turn-actions.h parallel-calls
controller/turn.h approval
controller/turn.h delegation
controller/turn.h effects
controller/turn.h environment-command
controller/turn.h file-history
controller/turn.h follow-ups
controller/turn.h hook-runner
controller/turn.h limits
controller/turn.h log-search
controller/turn.h nested-calls
controller/turn.h permissions
controller/turn.h questions
controller/turn.h replay
controller/turn.h sandbox-retry
controller/turn.h setup
controller/turn.h snapshots
controller/turn.h subagents
controller/turn.h tool-completions
controller/turn.h tool-http
controller/watchers.h questions
controller/watchers.h side-question
controller/watchers.h subagent-process
conversation/conversation.h all
conversation/fork.h subagent-usage
conversation/messages.h hook-runner
conversation/messages.h subagents
conversation/meta.h subagent-tasks
conversation/meta.h subagent-usage
conversation/named-models.h judge
conversation/named-models.h tool-completions
conversation/offered-tools.h condense
conversation/offered-tools.h delegation
conversation/offered-tools.h features-table
conversation/rewind.h loop-recovery
conversation/runner-ahead.h features-table
conversation/shell-directory.h approval
conversation/shell-directory.h effects
conversation/shell-directory.h features-table
conversation/shell-directory.h replay
conversation/waiting-messages.h features-table
'

# A feature sees the conversation through the headers listed above.
features_see_api() {
	includes $(files host/features) | while read -r place kind name; do
		case $name in controller/* | conversation/*) ;; *) continue ;; esac
		feature=${place#host/features/}
		feature=${feature%%[/.]*}
		echo "$feature_headers" | grep -qxF -e "$name all" -e "$name $feature" ||
			echo "$place: feature_headers of layers.sh does not give $name to $feature"
	done
}

# One file finds the call of an action: everybody else reads it from the turn.
one_resolver() {
	code $(files host) | grep -E '(^|[^[:alnum:]_])action_to_call\(' |
		grep -v '^host/controller/call\.c:'
}

# Two units, each a .c file with its header and the header X-internal.h, do not include each
# other.
include_pairs() {
	all=$(files lib host cli mcp-server runner plugins server terminal acp tests bench)
	{
		printf 'exists %s\n' $all
		includes $all
	} | awk '
		function unit(file) {
			sub(/\.[ch]$/, "", file)
			sub(/-internal$/, "", file)
			return file
		}
		$1 == "exists" {
			exists[$2] = 1
			next
		}
		$2 == "\"" {
			from = $1
			sub(/:.*/, "", from)
			directory = program = from
			sub(/[^\/]*$/, "", directory)
			sub(/\/.*/, "/", program)
			n = split(directory " " program " host/ lib/ ", base, " ")
			for (i = 1; i <= n && !((base[i] $3) in exists); i++)
				;
			if (i <= n && unit(from) != unit(base[i] $3))
				place[unit(from) " " unit(base[i] $3)] = $1
		}
		END {
			for (pair in place) {
				split(pair, f, " ")
				if ((f[2] " " f[1]) in place)
					print place[pair] ": " f[2] " includes it too"
			}
		}' | sort
}

# "FROM TO" for each header of the host that includes another
header_edges() {
	includes $(files host) | while read -r place kind name; do
		from=${place#host/}
		from=${from%%:*}
		[ "$kind" = '"' ] && [ -e "host/$name" ] || continue
		case $from in *.h) echo "$from $name" ;; esac
	done
}

# The headers of the host have an order: none includes itself through others.
header_circles() {
	circle=$(header_edges | sort -u | tsort 2>&1 > /dev/null)
	[ -z "$circle" ] || echo "host:1: headers include each other: $circle" |
		tr '\n' ' '
}

# "FROM TO" for each unit, a file and its headers, that includes another
unit_edges() {
	includes $(files host/controller host/conversation host/features host/context \
		host/frontends) | while read -r place kind name; do
		from=${place#host/}
		from=${from%%.[ch]:*}
		to=${name%.h}
		[ "$kind" = '"' ] && [ -e "host/$name" ] || continue
		[ "${from%-internal}" = "${to%-internal}" ] || echo "${from%-internal} ${to%-internal}"
	done
}

# What a file calls does not lead back to it through includes.
unit_circles() {
	circle=$(unit_edges | sort -u | tsort 2>&1 > /dev/null)
	[ -z "$circle" ] || echo "host:1: units include each other: $circle" | tr '\n' ' '
}

# A file of the tree, named by its path, the end of it, or its name alone.
path_of() {
	for dir in . host plugins host/controller; do
		[ ! -e "$dir/$1" ] || { echo "$dir/$1" && return; }
	done
	find host cli mcp-server lib runner plugins tests -path "*/$1" 2> /dev/null | sort
}

# doc/architecture.md names files that exist, and `function` (`file.c`) that it contains.
architecture() {
	doc=doc/architecture.md
	[ -e $doc ] || return 0
	grep -noE '`([a-z][a-z0-9_./-]*\.(c|h|ini|bats|sh|mk)|(host|cli|mcp-server|lib|plugins|tests)/[a-z0-9_./-]*)`' \
		$doc | tr -d '`' |
		while IFS=: read -r line name; do
			[ -n "$(path_of "$name")" ] || echo "$doc:$line: there is no $name"
		done
	grep -noE '`[a-z0-9_]+` \(`[a-z/-]+\.c`' $doc | tr -d '`(' |
		while IFS=': ' read -r line function name; do
			grep -qE "^[a-z].*[ *]$function\(" /dev/null $(path_of "$name") ||
				echo "$doc:$line: $name does not define $function"
		done
}

# A numbered walk of doc/architecture.md returns to a file that it left at most twice.
walks() {
	[ ! -e doc/architecture.md ] || awk '
		match($0, /^[0-9]+\. `[a-z0-9_]+` \(`[a-z\/-]+\.c`/) {
			if ($1 == "1.") {
				split("", times)
				last = ""
			}
			file = substr($0, 1, RLENGTH - 1)
			sub(/.*`/, "", file)
			if (file != last && ++times[file] > 3)
				print "doc/architecture.md:" FNR ": the walk returns to " file
			last = file
		}' doc/architecture.md
}

# No two files define functions of one name: ctags and debuggers lead to one place.
names_once() {
	awk '
		match($0, /^[a-z][A-Za-z0-9_ *]*[ *][a-z_][a-z0-9_]*\(/) && !/;$/ {
			name = substr($0, 1, RLENGTH - 1)
			sub(/.*[ *]/, "", name)
			if (name == "main" || ((name, FILENAME) in seen)) next
			seen[name, FILENAME] = 1
			if (name in place)
				print FILENAME ":" FNR ": " name " is defined in " place[name] " too"
			place[name] = FILENAME
		}' /dev/null $(files cli host lib mcp-server plugins runner terminal | grep '\.c$')
}

# "PREFIX PLACE" for each place of the table of prefixes in doc/architecture.md
prefixes() {
	[ ! -e doc/architecture.md ] || awk -F'|' '
		/^## / { names = $0 == "## Names" }
		names && $2 ~ /`/ {
			n = split($2, prefix, "`")
			m = split($4, place, "`")
			for (i = 2; i <= n; i += 2)
				for (j = 2; j <= m; j += 2)
					print prefix[i], place[j]
		}' doc/architecture.md
}

# The first word of an exported function is a word of its path, in the singular or the
# plural, or the table of prefixes gives it to the place of the file.
names_by_path() {
	prefixes | awk '
		FILENAME == "-" {
			places[$1] = places[$1] " " $2
			next
		}
		FNR == 1 {
			split("", words)
			n = split(FILENAME, part, /[\/._-]/)
			for (i = 1; i < n; i++) {
				word = part[i]
				sub(/s$/, "", word)
				words[word] = 1
			}
		}
		function is_given(name, i, n, place) {
			for (prefix in places) {
				if (index(name "_", prefix "_") != 1) continue
				n = split(places[prefix], place, " ")
				for (i = 1; i <= n; i++)
					if (index(FILENAME, place[i]) == 1) return 1
			}
			return 0
		}
		/^[a-z][A-Za-z0-9_ *]*[ *][a-z][a-z0-9_]*\(/ && !/^(static|typedef) / && !/;$/ {
			name = substr($0, 1, index($0, "(") - 1)
			sub(/.*[ *]/, "", name)
			word = name
			sub(/_.*/, "", word)
			sub(/s$/, "", word)
			if (name != "main" && !(word in words) && !is_given(name))
				print FILENAME ":" FNR ": " name " carries neither a word of its path" \
					" nor a prefix of doc/architecture.md"
		}' - $(files cli host lib mcp-server plugins runner terminal | grep '\.c$')
}

# Each prefix of the table still has a function.
prefixes_are_used() {
	prefixes | while read -r prefix place; do
		[ -e "$place" ] || { echo "doc/architecture.md: there is no $place" && continue; }
		grep -rqE "^[a-z].*[ *]$prefix(_[a-z0-9_]*)?\(" "$place" ||
			echo "doc/architecture.md: no function of $place begins with $prefix"
	done
}

# Each rule finds what breaks it: a small tree with a breach of every kind.
breach() {
	mkdir -p "$(dirname "$tree/$1")"
	printf '/* SPDX-License-Identifier: MIT\n *\n * %s - bad. */\n%s\n' \
		"$(basename "$1")" "$2" > "$tree/$1"
}

rules_find_breaches() {
	tree=$(mktemp -d) || return
	breach lib/a.c '#include "config/config.h"'
	breach lib/b.c 'char *f(char *a, char *b) { return strcpy(a, b); }'
	breach lib/log.h ''
	breach lib/d.c '#include "events/event.h"'
	breach lib/events/event.h ''
	breach lib/events/evlog-internal.h ''
	breach host/llm/u.c '#include "events/evlog-internal.h"'
	breach runner/v.c '#include "events/event.h"'
	breach plugins/tools/k.c '#include "events/event.h"'
	breach plugins/tools/m.c '#include "sandbox/sandbox.h"'
	breach runner/w.c '#include "sandbox/sandbox.h"'
	breach lib/sandbox/sandbox.h ''
	breach plugins/tools/l.c '#include "text/text.h"'
	breach lib/text/text.h ''
	breach lib/config/config.h '#include "registry/registry.h"'
	breach host/context/t.h '#include "controller/turn.h"'
	breach lib/tools/u.c '#include "config/layers.h"'
	breach lib/config/layers.h ''
	breach lib/tools/t.c '#include "skills/skills.h"'
	breach host/llm/llm.h '#include "context/context.h"'
	breach host/context/context.h '#include "llm/llm.h"'
	breach lib/events/x.c '#include "missing.h"'
	breach host/controller/p.c '#include "llm/llm-internal.h"'
	breach lib/fncall/q.c '#include "llm/llm.h"'
	breach plugins/tools/x/main.c '#include "config/config.h"'
	breach plugins/tools/y.c '#include <ffi.h>'
	breach runner/r.c '#include "config/config.h"'
	breach host/features/w.c '#include "controller/core.h"'
	breach host/frontends/x.c '#include "controller/core.h"'
	breach host/features/y.c '#include "conversation/open.h"'
	breach host/conversation/open.h ''
	breach host/controller/z.c '#include "conversation/open.h"'
	breach host/features/setup.c '#include "controller/rewind.h"'
	breach host/features/limits.c '#include "controller/turn.h"'
	breach host/controller/rewind.h ''
	breach host/controller/turn.h ''
	breach host/controller/core.h ''
	breach host/features/h.c 'void f(void) { action_to_call(0); }'
	breach host/features/i.c '#include "features/approval/approval-internal.h"'
	breach host/controller/f.c '#include "features/g.h"'
	breach host/controller/k.c '#include "commands.h"'
	breach cli/commands.h ''
	breach cli/l.c '#include "controller/core.h"'
	breach cli/m.c '#include "spec.h"'
	breach runner/spec.h ''
	breach mcp-server/n.c '#include "controller/turn.h"'
	breach host/features/g.h ''
	breach host/controller/p.h '#include "controller/q.h"'
	breach host/controller/q.h '#include "controller/p.h"'
	breach runner/a.c '#include "b.h"'
	breach runner/a.h ''
	breach runner/b.h '#include "a.h"'
	breach lib/f-internal.h '#include "g.h"'
	breach lib/f.h ''
	breach lib/g.h '#include "f.h"'
	breach host/controller/r.h '#include "controller/s.h"'
	breach host/controller/s.h '#include "controller/t.h"'
	breach host/controller/t.h '#include "controller/r.h"'
	breach host/conversation/u.c '#include "conversation/v.h"'
	breach host/conversation/u.h ''
	breach host/conversation/v.c '#include "conversation/u.h"'
	breach host/conversation/v.h ''
	breach lib/n.c 'static int twice(void)'
	breach host/llm/n.c 'int twice(void)'
	breach lib/files.c 'int dir_make(void)'
	breach lib/other.c 'int dir_take(void)'
	breach sdk-headers/mortise/z.h '#include <json-c/json.h>'
	breach lib/e.c ''
	sed -i 's/ - bad/ - what is bad/' "$tree/lib/e.c"
	echo 'int x;' > "$tree/lib/c.c"
	mkdir -p "$tree/doc"
	{
		echo 'See `gone` (`p.c`) and `host/gone.c`.'
		for n in 1 2 3 4 5; do
			printf '%d. `a` (`a.c`)\n%d. `b` (`b.c`)\n' $n $n
		done
		printf '## Names\n| `dir` | a directory | `lib/files.c`, `lib/none.c` |\n'
	} > "$tree/doc/architecture.md"
	found=$(sh "$self" "$tree")
	for want in 'lib/a.c:4: ' 'lib/b.c:4: ' 'lib/c.c:1: ' 'lib/e.c:3: ' \
		'lib must not know events/event.h' 'host/llm/u.c:4: ' 'runner/v.c:4: ' 'plugins/tools/k.c:4: ' 'plugins/tools/m.c:4: ' \
		'lib must not know registry/registry.h' 'context must not know controller' 'lib must not know skills/skills.h' \
		'config/layers.h is private to config/' 'controller must not know features' 'include each other' \
		'host/controller/p.c:4: ' 'lib/fncall/q.c:4: ' 'lib/events/x.c:4: ' \
		'plugins/tools/x/main.c:4: ' 'plugins/tools/y.c:4: ' 'runner/r.c:4: ' \
		'host/frontends/x.c:4: controller/core.h is private' \
		'conversation/open.h is private to conversation/' \
		'controller must not know conversation' 'host/features/w.c:4: ' 'host/features/h.c:4: ' \
		'host/controller/k.c:4: ' 'cli/l.c:4: ' 'cli/m.c:4: ' \
		'the MCP server must not know controller/turn.h' \
		'does not give controller/rewind.h to setup' \
		'features/approval/approval-internal.h is private' 'host/controller/p.h:4: ' \
		'runner/a.c:4: ' 'lib/f-internal.h:4: ' \
		'headers include each other' 'units include each other' 'there is no host/gone.c' 'p.c does not define gone' \
		'the walk returns to a.c' \
		'twice is defined in host/llm/n.c too' \
		'lib/other.c:4: dir_take' 'there is no lib/none.c' \
		'sdk-headers/mortise/z.h:4: '; do
		echo "$found" | grep -qF "$want" || echo "not found: $want"
	done
	[ "${found#*turn.h to limits}" = "$found" ] || echo 'a listed header is refused'
	[ "${found#*dir_make}" = "$found" ] || echo 'a listed prefix is refused'
	[ "${found#*plugins/tools/l.c}" = "$found" ] || echo 'lib/text is refused to plugins'
	[ "${found#*runner/w.c}" = "$found" ] || echo 'lib/sandbox is refused to the runner'
	rm -rf "$tree"
}

report 'no banned function is called' banned
report 'every file begins with its license and its purpose' heads
report 'the purpose of a file begins with a noun or a verb' purposes
report 'lib includes only lib' stays_at_home lib own
report 'a library of lib knows itself and lib' lib_order
report 'a plugin knows itself, lib and <mortise/...>' stays_at_home plugins ''
report 'the runner knows itself and lib' stays_at_home runner own
for program in server terminal acp; do
	report "$program knows itself and lib" stays_at_home $program own
done
report 'modules of the host include what stands below them, no circles' host_order
report 'private headers stay in their directory' private_headers
report 'the host includes by its own names and those of lib' host_names
report 'clients of the host include what it offers' clients_of_host
report 'the MCP server knows tools and no conversation' mcp_server_order
report 'features see the conversation through their header' features_see_api
report 'one file finds the call of an action' one_resolver
report 'no two files include each other' include_pairs
report 'the headers of the host include each other in no circle' header_circles
report 'the files of the host include each other in no circle' unit_circles
report 'doc/architecture.md names what exists' architecture
report 'the walks of doc/architecture.md seldom return to a file' walks
report 'a name of a function leads to one place' names_once
report 'an exported name carries a word of its path or a listed prefix' names_by_path
report 'a listed prefix is in use' prefixes_are_used
report 'heavy libraries stay in their place' heavy
report 'the headers for plugins include libc alone' sdk
[ $# -gt 0 ] || report 'the rules find what breaks them' rules_find_breaches
echo "1..$count"
