/* SPDX-License-Identifier: MIT
 *
 * doctor.c - `mortise doctor`: prints what this machine offers, what is enforced by what,
 * and what is missing. */
#include "doctor.h"
#include "array.h"
#include "js.h"
#include "utf8.h"
#include <string.h>
#include <unistd.h>

enum { LINES_MAX = 1024, LINE_MAX_BYTES = 4096, OUTPUT_MAX = 8 << 20 };

struct arguments {
	struct common common;
	bool json;
};

static const struct flag flags[] = {
	FLAG('j', "json", NULL, "print JSON", STORE(FLAG_TRUE, struct arguments, json)),
	{ 0 },
};

/* In the order of their lines. */
static doctor_check *const checks[] = {
	doctor_kernel,        doctor_landlock, doctor_seccomp, doctor_user_namespaces,
	doctor_sandbox,
	doctor_limits,        doctor_configuration, doctor_model, doctor_plugins,
	doctor_programs,      doctor_servers,  doctor_runtime, doctor_state,
};

static const struct {
	const char *name, *color;
} levels[] = {
	[DOCTOR_OK] = { "ok", "\033[32m" },
	[DOCTOR_WARNING] = { "warning", "\033[33m" },
	[DOCTOR_PROBLEM] = { "problem", "\033[31m" },
};

void doctor_add(struct doctor *d, enum doctor_level level, const char *name,
		const char *fmt, ...)
{
	struct strbuf text = STRBUF(LINE_MAX_BYTES);
	struct doctor_line *line;
	va_list ap;

	va_start(ap, fmt);
	utf8_vaddf_cut(&text, fmt, ap);
	va_end(ap);
	if (text.error || ARRAY_ADD(d->lines, d->count, LINES_MAX)) {
		strbuf_clear(&text);
		d->no_memory = true;
		return;
	}
	line = &d->lines[d->count++];
	line->level = level;
	snprintf(line->name, sizeof line->name, "%s", name);
	line->text = strbuf_take(&text);
}

static bool has_color(void)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(STDOUT_FILENO) && (!no_color || !*no_color) && term && *term &&
	       strcmp(term, "dumb") != 0;
}

static void doctor_print_text(const struct doctor *d)
{
	AUTO(strbuf) struct strbuf out = STRBUF(OUTPUT_MAX);
	bool color = has_color();

	for (size_t i = 0; i < d->count; i++) {
		const struct doctor_line *line = &d->lines[i];

		strbuf_addf(&out, "%s%-8s%s %-20s %s\n",
			    color ? levels[line->level].color : "",
			    levels[line->level].name, color ? "\033[0m" : "", line->name,
			    line->text);
	}
	fwrite(out.text, 1, out.len, stdout);
}

static void doctor_print_json(const struct doctor *d)
{
	AUTO(strbuf) struct strbuf out = STRBUF(OUTPUT_MAX);

	strbuf_addc(&out, '[');
	for (size_t i = 0; i < d->count; i++) {
		strbuf_add(&out, i ? ",\n{" : "{");
		js_key_str(&out, "name", d->lines[i].name);
		js_key_str(&out, "level", levels[d->lines[i].level].name);
		js_key_str(&out, "text", d->lines[i].text);
		strbuf_addc(&out, '}');
	}
	strbuf_add(&out, "]\n");
	fwrite(out.text, 1, out.len, stdout);
}

static void doctor_release(struct doctor *d)
{
	for (size_t i = 0; i < d->count; i++)
		free(d->lines[i].text);
	free(d->lines);
	registry_free(d->registry);
	config_free(d->config);
}

/* Errors of the configuration are lines of its check. */
static void doctor_load(struct doctor *d)
{
	if (common_config(d->common, &d->config, NULL) == MT_OK &&
	    registry_open(d->config, &d->registry, NULL) != MT_OK)
		d->registry = NULL;
}

static int doctor_run(const struct command *self, int argc, char **argv)
{
	struct arguments a = { 0 };
	struct doctor d = { .common = &a.common };
	struct error err = ERROR_NONE;
	int index, code = EXIT_DONE;
	enum flags_status flag = flags_parse(self, argc, argv, &index, &a.common);

	if (flag != FLAG_END)
		return flags_exit_code(flag);
	if (index < argc)
		return command_unexpected(self, argv[index]);
	doctor_load(&d);
	for (size_t i = 0; i < ARRAY_LEN(checks); i++)
		checks[i](&d);
	for (size_t i = 0; i < d.count; i++)
		if (d.lines[i].level == DOCTOR_PROBLEM)
			code = EXIT_FAILED;
	if (d.no_memory) {
		out_of_memory(&err);
		code = command_report(EXIT_FAILED, &err);
	} else {
		(a.json ? doctor_print_json : doctor_print_text)(&d);
	}
	doctor_release(&d);
	return code;
}

const struct command command_doctor = {
	.name = "doctor",
	.args = "",
	.summary = "Check this machine and the configuration",
	.details = "Prints what the kernel offers, what enforces each limit on tools, and "
		   "what is\nmissing, with what to do about it. The model is not contacted: "
		   "`mortise models\ntest` does that. Exits with 1 if there is a problem.",
	.flags = flags,
	.run = doctor_run,
};
