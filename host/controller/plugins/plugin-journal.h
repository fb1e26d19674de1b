/* SPDX-License-Identifier: MIT
 *
 * plugin-journal.h - the calls of host functions by a plugin in a forked copy, as
 * bytes: written by the copy and read by its parent, which does not trust them. */
#ifndef HOST_CONTROLLER_PLUGINS_PLUGIN_JOURNAL_H
#define HOST_CONTROLLER_PLUGINS_PLUGIN_JOURNAL_H

#include "strbuf.h"

#include <stdint.h>

enum { JOURNAL_MAX = 64 << 20, JOURNAL_TEXTS = 4 };

enum journal_type {
	/* answered by the parent immediately */
	JOURNAL_LOG = 1,     /* a: level; text */
	JOURNAL_PROMPT,      /* name, data; answered with the text */
	JOURNAL_BLOB,        /* a: largest size; name; answered with the bytes */
	JOURNAL_VIEW,        /* answered with the bytes of plugin_view_write */
	JOURNAL_RECALL,      /* a: event; answered with its text for the model */
	JOURNAL_PINS,        /* answered with flags of the places of the view */
	JOURNAL_CUTS,
	JOURNAL_TOKENS,      /* texts shown instead of events; answered with an int64_t */
	JOURNAL_WINDOW,
	JOURNAL_ANSWER,      /* from the parent. a: status; text, or a sentence */
	JOURNAL_NEWS,        /* from the parent: the next call. a: enum mt_happening, b: error;
	                        state, reply, body (of MT_HTTP_DONE the result, as JSON),
	                        view: NULL where there is none */
	JOURNAL_STALE,       /* the call needs data that the waiting copy lacks */
	JOURNAL_END,         /* a: what the function returned, b: code of its error; text */
	/* done by the parent after the end, in order */
	JOURNAL_REQUEST,
	JOURNAL_HISTORY,
	JOURNAL_REQUEST_MESSAGE, /* a: role; text */
	JOURNAL_TOOL,        /* name or NULL */
	JOURNAL_SET,         /* name, value */
	JOURNAL_DEFINE_TOOL, /* name, description, schema */
	JOURNAL_MEDIA,       /* a: event */
	JOURNAL_SEND,
	JOURNAL_HTTP,        /* the request without its body, as JSON; body or NULL */
	JOURNAL_KEEP,        /* text */
	JOURNAL_SYSTEM,      /* text */
	JOURNAL_CALL,        /* a: place in the reply */
	JOURNAL_ACTION,      /* type, arguments */
	JOURNAL_MESSAGE,     /* a: wait; text */
	JOURNAL_REPORT,      /* text */
	JOURNAL_DROP,        /* a: place, b: count */
	JOURNAL_MASK,        /* a: place; text */
	JOURNAL_FORGET,      /* a: offset of the summary; places, summary */
	JOURNAL_VERDICT,     /* a: risk, b: deny; rule, reason */
	JOURNAL_RULE,        /* a: risk, b: deny; name, text, reason */
	JOURNAL_TYPES,
};

/** In a set of types. */
#define JOURNAL_BIT(type) (UINT64_C(1) << JOURNAL_##type)

/** Texts of JOURNAL_NEWS for agents and condensers. */
enum { NEWS_STATE, NEWS_REPLY, NEWS_BODY, NEWS_VIEW };

struct journal_entry {
	uint32_t type;       /* enum journal_type */
	int64_t a, b;
	struct mt_str text[JOURNAL_TEXTS]; /* ptr NULL: not given; else followed by NUL */
};

int journal_put(struct strbuf *out, const struct journal_entry *e);
/** The entry at the start of `bytes`; its texts are borrowed from there. @return its
 *  size, 0 if more bytes are needed, MT_EINVAL if it is malformed. */
int64_t journal_get(const char *bytes, size_t len, struct journal_entry *ret);

#endif
