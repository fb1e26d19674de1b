/* SPDX-License-Identifier: MIT
 *
 * sandbox-note.c - recognizes results that fail because of the sandbox: an error of the
 * system in a line that names a path outside of the workspace, or a host. */
#include "features/sandbox-note.h"

#include "controller/feature-api.h"
#include "controller/sandbox.h"
#include "features/observation-note.h"
#include "sandbox/grants.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

enum {
	TEXT_MAX = 64 << 10, /* bytes of a result that are searched */
	WORD_MAX = 1024,
	PATHS_TRIED = 32,    /* words of matching lines that may be paths */
};

/* Errors of files. The last one is that of hidden paths. */
static const char *const file_errors[] = {
	"Permission denied", "Read-only file system", "Operation not permitted",
	"Device or resource busy", "EACCES", "EROFS", "EPERM", "No such file or directory",
};

static const char *const network_errors[] = {
	"Could not resolve host", "Temporary failure in name resolution",
	"Name or service not known", "Network is unreachable", "ENETUNREACH", "EAI_AGAIN",
	"Couldn't resolve host",
};

static bool names_one_of(const char *line, size_t len, const char *const *list,
			 size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (memmem(line, len, list[i], strlen(list[i])))
			return true;
	return false;
}

/* The next word, without quotes and punctuation around it. */
static bool next_word(const char **at, const char *end, char *word)
{
	static const char ends[] = " \t'\"`():;,<>[]=";
	size_t len = 0;

	while (*at < end && strchr(ends, **at))
		++*at;
	while (*at + len < end && !strchr(ends, (*at)[len]))
		len++;
	if (!len)
		return false;
	snprintf(word, WORD_MAX, "%.*s", (int)(len < WORD_MAX ? len : WORD_MAX - 1), *at);
	*at += len;
	return true;
}

/* Errors that name no path, and the grant that the user may want to turn on. */
static const struct {
	const char *text, *grant;
} grant_errors[] = {
	{ "open a connection to your authentication agent", "ssh" },
	{ "Permission denied (publickey", "ssh" },
	{ "Host key verification failed", "ssh" },
	{ "Cannot connect to the Docker daemon", "docker" },
	{ "connect to the docker API", "docker" },
	{ "connect to the gpg-agent", "gpg" },
	{ "No secret key", "gpg" },
	{ "open display", "x11" },
	{ "connect to display", "x11" },
};

/* Of a conversation: the change that would allow the last call; "": none. */
struct sandbox_note {
	char remedy[PATH_MAX + 16];
};

const char *sandbox_note_remedy(const struct conversation *c)
{
	const struct sandbox_note *s = feature_state(c, &sandbox_note_feature);

	return *s->remedy ? s->remedy : NULL;
}

/* The first of a result. A comma would separate two values. */
static void set_remedy(const struct conversation *c, const char *key, const char *value)
{
	struct sandbox_note *s = feature_state(c, &sandbox_note_feature);

	if (!*s->remedy && !strchr(value, ','))
		snprintf(s->remedy, sizeof s->remedy, "%s+=%s", key, value);
}

static void put_grant(struct strbuf *out, const char *grant)
{
	strbuf_addf(out,
		    "The user can allow it with the grant `%s`: `/permissions grant %s`, "
		    "or `grants += %s` in [sandbox].]",
		    grant, grant, grant);
}

static bool add_path_note(const struct conversation *c, struct event *e,
			  const struct sandbox_rules *r, const char *path, bool missing)
{
	const bool change = sandbox_access(r, path, NULL) == SANDBOX_ACCESS_READ;
	const char *grant =
		grant_for_path(conversation_sandbox_config(c), path,
			       change ? SANDBOX_ACCESS_WRITE : SANDBOX_ACCESS_READ);
	enum sandbox_access access = sandbox_access(r, path, NULL);
	AUTO(strbuf) struct strbuf text = STRBUF(4 * PATH_MAX);

	if (access == SANDBOX_ACCESS_WRITE ||
	    missing != (access == SANDBOX_ACCESS_HIDDEN))
		return false;
	if (access == SANDBOX_ACCESS_PROTECTED)
		strbuf_addf(&text,
			    "[Sandbox: %s is read-only, because it can make programs of "
			    "the user run code. The user can change it.]",
			    path);
	else {
		strbuf_addf(&text, "[Sandbox: %s is outside of what tools can %s. ", path,
			    change ? "change" : "reach");
		if (grant)
			put_grant(&text, grant);
		if (grant)
			set_remedy(c, "grants", grant);
		else if (faccessat(AT_FDCWD, path, F_OK, 0) == 0)
			set_remedy(c, change ? "write" : "read", path);
		if (!grant)
			strbuf_addf(&text,
				    "The user can allow it with `%s += %s` in "
				    "[sandbox].]",
				    change ? "write" : "read", path);
	}
	observation_note_add(e, text.text);
	return true;
}

