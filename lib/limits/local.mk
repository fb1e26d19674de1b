# Limits of conversations: control groups, and amounts.
noinst_LIBRARIES += liblimits.a
liblimits_a_SOURCES = %D%/amount.c %D%/amount.h %D%/cgroup.c %D%/cgroup.h \
	%D%/tree-size.c %D%/tree-size.h
