# Fuzz targets: `make fuzz` builds each one with libFuzzer, ASan and UBSan and
# runs it for FUZZ_SECONDS; a crash, a leak or a broken property fails it.
#
#   make fuzz                                 all of them
#   make fuzz FUZZ_ONLY="ini sse" FUZZ_SECONDS=300    these, for longer
#   make fuzz FUZZ_CC=clang-16
#
# To add one: write fuzz-NAME.c here, with LLVMFuzzerTestOneInput in it, put
# small seeds into corpus/NAME/, and add a line below:
#
#   FUZZERS += NAME               links lib/
#   FUZZERS += NAME:host          links lib/, its libraries and every module of host/
#   FUZZERS += NAME:a/b.c,-lx     links lib/, these files and libraries
#
# What stands between the colons may be combined (NAME:host:a/b.c). Includes are
# found as in host/. What was found is kept in fuzz-build/ of the build tree.
FUZZERS =
FUZZ_SECONDS = 20
FUZZ_ONLY =
FUZZ_INCLUDES = $(CURL_CFLAGS) $(UV_CFLAGS) $(CRYPTO_CFLAGS) -I$(top_srcdir)/tests \
	-DBUILD='"$(abs_top_builddir)"' -DSOURCES='"$(abs_top_srcdir)"'

