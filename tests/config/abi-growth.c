/* SPDX-License-Identifier: MIT
 *
 * abi-growth.c - prints the registry's description of a plugin file, for abi-growth.sh,
 * which compiles it with the registry against headers of another version. */
#include "registry/internal.h"
#include <stdio.h>

int main(int argc, char **argv)
{
	const struct mt_plugin *plugin = NULL;
	struct error err = ERROR_NONE;
	AUTO(strbuf) struct strbuf text = STRBUF(DESCRIPTION_MAX);

	if (argc < 2 || registry_open_file(argv[1], &plugin, &err) ||
	    registry_describe(plugin, &text, &err)) {
		puts(err.text);
		return 1;
	}
	puts(text.text);
	return 0;
}
