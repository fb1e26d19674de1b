/* SPDX-License-Identifier: MIT
 *
 * vec.h - helpers of the runners of recorded cases: loading a file of cases,
 * comparing texts in which {{NAME}} stands for words of our own, counting.
 *
 * A runner is a program vec-COMPONENT FILE. It goes through "cases" with
 * vec_each, tells vec_case for each the result, and ends with vec_done:
 *
 *     int main(int argc, char **argv)
 *     {
 *         struct vec v;
 *
 *         if (!vec_open(&v, argc, argv))
 *             return 2;
 *         vec_each(&v, one_case);
 *         return vec_done(&v);
 *     }
 *
 * Cases that are not ours are skipped by a rule that names the decision, never
 * by the id of a case. */
#ifndef TESTS_VEC_H
#define TESTS_VEC_H

#include "files.h"
#include "js.h"
#include "utf8.h"
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct vec {
	json_object *file;
	const char *label; /* of the case that runs */
	size_t number;     /* its place in the file, from 1 */
	unsigned passed, failed, skipped;
	unsigned faults; /* of the case that runs */
	struct vec_reason {
		char what[64], why[256];
		unsigned times;
	} reasons[64];
	size_t reason_count;
};

/** Load the file named by the only argument. */
static inline bool vec_open(struct vec *v, int argc, char **argv)
{
	struct error err = ERROR_NONE;
	char *text = NULL;
	size_t len = 0;

	*v = (struct vec){ 0 };
	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE\n", argv[0]);
		return false;
	}
	if (file_read(argv[1], (size_t)64 << 20, &text, &len, &err) == MT_OK)
		v->file = js_parse_object(text, len, &err);
	free(text);
	if (!v->file || !json_object_is_type(js_get(v->file, "cases"), json_type_array)) {
		fprintf(stderr, "%s: %s\n", argv[1], v->file ? "no cases" : err.text);
		json_object_put(v->file);
		return false;
	}
	return true;
}

/** Report a fault of the running case: what, expected, got. */
static inline void vec_fault(struct vec *v, const char *what, const char *expected,
			     const char *got)
{
	if (v->faults++ == 0)
		printf("not ok: case %zu: %s\n", v->number, v->label);
	printf("# %s\n# expected: %.2000s\n# got:      %.2000s\n", what,
	       expected ? expected : "(none)", got ? got : "(none)");
}

/** The case that runs is not ours. `what`: its function and version. */
static inline void vec_skip(struct vec *v, const char *what, const char *why)
{
	struct vec_reason *r = v->reasons;
	size_t i = 0;

	while (i < v->reason_count &&
	       (strcmp(r[i].what, what) != 0 || strcmp(r[i].why, why) != 0))
		i++;
	if (i < sizeof v->reasons / sizeof *v->reasons) {
		if (i == v->reason_count)
			v->reason_count++;
		snprintf(r[i].what, sizeof r[i].what, "%s", what);
		snprintf(r[i].why, sizeof r[i].why, "%s", why);
		r[i].times++;
	}
	v->skipped++;
}

/** A function of the recordings that is not ours, and the decision that says so. */
struct vec_decision {
	const char *version, *fn; /* fn NULL: every function of that version */
	const char *why;
};

/** For a case that no runner took: skipped by a decision, or else a failure, so that
 *  a new function is never ignored. @return what `one` of vec_each returns. */
static inline bool vec_decide(struct vec *v, json_object *c,
			      const struct vec_decision *list, size_t count)
{
	const char *fn = js_str(c, "fn", ""), *version = js_str(c, "version", "");
	char what[64];

	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i].version, version) == 0 &&
		    (!list[i].fn || strcmp(list[i].fn, fn) == 0)) {
			snprintf(what, sizeof what, "%s %s", version, fn);
			vec_skip(v, what, list[i].why);
			return false;
		}
	vec_fault(v, version, "a function that is known", fn);
	return true;
}

/** Run `one` on each case. It returns true if it ran the case (which passed
 *  unless vec_fault was called), false if it called vec_skip. A case with a fault has
 *  failed, skipped or not, and one that is neither run nor skipped too. */
static inline void vec_each(struct vec *v, bool (*one)(struct vec *v, json_object *c))
{
	json_object *cases = js_get(v->file, "cases");
	size_t n = json_object_array_length(cases);

	for (size_t i = 0; i < n; i++) {
		json_object *c = json_object_array_get_idx(cases, i);
		unsigned skipped;
		bool ran;

		v->number = i + 1;
		v->label = js_str(c, "id", js_str(c, "name", "(no name)"));
		v->faults = 0;
		skipped = v->skipped;
		ran = one(v, c);
		if (!ran && v->skipped == skipped)
			vec_fault(v, "the case", "run or skipped", "neither");
		v->failed += v->faults != 0;
		v->passed += ran && v->faults == 0;
	}
}

/** Print the reasons of skipping and the closing line. @return exit status. */
static inline int vec_done(struct vec *v)
{
	for (size_t i = 0; i < v->reason_count; i++)
		printf("skipped %u of %s: %s\n", v->reasons[i].times, v->reasons[i].what,
		       v->reasons[i].why);
	printf("%u passed, %u failed, %u skipped\n", v->passed, v->failed, v->skipped);
	json_object_put(v->file);
	return v->failed != 0;
}

/* Length of a placeholder {{NAME}} at the start of a text, or 0. */
static inline size_t vec_placeholder(const char *p)
{
	size_t n = 2;

	if (p[0] != '{' || p[1] != '{')
		return 0;
	while ((p[n] >= 'A' && p[n] <= 'Z') || (p[n] >= '0' && p[n] <= '9') ||
	       p[n] == '_')
		n++;
	return n > 2 && p[n] == '}' && p[n + 1] == '}' ? n + 2 : 0;
}