static bool note_paths(const struct conversation *c, struct event *e,
		       const struct sandbox_rules *r, const char *line, const char *end,
		       unsigned *tried)
{
	const bool missing =
		memmem(line, (size_t)(end - line), "No such file", 12) != NULL;
	char word[WORD_MAX], path[PATH_MAX];

	while (*tried < PATHS_TRIED && next_word(&line, end, word)) {
		if (!strchr(word, '/') && *word != '.')
			continue;
		++*tried;
		if (sandbox_resolve(conversation_workspace(c), word, path) &&
		    add_path_note(c, e, r, path, missing))
			return true;
	}
	return false;
}

/* The pattern in the sentence of the proxy; "": none. */
static void refused_host(const char *line, size_t len, char *ret, size_t room)
{
	static const char before[] = "`hosts += ";
	const char *at = memmem(line, len, before, sizeof before - 1);

	*ret = '\0';
	if (!at)
		return;
	at += sizeof before - 1;
	snprintf(ret, room, "%.*s", (int)strcspn(at, "`\n"), at);
}

/* One sentence per line, for the user too: nothing else shows what was reverted. */
static void note_refused(struct conversation *c, struct event *e, const char *lines)
{
	while (*lines) {
		AUTO(strbuf) struct strbuf text = STRBUF(4096);
		size_t len = strcspn(lines, "\n");
		char host[WORD_MAX];
		const char *grant;

		refused_host(lines, len, host, sizeof host);
		grant = *host ? grant_for_host(conversation_sandbox_config(c), host)
			      : NULL;
		if (*host)
			set_remedy(c, grant ? "grants" : "hosts", grant ? grant : host);
		strbuf_addf(&text, "[Sandbox: %.*s%s%s%s]", (int)len, lines,
			    grant ? " Or use the grant `" : "", grant ? grant : "",
			    grant ? "`." : "");
		observation_note_add(e, text.text);
		conversation_notice(c, MT_LOG_WARNING, "%.*s", (int)len, lines);
		lines += len + (lines[len] == '\n');
	}
}

/* @return true: the line is the error of a program that a grant serves */
static bool note_grant(const struct conversation *c, struct event *e, const char *line,
		       size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(grant_errors); i++) {
		AUTO(strbuf) struct strbuf text = STRBUF(1024);
		const char *grant = grant_errors[i].grant;

		if (!memmem(line, len, grant_errors[i].text,
			    strlen(grant_errors[i].text)) ||
		    grant_is_on(conversation_sandbox_config(c), grant) ||
		    !grant_has_socket(conversation_sandbox_config(c), grant))
			continue;
		strbuf_addf(&text, "[Sandbox: tools cannot use %s. ", grant);
		put_grant(&text, grant);
		set_remedy(c, "grants", grant);
		observation_note_add(e, text.text);
		return true;
	}
	return false;
}

static void note_network(struct event *e)
{
	observation_note_add(e,
			     "[Sandbox: tools reach only the hosts that the user lists "
			     "in `hosts` of [sandbox], through the proxy of "
			     "`https_proxy`.]");
}

static void search(const struct conversation *c, struct event *e,
		   const struct sandbox_rules *r, const char *text, size_t len)
{
	const char *end = text + len;
	unsigned tried = 0;

	while (text < end) {
		const char *stop = memchr(text, '\n', (size_t)(end - text));
		size_t n;

		stop = stop ? stop : end;
		n = (size_t)(stop - text);
		if (note_grant(c, e, text, n))
			return;
		if (names_one_of(text, n, file_errors, ARRAY_LEN(file_errors)) &&
		    note_paths(c, e, r, text, stop, &tried))
			return;
		if (r->network != SANDBOX_NETWORK_FULL &&
		    names_one_of(text, n, network_errors, ARRAY_LEN(network_errors))) {
			note_network(e);
			return;
		}
		text = stop + 1;
	}
}

static void sandbox_note_after_result(struct conversation *c, const struct event *action,
				      const struct runner_result *result,
				      struct event *observation)
{
	AUTO(sandbox_rules) struct sandbox_rules rules = { 0 };
	const char *text = result->text_len ? result->text : result->error;
	size_t len = text ? strlen(text) : 0;

	struct sandbox_note *s = feature_state(c, &sandbox_note_feature);

	(void)action;
	*s->remedy = '\0';
	if (result->refused) {
		note_refused(c, observation, result->refused);
		return;
	}
	if ((!result->status && !runner_result_exit_code(result) &&
	     !runner_result_is_failure(result)) ||
	    !len || !conversation_is_sandboxed(c) ||
	    conversation_sandbox_rules(c, &rules, NULL))
		return;
	search(c, observation, &rules, text, len < TEXT_MAX ? len : TEXT_MAX);
}

const struct feature sandbox_note_feature = {
	.name = "sandbox-note",
	.state_size = sizeof(struct sandbox_note),
	.after_result = sandbox_note_after_result,
};
