/* SPDX-License-Identifier: MIT
 *
 * mortise/harness-runtime.h - tests a runtime in the process of the test, without Mortise; see
 * harness-advance.h. Not part of the ABI. C only.
 *
 *   #define MORTISE_PROVISIONAL
 *   #include <mortise/harness-runtime.h>
 *
 *   int main(void)
 *   {
 *           struct mt_ctx *h = mt_runtime_open(mortise_plugin_v1(), NULL);
 *
 *           mt_runtime_want(h, "runner", "/usr/bin/mortise-runner");
 *           mt_runtime_want(h, "workspace", "/home/me/project");
 *           mt_advance_start(h);
 *           printf("%s", h->done);
 *           return mt_advance_close(h);
 *   }
 */
#ifndef MORTISE_HARNESS_RUNTIME_H
#define MORTISE_HARNESS_RUNTIME_H

#include <mortise/harness-advance.h>
#include <mortise/runtime.h>

/* The source of the plugin, which may come first, can use the same names. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"

/** What `wanted` returns for a name: "runner", "workspace", "conversation". */
static inline void mt_runtime_want(struct mt_ctx *h, const char *name, const char *value)
{
	mt_harness_set(&h->texts, name, value, strlen(value));
}

static inline const char *mt_advance_wanted(struct mt_ctx *h, const char *name)
{
	const struct mt_harness_pair *pair = mt_harness_find(h->texts, name);

	return pair ? pair->text : NULL;
}

static inline int mt_advance_arg(struct mt_ctx *h, const char *text)
{
	mt_harness_put(&h->done, "arg %s\n", text);
	return MT_OK;
}

static inline int mt_advance_env(struct mt_ctx *h, const char *name, const char *value)
{
	if (strchr(name, '='))
		return MT_EINVAL;
	mt_harness_put(&h->done, "env %s=%s\n", name, value);
	return MT_OK;
}

static inline int mt_advance_workspace_at(struct mt_ctx *h, const char *path)
{
	mt_harness_put(&h->done, "workspace %s\n", path);
	return MT_OK;
}

static inline const struct mt_runtime_out *mt_advance_runtime_out(void)
{
	static const struct mt_runtime_out out = {
		.size = sizeof out,
		.wanted = mt_advance_wanted,
		.arg = mt_advance_arg,
		.env = mt_advance_env,
		.workspace = mt_advance_workspace_at,
	};

	return &out;
}

static inline int mt_runtime_run(struct mt_ctx *h, const struct mt_in *in)
{
	const struct mt_runtime *f = (const struct mt_runtime *)h->component->functions;

	return f->launch(mt_advance_host(), mt_advance_runtime_out(), h, in);
}

/** Start to test a runtime of a plugin. `name`: of the component; NULL: the first one.
 *  mt_advance_start calls `launch`. */
static inline struct mt_ctx *mt_runtime_open(const struct mt_plugin *plugin,
					     const char *name)
{
	return mt_advance_open(plugin, MT_KIND_RUNTIME, name, mt_runtime_run);
}

#pragma GCC diagnostic pop

#endif
