/* SPDX-License-Identifier: MIT
 *
 * builtin.c - the tables of spec/security 15.2, what goes around them, and their
 * evaluation. */
#include "builtin.h"

#include "match.h"
#include "scan.h"

#include <string.h>

enum { LOW, MEDIUM, HIGH, UNKNOWN = -1 };

enum where { EXEC, ALL, BEYOND }; /* BEYOND: executable text too; ours, not of the tables */

struct pattern {
	int risk;
	enum where where;
	const char *rule, *reason, *text;
};

/* A program that runs what it reads, also behind sudo or env and with its path. */
#define SHELL "(?:\\S*/)?(?:ba|z|da|k|a|fi)?sh(?![\\w-])"
#define RUNS  "(?:(?:sudo|doas|env|nohup|exec)\\s+(?:-\\S+\\s+|\\w+=\\S*\\s+)*)*" \
	      "(?:" SHELL "|(?:\\S*/)?(?:python[\\d.]*|perl|ruby|node|php)\\b)"

/* Files with keys, and programs that carry them away. */
#define SECRETS "(?:\\.ssh/(?:id_|[\\w.]*key)|\\.aws/credentials|\\.netrc\\b|\\.gnupg/|/etc/shadow" \
		"|\\.pgpass\\b|\\.kube/config|\\.docker/config\\.json|\\.git-credentials)"
#define SENDS   "\\b(?:curl|wget|nc|ncat|netcat|socat|telnet|scp|sftp|rsync)\\b"

/* In the order in which they are tried; the deletions of scan.c come behind the
 * high ones. */
static const struct pattern patterns[] = {
	{ HIGH, EXEC, "exec.destruct.rm_rf", "deletes folders without asking",
	  "\\brm\\s+(?:-[frR]{2,}|-[rR]\\s+-f|-f\\s+-[rR]|--recursive\\s+--force"
	  "|--force\\s+--recursive)\\b" },
	{ HIGH, EXEC, "exec.destruct.sudo_rm", "deletes with the rights of root",
	  "\\bsudo\\s+rm\\b" },
	{ HIGH, EXEC, "exec.destruct.mkfs", "makes a new file system", "\\bmkfs\\.\\w+" },
	{ HIGH, EXEC, "exec.destruct.dd_raw_disk", "writes to a device",
	  "\\bdd\\b.{0,100}of=/dev/" },
	{ HIGH, EXEC, "exec.code.eval_call", "runs code that is made up while it runs",
	  "\\beval\\s*\\(" },
	{ HIGH, EXEC, "exec.code.exec_call", "runs code that is made up while it runs",
	  "\\bexec\\s*\\(" },
	{ HIGH, EXEC, "exec.code.os_system", "starts a shell from Python",
	  "\\bos\\.system\\s*\\(" },
	{ HIGH, EXEC, "exec.code.subprocess", "starts a program from Python",
	  "\\bsubprocess\\.(?:call|run|Popen|check_output|check_call)\\s*\\(" },
	{ HIGH, EXEC, "exec.net.curl_pipe_exec", "runs what it downloads",
	  "\\bcurl\\b[^|]{0,200}\\|\\s*(?:ba)?sh\\b" },
	{ HIGH, EXEC, "exec.net.wget_pipe_exec", "runs what it downloads",
	  "\\bwget\\b[^|]{0,200}\\|\\s*(?:ba)?sh\\b" },
	{ HIGH, ALL, "inject.override", "wants instructions to be set aside",
	  "\\b(?:ignore|disregard|forget|override|bypass)\\s+(?:all\\s+)?"
	  "(?:previous|prior|above)\\s+(?:instructions?|prompts?|rules?|directives?)\\b" },
	{ MEDIUM, EXEC, "exec.net.curl", "talks to a server", "\\bcurl\\b.{0,100}https?://" },
	{ MEDIUM, EXEC, "exec.net.wget", "downloads", "\\bwget\\b.{0,100}https?://" },
	{ MEDIUM, ALL, "inject.mode_switch", "wants another mode of the model",
	  "\\byou\\s+are\\s+now\\s+(?:in\\s+)?(?:\\w+\\s+)?mode\\b" },
	{ MEDIUM, ALL, "inject.identity", "wants another identity of the model",
	  "\\bpretend\\s+(?:you\\s+are|to\\s+be)\\s+(?:a\\s+)?different\\b" },
	{ HIGH, BEYOND, "exec.net.fetched_exec", "runs what it downloads",
	  "\\b(?:curl|wget)\\b[^|\\n]{0,200}\\|\\s*" RUNS
	  "|(?:" SHELL "|\\bsource|(?:^|[\\s;&|])\\.|\\beval)\\s+(?:-c\\s+)?[\"'\\\\]*"
	  "(?:[<$]\\(|`)\\s*(?:curl|wget)\\b" },
	{ HIGH, BEYOND, "exec.code.decoded", "runs what it decodes, so that it cannot be read",
	  "\\b(?:base64|base32|basenc|xxd|openssl|uudecode)\\b[^|\\n]{0,200}\\|\\s*" RUNS
	  "|(?:" SHELL "|\\bsource|\\beval)\\s+(?:-c\\s+)?[\"'\\\\]*(?:[<$]\\(|`)[^)`]{0,200}"
	  "\\b(?:base64|base32|basenc|xxd|openssl|uudecode)\\b" },
	{ HIGH, BEYOND, "exec.code.hidden_words", "hides the words of a command",
	  "\\w\\$(?:IFS\\b|\\{IFS\\b)" },
	{ HIGH, BEYOND, "exec.destruct.find_delete", "deletes whatever is found in a folder that "
	  "the system or the user lives in",
	  "\\bfind\\s+(?:-[HLP]\\s+)*[\"'\\\\]*(?:~|\\$\\{?HOME\\b\\}?|/(?:etc|usr|var|home|boot|root"
	  "|bin|sbin|lib|opt)?)/?[\"'\\\\]*\\s[^;&|\\n]{0,200}-delete\\b" },
	{ HIGH, BEYOND, "exec.destruct.rmtree", "deletes a folder that the system or the user "
	  "lives in",
	  "\\bshutil\\.rmtree\\s*\\(\\s*(?:[\"'\\\\]+(?:~|/(?:etc|usr|var|home|boot|root)?)/?[\"'\\\\]"
	  "|os\\.path\\.expanduser\\(\\s*[\"'\\\\]+~/?[\"'\\\\])" },
	{ HIGH, BEYOND, "exec.destruct.fork_bomb", "starts processes without end",
	  "([\\w:.]+)\\s*\\(\\)\\s*\\{\\s*\\1\\s*\\|\\s*\\1\\s*&\\s*\\}\\s*;\\s*\\1" },
	{ HIGH, BEYOND, "exec.net.secrets", "sends what is secret to another machine",
	  "(?:" SECRETS "[^\\n]{0,200}|(?:^|[\\s;&(])(?:env|printenv)\\s*)\\|\\s*" SENDS
	  "|" SENDS "[^|;\\n]{0,200}(?<!-i)\\s[^\\s|;]*" SECRETS },
	{ HIGH, BEYOND, "exec.destruct.raw_disk", "writes to a device",
	  ">\\s*/dev/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|mapper/|dm-)" },
};

