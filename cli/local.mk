# The command line, one file per command: a client of the host. The host includes none of its files.
noinst_LIBRARIES += libcli.a
libcli_a_SOURCES = \
	%D%/approval.c %D%/approval.h %D%/ask.c %D%/ask.h %D%/attach.c %D%/bisect.c %D%/bundle.c %D%/bundle.h %D%/client.c \
	%D%/client.h %D%/command-table.c %D%/commands.h %D%/condense.c \
	%D%/config.c %D%/conversations.c %D%/conversations.h %D%/conversations-cost.c \
	%D%/conversations-delete.c %D%/delegate.c %D%/diff.c %D%/doctor.c %D%/doctor.h %D%/doctor-limits.c %D%/doctor-machine.c \
	%D%/doctor-runtime.c %D%/doctor-setup.c %D%/doctor-sandbox.c %D%/download.c %D%/download.h %D%/drive.c \
	%D%/drive.h %D%/early-signals.c %D%/early-signals.h %D%/exit-codes.c %D%/ffi.c %D%/final-answer.c %D%/final-answer.h \
	%D%/flags.c %D%/follow.c %D%/follow.h %D%/fork.c %D%/helper.c %D%/kill.c \
	%D%/list-tools.c %D%/list-tools.h %D%/loop.c %D%/manual.c %D%/mcp.c %D%/mcp.h \
	%D%/mcp-login.c %D%/models.c %D%/models.h %D%/models-server.c %D%/models-test.c %D%/overlay-probe.c %D%/overlay-probe.h \
	%D%/plugins.c %D%/plugins.h %D%/plugins-new.c \
	%D%/plugins-test.c %D%/plugins-test.h %D%/plugins-test-cases.c %D%/plugins-test-checker.c \
	%D%/policy.c \
	%D%/policy.h %D%/policy-approvals.c %D%/probe.c %D%/ps.c %D%/race.c %D%/render.c %D%/render.h %D%/replay.c %D%/restore.c %D%/resume.c \
	%D%/run.c %D%/sandbox.c %D%/sandbox.h %D%/sandbox-explain.c %D%/sandbox-grants.c %D%/sandbox-verify.c %D%/skills.c %D%/spool.c %D%/spool.h %D%/start-docker-kept.c %D%/start-docker.c %D%/start-docker.h %D%/start-runner.c %D%/start-runner.h %D%/start-ssh.c %D%/tools.c \
	%D%/unknown-tool.c %D%/unknown-tool.h %D%/workspace.c %D%/workspace.h
libcli_a_CPPFLAGS = $(libhost_a_CPPFLAGS) -I$(top_srcdir)/mcp-server

bin_PROGRAMS += mortise
mortise_SOURCES = %D%/main.c
mortise_CPPFLAGS = $(libhost_a_CPPFLAGS)
mortise_LDADD = libcli.a libbundle.a liblimits.a libmcpserver.a $(LIBHOST)
