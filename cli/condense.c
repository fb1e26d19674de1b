/* SPDX-License-Identifier: MIT
 *
 * condense.c - `mortise condense compare`: compares what condensers keep. */
#include "commands.h"
#include "spool.h"

#include "conversation/fork.h"
#include "features/condense-preview.h"
#include "files.h"
#include "options.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { RANGES_MAX = 6 };

struct arguments {
	struct common common;
	const char *id, *with;
	int64_t at;
	bool summaries, json;
};

static const struct flag flags[] = {
	FLAG(0, "with", "NAMES",
	     "condensers to compare, separated by commas; `a+b` applies b after a",
	     STORE(FLAG_TEXT, struct arguments, with)),
	FLAG(0, "at", "N", "use the conversation as it was after event N",
	     STORE(FLAG_NUMBER, struct arguments, at), .expected = "an event id"),
	FLAG(0, "summaries", NULL, "print the summaries",
	     STORE(FLAG_TRUE, struct arguments, summaries)),
	FLAG('j', "json", NULL, "print one JSON object per condenser",
	     STORE(FLAG_TRUE, struct arguments, json)),
	{ 0 },
};

/* One condenser and its own copy of the conversation. */
struct job {
	const struct arguments *a;
	uv_loop_t *loop;
	const char *id;         /* of the conversation */
	char dir[PATH_MAX];     /* a state directory for the copies */
	struct config *config, *into;
	json_object *settings;  /* of `config` */
	int64_t at;
	bool over, unreadable;
	struct condensed_view whole, left;
	struct llm_metrics before, after;
	struct error err;
};

static enum flags_status condense_parse(const struct command *self, int argc, char **argv,
					struct arguments *a)
{
	int index;
	enum flags_status f = flags_parse(self, argc, argv, &index, &a->common);

	if (f != FLAG_END)
		return f;
	if (index >= argc || strcmp(argv[index], "compare") != 0) {
		command_misused(self, "missing subcommand `compare`");
		return FLAG_BAD;
	}
	if (index + 2 < argc) {
		command_misused(self, "more than one conversation given");
		return FLAG_BAD;
	}
	if (a->with && !*a->with) {
		fprintf(stderr, "mortise: --with requires condensers separated by "
				"commas; `mortise plugins` lists them\n");
		return FLAG_BAD;
	}
	a->id = index + 1 < argc ? argv[index + 1] : "last";
	return f;
}

/* ---- one condenser ------------------------------------------------------ */

static void cli_condense_on_over(void *arg, struct condensed_view *t,
				 const struct error *err)
{
	struct job *j = arg;

	j->over = true;
	if (t) {
		j->left = *t;
		*t = (struct condensed_view){ 0 };
	} else {
		j->err = *err;
	}
}

static struct llm_metrics spent(const struct conversation *c)
{
	const struct llm_usage_totals *bill = conversation_bill(c);

	return bill ? *llm_usage_totals_sum(bill)
		    : (struct llm_metrics){ .cost_known = true };
}

static int run_condensers(struct job *j, struct conversation *c)
{
	struct error *err = &j->err;

	if (conversation_view(c, &j->whole, err))
		return err->code;
	j->before = spent(c);
	conversation_condense_preview(c, cli_condense_on_over, j);
	while (!j->over && uv_run(j->loop, UV_RUN_ONCE))
		;
	j->after = spent(c);
	if (!j->over && !err->code)
		fail(err, MT_EIO, "condensers did not converge");
	return err->code;
}

/* The current plugin path and settings of condensers and their models; all other settings
 * are those that the conversation was created with. NULL: out of memory. */
static const char **now_set(const struct job *j, size_t *ret_count)
{
	size_t n = json_object_array_length(j->settings), count = 0;
	const char **list = calloc(n + 2, sizeof *list);

	for (size_t i = 0; list && i < n; i++) {
		const char *text =
			json_object_get_string(json_object_array_get_idx(j->settings, i));

		if (strncmp(text, "condenser.", 10) == 0 ||
		    strncmp(text, "llm.", 4) == 0 ||
		    strncmp(text, "core.plugin_path=", 17) == 0)
			list[count++] = text;
	}
	*ret_count = count;
	return list;
}