enum { FETCH, TO_EXEC, FORCED, DD, MKFS, CRITICAL, RAIL_PARTS };

static const char *const rail_parts[RAIL_PARTS] = {
	[FETCH] = "\\b(?:curl|wget)\\b",
	[TO_EXEC] = "\\|\\s*(?:ba)?sh\\b|\\|\\s*python[23]?\\b|\\|\\s*perl\\b|\\|\\s*ruby\\b",
	[FORCED] = "\\brm\\b(?=[^;&|]{0,120}?\\s(?:--recursive\\b|-[a-z]*r))"
		   "(?=[^;&|]{0,120}?\\s(?:--force\\b|-[a-z]*f))",
	[DD] = "\\bdd\\b.{0,100}of=/dev/",
	[MKFS] = "\\bmkfs\\.",
	[CRITICAL] = "\\brm\\b.{0,60}\\s(?:/(?:\\s|$|\\*)|~/?(?:\\s|$)"
		     "|/(?:etc|usr|var|home|boot)\\b)",
};

static const struct rail {
	const char *rule, *reason;
	int parts[2]; /* all have to be in the same piece; -1: none */
} rails[] = {
	{ "fetch-to-exec", "hands what it fetched to an interpreter", { FETCH, TO_EXEC } },
	{ "raw-disk-op", "writes to a device", { DD, -1 } },
	{ "raw-disk-op", "makes a new file system", { MKFS, -1 } },
	{ "catastrophic-delete", "deletes a folder that the system or the user lives in",
	  { FORCED, CRITICAL } },
};

static const struct finding deletion = { HIGH, false, "exec.destruct.rm_rf",
					 "deletes folders without asking" };

