/* SPDX-License-Identifier: MIT
 *
 * libraries.c - finds the libraries of a program or plugin as its loader does. */
#include "bundle/bundle.h"

#include "auto.h"
#include "strbuf.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/wait.h>

enum { OUTPUT_MAX = 1 << 18, HEADERS_MAX = 64 };

int bundle_loader(const char *program, char **ret, struct error *err)
{
	AUTO(close) int fd = open(program, O_RDONLY | O_CLOEXEC);
	char path[PATH_MAX] = "";
	Elf64_Ehdr head;
	Elf64_Phdr at;

	if (fd < 0)
		return fail(err, errno == ENOENT ? MT_ENOTFOUND : MT_EIO,
			    "cannot open %s: %s", program, strerror(errno));
	if (pread(fd, &head, sizeof head, 0) != sizeof head ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) != 0 ||
	    head.e_ident[EI_CLASS] != ELFCLASS64)
		return fail(err, MT_EUNSUPPORTED, "%s is not a 64-bit ELF program",
			    program);
	for (unsigned i = 0; i < head.e_phnum && i < HEADERS_MAX; i++) {
		if (pread(fd, &at, sizeof at, (off_t)(head.e_phoff + i * sizeof at)) !=
		    sizeof at)
			break;
		if (at.p_type == PT_INTERP && at.p_filesz < sizeof path)
			pread(fd, path, at.p_filesz, (off_t)at.p_offset);
	}
	if (*path != '/')
		return fail(err, MT_EUNSUPPORTED, "%s is not dynamically linked",
			    program);
	*ret = strdup(path);
	return *ret ? MT_OK : out_of_memory(err);
}

/* The output of `loader --list file`. */
static int list_libraries(const char *loader, const char *file, struct strbuf *ret,
			  struct error *err)
{
	char buffer[4096];
	int ends[2], status = -1;
	ssize_t n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(err, MT_EIO, "cannot create a pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		dup2(ends[1], STDOUT_FILENO);
		execl(loader, loader, "--list", file, (char *)NULL);
		_exit(127);
	}
	close(ends[1]);
	while (pid > 0 && ((n = read(ends[0], buffer, sizeof buffer)) > 0 ||
			   (n < 0 && errno == EINTR)))
		if (n > 0)
			strbuf_addn(ret, buffer, (size_t)n);
	close(ends[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (ret->error)
		return fail(err, ret->error, "%s is linked with too many libraries",
			    file);
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status))
		return fail(err, MT_EIO,
			    "%s cannot list the libraries of %s; `ldd` shows why", loader,
			    file);
	return MT_OK;
}

/* A line is "NAME => PATH (ADDRESS)", "PATH (ADDRESS)" for the loader, or "NAME (ADDRESS)"
 * for what the kernel provides. */
static int take_library(char *line, const char *file, bundle_library_fn *each, void *arg,
			struct error *err)
{
	char *arrow = strstr(line, " => "), *end;

	line += strspn(line, " \t");
	if (arrow && strncmp(arrow + 4, "not found", 9) == 0) {
		*arrow = '\0';
		return fail(err, MT_ENOTFOUND,
			    "%s is linked with %s, which is not installed", file, line);
	}
	line = arrow ? arrow + 4 : line;
	end = strstr(line, " (0x");
	if (*line != '/' || !end)
		return MT_OK;
	*end = '\0';
	return each(arg, line, err);
}

int bundle_libraries(const char *loader, const char *file, bundle_library_fn *each,
		     void *arg, struct error *err)
{
	AUTO(strbuf) struct strbuf list = STRBUF(OUTPUT_MAX);
	int status = list_libraries(loader, file, &list, err);
	char *rest = list.text, *line;

	while (!status && rest && (line = strsep(&rest, "\n")))
		status = take_library(line, file, each, arg, err);
	return status;
}
