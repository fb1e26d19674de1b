/* SPDX-License-Identifier: MIT
 *
 * ripgrep.c - searches with rg: started with an argument list, never by a shell; its
 * output is filtered and sorted here. */
#include "search.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>

enum { ARGS_MAX = 40 + 2 * GLOB_FORMS, POLL_MS = 200 };

extern char **environ;

struct args {
	const char *list[ARGS_MAX];
	size_t count;
	char *owned[GLOB_FORMS];
	size_t owned_count;
};

static void arg(struct args *a, const char *text)
{
	if (a->count < ARGS_MAX - 1)
		a->list[a->count++] = text;
}

/* Define a file type, because globs of -g would override ignore files. */
static int arg_types(struct args *a, const struct glob *g)
{
	for (size_t i = 0; i < g->count; i++)
		if (strchr(g->forms[i], '/') || strncmp(g->forms[i], "include:", 8) == 0)
			return MT_OK;
	for (size_t i = 0; i < g->count; i++) {
		char *text = NULL;

		if (asprintf(&text, "--type-add=mortise:%s", g->forms[i]) < 0)
			return MT_ENOMEM;
		a->owned[a->owned_count++] = text;
		arg(a, text);
	}
	arg(a, "--type=mortise");
	return MT_OK;
}

static int arguments(const struct search *s, struct args *a)
{
	static const char *const always[] = {
		"--no-config", "--no-messages", "--null", "--color=never",
		"--no-require-git", "--no-ignore-global",
	};
	int r = MT_OK;

	arg(a, s->program);
	for (size_t i = 0; i < ARRAY_LEN(always); i++)
		arg(a, always[i]);
	if (s->glob && s->glob->hidden) {
		arg(a, "--hidden");
		arg(a, "--glob=!.git");
	}
	if (s->glob)
		r = arg_types(a, s->glob);
	if (s->pattern) {
		arg(a, "--files-with-matches");
		arg(a, s->match_case ? "--case-sensitive" : "--ignore-case");
		arg(a, "--crlf");
		arg(a, "-e");
		arg(a, s->pattern);
	} else {
		arg(a, "--files");
	}
	arg(a, "--");
	arg(a, "./");
	return r;
}

/* @return 0 or an errno; the program inherits only standard output. */
static int ripgrep_start(const struct search *s, struct args *a, pid_t *ret_pid,
			 int *ret_out)
{
	posix_spawn_file_actions_t actions;
	posix_spawnattr_t attributes;
	sigset_t none, all;
	int ends[2], r;

	if (pipe2(ends, O_CLOEXEC))
		return errno;
	sigemptyset(&none);
	sigfillset(&all);
	posix_spawn_file_actions_init(&actions);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setpgroup(&attributes, 0);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP |
						      POSIX_SPAWN_SETSIGMASK |
						      POSIX_SPAWN_SETSIGDEF);
	r = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (!r)
		r = posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	if (!r)
		r = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY,
						     0);
	if (!r)
		r = posix_spawn_file_actions_addclosefrom_np(&actions, 3);
	if (!r)
		r = posix_spawn_file_actions_addchdir_np(&actions, s->top);
	if (!r)
		r = posix_spawnp(ret_pid, s->program, &actions, &attributes,
				 (char *const *)a->list, environ);
	posix_spawn_file_actions_destroy(&actions);
	posix_spawnattr_destroy(&attributes);
	close(ends[1]);
	if (r)
		close(ends[0]);
	else
		*ret_out = ends[0];
	return r;
}

static int take_path(const struct search *s, struct found *f, const char *path)
{
	AUTO(strbuf) struct strbuf whole = STRBUF(SEARCH_PATH_MAX);
	struct stat st;

	if (strncmp(path, "./", 2) == 0)
		path += 2;
	if (!*path || (s->glob && !glob_has(s->glob, path)) ||
	    strbuf_addf(&whole, "%s/%s", s->top, path) || lstat(whole.text, &st) ||
	    !S_ISREG(st.st_mode) || !search_may_show(s, path))
		return MT_OK;
	if (f->count == s->files_max) {
		f->end = SEARCH_FILES;
		return MT_OK;
	}
	return walk_found_add(f, path,
			      (int64_t)st.st_mtim.tv_sec * 1000000000 +
				      st.st_mtim.tv_nsec);
}

/* Take the complete paths: each ends in NUL. */
static int ripgrep_take(const struct search *s, struct found *f, struct strbuf *text)
{
	size_t at = 0;
	const char *end;
	int r = MT_OK;

	while (!r && (end = memchr(text->text + at, 0, text->len - at))) {
		r = take_path(s, f, text->text + at);
		at = (size_t)(end - text->text) + 1;
	}
	strbuf_consume(text, at);
	return r;
}

/* Read until the output ends, or it is time to stop. */
static int ripgrep_listen_to(const struct search *s, struct found *f, int fd)
{
	AUTO(strbuf) struct strbuf text = STRBUF(4 * SEARCH_PATH_MAX);
	char buffer[SEARCH_PATH_MAX];
	int r = MT_OK;

	while (!r && !search_over(s, f)) {
		struct pollfd p[2] = { { .fd = fd, .events = POLLIN },
				       { .fd = s->cancel_fd, .events = POLLIN } };
		ssize_t n;

		if (poll(p, 2, POLL_MS) <= 0 || !p[0].revents)
			continue;
		n = read(fd, buffer, sizeof buffer);
		if (n == 0 || (n < 0 && errno != EINTR))
			return n ? MT_EIO : MT_OK;
		if (n > 0)
			r = strbuf_addn(&text, buffer, (size_t)n);
		if (!r)
			r = ripgrep_take(s, f, &text);
	}
	return r;
}

static int ripgrep_wait_for(pid_t pid)
{
	int status = 0;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1; /* reaped elsewhere */
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

int search_ripgrep(const struct search *s, struct found *ret, struct error *err)
{
	struct args a = { .count = 0 };
	struct stat st;
	int fd = -1, code, r = MT_ENOMEM;
	pid_t pid;

	*ret = (struct found){ 0 };
	if (!*s->program || stat(s->top, &st) || !S_ISDIR(st.st_mode))
		return MT_EUNSUPPORTED;
	if (arguments(s, &a) == MT_OK)
		r = ripgrep_start(s, &a, &pid, &fd) ? MT_EUNSUPPORTED : MT_OK;
	for (size_t i = 0; i < a.owned_count; i++)
		free(a.owned[i]);
	if (r)
		return r == MT_ENOMEM ? fail_code(err, r) : r;
	r = ripgrep_listen_to(s, ret, fd);
	close(fd);
	if (r || ret->end != SEARCH_WHOLE)
		kill(-pid, SIGKILL);
	code = ripgrep_wait_for(pid);
	if (!r && ret->end == SEARCH_WHOLE && ret->count == 0 && code != 0 && code != 1)
		r = MT_EUNSUPPORTED;
	if (r) {
		walk_found_clear(ret);
		return r == MT_ENOMEM ? fail_code(err, r) : MT_EUNSUPPORTED;
	}
	ret->partly = ret->end == SEARCH_WHOLE && code != 0 && code != 1;
	walk_found_sort(ret);
	return MT_OK;
}
