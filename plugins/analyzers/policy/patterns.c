/* SPDX-License-Identifier: MIT
 *
 * patterns.c - tables of dangerous patterns, those of OpenHands V1 first, and their
 * evaluation. A pattern is tried only where its first two letters occur, so that one
 * scan of a text serves all of them. */
#include "patterns.h"

#include "match.h"
#include "scan.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

enum { LOW, MEDIUM, HIGH, UNKNOWN = -1 };

enum where { EXEC, ALL, OURS }; /* OURS: executable text too, but not in V1's tables */

struct pattern {
	int risk;
	enum where where;
	const char *rule, *reason, *text;
	const char *starts; /* the first two letters of its matches */
};

/* In the order of evaluation; the deletions of scan.c follow the HIGH ones. */
static const struct pattern patterns[] = {
	{ HIGH, EXEC, "exec.destruct.rm_rf", "deletes directories without a prompt",
	  "\\brm\\s+(?:-[frR]{2,}|-[rR]\\s+-f|-f\\s+-[rR]|--recursive\\s+--force"
	  "|--force\\s+--recursive)\\b",
	  "rm" },
	{ HIGH, EXEC, "exec.destruct.sudo_rm", "deletes files as root",
	  "\\bsudo\\s+rm\\b", "su" },
	{ HIGH, EXEC, "exec.destruct.mkfs", "creates a file system", "\\bmkfs\\.\\w+",
	  "mk" },
	{ HIGH, EXEC, "exec.destruct.dd_raw_disk", "writes to a device",
	  "\\bdd\\b.{0,100}of=/dev/", "dd" },
	{ HIGH, EXEC, "exec.code.eval_call", "executes generated code",
	  "\\beval\\s*\\(", "ev" },
	{ HIGH, EXEC, "exec.code.exec_call", "executes generated code",
	  "\\bexec\\s*\\(", "ex" },
	{ HIGH, EXEC, "exec.code.os_system", "starts a shell from Python",
	  "\\bos\\.system\\s*\\(", "os" },
	{ HIGH, EXEC, "exec.code.subprocess", "starts a program from Python",
	  "\\bsubprocess\\.(?:call|run|Popen|check_output|check_call)\\s*\\(", "su" },
	{ HIGH, EXEC, "exec.net.curl_pipe_exec", "executes what it downloads",
	  "\\bcurl\\b[^|]{0,200}\\|\\s*(?:ba)?sh\\b", "cu" },
	{ HIGH, EXEC, "exec.net.wget_pipe_exec", "executes what it downloads",
	  "\\bwget\\b[^|]{0,200}\\|\\s*(?:ba)?sh\\b", "wg" },
	{ HIGH, ALL, "inject.override", "asks to ignore previous instructions",
	  "\\b(?:ignore|disregard|forget|override|bypass)\\s+(?:all\\s+)?"
	  "(?:previous|prior|above)\\s+(?:instructions?|prompts?|rules?|directives?)\\b",
	  "ig di fo ov by" },
	{ MEDIUM, EXEC, "exec.net.curl", "connects to a server",
	  "\\bcurl\\b.{0,100}https?://", "cu" },
	{ MEDIUM, EXEC, "exec.net.wget", "downloads", "\\bwget\\b.{0,100}https?://",
	  "wg" },
	{ MEDIUM, ALL, "inject.mode_switch", "asks to change the mode of the model",
	  "\\byou\\s+are\\s+now\\s+(?:in\\s+)?(?:\\w+\\s+)?mode\\b", "yo" },
	{ MEDIUM, ALL, "inject.identity", "asks to change the identity of the model",
	  "\\bpretend\\s+(?:you\\s+are|to\\s+be)\\s+(?:a\\s+)?different\\b", "pr" },
	{ HIGH, OURS, "exec.code.hidden_words",
	  "hides the words of a command with $IFS", "(?<=\\w)\\$\\{?IFS\\b", "$i ${" },
	{ HIGH, OURS, "exec.destruct.rmtree",
	  "deletes a system or home directory",
	  "\\bshutil\\.rmtree\\s*\\(\\s*(?:[\"'\\\\]+(?:~|/"
	  "(?:etc|usr|var|home|boot|root)?)/?[\"'\\\\]"
	  "|os\\.path\\.expanduser\\(\\s*[\"'\\\\]+~/?[\"'\\\\])",
	  "sh" },
};

enum { FETCH, TO_EXEC, FORCED, DD, MKFS, CRITICAL, RAIL_PARTS };

static const char *const part_starts[RAIL_PARTS] = {
	[FETCH] = "cu wg", [TO_EXEC] = "|*", [FORCED] = "rm",
	[DD] = "dd",       [MKFS] = "mk",    [CRITICAL] = "rm",
};