/* Open a copy with these condensers instead of its own. */
static int open_copy(struct job *j, const char *condensers, struct conversation **ret)
{
	AUTO(strbuf) struct strbuf state = STRBUF(4096), wiring = STRBUF(4096);
	struct config_input in = { .file = j->a->common.file };
	AUTO(free) const char **overrides = now_set(j, &in.override_count);
	const struct fork_options fork = { .id = j->id, .at = j->at, .into = j->into };
	struct conversation_options o = { .headless = true };
	AUTO(free) char *copy = NULL, *report = NULL;
	int64_t at;

	strbuf_addf(&state, "core.state_dir=%s", j->dir);
	strbuf_addf(&wiring, "controller.condensers=%s", condensers);
	for (char *p = wiring.text; p && (p = strchr(p, '+')); p++)
		*p = ',';
	if (!overrides || state.error || wiring.error)
		return fail(&j->err, MT_ELIMIT, "--with: the list is too long");
	j->unreadable = conversation_fork(j->config, &fork, &copy, &at, &j->err) != MT_OK;
	if (j->unreadable)
		return j->err.code;
	overrides[in.override_count++] = state.text;
	overrides[in.override_count++] = wiring.text;
	in.overrides = overrides;
	o.id = copy;
	return conversation_resume(j->loop, &in, &o, ret, &report, &j->err);
}

static void try_condensers(struct job *j, const char *condensers)
{
	struct conversation *c = NULL;

	condense_view_clear(&j->whole);
	condense_view_clear(&j->left);
	j->err = ERROR_NONE;
	j->over = false;
	if (open_copy(j, condensers, &c)) {
		uv_run(j->loop, UV_RUN_DEFAULT);
		return;
	}
	run_condensers(j, c);
	conversation_close(c, NULL, NULL);
	uv_run(j->loop, UV_RUN_DEFAULT);
}

/* ---- output ------------------------------------------------------------- */

/* The remaining events as ranges, and the original number of events. */
static void put_ranges(struct strbuf *out, const struct condensed_view *whole,
		       const struct condensed_view *left)
{
	size_t n = 0, ranges = 0;

	for (size_t i = 0; i < whole->count && n < left->count;) {
		size_t from = i;

		while (i < whole->count && n < left->count &&
		       whole->ids[i] == left->ids[n])
			i++, n++;
		if (i == from) {
			i++;
			continue;
		}
		if (ranges++ == RANGES_MAX) {
			strbuf_add(out, ", ...");
			return;
		}
		strbuf_addf(out, "%s%" PRId64, ranges > 1 ? ", " : "", whole->ids[from]);
		if (i > from + 1)
			strbuf_addf(out, "-%" PRId64, whole->ids[i - 1]);
	}
}

static void cli_condense_put_number(struct strbuf *out, int width, int64_t n)
{
	if (n < 0)
		strbuf_addf(out, " %*s", width, "-");
	else
		strbuf_addf(out, " %*" PRId64, width, n);
}

static bool has_price(const struct job *j)
{
	return j->after.cost_known && j->after.calls >= j->before.calls;
}

#define NOTHING "(nothing condensed)"

static int name_width(const struct arguments *a)
{
	const char *list = a->with, *item;
	size_t len, width = strlen(NOTHING);

	while (list && option_list_next(&list, &item, &len))
		width = len > width ? len : width;
	return width > 60 ? 60 : (int)width;
}

static void put_summary(const char *text)
{
	putchar('\n');
	command_write(stdout, text, strlen(text));
	fputs("\n\n", stdout);
}

static void cli_condense_print_line(const char *name, const struct job *j,
				    const struct condensed_view *t)
{
	AUTO(strbuf) struct strbuf out = STRBUF(64 << 10);
	bool whole = t == &j->whole;

	strbuf_addf(&out, "%-*s", name_width(j->a), name);
	cli_condense_put_number(&out, 7, (int64_t)t->count);
	cli_condense_put_number(&out, 7, whole ? -1 : (int64_t)t->masked);
	cli_condense_put_number(&out, 10, t->tokens);
	cli_condense_put_number(&out, 6, whole ? -1 : j->after.calls - j->before.calls);
	if (whole || !has_price(j))
		strbuf_addf(&out, " %10s", "-");
	else
		strbuf_addf(&out, " %10.4f", j->after.cost - j->before.cost);
	strbuf_add(&out, "  ");
	put_ranges(&out, &j->whole, t);
	if (t->summaries)
		strbuf_add(&out, t->count ? " and a summary" : "a summary");
	puts(out.text ? out.text : name);
	if (j->a->summaries && !whole && t->summary)
		put_summary(t->summary);
}

