# Examples: a program with a bug, a third-party plugin, templates of plugins. Those for
# authors of plugins are installed.
EXTRA_DIST += \
	%D%/demo/.gitignore %D%/demo/Makefile %D%/demo/README.md %D%/demo/csv.c \
	%D%/demo/csv.h %D%/demo/tally.c %D%/demo/test.sh %D%/demo/repair.script
examplesdir = $(datadir)/mortise
nobase_dist_examples_DATA += %D%/ffi.ini %D%/browsing.ini %D%/archive/Makefile %D%/archive/archive.c %D%/archive/test.c \
	%D%/vendor/Makefile %D%/vendor/README.md %D%/vendor/wc.c \
	%D%/templates/common/README.md %D%/templates/c/Makefile %D%/templates/c++/Makefile \
	%D%/templates/run/test.sh %D%/templates/tool/NAME.cases \
	%D%/templates/tool-c/NAME.c %D%/templates/tool-c++/NAME.cpp \
	%D%/templates/rust/Makefile %D%/templates/tool-rust/NAME.rs \
	%D%/rust/mortise-plugin-sys/Cargo.toml \
	%D%/rust/mortise-plugin-sys/src/mortise_plugin_sys.rs \
	%D%/templates/agent/NAME.c %D%/templates/agent/test.c \
	%D%/templates/agent/test.script \
	%D%/templates/analyzer/NAME.c %D%/templates/analyzer/test.c \
	%D%/templates/analyzer/test.script \
	%D%/templates/condenser/NAME.c %D%/templates/condenser/test.c \
	%D%/templates/condenser/test.script \
	%D%/templates/dialect/NAME.c %D%/templates/dialect/test.c \
	%D%/templates/runtime/NAME.c %D%/templates/runtime/test.c \
	%D%/templates/runtime/test.script
