/* SPDX-License-Identifier: MIT
 *
 * sandbox.c - the state of the sandbox of a conversation. */
#include "controller/sandbox.h"

#include "config/environment.h"
#include "controller/core.h"
#include "log.h"
#include "runner-client/runner-connection.h"
#include "sandbox/probe.h"
#include "sandbox/profile.h"
#include "tools/catalog.h"
#include "tools/mcp-servers.h"

const struct config *conversation_sandbox_config(const struct conversation *c)
{
	return c->sandbox_config ? c->sandbox_config : c->config;
}

int conversation_change_sandbox(struct conversation *c, const char *const *overrides,
				size_t count, struct error *err)
{
	AUTO(config) struct config *changed = NULL;
	AUTO(sandbox_rules) struct sandbox_rules rules = { 0 };

	if (config_with(c->config, overrides, count, &changed, err) ||
	    environment_hide(changed, c->mask, err))
		return err->code;
	if (sandbox_wanted(changed) &&
	    sandbox_profile_rules(changed, c->workspace, &rules, err))
		return err->code;
	config_free(c->sandbox_config);
	c->sandbox_config = STEAL(changed);
	return MT_OK;
}

/* Before a runner has reported its sandbox. */
static bool would_hold(const struct conversation *c)
{
	struct sandbox_state state;
	struct error err = ERROR_NONE;

	if (sandbox_probe(conversation_sandbox_config(c), &state, &err)) {
		log_line(MT_LOG_WARNING, "sandbox", "%s", err.text);
		return false;
	}
	return sandbox_holds(&state);
}

bool conversation_is_sandboxed(const struct conversation *c)
{
	const struct runner_sandbox *running = c->link ? runner_sandbox(c->link) : NULL;

	if (running && running->used)
		return running->enforced;
	return sandbox_wanted(conversation_sandbox_config(c)) && would_hold(c);
}

bool conversation_is_contained(const struct conversation *c)
{
	struct sandbox_rules settings;

	sandbox_profile_settings(conversation_sandbox_config(c), &settings);
	return settings.network != SANDBOX_NETWORK_FULL && conversation_is_sandboxed(c);
}

bool conversation_is_outside(const struct conversation *c,
			     const struct tool_instance *instance)
{
	if (!instance->server)
		return false;
	return c->link ? runner_is_outside(c->link, instance->name)
		       : mcp_server_is_remote(instance->title, instance->options);
}

int conversation_sandbox_rules(const struct conversation *c, struct sandbox_rules *ret,
			       struct error *err)
{
	return sandbox_profile_rules(conversation_sandbox_config(c), c->workspace, ret,
				     err);
}
