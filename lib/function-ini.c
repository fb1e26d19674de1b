/* SPDX-License-Identifier: MIT
 *
 * function-ini.c - parses declarations of C functions in INI files. */
#include "function-ini.h"
#include "function-schema.h"
#include "function-words.h"
#include "js.h"
#include "options.h"
#include <mortise/tool.h>
#include <string.h>

struct reader {
	const struct function_line *lines;
	size_t count, faults;
	struct functions *f;
	function_fault *fault;
	void *arg;
	bool no_memory;
};

static void unbound(void)
{
}

static void function_ini_tell(struct reader *r, size_t line, const struct error *err)
{
	r->faults++;
	r->no_memory |= err->code == MT_ENOMEM;
	if (r->fault)
		r->fault(r->arg, line, err->text);
}

#define TELL(r, line, ...)                                                     \
	do {                                                                   \
		struct error told_ = ERROR_NONE;                               \
		fail(&told_, MT_EINVAL, __VA_ARGS__);                          \
		function_ini_tell(r, line, &told_);                                         \
	} while (0)

static void short_of_memory(struct reader *r, size_t line)
{
	struct error err = ERROR_NONE;

	out_of_memory(&err);
	function_ini_tell(r, line, &err);
}

static void function_ini_keep(struct reader *r, size_t line, char **to, const char *text)
{
	free(*to);
	*to = strdup(text);
	if (!*to)
		short_of_memory(r, line);
}

/* ---- which function a line is of -------------------------------------------- */

/* `name` NULL: the unnamed function. @return NULL: the error was reported. */
static struct declared *function_of(struct reader *r, size_t line, const char *name,
				    size_t len)
{
	struct functions *f = r->f;
	struct declared *d;

	for (size_t i = 0; i < f->count; i++) {
		const char *other = f->list[i].name;

		if (name ? other && strlen(other) == len && memcmp(other, name, len) == 0
			 : !other)
			return &f->list[i];
	}
	if (f->count == FUNCTIONS_MAX) {
		TELL(r, line, "more than %d functions", FUNCTIONS_MAX);
		return NULL;
	}
	d = &f->list[f->count];
	*d = (struct declared){ .line = line, .name = name ? strndup(name, len) : NULL,
				.args = calloc(FUNCTION_ARGS_MAX, sizeof *d->args),
				.arg_lines = calloc(FUNCTION_ARGS_MAX, sizeof(size_t)) };
	if (!d->args || !d->arg_lines || (name && !d->name)) {
		free(d->name);
		free(d->args);
		free(d->arg_lines);
		short_of_memory(r, line);
		return NULL;
	}
	d->function = (struct mt_function){ .size = sizeof d->function, .args = d->args,
					    .address = unbound };
	f->count++;
	return d;
}

/* ---- what a line says -------------------------------------------------------- */

static void read_arg(struct reader *r, size_t line, struct declared *d, const char *name)
{
	struct error err = ERROR_NONE;
	struct mt_arg *a = &d->args[d->function.arg_count];

	if (d->function.arg_count == FUNCTION_ARGS_MAX) {
		TELL(r, line, "more than %d arguments", FUNCTION_ARGS_MAX);
		return;
	}
	if (!function_name_is_valid(name, strlen(name))) {
		TELL(r, line,
		     "invalid argument name `%.80s`: use a letter, then letters, "
		     "digits, - and _",
		     name);
		return;
	}
	if (words_argument(name, r->lines[line].value, a, &err))
		function_ini_tell(r, line, &err);
	d->arg_lines[d->function.arg_count] = line;
	d->function.arg_count++; /* also if it is invalid: later arguments keep their
				  * index */
}

static void function_ini_read_key(struct reader *r, size_t line, struct declared *d,
				  const char *key)
{
	static const char *const keys[] = { "symbol", "returns", "help", "fails", "hints",
					    "arg." };
	const char *value = r->lines[line].value, *near;
	struct error err = ERROR_NONE;
	int status = MT_OK;

	if (strncmp(key, "arg.", 4) == 0)
		read_arg(r, line, d, key + 4);
	else if (strcmp(key, "symbol") == 0)
		function_ini_keep(r, line, &d->symbol, value);
	else if (strcmp(key, "help") == 0)
		function_ini_keep(r, line, &d->help, value);
	else if (strcmp(key, "returns") == 0)
		status = words_returns(value, &d->function.returns, &err);
	else if (strcmp(key, "fails") == 0)
		status = words_fails(value, &d->function.flags, &err);
	else if (strcmp(key, "hints") == 0)
		status = words_hints(value, &d->hints, &err);
	else if ((near = option_suggest(key, keys, ARRAY_LEN(keys))))
		TELL(r, line, "unknown key `%.80s` of a function; did you mean `%s`?",
		     key, near);
	else
		TELL(r, line,
		     "unknown key `%.80s` of a function: use symbol, returns, help, "
		     "fails, hints or arg.NAME",
		     key);
	if (status)
		function_ini_tell(r, line, &err);
}

static void read_named(struct reader *r, size_t line)
{
	const char *name = r->lines[line].key + strlen("function.");
	size_t len = strcspn(name, ".");
	struct declared *d;

	if (!name[len] || !name[len + 1] || !function_name_is_valid(name, len)) {
		TELL(r, line,
		     "use function.NAME.KEY; NAME is a letter, then letters, digits, - and _");
		return;
	}
	d = function_of(r, line, name, len);
	if (d)
		function_ini_read_key(r, line, d, name + len + 1);
}

