# One file per command.
libhost_a_SOURCES += %D%/skills.c %D%/download.c %D%/download.h
libhost_a_SOURCES += %D%/command.h %D%/helper.c %D%/config.c %D%/flags.c %D%/loop.c %D%/plugins.c %D%/probe.c
libhost_a_SOURCES += %D%/final-answer.c %D%/final-answer.h %D%/ask.c %D%/ask.h %D%/drive.c %D%/drive.h %D%/list-tools.c %D%/list-tools.h %D%/spool.c %D%/spool.h %D%/resume.c %D%/run.c %D%/tools.c
libhost_a_SOURCES += %D%/conversations.c %D%/conversations.h %D%/conversations-cost.c %D%/conversations-delete.c
libhost_a_SOURCES += %D%/exit-codes.c %D%/manual.c %D%/models.c %D%/models.h %D%/models-server.c %D%/models-test.c %D%/command-table.c
libhost_a_SOURCES += %D%/attach.c %D%/follow.c %D%/follow.h %D%/kill.c %D%/ps.c
libhost_a_SOURCES += %D%/delegate.c %D%/ffi.c %D%/mcp.c %D%/mcp.h %D%/mcp-login.c %D%/policy.c %D%/policy.h %D%/policy-approvals.c
libhost_a_SOURCES += %D%/condense.c %D%/fork.c %D%/replay.c
libhost_a_SOURCES += %D%/plugins.h %D%/plugins-new.c %D%/plugins-test.c