static void cli_condense_print_json(const char *name, const struct job *j)
{
	AUTO(strbuf) struct strbuf out = STRBUF(16 << 20);

	strbuf_addc(&out, '{');
	js_key_str(&out, "condensers", name);
	if (j->err.code) {
		js_key_str(&out, "error", j->err.text);
	} else {
		js_key_int(&out, "events_before", (int64_t)j->whole.count);
		js_key_int(&out, "events", (int64_t)j->left.count);
		js_key_int(&out, "masked", (int64_t)j->left.masked);
		js_key_int(&out, "tokens_before", j->whole.tokens);
		js_key_int(&out, "tokens", j->left.tokens);
		js_key_int(&out, "calls", j->after.calls - j->before.calls);
		if (has_price(j)) {
			js_key(&out, "cost");
			strbuf_addf(&out, "%.6f", j->after.cost - j->before.cost);
		}
		js_key(&out, "kept");
		strbuf_addc(&out, '[');
		for (size_t i = 0; i < j->left.count; i++)
			strbuf_addf(&out, "%s%" PRId64, i ? "," : "", j->left.ids[i]);
		strbuf_addc(&out, ']');
		if (j->left.summary)
			js_key_str(&out, "summary", j->left.summary);
	}
	strbuf_addc(&out, '}');
	puts(out.text ? out.text : "{}");
}

static void cli_condense_report(const char *name, const struct job *j, bool first)
{
	if (j->a->json) {
		cli_condense_print_json(name, j);
	} else if (j->err.code) {
		fflush(stdout);
		fprintf(stderr, "mortise: %s: %s\n", name, j->err.text);
	} else {
		if (first) {
			printf("%-*s %7s %7s %10s %6s %10s  %s\n", name_width(j->a),
			       "CONDENSER", "EVENTS", "MASKED", "TOKENS", "CALLS", "US $",
			       "KEPT");
			cli_condense_print_line(NOTHING, j, &j->whole);
		}
		cli_condense_print_line(name, j, &j->left);
	}
	fflush(stdout);
}

/* ---- all condensers ----------------------------------------------------- */

static int compare_all(struct job *j)
{
	const char *list = j->a->with
				   ? j->a->with
				   : "conversation_window,amortized,observation_masking";
	const char *item;
	size_t len;
	int code = EXIT_DONE;
	bool first = true;

	while (option_list_next(&list, &item, &len)) {
		AUTO(free) char *name = strndup(item, len);

		if (!name)
			return EXIT_FAILED;
		try_condensers(j, name);
		if (j->unreadable)
			return command_report(EXIT_FAILED, &j->err);
		cli_condense_report(name, j, first);
		first = first && j->err.code;
		if (j->err.code)
			code = EXIT_FAILED;
	}
	condense_view_clear(&j->whole);
	condense_view_clear(&j->left);
	return code;
}

/* Make a configuration with a separate directory for conversations. */
static int cli_condense_make_dir(struct job *j, struct error *err)
{
	AUTO(strbuf) struct strbuf state = STRBUF(2 * PATH_MAX);
	const char *overrides[1];
	const struct config_input in = { .overrides = overrides, .override_count = 1 };

	if (command_spool_open("mortise-condense", j->dir, sizeof j->dir, err))
		return err->code;
	if (strbuf_addf(&state, "core.state_dir=%s", j->dir))
		return out_of_memory(err);
	overrides[0] = state.text;
	return config_load(&in, &j->into, err);
}

static int condense_find(struct job *j, char **ret_id, struct error *err)
{
	const struct arguments *a = j->a;
	const struct config_input in = { .overrides = a->common.overrides,
					 .override_count = a->common.override_count,
					 .file = a->common.file };

	j->at = a->at;
	if (config_load(&in, &j->config, err))
		return err->code;
	j->settings = config_settings(j->config);
	if (!j->settings)
		return out_of_memory(err);
	*ret_id = conversation_find(j->config, a->id, err);
	j->id = *ret_id;
	return *ret_id ? cli_condense_make_dir(j, err) : err->code;
}

static int condense_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { .at = -1 };
	struct job j = { .a = &a };
	struct error err = ERROR_NONE;
	AUTO(free) char *id = NULL;
	int f = condense_parse(self, argc, argv, &a), code;

	if (f != FLAG_END)
		return flags_exit_code(f);
	j.loop = command_loop(&err);
	code = !j.loop || condense_find(&j, &id, &err) ? command_report(EXIT_USAGE, &err)
						       : compare_all(&j);
	command_spool_close();
	json_object_put(j.settings);
	config_free(j.config);
	config_free(j.into);
	return code;
}

const struct command command_condense = {
	.name = "condense",
	.args = "compare [ID]",
	.summary = "Compare what condensers keep of a conversation",
	.details = "Each condenser runs on a copy of the conversation, which may be open "
		   "elsewhere\nand is not changed. A condenser is a plugin or a section "
		   "[condenser.NAME]. Those\nthat query a model do so, which costs "
		   "money.\n\nDefault condensers: conversation_window, amortized, "
		   "observation_masking.",
	.flags = flags,
	.run = condense_run,
};
