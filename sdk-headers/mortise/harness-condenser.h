/* SPDX-License-Identifier: MIT
 *
 * mortise/harness-condenser.h - tests a condenser in the process of the test, without Mortise; see
 * harness-advance.h. Not part of the ABI. C only.
 *
 *   #define MORTISE_PROVISIONAL
 *   #include <mortise/harness-condenser.h>
 *
 *   int main(void)
 *   {
 *           struct mt_ctx *h = mt_condenser_open(mortise_plugin_v1(), NULL);
 *           struct mt_event *action = mt_advance_action(h, "run", "agent", "ls");
 *
 *           mt_advance_observation(h, action, "a.c b.c");
 *           mt_advance_start(h);
 *           printf("%s", h->done);
 *           return mt_advance_close(h);
 *   }
 */
#ifndef MORTISE_HARNESS_CONDENSER_H
#define MORTISE_HARNESS_CONDENSER_H

#include <mortise/condenser.h>
#include <mortise/harness-advance.h>

/* The source of the plugin, which may come first, can use the same names. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

static inline int mt_advance_drop(struct mt_ctx *h, size_t place, size_t count)
{
	if (count == 0 || !mt_advance_place(h, place + count - 1))
		return MT_EINVAL;
	mt_harness_put(&h->done, "drop %zu %zu\n", place, count);
	return MT_OK;
}

static inline int mt_advance_mask(struct mt_ctx *h, size_t place, struct mt_str text)
{
	if (!mt_advance_view_at(h, place))
		return MT_EINVAL;
	mt_harness_put(&h->done, "mask %zu %.*s\n", place, (int)text.len, text.ptr);
	return MT_OK;
}

static inline int mt_advance_forget(struct mt_ctx *h, const size_t *places, size_t count,
				    struct mt_str summary, size_t offset)
{
	mt_harness_put(&h->done, "forget");
	for (size_t i = 0; i < count; i++)
		mt_harness_put(&h->done, " %zu", places[i]);
	mt_harness_put(&h->done, " at %zu: %.*s\n", offset, (int)summary.len,
		       summary.ptr ? summary.ptr : "");
	return MT_OK;
}

static inline int mt_advance_requested(struct mt_ctx *h)
{
	return h->requested;
}

static inline int64_t mt_advance_view_tokens(struct mt_ctx *h)
{
	return h->view_tokens;
}

static inline int64_t mt_advance_window_tokens(struct mt_ctx *h)
{
	return h->window_tokens;
}

static inline struct mt_str mt_advance_shown(struct mt_ctx *h, size_t place)
{
	const struct mt_event *e = mt_advance_place(h, place);
	struct mt_str none = { NULL, 0 };

	return e && e->shown ? mt_harness_str(e->shown) : none;
}

static inline int mt_advance_may_cut(struct mt_ctx *h, size_t place)
{
	const struct mt_event *e = mt_advance_place(h, place);

	return place == 0 || !e || !e->joined;
}

static inline int mt_advance_pinned(struct mt_ctx *h, size_t place)
{
	const struct mt_event *e = mt_advance_place(h, place);

	return e && e->pinned;
}

static inline const struct mt_condenser_out *mt_advance_condenser_out(void)
{
	static const struct mt_condenser_out out = {
		.size = sizeof out,
		.drop = mt_advance_drop,
		.mask = mt_advance_mask,
		.forget = mt_advance_forget,
		.requested = mt_advance_requested,
		.view_tokens = mt_advance_view_tokens,
		.window_tokens = mt_advance_window_tokens,
		.shown = mt_advance_shown,
		.may_cut = mt_advance_may_cut,
		.pinned = mt_advance_pinned,
	};

	return &out;
}

static inline int mt_condenser_run(struct mt_ctx *h, const struct mt_in *in)
{
	const struct mt_condenser *f =
		(const struct mt_condenser *)h->component->functions;

	return f->advance(mt_advance_host(), mt_advance_condenser_out(), h, in);
}

/** Start to test a condenser of a plugin. `name`: of the component; NULL: the first one. */
static inline struct mt_ctx *mt_condenser_open(const struct mt_plugin *plugin,
					       const char *name)
{
	return mt_advance_open(plugin, MT_KIND_CONDENSER, name, mt_condenser_run);
}

/** Call `check`. */
static inline int mt_condenser_check(struct mt_ctx *h)
{
	const struct mt_condenser *f =
		(const struct mt_condenser *)h->component->functions;

	mt_advance_forget_result(h);
	return f->check ? f->check(mt_advance_host(), h) : MT_OK;
}

#pragma GCC diagnostic pop

#endif
