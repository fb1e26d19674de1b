# Snapshots of a workspace: a store of contents, taking, comparing and restoring.
noinst_LIBRARIES += libsnapshot.a
libsnapshot_a_SOURCES = \
	%D%/object.c %D%/restore.c %D%/snapshot.h %D%/snapshot-internal.h %D%/stat-cache.c \
	%D%/store.c %D%/take.c %D%/tree.c
libsnapshot_a_CPPFLAGS = $(libmt_a_CPPFLAGS)
# What programs add to link it, before $(LIBMT).
LIBSNAPSHOT = libsnapshot.a libtext.a