/* Keys that the section of any tool may have are ignored here. */
static bool is_of_all(const char *key)
{
	static const char *const keys[] = { "plugin", "deadline", "llm", "enabled" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (strcmp(key, keys[i]) == 0)
			return true;
	return false;
}

static void function_ini_read_line(struct reader *r, size_t line)
{
	const char *key = r->lines[line].key;
	struct declared *d;

	if (is_of_all(key))
		return;
	if (strcmp(key, "library") == 0) {
		if (strchr(r->lines[line].value, '/') && *r->lines[line].value != '/')
			TELL(r, line,
			     "use the absolute path of the library, or only its name");
		function_ini_keep(r, line, &r->f->library, r->lines[line].value);
		r->f->library_line = line;
	} else if (strncmp(key, "function.", 9) == 0) {
		read_named(r, line);
	} else {
		d = function_of(r, line, NULL, 0);
		if (d)
			function_ini_read_key(r, line, d, key);
	}
}

/* ---- a function as a whole ---------------------------------------------------- */

/* Without a name, the symbol is the name of the tool; without a symbol, the name is
 * the symbol. */
static void complete(struct reader *r, struct declared *d)
{
	if (!d->symbol && d->name)
		function_ini_keep(r, d->line, &d->symbol, d->name);
	if (!d->symbol || !*d->symbol) {
		TELL(r, d->line,
		     "`symbol` is missing; set it to the name of the function in the library");
		return;
	}
	if (!d->name)
		function_ini_keep(r, d->line, &d->name, d->symbol);
	if (d->name && !function_name_is_valid(d->name, strlen(d->name)))
		TELL(r, d->line, "invalid tool name `%.80s`; use function.NAME.symbol",
		     d->name);
	if (!d->help && r->f->library &&
	    asprintf(&d->help, "The C function %.80s of %.200s.", d->symbol,
		     r->f->library) < 0) {
		d->help = NULL;
		short_of_memory(r, d->line);
	}
}

static void check_signature(struct reader *r, struct declared *d)
{
	struct error err = ERROR_NONE, named = ERROR_NONE;
	size_t before = r->faults;

	for (size_t n = 0; n < d->function.arg_count; n++)
		if (function_check_arg(&d->function, n, &err))
			function_ini_tell(r, d->arg_lines[n], &err);
	if (r->faults == before && function_check(&d->function, &err)) {
		fail(&named, err.code, "%.64s: %s", d->name, err.text);
		function_ini_tell(r, d->line, &named);
	}
}

static void function_ini_check_all(struct reader *r)
{
	struct functions *f = r->f;

	if (!f->library || !*f->library)
		TELL(r, r->count,
		     "`library` is missing; set it to a shared library, for example libm.so.6");
	if (f->count == 0)
		TELL(r, r->count,
		     "no function is declared; use `symbol`, or function.NAME.symbol for several");
	for (size_t i = 0; i < f->count; i++) {
		struct declared *d = &f->list[i];
		size_t before = r->faults;

		complete(r, d);
		for (size_t k = 0; k < i; k++)
			if (d->name && f->list[k].name &&
			    !strcmp(d->name, f->list[k].name))
				TELL(r, d->line, "two functions are named %.64s",
				     d->name);
		if (r->faults == before)
			check_signature(r, d);
	}
}

int functions_read(const struct function_line *lines, size_t count, struct functions *ret,
		   function_fault *fault, void *arg)
{
	struct reader r = { .lines = lines, .count = count, .f = ret, .fault = fault,
			    .arg = arg };

	*ret = (struct functions){ .list = calloc(FUNCTIONS_MAX, sizeof *ret->list) };
	if (!ret->list) {
		short_of_memory(&r, count);
		return MT_ENOMEM;
	}
	for (size_t n = 0; n < count; n++)
		function_ini_read_line(&r, n);
	if (r.faults == 0)
		function_ini_check_all(&r);
	return r.no_memory ? MT_ENOMEM : r.faults ? MT_EINVAL : MT_OK;
}

void functions_clear(struct functions *f)
{
	for (size_t i = 0; i < f->count; i++) {
		struct declared *d = &f->list[i];

		for (size_t n = 0; n < d->function.arg_count; n++)
			words_clear(&d->args[n]);
		free(d->args);
		free(d->arg_lines);
		free(d->name);
		free(d->symbol);
		free(d->help);
	}
	free(f->list);
	free(f->library);
	*f = (struct functions){ 0 };
}

int functions_json(const struct functions *f, struct strbuf *out)
{
	strbuf_addc(out, '[');
	for (size_t i = 0; i < f->count && !out->error; i++) {
		const struct declared *d = &f->list[i];

		strbuf_add(out, i ? ",{" : "{");
		js_key_str(out, "name", d->name);
		js_key_str(out, "description", d->help);
		js_key(out, "schema");
		function_schema(&d->function, out, NULL);
		js_key_int(out, "hints", d->hints);
		strbuf_addc(out, '}');
	}
	return strbuf_addc(out, ']');
}
