# Jupyter kernels: libzmq comes with this plugin only.
if HAVE_ZMQ
noinst_LIBRARIES += libipython.a
libipython_a_SOURCES = \
	%D%/cell.c %D%/cell.h %D%/cell-events.h %D%/kernel.c \
	%D%/kernel.h %D%/kernelspec.c %D%/kernelspec.h \
	%D%/launch.c %D%/launch.h %D%/plain.c \
	%D%/plain.h %D%/python-files.h %D%/session.c \
	%D%/session.h %D%/show.c %D%/show.h \
	%D%/wire.c %D%/wire.h
nodist_libipython_a_SOURCES = %D%/python-files.c
libipython_a_CPPFLAGS = -D_GNU_SOURCE $(AM_CPPFLAGS) -I$(srcdir)/%D% \
	$(ZMQ_CFLAGS) $(CRYPTO_CFLAGS)
LIBIPYTHON = libipython.a libmt.a $(JSONC_LIBS) $(ZMQ_LIBS) $(CRYPTO_LIBS) -lm

plugin_PROGRAMS += plugins/tools/ipython.so
plugins_tools_ipython_so_SOURCES = %D%/main.c
plugins_tools_ipython_so_LDFLAGS = $(PLUGIN_LINK)
plugins_tools_ipython_so_LDADD = $(LIBIPYTHON)
endif HAVE_ZMQ

# The Python files as C strings, each line one literal.
ipython_python_files = %D%/python/agentskills.py %D%/python/code_mode.py \
	%D%/python/kernel_start.py
EXTRA_DIST += $(ipython_python_files)
%D%/python-files.c: $(ipython_python_files) %D%/local.mk
	$(AM_V_GEN)$(MKDIR_P) %D% && { echo '#include "python-files.h"'; \
	for name in agentskills code_mode kernel_start; do \
		echo "const char python_$$name[] ="; \
		sed -e 's/[\\"]/\\&/g' -e 's/^/"/' -e 's/$$/\\n"/' \
			"$(srcdir)/%D%/python/$$name.py"; \
		echo ';'; \
	done; } > $@.new && mv $@.new $@
CLEANFILES += %D%/python-files.c
