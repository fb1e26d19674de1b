# Bundles: a runner with everything it needs, for another machine.
noinst_LIBRARIES += libbundle.a
libbundle_a_SOURCES = %D%/bundle.c %D%/bundle.h %D%/libraries.c %D%/tar.c
libbundle_a_CPPFLAGS = $(libmt_a_CPPFLAGS)

# Without the flags of the builder: a static program has no sanitizer, nor a profile.
EXTRA_DIST += %D%/bundle-start.c
if HAVE_STATIC
helper_SCRIPTS = mortise-bundle-start
CLEANFILES += mortise-bundle-start
endif
mortise-bundle-start: %D%/bundle-start.c
	$(AM_V_CCLD)$(CC) -O2 -static -o $@ $(srcdir)/%D%/bundle-start.c
