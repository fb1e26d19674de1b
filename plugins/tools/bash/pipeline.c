/* SPDX-License-Identifier: MIT
 *
 * pipeline.c - names the part of a pipeline that failed. */
#include "pipeline.h"
#include "error.h"
#include "shell.h"
#include "space.h"
#include "utf8.h"
#include <signal.h>
#include <string.h>

enum { NAME_MAX_BYTES = 60 };

struct reading {
	struct pipeline *p;
	bool has_pipe, broken, too_many;
};

void pipeline_clear(struct pipeline *p)
{
	for (size_t i = 0; i < p->count; i++)
		free(p->parts[i]);
	p->count = 0;
}

static char *short_name(const char *raw)
{
	raw += strspn(raw, " \t\n");
	size_t len = strcspn(raw, "\n"), cut = utf8_cut(raw, len, NAME_MAX_BYTES);
	struct strbuf name = STRBUF(4 * NAME_MAX_BYTES);

	utf8_add_clean(&name, raw, space_trim_end(raw, cut));
	strbuf_add(&name, raw[cut] ? "..." : "");
	return strbuf_take(&name);
}

static int take_command(void *arg, const struct shell_command *command)
{
	struct reading *r = arg;

	r->broken = r->broken || command->broken || command->input;
	r->has_pipe = r->has_pipe || command->piped;
	if (!command->piped) {
		pipeline_clear(r->p);
		r->too_many = false;
	}
	if (r->p->count == PIPELINE_PARTS) {
		r->too_many = true;
		return MT_OK;
	}
	r->p->parts[r->p->count] = short_name(command->raw);
	return r->p->parts[r->p->count++] ? MT_OK : MT_ENOMEM;
}

/* Would a line after the command be part of it? */
static bool pipeline_is_open(const char *command, size_t len)
{
	len = space_trim_end(command, len);
	return !len || strchr("\\|&(", command[len - 1]) ||
	       memmem(command, len, "<<", 2) || memmem(command, len, "set -v", 6);
}

int pipeline_read(const char *command, size_t len, struct pipeline *ret)
{
	struct reading r = { .p = ret };
	int status;

	*ret = (struct pipeline){ .count = 0 };
	if (!memchr(command, '|', len) || pipeline_is_open(command, len))
		return MT_OK;
	status = shell_walk(command, len, take_command, &r);
	if (status || r.broken || !r.has_pipe || r.too_many)
		pipeline_clear(ret);
	return status == MT_ENOMEM ? MT_ENOMEM : MT_OK;
}

static size_t count_codes(const char *codes)
{
	size_t n = 0;

	for (; *codes; codes++)
		n += *codes == ' ';
	return n;
}

/* Does a search exit with this code because nothing matches? */
static bool is_no_match(const char *command, long code)
{
	static const char *const searches[] = { "grep", "egrep", "fgrep", "zgrep", "rg",
						"git grep" };

	for (size_t i = 0; i < ARRAY_LEN(searches); i++) {
		size_t len = strlen(searches[i]);

		if (code == 1 && strncmp(command, searches[i], len) == 0 &&
		    strchr(" \t", command[len]))
			return true;
	}
	return false;
}

int pipeline_put_failures(const struct pipeline *p, const char *codes, struct strbuf *out)
{
	size_t count = count_codes(codes);
	char *at = (char *)codes;

	for (size_t i = 0; i + 1 < count; i++) {
		long code = strtol(at, &at, 10);

		if (code == 0 || code == 128 + SIGPIPE)
			continue;
		strbuf_addf(out, "%spart %zu of %zu of the pipeline",
			    out->len ? "; " : "", i + 1, count);
		if (count == p->count)
			strbuf_addf(out, " (`%s`)", p->parts[i]);
		if (count == p->count && is_no_match(p->parts[i], code))
			strbuf_add(out, " matched nothing");
		else
			strbuf_addf(out, " exited with code %ld", code);
	}
	return out->error;
}