/** True if `got` is `expected`, where each {{NAME}} stands for any text. */
static inline bool vec_match(const char *expected, const char *got)
{
	const char *again = NULL, *from = NULL; /* after the last placeholder */

	while (*got || *expected) {
		size_t n = vec_placeholder(expected);

		if (n) {
			again = expected += n;
			from = got;
			if (!*expected)
				return true;
		} else if (*got && *expected == *got) {
			expected++, got++;
		} else if (from && *from) {
			expected = again;
			got = ++from;
		} else {
			return false;
		}
	}
	return true;
}

/* ---- the workspace ------------------------------------------------------------- */

/* The recordings name their workspace so. */
#define VEC_WORKSPACE "/ws"

static inline bool vec_is_path_char(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
	       (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '/' || c == '.' ||
	       (unsigned char)c >= 0x80;
}

/* Does the workspace stand at `at`, as a whole component? */
static inline bool vec_is_workspace(const char *text, const char *at)
{
	char before = at > text ? at[-1] : ' ', after = at[strlen(VEC_WORKSPACE)];

	return !vec_is_path_char(before) &&
	       (after == '/' || after == '.' || !vec_is_path_char(after));
}

/** `text` with the directory `root` in place of the recorded workspace; freed by
 *  the caller. */
static inline char *vec_localize_text(const char *text, const char *root)
{
	struct strbuf out = STRBUF((size_t)64 << 20);
	const char *from = text;

	for (const char *at = text; (at = strstr(at, VEC_WORKSPACE));) {
		const char *next = at + strlen(VEC_WORKSPACE);

		if (vec_is_workspace(text, at)) {
			strbuf_addn(&out, from, (size_t)(at - from));
			strbuf_add(&out, root);
			from = next;
		}
		at = next;
	}
	strbuf_add(&out, from);
	return strbuf_take(&out);
}

/** All strings and names of a recorded value, with `root` in place of the recorded
 *  workspace. @return a new value. */
static inline json_object *vec_localize(json_object *value, const char *root)
{
	json_object *made = NULL;

	if (json_object_is_type(value, json_type_string)) {
		char *text = vec_localize_text(json_object_get_string(value), root);

		if (strlen(json_object_get_string(value)) ==
		    (size_t)json_object_get_string_len(value))
			made = json_object_new_string(text);
		else /* it holds a NUL */
			made = json_object_get(value);
		free(text);
	} else if (json_object_is_type(value, json_type_array)) {
		made = json_object_new_array();
		for (size_t i = 0; i < json_object_array_length(value); i++)
			json_object_array_add(
				made,
				vec_localize(json_object_array_get_idx(value, i), root));
	} else if (json_object_is_type(value, json_type_object)) {
		made = json_object_new_object();
		json_object_object_foreach(value, name, member) {
			char *text = vec_localize_text(name, root);

			json_object_object_add(made, text, vec_localize(member, root));
			free(text);
		}
	} else {
		made = json_object_get(value);
	}
	return made;
}

/** A new directory, called `name`, to stand for the recorded workspace. Removed by
 *  vec_workspace_remove. */
static inline bool vec_workspace_make(char *root, size_t size, const char *name)
{
	char top[] = "/tmp/mortise-vec-XXXXXX";

	if (!mkdtemp(top))
		return false;
	snprintf(root, size, "%s/%s", top, name);
	return mkdir(root, 0700) == 0;
}

static inline void vec_workspace_remove(const char *root)
{
	char *top = strndup(root, (size_t)(strrchr(root, '/') - root));

	dir_remove(top, NULL);
	free(top);
}

/** What `root` is part of, as the recording would name it; freed by the caller. */
static inline char *vec_as_recorded(const char *text, const char *root)
{
	struct strbuf out = STRBUF((size_t)64 << 20);
	const char *at;

	for (; (at = strstr(text, root)); text = at + strlen(root)) {
		strbuf_addn(&out, text, (size_t)(at - text));
		strbuf_add(&out, VEC_WORKSPACE);
	}
	strbuf_add(&out, text);
	return strbuf_take(&out);
}

/* ---- long texts ---------------------------------------------------------------- */

static inline bool vec_sha256_is(const char *text, size_t len, const char *hex)
{
	unsigned char sum[EVP_MAX_MD_SIZE];
	char got[2 * EVP_MAX_MD_SIZE + 1] = "";
	unsigned n = 0;

	if (!EVP_Digest(text, len, sum, &n, EVP_sha256(), NULL))
		return false;
	for (unsigned i = 0; i < n; i++)
		snprintf(got + 2 * i, 3, "%02x", sum[i]);
	return strcmp(got, hex) == 0;
}

/** As vec_match for a recorded text: a string, or a long one given as
 *  {len, head, tail, sha256}, of which the sum counts if nothing in it is in
 *  our own words. */
static inline bool vec_text_match(json_object *expected, const char *got)
{
	const char *head, *tail;
	size_t len = strlen(got);

	if (json_object_is_type(expected, json_type_string))
		return vec_match(json_object_get_string(expected), got);
	head = js_str(expected, "head", NULL);
	tail = js_str(expected, "tail", NULL);
	if (!head || !tail)
		return false;
	if (!strstr(head, "{{") && !strstr(tail, "{{"))
		return utf8_count(got, len) == (size_t)js_int(expected, "len", -1) &&
		       vec_sha256_is(got, len, js_str(expected, "sha256", ""));
	if (strncmp(head, got, strlen(head)) != 0)
		return false;
	for (const char *p = got; p; p = *p ? p + 1 : NULL)
		if (*p == *tail && vec_match(tail, p))
			return true;
	return false;
}

#endif