FUZZ_ED = plugins/tools/editor
FUZZ_TX = lib/text
FUZZ_ED1 = $(FUZZ_ED)/commands.c,$(FUZZ_ED)/editor.c,$(FUZZ_ED)/edits.c
FUZZ_ED2 = $(FUZZ_ED)/job.c,$(FUZZ_ED)/memory.c,$(FUZZ_ED)/replace.c
FUZZ_TX1 = $(FUZZ_TX)/argument.c,$(FUZZ_TX)/charset.c,$(FUZZ_TX)/diff.c,$(FUZZ_TX)/file-view.c
FUZZ_TX2 = $(FUZZ_TX)/glob.c,$(FUZZ_TX)/ignore.c,$(FUZZ_TX)/listing.c,$(FUZZ_TX)/nearmiss.c
FUZZ_TX3 = $(FUZZ_TX)/textfile.c,$(FUZZ_TX)/textfile-store.c,$(FUZZ_TX)/tool-ignore.c
FUZZERS += editor:$(FUZZ_ED1),$(FUZZ_ED2),$(FUZZ_TX1),$(FUZZ_TX2),$(FUZZ_TX3)
if HAVE_TERMINAL
FUZZ_T = terminal
FUZZ_T1 = $(FUZZ_T)/keys.c,$(FUZZ_T)/line-editor.c,$(FUZZ_T)/live-region.c,$(FUZZ_T)/markdown.c
FUZZ_T2 = $(FUZZ_T)/action.c,$(FUZZ_T)/prompt.c,$(FUZZ_T)/style.c,$(FUZZ_T)/table.c,$(FUZZ_T)/text.c
FUZZERS += terminal:$(FUZZ_T1),$(FUZZ_T2),-llowdown,-lutf8proc
endif
FUZZ_BR = plugins/tools/browser
FUZZERS += actions:$(FUZZ_BR)/actions.c
FUZZERS += browsing:plugins/agents/browse-reply.c
FUZZERS += axtree:$(FUZZ_BR)/outline.c
FUZZERS += config:host
FUZZERS += controller:host
FUZZERS += event:host
FUZZ_EV = lib/events
FUZZ_EV1 = $(FUZZ_EV)/evlog-blobs.c,$(FUZZ_EV)/evlog-checkpoint.c,$(FUZZ_EV)/event-read.c
FUZZ_EV2 = $(FUZZ_EV)/event-text.c,$(FUZZ_EV)/event.c,$(FUZZ_EV)/json-write.c
FUZZ_EV3 = $(FUZZ_EV)/line-scan.c,$(FUZZ_EV)/evlog-index.c,$(FUZZ_EV)/evlog-open.c
FUZZ_EV4 = $(FUZZ_EV)/evlog-read.c,$(FUZZ_EV)/evlog.c,$(FUZZ_EV)/types.c
FUZZ_EV5 = $(FUZZ_EV)/edit-diff.c,$(FUZZ_EV)/evlog-damage.c,$(FUZZ_EV)/evlog-delegations.c,$(FUZZ_EV)/python.c
FUZZ_FRONTENDS = host/llm/models/usage.c,host/llm/errors.c,lib/events/agent-state.c,host/frontends/protocol-held.c,host/frontends/protocol-input.c,host/frontends/protocol-output.c
FUZZERS += commands:$(FUZZ_FRONTENDS),$(FUZZ_EV1),$(FUZZ_EV2),$(FUZZ_EV3),$(FUZZ_EV4),$(FUZZ_EV5),-lcrypto
FUZZERS += fncall:host
FUZZERS += hooks:host
FUZZERS += image
FUZZERS += ini
FUZZERS += journal:host/controller/plugins/plugin-journal.c
FUZZERS += json
FUZZERS += jsonl
FUZZ_IPY = plugins/tools/ipython
FUZZERS += kernel:$(FUZZ_IPY)/wire.c,$(FUZZ_IPY)/show.c,$(FUZZ_IPY)/plain.c,-lcrypto
FUZZERS += mask
FUZZ_MC = plugins/tools/mcp
FUZZ_MC1 = $(FUZZ_MC)/client.c,$(FUZZ_MC)/protocol-version.c,$(FUZZ_MC)/http-headers.c,$(FUZZ_MC)/http-listener.c
FUZZ_MC2 = $(FUZZ_MC)/http-transfer.c,$(FUZZ_MC)/http.c,$(FUZZ_MC)/rpc.c,$(FUZZ_MC)/serve.c
FUZZ_MC3 = $(FUZZ_MC)/stdio.c,$(FUZZ_MC)/tools.c,-lcurl
FUZZ_MC4 = $(FUZZ_MC)/elicit.c,$(FUZZ_MC)/oauth-discover.c,$(FUZZ_MC)/oauth-fetch.c
FUZZERS += mcp:$(FUZZ_MC4),$(FUZZ_MC1),$(FUZZ_MC2),$(FUZZ_MC3)
FUZZERS += mustache
FUZZ_DI = plugins/dialects
FUZZ_KIT = $(FUZZ_DI)/writer.c,$(FUZZ_DI)/answer.c
FUZZ_BLOCKS = $(FUZZ_DI)/blocks.c,$(FUZZ_KIT)
FUZZ_CHAT = $(FUZZ_DI)/openai.c,$(FUZZ_DI)/openai-decode.c,$(FUZZ_DI)/openai-kept.c
FUZZ_RESPONSES = $(FUZZ_DI)/openai-responses.c,$(FUZZ_DI)/openai-responses-decode.c
FUZZERS += anthropic:$(FUZZ_DI)/anthropic.c,$(FUZZ_DI)/anthropic-decode.c,$(FUZZ_DI)/claude.c,$(FUZZ_BLOCKS)
FUZZERS += bedrock:$(FUZZ_DI)/bedrock.c,$(FUZZ_DI)/bedrock-decode.c,$(FUZZ_DI)/aws.c,$(FUZZ_DI)/sigv4.c,$(FUZZ_DI)/claude.c,$(FUZZ_BLOCKS)
FUZZERS += gemini:$(FUZZ_DI)/gemini.c,$(FUZZ_DI)/gemini-args.c,$(FUZZ_DI)/gemini-decode.c,$(FUZZ_BLOCKS)
FUZZERS += ollama:$(FUZZ_DI)/ollama.c,$(FUZZ_KIT)
FUZZERS += openai:$(FUZZ_CHAT),$(FUZZ_RESPONSES),$(FUZZ_KIT)
FUZZ_PO = plugins/analyzers/policy
FUZZ_PO1 = $(FUZZ_PO)/action-text.c,$(FUZZ_PO)/danger.c,$(FUZZ_PO)/danger-table.c,$(FUZZ_PO)/facts.c,$(FUZZ_PO)/harmless.c,$(FUZZ_PO)/harmless-git.c,$(FUZZ_PO)/scripts.c
FUZZ_PO2 = $(FUZZ_PO)/judge.c,$(FUZZ_PO)/match.c,$(FUZZ_PO)/normalize.c,$(FUZZ_PO)/patterns.c
FUZZ_PO3 = $(FUZZ_PO)/place.c,$(FUZZ_PO)/rules.c,$(FUZZ_PO)/scan.c,$(FUZZ_PO)/sensitive.c,$(FUZZ_PO)/targets.c,$(FUZZ_PO)/units.c
FUZZERS += policy:$(FUZZ_PO1),$(FUZZ_PO2),$(FUZZ_PO3),$(FUZZ_TX)/tool-ignore.c,$(FUZZ_TX)/ignore.c,$(FUZZ_TX)/glob.c,-lutf8proc
FUZZ_SH = plugins/tools/bash
FUZZERS += protocol:host:runner/frame.c,runner/message.c,runner/spec.c
FUZZ_SB = lib/sandbox
FUZZERS += proxy:$(FUZZ_SB)/host-pattern.c,$(FUZZ_SB)/proxy-request.c,$(FUZZ_SB)/tls-hello.c
FUZZERS += screen:$(FUZZ_SH)/screen.c,$(FUZZ_SH)/vt.c
FUZZERS += script:plugins/dialects/script-parse.c,lib/request/script-writer.c
FUZZERS += html:plugins/tools/fetch/html.c,plugins/tools/fetch/entities.c
FUZZERS += glob:lib/text/glob.c
FUZZERS += pack:host
FUZZERS += patch:plugins/tools/patch/patch.c,plugins/tools/patch/match.c
FUZZERS += skill:host
FUZZERS += sse

