/* SPDX-License-Identifier: MIT
 *
 * bundle-start.c - a program of a bundle (doc/runtimes.md): executes BUNDLE/libexec/NAME
 * with the loader and the libraries of the bundle, whatever the system has. NAME and BUNDLE
 * are those of its own path, BUNDLE/DIRECTORY/NAME. Linked statically. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef __aarch64__
#define LOADER "ld-linux-aarch64.so.1"
#else
#define LOADER "ld-linux-x86-64.so.2"
#endif

enum { PATH_BYTES = 4096, OWN_WORDS = 6 };

/* The shell of the bundle is for systems that have none. */
static void add_shell(const char *bundle)
{
	static char path[1 << 17];
	const char *own = getenv("PATH");
	int len = snprintf(path, sizeof path, "%s:%s/shell",
			   own && *own ? own : "/usr/local/bin:/usr/bin:/bin", bundle);

	if (len > 0 && (size_t)len < sizeof path)
		setenv("PATH", path, 1);
}

int main(int argc, char **argv)
{
	static char bundle[PATH_BYTES], loader[PATH_BYTES + 64], lib[PATH_BYTES + 64],
		program[2 * PATH_BYTES];
	ssize_t len = readlink("/proc/self/exe", bundle, sizeof bundle - 1);
	char **words = calloc((size_t)argc + OWN_WORDS, sizeof *words);
	char option_path[] = "--library-path", option_name[] = "--argv0", *name, *end;
	size_t n = 0;

	end = len > 0 ? strrchr(bundle, '/') : NULL;
	if (!end || !words) {
		fputs("mortise-bundle-start: cannot read /proc/self/exe\n", stderr);
		return 127;
	}
	name = end + 1;
	*end = '\0';
	end = strrchr(bundle, '/');
	if (end)
		*end = '\0';
	snprintf(loader, sizeof loader, "%s/lib/%s", bundle, LOADER);
	snprintf(lib, sizeof lib, "%s/lib", bundle);
	snprintf(program, sizeof program, "%s/libexec/%s", bundle, name);
	if (strcmp(name, "mortise-runner") == 0)
		add_shell(bundle);
	words[n++] = loader;
	words[n++] = option_path;
	words[n++] = lib;
	words[n++] = option_name;
	words[n++] = argc > 0 ? argv[0] : name;
	words[n++] = program;
	for (int i = 1; i < argc; i++)
		words[n++] = argv[i];
	execv(loader, words);
	perror(loader);
	return 127;
}