static const char *const rail_parts[RAIL_PARTS] = {
	[FETCH] = "\\b(?:curl|wget)\\b",
	[TO_EXEC] =
		"\\|\\s*(?:ba)?sh\\b|\\|\\s*python[23]?\\b|\\|\\s*perl\\b|\\|\\s*ruby\\b",
	[FORCED] = "\\brm\\b(?=[^;&|]{0,120}?\\s(?:--recursive\\b|-[a-z]*r))"
		   "(?=[^;&|]{0,120}?\\s(?:--force\\b|-[a-z]*f))",
	[DD] = "\\bdd\\b.{0,100}of=/dev/",
	[MKFS] = "\\bmkfs\\.",
	[CRITICAL] = "\\brm\\b.{0,60}\\s(?:/(?:\\s|$|\\*)|~/?(?:\\s|$)"
		     "|/(?:etc|usr|var|home|boot)\\b)",
};

static const struct rail {
	const char *rule, *reason;
	int parts[2]; /* must all be in the same piece; -1: none */
} rails[] = {
	{ "fetch-to-exec",
	  "passes downloaded data to an interpreter",
	  { FETCH, TO_EXEC } },
	{ "raw-disk-op", "writes to a device", { DD, -1 } },
	{ "raw-disk-op", "creates a file system", { MKFS, -1 } },
	{ "catastrophic-delete",
	  "deletes a system or home directory",
	  { FORCED, CRITICAL } },
};

static const struct finding deletion = { HIGH, false, "exec.destruct.rm_rf",
					 "deletes directories without a prompt" };

/* Expressions, and the letters with which they start, a bit for each. */
struct set {
	struct match *all[32];
	size_t count;
	uint32_t first[256], second[256];
};

struct patterns {
	struct set patterns, parts;
};

static void set_clear(struct set *s)
{
	for (size_t i = 0; i < s->count; i++)
		match_free(s->all[i]);
}

struct patterns *patterns_free(struct patterns *b)
{
	if (b) {
		set_clear(&b->patterns);
		set_clear(&b->parts);
	}
	free(b);
	return NULL;
}

/* `starts`: pairs of letters; "*": any. */
static int set_add(struct set *s, const char *text, const char *starts, struct error *err)
{
	uint32_t bit = 1u << s->count;

	s->all[s->count] = match_new(text, strlen(text), 1, err);
	if (!s->all[s->count])
		return err->code;
	s->count++;
	for (const char *p = starts; *p; p += 2 + (p[2] == ' ')) {
		s->first[(unsigned char)tolower((unsigned char)p[0])] |= bit;
		s->first[(unsigned char)toupper((unsigned char)p[0])] |= bit;
		for (int c = 0; c < 256; c++)
			if (p[1] == '*' || tolower(c) == tolower((unsigned char)p[1]))
				s->second[c] |= bit;
	}
	return MT_OK;
}

struct patterns *patterns_new(struct error *err)
{
	AUTO(patterns) struct patterns *b = calloc(1, sizeof *b);
	int r = b ? MT_OK : out_of_memory(err);

	for (size_t i = 0; !r && i < ARRAY_LEN(patterns); i++)
		r = set_add(&b->patterns, patterns[i].text, patterns[i].starts, err);
	for (size_t i = 0; !r && i < RAIL_PARTS; i++)
		r = set_add(&b->parts, rail_parts[i], part_starts[i], err);
	return r ? NULL : STEAL(b);
}

/* ---- evaluation --------------------------------------------------------------- */

/* The expressions of `wanted` found in the text, and those undecided. */
struct sight {
	uint32_t found, undecided;
};

/* Try the expressions that may start at `at`. @return MT_OK or MT_ENOMEM. */
static int try_at(const struct set *s, uint32_t tried, const char *text, size_t len,
		  size_t at, struct sight *sight)
{
	for (size_t i = 0; i < s->count; i++) {
		int r = tried & 1u << i ? match_here(s->all[i], text, len, at) : FITS_NOT;

		if (r < 0)
			return r;
		if (r == FITS)
			sight->found |= 1u << i;
		else if (r == FITS_MAYBE)
			sight->undecided |= 1u << i;
	}
	return MT_OK;
}

static int patterns_look(const struct set *s, uint32_t wanted, const char *text,
			 size_t len, struct sight *sight)
{
	size_t tries = 0;

	for (size_t at = 0; at + 1 < len; at++) {
		uint32_t tried = s->first[(unsigned char)text[at]] &
				 s->second[(unsigned char)text[at + 1]] & wanted &
				 ~sight->found;
		int r;

		if (!tried)
			continue;
		r = try_at(s, tried, text, len, at, sight);
		if (r)
			return r;
		if ((++tries & 0xff) == 0 && match_is_over()) {
			sight->undecided |= wanted & ~sight->found;
			break;
		}
	}
	return MT_OK;
}

