# The terminal: its pure parts, and sessions typed into tmux.
EXTRA_DIST += %D%/tmux.bash %D%/screens
if HAVE_TERMINAL
TESTS += %D%/session.bats
endif
EXTRA_DIST += %D%/session.bats
