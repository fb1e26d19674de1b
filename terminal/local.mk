# mortise-chat: the conversation at the terminal. A client of the conversation
# protocol: it knows lib and itself. Without its libraries it is left out.
noinst_LIBRARIES += $(CHAT_LIBRARY)
EXTRA_LIBRARIES = libchat.a
libchat_a_SOURCES = \
	%D%/action.c %D%/action.h %D%/answer.c %D%/answer-keys.c %D%/answer-rows.c %D%/live-region.c %D%/live-region.h %D%/chat.c %D%/chat-connect.c \
	%D%/chat-input.c %D%/chat.h %D%/process.c %D%/process.h \
	%D%/completion.c %D%/completion-names.c %D%/history.c %D%/history.h %D%/key-actions.c %D%/keys.c %D%/keys.h \
	%D%/line-editor.c %D%/line-editor.h %D%/messages.c %D%/connection.c %D%/connection.h %D%/markdown.c \
	%D%/markdown.h %D%/file-mention.c %D%/style.c %D%/style.h %D%/prompt.c %D%/prompt.h %D%/question.h \
	%D%/live-view.c %D%/event-view.c %D%/event-view.h %D%/slash-commands.c %D%/table.c %D%/table.h \
	%D%/tty.c %D%/tty.h %D%/text.c \
	%D%/text.h
libchat_a_CPPFLAGS = -D_GNU_SOURCE -I$(top_srcdir)/sdk-headers -I$(top_srcdir)/lib \
	$(JSONC_CFLAGS) $(LOWDOWN_CFLAGS) $(UTF8PROC_CFLAGS) -DBIN_DIR='"$(bindir)"'
LIBCHAT = libchat.a libtext.a $(LIBMT) $(LOWDOWN_LIBS) $(UTF8PROC_LIBS)
if HAVE_TERMINAL
CHAT_LIBRARY = libchat.a
helper_PROGRAMS += mortise-chat
mortise_chat_SOURCES = %D%/main.c
mortise_chat_CPPFLAGS = $(libchat_a_CPPFLAGS)
mortise_chat_LDADD = $(LIBCHAT)
endif
