/* SPDX-License-Identifier: MIT
 *
 * summary.c - implements summary.h. */
#include "sandbox/summary.h"

#include "files.h"
#include "sandbox/grants.h"
#include "sandbox/profile.h"

#include <string.h>

enum { NAME_WIDTH = 13, WIDTH = 80, TEXT_MAX = 64 << 10 };

void summary_row(struct strbuf *out, const char *name, const char *text)
{
	size_t column = NAME_WIDTH;

	strbuf_addf(out, "%-*s", NAME_WIDTH, name);
	while (*text) {
		size_t len = strcspn(text, " ");

		if (column > NAME_WIDTH && column + 1 + len > WIDTH) {
			strbuf_addf(out, "\n%*s", NAME_WIDTH, "");
			column = NAME_WIDTH;
		} else if (column > NAME_WIDTH) {
			strbuf_addc(out, ' ');
			column++;
		}
		strbuf_addn(out, text, len);
		column += len;
		text += len + strspn(text + len, " ");
	}
	strbuf_addc(out, '\n');
}

/* Without the caches of the workspace. */
static void summary_paths(struct strbuf *out, const char *name, char *const *list,
			  const char *cache)
{
	AUTO(strbuf) struct strbuf text = STRBUF(TEXT_MAX);

	for (size_t i = 0; list && list[i]; i++) {
		if (cache && strcmp(list[i], cache) == 0)
			continue;
		strbuf_add(&text, text.len ? ", " : "");
		path_abbreviate(&text, list[i]);
	}
	if (text.len)
		summary_row(out, name, text.text);
}

static void summary_network(const struct sandbox_rules *r, struct strbuf *out)
{
	static const char *const texts[] = {
		[SANDBOX_NETWORK_ALLOW_LIST] = "allow-list: the hosts below",
		[SANDBOX_NETWORK_FULL] = "full: every host",
		[SANDBOX_NETWORK_NONE] = "none: only localhost of the sandbox",
	};
	AUTO(strbuf) struct strbuf hosts = STRBUF(TEXT_MAX);
	json_object *list = js_get(r->proxy, "hosts");

	summary_row(out, "network", texts[r->network]);
	for (size_t i = 0; i < js_length(list); i++)
		strbuf_addf(&hosts, "%s%s", i ? ", " : "",
			    json_object_get_string(json_object_array_get_idx(list, i)));
	if (hosts.len)
		summary_row(out, "hosts", hosts.text);
}

static void summary_grants(const struct config *c, struct strbuf *out)
{
	AUTO(strbuf) struct strbuf off = STRBUF(TEXT_MAX);
	struct grant_section s;
	const char *name;
	bool first = true;

	for (size_t i = 0; grant_active(c, i, &s); i++) {
		AUTO(strbuf) struct strbuf row = STRBUF(TEXT_MAX);
		const char *text = config_get(c, s.text, "description");

		strbuf_addf(&row, "%s%s%s", strchr(s.text, '.') + 1, text ? ": " : "",
			    text ? text : "");
		summary_row(out, first ? "grants" : "", row.text);
		first = false;
	}
	for (size_t i = 0; (name = config_named(c, "grant", i)); i++)
		if (!grant_is_on(c, name))
			strbuf_addf(&off, "%s%s", off.len ? ", " : "", name);
	if (first)
		summary_row(out, "grants", "none");
	if (off.len)
		summary_row(out, "available", off.text);
}

int sandbox_summary(const struct config *c, const char *workspace, struct strbuf *out,
		    struct error *err)
{
	static const char *const profiles[] = {
		[SANDBOX_PROFILE_WORKSPACE] = "workspace: tools can change the workspace",
		[SANDBOX_PROFILE_READ_ONLY] = "read-only: tools can change nothing",
		[SANDBOX_PROFILE_FULL] = "full: no sandbox, tools can do what you can",
	};
	AUTO(sandbox_rules) struct sandbox_rules r = { 0 };

	if (config_choice(c, "sandbox", "mode") == SANDBOX_OFF)
		summary_row(out, "profile",
			    "no sandbox (`mode = off`): tools can do what you can");
	else
		summary_row(out, "profile",
			    profiles[config_choice(c, "sandbox", "profile")]);
	if (sandbox_wanted(c)) {
		if (sandbox_profile_rules(c, workspace, &r, err))
			return err->code;
		summary_paths(out, "change", r.write, r.cache);
		summary_paths(out, "protected", r.protect, NULL);
		if (config_get(c, "sandbox", "read"))
			summary_row(out, "also read", config_get(c, "sandbox", "read"));
		summary_network(&r, out);
	}
	summary_grants(c, out);
	return out->error ? out_of_memory(err) : MT_OK;
}
