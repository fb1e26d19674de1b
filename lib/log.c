/* SPDX-License-Identifier: MIT
 *
 * log.c - formats, masks and writes one log line at a time. */
#include "log.h"
#include "files.h"
#include "utf8.h"
#include <string.h>
#include <time.h>

enum { MAX_WORDS = 16384 }; /* bytes of a line; the rest is cut */

static struct {
	int fd, level;
	const char *part;
	const struct mask *mask;
} setup = { STDERR_FILENO, MT_LOG_WARNING, "mortise", NULL };

static _Thread_local struct {
	const char *plugin, *instance, *call;
} context;

void log_setup(int fd, int level, const char *part)
{
	setup.fd = fd;
	setup.level = level;
	setup.part = part;
}

void log_set_mask(const struct mask *m)
{
	setup.mask = m;
}

bool log_wants(int level)
{
	return setup.fd >= 0 && level <= setup.level;
}

void log_context(const char *plugin, const char *instance, const char *call)
{
	context.plugin = plugin;
	context.instance = instance;
	context.call = call;
}

static const char *level_name(int level)
{
	static const char *const names[] = { "", "error", "warning", "info", "debug" };

	return level >= MT_LOG_ERROR && level <= MT_LOG_DEBUG ? names[level] : "trace";
}

static void add_time(struct strbuf *line)
{
	struct timespec now;
	struct tm tm;

	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &tm);
	strbuf_addf(line, "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ", tm.tm_year + 1900,
		    tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
		    now.tv_nsec / 1000000);
}

static void add_pair(struct strbuf *words, const char *name, const char *value)
{
	if (value)
		strbuf_addf(words, " %s=%s", name, value);
}

/* Masked first: a cut or a cleaning could break a secret in two. */
static void log_add_words(struct strbuf *line, const struct strbuf *words)
{
	AUTO(strbuf) struct strbuf masked = STRBUF(1 << 24);
	size_t start, len;

	if (words->error || mask_put(setup.mask, &masked, words->text, words->len)) {
		strbuf_add(line, "(a line was dropped: out of memory or too long)");
		return;
	}
	start = line->len;
	len = utf8_cut(masked.text, masked.len, MAX_WORDS);
	utf8_add_clean(line, masked.text, len);
	if (len < masked.len)
		strbuf_add(line, " (cut)");
	utf8_blank_controls(line->text + start, line->len - start);
}

void log_line(int level, const char *part, const char *fmt, ...)
{
	AUTO(strbuf) struct strbuf line = STRBUF(1 << 20);
	AUTO(strbuf) struct strbuf words = STRBUF(1 << 22);
	va_list ap;

	if (!log_wants(level))
		return;
	add_time(&line);
	strbuf_addf(&line, " %s %s: ", level_name(level), part ? part : setup.part);
	va_start(ap, fmt);
	strbuf_vaddf(&words, fmt, ap);
	va_end(ap);
	add_pair(&words, "plugin", context.plugin);
	add_pair(&words, "instance", context.instance);
	add_pair(&words, "call", context.call);
	log_add_words(&line, &words);
	strbuf_addc(&line, '\n');
	if (!line.error)
		file_write_all(setup.fd, line.text, line.len);
}