struct builtin {
	struct match *patterns[sizeof patterns / sizeof *patterns];
	struct match *parts[RAIL_PARTS];
};

struct builtin *builtin_free(struct builtin *b)
{
	for (size_t i = 0; b && i < ARRAY_LEN(patterns); i++)
		match_free(b->patterns[i]);
	for (size_t i = 0; b && i < RAIL_PARTS; i++)
		match_free(b->parts[i]);
	free(b);
	return NULL;
}

struct builtin *builtin_new(struct error *err)
{
	struct builtin *b = calloc(1, sizeof *b);
	bool good = b != NULL;

	if (!b)
		fail(err, MT_ENOMEM, "out of memory");
	for (size_t i = 0; good && i < ARRAY_LEN(patterns); i++) {
		b->patterns[i] = match_new(patterns[i].text, strlen(patterns[i].text), 1, err);
		good = b->patterns[i] != NULL;
	}
	for (size_t i = 0; good && i < RAIL_PARTS; i++) {
		b->parts[i] = match_new(rail_parts[i], strlen(rail_parts[i]), 1, err);
		good = b->parts[i] != NULL;
	}
	return good ? b : builtin_free(b);
}

/* The first signature of a risk that is there; *undecided: one that took too
 * long. */
static int first(const struct builtin *b, const struct corpus *c, int risk, bool beyond,
		 struct finding *ret, bool *found, bool *undecided)
{
	for (size_t i = 0; i < ARRAY_LEN(patterns); i++) {
		const struct pattern *p = &patterns[i];
		const struct strbuf *text = p->where == ALL ? &c->all : &c->exec;
		int r = p->risk == risk && (p->where == BEYOND) == beyond
				? match_in(b->patterns[i], text->text, text->len) : 0;

		if (r == MT_ENOMEM)
			return r;
		*undecided = *undecided || r < 0;
		if (r != 1)
			continue;
		*found = true;
		*ret = (struct finding){ risk, false, p->rule, p->reason };
		return MT_OK;
	}
	return MT_OK;
}

static int deletions(const struct corpus *c, bool *found, bool *uncertain)
{
	for (size_t i = 0; i < 2 * c->count; i++) {
		const struct strbuf *text = i % 2 ? &c->scripts[i / 2] : &c->pieces[i / 2];
		struct scan scan;
		int r = scan_deletion(text->text, text->len, &scan);

		if (r)
			return r;
		*found = *found || scan.found;
		*uncertain = *uncertain || scan.uncertain;
	}
	return MT_OK;
}

int builtin_patterns(const struct builtin *b, const struct corpus *c, struct finding *ret)
{
	bool found = false, undecided = false, uncertain = false;
	int r = first(b, c, HIGH, false, ret, &found, &undecided);

	if (r || found)
		return r;
	r = deletions(c, &found, &uncertain);
	if (!r && found)
		*ret = deletion;
	if (!r && !found)
		r = first(b, c, MEDIUM, false, ret, &found, &undecided);
	if (r || found)
		return r;
	*ret = (struct finding){ LOW, false, "", "" };
	if (uncertain)
		*ret = (struct finding){ UNKNOWN, false, "exec.destruct.hidden",
					 "may delete folders: which command it runs "
					 "cannot be told" };
	else if (undecided || c->cut)
		*ret = (struct finding){ UNKNOWN, false, "too-large",
					 "is too large to be looked at whole" };
	return MT_OK;
}

int builtin_beyond(const struct builtin *b, const struct corpus *c, struct finding *ret)
{
	bool found = false, undecided = false;

	*ret = (struct finding){ LOW, false, "", "" };
	return first(b, c, HIGH, true, ret, &found, &undecided);
}

int builtin_rails(const struct builtin *b, const struct corpus *c, struct finding *ret)
{
	*ret = (struct finding){ LOW, false, "", "" };
	for (size_t i = 0; i < c->count; i++) {
		for (size_t n = 0; n < ARRAY_LEN(rails); n++) {
			const struct rail *rail = &rails[n];
			int there = 1;

			for (size_t k = 0; there == 1 && k < 2 && rail->parts[k] >= 0; k++)
				there = match_in(b->parts[rail->parts[k]], c->pieces[i].text,
						 c->pieces[i].len);
			if (there == MT_ENOMEM)
				return there;
			if (there == 0)
				continue;
			*ret = (struct finding){ HIGH, false, rail->rule, rail->reason };
			return MT_OK;
		}
	}
	return MT_OK;
}

bool builtin_at(size_t n, bool *ret_rail, struct finding *ret, const char **ret_pattern)
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