fuzz:
	@FUZZ_CC='$(FUZZ_CC)' FUZZ_SECONDS='$(FUZZ_SECONDS)' FUZZ_ONLY='$(FUZZ_ONLY)' srcdir='$(srcdir)' \
	FUZZ_CPPFLAGS="$$(printf '%s ' $(DEFAULT_INCLUDES) $(AM_CPPFLAGS) $(FUZZ_INCLUDES))" \
	FUZZ_LIB_CPPFLAGS='$(libmt_a_CPPFLAGS)' \
	FUZZ_LIBS='$(VTERM_LIBS) $(JSONC_LIBS) $(INIH_LIBS) $(PCRE2_LIBS) -lm' \
	FUZZ_HOST_LIBS='$(CURL_LIBS) $(UV_LIBS) $(UTF8PROC_LIBS) $(CRYPTO_LIBS) $(LIBS)' \
	FUZZ_LIB_SOURCES='$(libmt_a_SOURCES)' \
	FUZZ_HOST_SOURCES='$(libhost_a_SOURCES) $(libfncall_a_SOURCES) $(libhooks_a_SOURCES) \
		$(libmodels_a_SOURCES) $(librequest_a_SOURCES) $(librunnerclient_a_SOURCES) \
		$(libskills_a_SOURCES) $(libtools_a_SOURCES) $(libregistry_a_SOURCES) \
		$(libconfig_a_SOURCES) $(libevents_a_SOURCES) $(liblimits_a_SOURCES) \
		$(liboverlay_a_SOURCES) $(libsandbox_a_SOURCES) $(libsnapshot_a_SOURCES) \
		$(libtext_a_SOURCES)' \
	$(SHELL) '$(srcdir)/%D%/run.sh' $(FUZZERS)
clean-fuzz:
	rm -rf fuzz-build
clean-local: clean-fuzz
.PHONY: fuzz clean-fuzz
TESTS += %D%/sources.sh
EXTRA_DIST += %D%
