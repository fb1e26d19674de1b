# Examples: a program with a bug, a third-party plugin.
EXTRA_DIST += \
	%D%/demo/.gitignore %D%/demo/Makefile %D%/demo/README.md %D%/demo/csv.c \
	%D%/demo/csv.h %D%/demo/tally.c %D%/demo/test.sh %D%/demo/repair.script \
	%D%/vendor/Makefile %D%/vendor/README.md %D%/vendor/wc.c %D%/ffi.ini %D%/browsing.ini
