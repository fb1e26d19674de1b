/* SPDX-License-Identifier: MIT
 *
 * model-table.c - looks up facts about models by name. */
#include "models/model-table.h"
#include "files.h"
#include "log.h"
#include "space.h"
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#define FACT(type_, name_, member) \
	{ (name_), MODEL_##type_, offsetof(struct model_facts, member) }

const struct model_key model_keys[] = {
	FACT(FLAG, "tools", tools),
	FACT(FLAG, "cache", cache),
	FACT(FLAG, "stop", stop),
	FACT(FLAG, "effort", effort),
	FACT(FLAG, "effort_sent", effort_sent),
	FACT(FLAG, "effort_budget", effort_budget),
	FACT(FLAG, "vision", vision),
	FACT(FLAG, "pdf", pdf),
	FACT(FLAG, "responses", responses),
	FACT(FLAG, "sampling", sampling),
	FACT(FLAG, "temperature_and_top_p", temperature_and_top_p),
	FACT(FLAG, "no_thinking", no_thinking),
	FACT(FLAG, "adaptive_thinking", adaptive_thinking),
	FACT(FLAG, "short_tools", short_tools),
	FACT(FLAG, "inline_images", inline_images),
	FACT(FLAG, "example", example),
	FACT(FLAG, "send_reasoning", send_reasoning),
	FACT(FLAG, "max_completion_tokens", max_completion_tokens),
	FACT(COUNT, "window", window),
	FACT(COUNT, "output", output),
	FACT(COUNT, "default_output", default_output),
	FACT(COUNT, "output_cap", output_cap),
	FACT(PRICE, "input_price", price.input),
	FACT(PRICE, "output_price", price.output),
	FACT(PRICE, "cache_read_price", price.cache_read),
	FACT(PRICE, "cache_write_price", price.cache_write),
	FACT(COUNT, "long_from", long_from),
	FACT(PRICE, "long_input_price", long_price.input),
	FACT(PRICE, "long_output_price", long_price.output),
	FACT(PRICE, "long_cache_read_price", long_price.cache_read),
	FACT(PRICE, "long_cache_write_price", long_price.cache_write),
};
const size_t model_key_count = ARRAY_LEN(model_keys);
_Static_assert(ARRAY_LEN(model_keys) <= 64, "model_facts.told has a bit for each");

/* ---- names and globs ------------------------------------------------------ */

static void model_table_lower(const char *name, char ret[MODEL_NAME_MAX])
{
	size_t n = 0, len = strlen(name);

	space_trim(&name, &len);
	for (; n < len && n < MODEL_NAME_MAX - 1; n++)
		ret[n] = (char)tolower((unsigned char)name[n]);
	ret[n] = '\0';
}

void model_normalize(const char *model, char ret[MODEL_NAME_MAX])
{
	static const char tail[] = "-gguf";
	const char *slash;
	size_t len;

	model_table_lower(model, ret);
	slash = strrchr(ret, '/');
	if (slash) {
		memmove(ret, slash + 1, strlen(slash + 1) + 1);
		ret[strcspn(ret, ":")] = '\0';
	}
	len = strlen(ret);
	if (len >= strlen(tail) && strcmp(ret + len - strlen(tail), tail) == 0)
		ret[len - strlen(tail)] = '\0';
}

/* Match one character against a set "[a-z]" or "[!x]" that starts at `p`.
 * @return the length of the set, 0 if it is not a set. */
static size_t match_set(const char *p, size_t len, char c, bool *ret)
{
	size_t i = 1;
	bool no = i < len && (p[i] == '!' || p[i] == '^'), in = false;

	i += no;
	for (size_t first = i; i < len && (p[i] != ']' || i == first); i++) {
		char from = p[i], to = from;

		if (i + 2 < len && p[i + 1] == '-' && p[i + 2] != ']') {
			to = p[i + 2];
			i += 2;
		}
		in |= c >= tolower((unsigned char)from) &&
		      c <= tolower((unsigned char)to);
	}
	*ret = in != no;
	return i < len ? i + 1 : 0;
}

/* True if one element of the pattern matches `c`. *ret_len: bytes of the element. */
static bool model_table_match_one(const char *p, size_t len, char c, size_t *ret_len)
{
	bool in = false;

	*ret_len = 1;
	if (*p == '?')
		return true;
	if (*p == '[') {
		size_t n = match_set(p, len, c, &in);

		if (n) {
			*ret_len = n;
			return in;
		}
	}
	return tolower((unsigned char)*p) == c;
}

/* `name` is in lowercase. */
static bool glob_matches(const char *p, size_t len, const char *name)
{
	const char *end = p + len, *star = NULL, *from = NULL;
	size_t step;

	while (*name) {
		if (p < end && *p == '*') {
			star = ++p;
			from = name;
		} else if (p < end &&
			   model_table_match_one(p, (size_t)(end - p), *name, &step)) {
			p += step;
			name++;
		} else if (star) {
			p = star;
			name = ++from;
		} else {
			return false;
		}
	}
	while (p < end && *p == '*')
		p++;
	return p == end;
}

struct names {
	char whole[MODEL_NAME_MAX], normal[MODEL_NAME_MAX];
};

static bool either_matches(const struct names *n, const char *glob, size_t len)
{
	return glob_matches(glob, len, memchr(glob, '/', len) ? n->whole : n->normal);
}

bool model_matches(const char *model, const char *glob)
{
	struct names n;

	model_table_lower(model, n.whole);
	model_normalize(model, n.normal);
	return either_matches(&n, glob, strlen(glob));
}

/* "a, b": globs of one section. */
static bool any_matches(const struct names *n, const char *globs, size_t len)
{
	for (size_t i = 0; i < len;) {
		const char *glob = globs + i, *comma = memchr(glob, ',', len - i);
		size_t glob_len = comma ? (size_t)(comma - glob) : len - i;

		i += glob_len + 1;
		space_trim(&glob, &glob_len);
		if (glob_len && either_matches(n, glob, glob_len))
			return true;
	}
	return false;
}

/* ---- reading -------------------------------------------------------------- */

void model_facts_init(struct model_facts *f)
{
	const struct model_prices none = { -1, -1, -1, -1 };

	*f = (struct model_facts){
		.stop = true, .effort_sent = true, .sampling = true,
		.temperature_and_top_p = true, .example = true, .window = -1, .output = -1,
		.default_output = -1, .output_cap = -1, .long_from = -1, .price = none,
		.long_price = none,
	};
}

/* Set a fact by the text of its value; an invalid one is ignored. */
static void set_fact(struct model_facts *f, const struct model_key *key, const char *text)
{
	char *place = (char *)f + key->offset, *end;
	double number;

	number = strtod(text, &end);
	if (key->type != MODEL_FLAG &&
	    (end == text || *end || !(number >= 0 && number < 1e15)))
		return;
	if (key->type == MODEL_FLAG)
		*(bool *)place = option_to_bool(text);
	else if (key->type == MODEL_COUNT)
		*(int64_t *)place = (int64_t)number;
	else
		*(double *)place = number;
	f->told |= UINT64_C(1) << (key - model_keys);
}

bool model_has_fact(const struct model_facts *f, const char *key)
{
	for (size_t i = 0; i < model_key_count; i++)
		if (strcmp(model_keys[i].name, key) == 0)
			return f->told >> i & 1;
	return false;
}

static void apply_line(struct model_facts *f, const char *line, size_t len)
{
	const char *eq = memchr(line, '=', len);
	size_t key_len, n;
	char name[32], value[64];
	const char *key;

	if (!eq || *line == ';' || *line == '#')
		return;
	key_len = space_trim_end(line, (size_t)(eq - line));
	eq++;
	n = (size_t)(line + len - eq);
	space_trim(&eq, &n);
	if (!n || n >= sizeof value || key_len >= sizeof name)
		return;
	snprintf(name, sizeof name, "%.*s", (int)key_len, line);
	snprintf(value, sizeof value, "%.*s", (int)n, eq);
	key = config_current_key("model", name);
	for (size_t i = 0; i < model_key_count; i++)
		if (strcmp(model_keys[i].name, key) == 0)
			set_fact(f, &model_keys[i], value);
}

static const char *line_end(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline : end;
}

bool model_section_next(const char *text, size_t len, size_t *pos,
			struct model_section *ret)
{
	const char *end = text + len, *at = text + *pos, *stop, *close;

	while (at < end && *at != '[')
		at = line_end(at, end) + (line_end(at, end) < end);
	if (at >= end) {
		*pos = len;
		return false;
	}
	stop = line_end(at, end);
	close = memrchr(at, ']', (size_t)(stop - at));
	ret->globs = at + 1;
	ret->globs_len = close ? (size_t)(close - at - 1) : 0;
	ret->lines = at = stop < end ? stop + 1 : end;
	while (at < end && *at != '[')
		at = line_end(at, end) + (line_end(at, end) < end);
	ret->lines_len = (size_t)(at - ret->lines);
	*pos = (size_t)(at - text);
	return true;
}

static void apply_section(struct model_facts *f, const struct names *n, const char *text,
			  size_t len)
{
	struct model_section s;

	for (size_t pos = 0; model_section_next(text, len, &pos, &s);) {
		const char *at = s.lines, *end = s.lines + s.lines_len;

		if (!any_matches(n, s.globs, s.globs_len))
			continue;
		while (at < end) {
			const char *stop = line_end(at, end);

			apply_line(f, at, (size_t)(stop - at));
			at = stop + (stop < end);
		}
	}
}

void model_facts_apply(struct model_facts *f, const char *model, const char *text,
		       size_t len)
{
	struct names n;

	model_table_lower(model, n.whole);
	model_normalize(model, n.normal);
	apply_section(f, &n, text, len);
}

/* ---- paths ------------------------------------------------------------------ */

const char *model_table_path(const struct config *c)
{
	const char *path = config_get(c, "core", "model_table");

	return path && *path ? path : DATA_DIR "/models.ini";
}

char *model_table_user_path(bool make, struct error *err)
{
	AUTO(free) char *dir = NULL;
	char *path;

	if (paths_xdg_dir("DATA", make, &dir, err))
		return NULL;
	path = path_join(dir, "models.ini");
	if (!path)
		out_of_memory(err);
	return path;
}

static void apply_file(struct model_facts *f, const struct names *n, const char *path,
		       bool needed)
{
	struct error err = ERROR_NONE;
	AUTO(free) char *text = NULL;
	size_t len;
	int status = file_read(path, MODEL_TABLE_MAX, &text, &len, &err);

	if (!status)
		apply_section(f, n, text, len);
	else if (needed || status != MT_ENOTFOUND)
		log_line(MT_LOG_WARNING, "llm", "cannot read the model table: %s",
			 err.text);
}

static void apply_config(struct model_facts *f, const struct names *n,
			 const struct config *c)
{
	const char *glob;
	char section[MODEL_NAME_MAX + 8];

	for (size_t i = 0; (glob = config_named(c, "model", i)); i++) {
		if (!any_matches(n, glob, strlen(glob)))
			continue;
		snprintf(section, sizeof section, "model.%s", glob);
		for (size_t k = 0; k < model_key_count; k++) {
			const char *value = config_get(c, section, model_keys[k].name);

			if (value && *value)
				set_fact(f, &model_keys[k], value);
		}
	}
}

void model_facts_find(const struct config *c, const char *model, struct model_facts *ret)
{
	struct names n;
	AUTO(free) char *own = NULL;

	model_table_lower(model, n.whole);
	model_normalize(model, n.normal);
	model_facts_init(ret);
	apply_file(ret, &n, model_table_path(c), true);
	own = model_table_user_path(false, NULL);
	if (own)
		apply_file(ret, &n, own, false);
	apply_config(ret, &n, c);
}

/* ---- cost --------------------------------------------------------------------- */

/* Tokens of a type without a known price cost as much as ordinary ones. */
static double part(int64_t tokens, double price, double usual)
{
	return (double)tokens * (price >= 0 ? price : usual);
}

static int64_t at_most(int64_t n, int64_t most)
{
	return n < 0 ? 0 : n > most ? most : n;
}

double model_cost(const struct model_facts *f, int64_t input, int64_t output,
		  int64_t cache_read, int64_t cache_write)
{
	bool is_long = f->long_from >= 0 && input > f->long_from;
	struct model_prices p = f->price;

	if (is_long && f->long_price.input >= 0)
		p.input = f->long_price.input;
	if (is_long && f->long_price.output >= 0)
		p.output = f->long_price.output;
	if (is_long && f->long_price.cache_read >= 0)
		p.cache_read = f->long_price.cache_read;
	if (is_long && f->long_price.cache_write >= 0)
		p.cache_write = f->long_price.cache_write;
	if (p.input < 0 || p.output < 0 || input < 0 || output < 0)
		return -1;
	cache_read = at_most(cache_read, input);
	cache_write = at_most(cache_write, input - cache_read);
	return (part(input - cache_read - cache_write, p.input, p.input) +
		part(cache_read, p.cache_read, p.input) +
		part(cache_write, p.cache_write, p.input) +
		part(output, p.output, p.output)) /
	       1e6;
}
