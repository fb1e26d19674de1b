# doc
dist_doc_DATA += README.md %D%/plugins.md %D%/architecture.md %D%/exit-codes.md %D%/non-interactive.md %D%/script.md \
	%D%/loops-undo-replay.md
dist_doc_DATA += %D%/configuration.md %D%/models.md %D%/condensers.md %D%/prompts.md
dist_doc_DATA += %D%/events.md %D%/security.md %D%/policy.md %D%/hooks.md
dist_doc_DATA += %D%/browser.md %D%/abi-compared.md
dist_doc_DATA += %D%/delegation.md %D%/skills.md %D%/tools.md %D%/mcp.md %D%/ffi.md %D%/goal.md
dist_doc_DATA += %D%/conversations.md %D%/troubleshooting.md
dist_doc_DATA += %D%/runner-protocol.md
dist_doc_DATA += %D%/terminal.md
dist_doc_DATA += %D%/conversation-protocol.md %D%/conversation-protocol.schema.json

# Manual pages come from the tables of the program itself.
man_MANS = %D%/mortise.1 %D%/mortise.ini.5
CLEANFILES += $(man_MANS)
%D%/mortise.1: mortise$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && ./mortise$(EXEEXT) manual mortise > $@.tmp && mv $@.tmp $@
%D%/mortise.ini.5: mortise$(EXEEXT)
	$(AM_V_GEN)$(MKDIR_P) %D% && ./mortise$(EXEEXT) manual mortise.ini > $@.tmp && mv $@.tmp $@

if HAVE_TERMINAL
dist_man_MANS = %D%/mortise-chat.1
endif
# The index: installed, it would take the place of the README of the project.
EXTRA_DIST += %D%/README.md
EXTRA_DIST += %D%/mortise-chat.1
