# What a person or a program talks to.
libhost_a_SOURCES += %D%/render.c %D%/render.h