static uint32_t bits_of(enum where where)
{
	uint32_t bits = 0;

	for (size_t i = 0; i < ARRAY_LEN(patterns); i++)
		bits |= patterns[i].where == where ? 1u << i : 0;
	return bits;
}

static uint32_t bit_of_rule(const char *rule)
{
	for (size_t i = 0; rule && i < ARRAY_LEN(patterns); i++)
		if (strcmp(patterns[i].rule, rule) == 0)
			return 1u << i;
	return 0;
}

static bool policy_patterns_first_of(uint32_t found, int risk, struct finding *ret)
{
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		if (!(found & 1u << i) || patterns[i].risk != risk)
			continue;
		*ret = (struct finding){ risk, false, patterns[i].rule,
					 patterns[i].reason };
		return true;
	}
	return false;
}

static int deletions(const struct action_text *c, bool *found, bool *uncertain)
{
	for (size_t i = 0; i < 2 * c->count; i++) {
		const struct strbuf *piece = &c->pieces[i / 2],
				    *script = &c->scripts[i / 2];
		const struct strbuf *text = i % 2 ? script : piece;
		struct scan scan;
		int r;

		if (i % 2 && !script->len)
			continue;
		r = scan_deletion(text->text, text->len, &scan);
		if (r)
			return r;
		*found = *found || scan.found;
		*uncertain = *uncertain || scan.uncertain;
	}
	return MT_OK;
}

int patterns_find(const struct patterns *b, const struct action_text *c, bool ours,
		  const char *except, struct finding *ret)
{
	struct sight sight = { 0 };
	bool deleted = false, uncertain = false, same = c->all.len == c->exec.len;
	uint32_t exec =
		bits_of(EXEC) | (ours ? bits_of(OURS) : 0) | (same ? bits_of(ALL) : 0);
	int r = patterns_look(&b->patterns, exec, c->exec.text, c->exec.len, &sight);

	if (!r && !same)
		r = patterns_look(&b->patterns, bits_of(ALL), c->all.text, c->all.len,
				  &sight);
	sight.found &= ~bit_of_rule(except);
	if (r || policy_patterns_first_of(sight.found, HIGH, ret))
		return r;
	if (!ours) /* the policy reads the commands themselves */
		r = deletions(c, &deleted, &uncertain);
	if (!r && deleted)
		*ret = deletion;
	if (r || deleted || policy_patterns_first_of(sight.found, MEDIUM, ret))
		return r;
	*ret = (struct finding){ LOW, false, "", "" };
	if (uncertain)
		*ret = (struct finding){ UNKNOWN, false, "exec.destruct.hidden",
					 "may delete directories: the command is known "
					 "only at run time" };
	else if (sight.undecided || c->cut)
		*ret = (struct finding){ UNKNOWN, false, "too-large",
					 "too large to analyze completely" };
	return MT_OK;
}

int patterns_rails(const struct patterns *b, const struct action_text *c,
		   struct finding *ret)
{
	*ret = (struct finding){ LOW, false, "", "" };
	for (size_t i = 0; i < c->count; i++) {
		struct sight sight = { 0 };
		int r = patterns_look(&b->parts, ~0u, c->pieces[i].text, c->pieces[i].len,
				      &sight);

		if (r)
			return r;
		if (sight.undecided & ~sight.found)
			*ret = (struct finding){ UNKNOWN, false, "too-large",
						 "too large to analyze completely" };
		for (size_t n = 0; n < ARRAY_LEN(rails); n++) {
			const struct rail *rail = &rails[n];
			uint32_t there = sight.found;

			if (!(there & 1u << rail->parts[0]) ||
			    (rail->parts[1] >= 0 && !(there & 1u << rail->parts[1])))
				continue;
			*ret = (struct finding){ HIGH, false, rail->rule, rail->reason };
			return MT_OK;
		}
	}
	return MT_OK;
}

bool patterns_at(size_t n, bool *ret_rail, struct finding *ret, const char **ret_pattern)
{
	*ret_rail = n < ARRAY_LEN(rails);
	if (n < ARRAY_LEN(rails)) {
		*ret = (struct finding){ HIGH, false, rails[n].rule, rails[n].reason };
		*ret_pattern = rail_parts[rails[n].parts[0]];
		return true;
	}
	n -= ARRAY_LEN(rails);
	if (n >= ARRAY_LEN(patterns))
		return false;
	*ret = (struct finding){ patterns[n].risk, false, patterns[n].rule,
				 patterns[n].reason };
	*ret_pattern = patterns[n].text;
	return true;
}
