/* SPDX-License-Identifier: MIT
 *
 * refused.c - plugins that a runner must not take, one by definition of a
 * macro: NEWER_ABI, WRONG_SIZE, NO_SYMBOL, NEEDS_MORE, NO_TOOLSET, OPEN_CRASH.
 * Never installed. */
#include <mortise/tool.h>
#include <stdlib.h>

static int run(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	(void)self;
	return host->reply(call, "this should never run");
}

#ifdef OPEN_CRASH
static int open_crash(const struct mt_tool_host *host, struct mt_instance *instance,
		      void **ret_self)
{
	(void)host, (void)instance, (void)ret_self;
	abort();
}
#else
#define open_crash NULL
#endif

static const struct mt_tool tool = {
	.size = sizeof tool, .name = "do", .description = "For tests.",
	.schema = "{\"type\":\"object\"}", .call = run };
static const struct mt_toolset set = {
#ifdef WRONG_SIZE
	.size = 4,
#else
	.size = sizeof set,
#endif
	.tool_count = 1, .tools = &tool, .open = open_crash };
static const struct mt_component part = {
	.size = sizeof part,
#ifdef NO_TOOLSET
	.kind = MT_KIND_AGENT,
#else
	.kind = MT_KIND_TOOL,
#endif
	.version_major = MT_TOOL_MAJOR, .version_minor = MT_NEEDS_TOOL_MINOR,
	.name = "refused", .functions = &set };
static const struct mt_plugin self = {
	.size = sizeof self, .abi_major = MT_ABI_MAJOR,
#ifdef NEWER_ABI
	.abi_minor = MT_ABI_MINOR + 3,
#endif
#ifdef NEEDS_MORE
	.needs = 1ull << 40,
#endif
	.name = "refused", .version = "1.0", .license = "MIT", .components = &part,
	.component_count = 1 };

#ifdef NO_SYMBOL
#define ENTRY mortise_plugin_v9
MT_EXPORT const struct mt_plugin *ENTRY(void);
#else
#define ENTRY mortise_plugin_v1
#endif

const struct mt_plugin *ENTRY(void)
{
	return &self;
}
