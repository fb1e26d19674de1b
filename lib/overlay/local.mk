# Overlays of a workspace: mounting, and applying or reverting what differs.
noinst_LIBRARIES += liboverlay.a
liboverlay_a_SOURCES = \
	%D%/apply.c %D%/changes.c %D%/changes.h %D%/mount.c %D%/mount.h %D%/overlay.c %D%/overlay.h \
	%D%/roots.c
liboverlay_a_CPPFLAGS = $(libmt_a_CPPFLAGS)
