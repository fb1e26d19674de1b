# The command line, one file per command: a client of the host. The host includes none of its files.
noinst_LIBRARIES += libcli.a
libcli_a_SOURCES = \
	%D%/approval.c %D%/approval.h %D%/ask.c %D%/ask.h %D%/attach.c %D%/client.c \
	%D%/client.h %D%/command-table.c %D%/commands.h %D%/condense.c \
	%D%/config.c %D%/conversations.c %D%/conversations.h %D%/conversations-cost.c \
	%D%/conversations-delete.c %D%/delegate.c %D%/download.c %D%/download.h %D%/drive.c \
	%D%/drive.h %D%/early-signals.c %D%/early-signals.h %D%/exit-codes.c %D%/ffi.c %D%/final-answer.c %D%/final-answer.h \
	%D%/flags.c %D%/follow.c %D%/follow.h %D%/fork.c %D%/helper.c %D%/kill.c \
	%D%/list-tools.c %D%/list-tools.h %D%/loop.c %D%/manual.c %D%/mcp.c %D%/mcp.h \
	%D%/mcp-login.c %D%/models.c %D%/models.h %D%/models-server.c %D%/models-test.c \
	%D%/plugins.c %D%/plugins.h %D%/plugins-new.c %D%/plugins-test.c %D%/policy.c \
	%D%/policy.h %D%/policy-approvals.c %D%/probe.c %D%/ps.c %D%/render.c %D%/render.h %D%/replay.c %D%/resume.c \
	%D%/run.c %D%/skills.c %D%/spool.c %D%/spool.h %D%/tools.c \
	%D%/unknown-tool.c %D%/unknown-tool.h
libcli_a_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/mcp-server

bin_PROGRAMS += mortise
mortise_SOURCES = %D%/main.c
mortise_CPPFLAGS = $(libhost_a_CPPFLAGS)
mortise_LDADD = libcli.a libmcpserver.a $(LIBHOST)
