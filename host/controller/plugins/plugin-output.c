/* SPDX-License-Identifier: MIT
 *
 * plugin-output.c - logs the output of a plugin in a forked copy, in one piece, so that a
 * secret of several lines is masked too. */
#include "controller/plugins/plugin-output.h"

#include "files.h"
#include "log.h"
#include "space.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum {
	TEXT_MAX = 1 << 16, /* bytes of a call; the rest is discarded */
	PIECE = 1 << 14,
	PIPE_PIECES = (1 << 16) / PIECE, /* capacity of a pipe */
};

int plugin_output_open(struct plugin_output *ret)
{
	int ends[2];

	*ret = (struct plugin_output){ .fd = -1, .text = STRBUF(TEXT_MAX) };
	if (!log_wants(MT_LOG_DEBUG) || pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	fcntl(ends[0], F_SETFL, O_NONBLOCK);
	ret->fd = ends[0];
	return ends[1];
}

/* @return the result of read() */
static ssize_t plugin_output_take_piece(struct plugin_output *o)
{
	char piece[PIECE];
	ssize_t n = read(o->fd, piece, sizeof piece);
	size_t room = TEXT_MAX - 1 - o->text.len;

	if (n > 0)
		strbuf_addn(&o->text, piece, (size_t)n < room ? (size_t)n : room);
	return n;
}

static void plugin_output_stop(struct plugin_output *o)
{
	auto_close(&o->fd);
	o->fd = -1;
}

void plugin_output_take(struct plugin_output *o)
{
	ssize_t n = plugin_output_take_piece(o);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		plugin_output_stop(o);
}

void plugin_output_log(struct plugin_output *o, const char *name, const char *function)
{
	struct mt_str said;

	for (size_t i = 0;
	     i < PIPE_PIECES && o->fd >= 0 && plugin_output_take_piece(o) > 0; i++)
		;
	said = space_trimmed((struct mt_str){ o->text.text, o->text.len });
	if (said.len > 0)
		log_line(MT_LOG_DEBUG, name, "%s printed: %.*s", function, (int)said.len,
			 said.ptr);
	strbuf_reset(&o->text);
}

void plugin_output_close(struct plugin_output *o)
{
	plugin_output_stop(o);
	strbuf_clear(&o->text);
}
