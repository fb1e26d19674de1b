/* SPDX-License-Identifier: MIT
 *
 * fuzz-skill.c - any text as front matter and as a skill, of the standard and of the
 * older form: what is read is whole, within its limits, and matches without harm. */
#include "front-matter.h"
#include "skills/skill.h"
#include "utf8.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void check_front(const char *text, size_t n)
{
	struct front_matter f;
	struct error err = ERROR_NONE;

	front_matter_split(text, n, &f);
	if (f.body < text || f.body + f.body_len > text + n ||
	    (f.yaml && (f.yaml < text || f.yaml + f.yaml_len > f.body)))
		abort();

	AUTO(json)
	json_object *o = f.yaml ? front_matter_read_yaml(f.yaml, f.yaml_len, &err) : NULL;

	if (f.yaml && !o != (err.code != 0 && err.text[0]))
		abort();
}

static void check_skill(const char *path, const char *text, size_t n, bool strict)
{
	struct error err = ERROR_NONE, warning = ERROR_NONE;
	AUTO(skill) struct skill *s =
		skill_parse(path, "/base", text, n, strict, &warning, &err);
	AUTO(strbuf) struct strbuf summary = STRBUF(1 << 16);

	if (!s) {
		if (!err.code || !err.text[0])
			abort();
		return;
	}
	if (err.code || !s->name || !s->content ||
	    s->trigger_count > SKILL_TRIGGERS_MAX || !skill_type(s))
		abort();
	skill_find_trigger(s, text, n);
	skill_matches_path(s, "src/a/b.c");
	if (skill_summary(s, &summary) ||
	    (utf8_valid(text, n) && !utf8_valid(summary.text, summary.len)))
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
	AUTO(free) char *text = malloc(n + 1);

	memcpy(text, bytes, n);
	text[n] = '\0';
	check_front(text, n);
	check_skill("/base/one/SKILL.md", text, n, n & 1);
	check_skill("/base/two/three.md", text, n, false);
	return 0;
}
