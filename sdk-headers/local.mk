# What a vendor gets: the headers and a .pc file.
mortiseincludedir = $(includedir)/mortise
mortiseinclude_HEADERS = %D%/mortise/plugin.h %D%/mortise/tool.h %D%/mortise/function.h
pkgconfig_DATA += %D%/mortise-plugin.pc
EXTRA_DIST += %D%/README.md
