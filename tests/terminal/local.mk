# The terminal: its pure parts, and sessions typed into tmux.
EXTRA_DIST += %D%/tmux.bash %D%/screens %D%/session.bats %D%/needs.bats \
	%D%/plain.bats %D%/approve.bats %D%/interrupt.bats %D%/stream.bats %D%/model.py
CHAT_TEST_CPPFLAGS = $(libchat_a_CPPFLAGS) -I$(top_srcdir)/terminal -I$(top_srcdir)/tests
if HAVE_TERMINAL
check_PROGRAMS += %D%/test-text %D%/test-keys %D%/test-area %D%/test-show
tests_terminal_test_text_SOURCES = %D%/test-text.c
tests_terminal_test_text_CPPFLAGS = $(CHAT_TEST_CPPFLAGS)
tests_terminal_test_text_LDADD = $(LIBCHAT)
tests_terminal_test_keys_SOURCES = %D%/test-keys.c
tests_terminal_test_keys_CPPFLAGS = $(CHAT_TEST_CPPFLAGS)
tests_terminal_test_keys_LDADD = $(LIBCHAT)
tests_terminal_test_area_SOURCES = %D%/test-area.c
tests_terminal_test_area_CPPFLAGS = $(CHAT_TEST_CPPFLAGS) $(VTERM_CFLAGS)
tests_terminal_test_area_LDADD = $(LIBCHAT) $(VTERM_LIBS)
tests_terminal_test_show_SOURCES = %D%/test-show.c
tests_terminal_test_show_CPPFLAGS = $(CHAT_TEST_CPPFLAGS)
tests_terminal_test_show_LDADD = $(LIBCHAT)
TESTS += %D%/test-text %D%/test-keys %D%/test-area %D%/test-show %D%/session.bats \
	%D%/needs.bats %D%/plain.bats %D%/approve.bats %D%/interrupt.bats %D%/stream.bats
endif
