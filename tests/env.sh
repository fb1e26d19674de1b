# SPDX-License-Identifier: MIT
# Sourced before each test: a home of its own, and the programs of the build
# tree instead of installed ones. Standard input is always empty.
exec < /dev/null
# rustup has its compilers in the home directory.
[ ! -d "$HOME/.rustup" ] || export RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}"
MORTISE_TEST_HOME=${MORTISE_TEST_HOME:-$top_builddir/tests/home}
mkdir -p "$MORTISE_TEST_HOME" && chmod 700 "$MORTISE_TEST_HOME"
export MORTISE_TEST_HOME
export HOME="$MORTISE_TEST_HOME"
export XDG_CONFIG_HOME="$HOME/config" XDG_STATE_HOME="$HOME/state"
export XDG_CACHE_HOME="$HOME/cache" XDG_DATA_HOME="$HOME/data"
export XDG_RUNTIME_DIR="$HOME/run"
mkdir -p "$XDG_RUNTIME_DIR" && chmod 700 "$XDG_RUNTIME_DIR"
export MORTISE_CORE_PLUGIN_PATH="$top_builddir/plugins/tools,$top_builddir/plugins/agents,$top_builddir/plugins/condensers,$top_builddir/plugins/analyzers,$top_builddir/plugins/dialects,$top_builddir/plugins/runtimes"
export MORTISE_CORE_RUNNER="$top_builddir/mortise-runner"
export MORTISE_CORE_PROMPT_DIR="$top_srcdir/prompts"
export MORTISE_CORE_TEMPLATE_DIR="$top_srcdir/examples/templates"
export MORTISE_SKILLS_BUNDLED="$top_srcdir/skills"
export MORTISE_CORE_MODEL_TABLE="$top_srcdir/data/models.ini"
# Servers and programs of the tests are outside of the workspaces, and so are files by
# which commands and tests wait for each other. tests/sandbox resets both.
export MORTISE_SANDBOX_READ="$top_srcdir,$top_builddir"
export MORTISE_SANDBOX_WRITE="${TMPDIR:-/tmp}"
# Where the system does not allow a sandbox, most commands would require approval.
if [ -x "$MORTISE_CORE_RUNNER" ] &&
	! "$MORTISE_CORE_RUNNER" --sandbox '{"network":"none"}' 2> /dev/null | grep -q '"enforced":true'; then
	export MORTISE_CONTROLLER_CONFIRMATION=never
fi
export MORTISE_BUILTIN_PLUGINS=no
export PATH="$top_builddir:$PATH"
export LC_ALL=C.UTF-8
# Programs with sanitizers are several times slower: conditions may take longer to be met.
[ -z "${SANITIZE:-}" ] || export LIMIT="${LIMIT:-90}"
case $SANITIZE in *address*)
	# The leak check takes the 16 bytes before a thread-local block for a header if the
	# block happens to begin 16 bytes into a page, and then ends with signal 11.
	export ASAN_OPTIONS="${ASAN_OPTIONS:-detect_leaks=1:abort_on_error=1:intercept_tls_get_addr=0}"
	export LSAN_OPTIONS="${LSAN_OPTIONS:-suppressions=$top_srcdir/tests/lsan.supp:print_suppressions=0}"
	export UBSAN_OPTIONS="${UBSAN_OPTIONS:-print_stacktrace=1}" ;;
esac
