# The table of models: their features, limits and prices, and what they are sent.
noinst_LIBRARIES += libmodels.a
libmodels_a_SOURCES = \
	%D%/model-import.c %D%/model-params.c %D%/model-params.h %D%/model-table.c \
	%D%/model-table.h
libmodels_a_CPPFLAGS = $(libmt_a_CPPFLAGS) $(DIRECTORIES)
