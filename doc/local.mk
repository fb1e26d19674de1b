# The documents are installed as they are here, so that the links between them work.
nobase_dist_doc_DATA += README.md CONTRIBUTING.md bench/README.md packages/debian
nobase_dist_doc_DATA += %D%/README.md %D%/plugins.md %D%/architecture.md %D%/exit-codes.md %D%/non-interactive.md %D%/script.md \
	%D%/loops-undo-replay.md %D%/undo.md
nobase_dist_doc_DATA += %D%/configuration.md %D%/models.md %D%/condensers.md %D%/prompts.md
nobase_dist_doc_DATA += %D%/events.md %D%/sandbox.md %D%/security.md %D%/policy.md %D%/hooks.md
nobase_dist_doc_DATA += %D%/browser.md %D%/abi-compared.md
nobase_dist_doc_DATA += %D%/delegation.md %D%/skills.md %D%/tools.md %D%/mcp.md %D%/ffi.md %D%/goal.md
nobase_dist_doc_DATA += %D%/conversations.md %D%/limits.md %D%/troubleshooting.md
nobase_dist_doc_DATA += %D%/runner-protocol.md %D%/runtimes.md
nobase_dist_doc_DATA += %D%/terminal.md
nobase_dist_doc_DATA += %D%/conversation-protocol.md %D%/conversation-protocol.schema.json

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
EXTRA_DIST += %D%/mortise-chat.1
