/* SPDX-License-Identifier: MIT
 *
 * many.c - a toolset for tests that runs calls in parallel, takes input, tells
 * its options and changes its list. Never installed. */
#include <mortise/function.h>
#include <mortise/tool.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct many {
	const struct mt_tool_host *host;
	struct mt_instance *instance;
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int waiting, opened, cancelled;
	char input[256];
	int more; /* the list has a tool more */
};

static int many_open(const struct mt_tool_host *host, struct mt_instance *instance,
		     void **ret_self)
{
	struct many *m = calloc(1, sizeof *m);
	const char *refuse = host->option(instance, "refuse");

	if (!m)
		return MT_ENOMEM;
	if (refuse) {
		free(m);
		host->log(instance, MT_LOG_ERROR, "refused because of %s", refuse);
		return MT_EDENIED;
	}
	m->host = host;
	m->instance = instance;
	pthread_mutex_init(&m->lock, NULL);
	pthread_cond_init(&m->wake, NULL);
	*ret_self = m;
	return MT_OK;
}

/* Returns when as many calls as `count` run at once: proof of parallelism. */
static int meet(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	struct many *m = self;
	int64_t count = 2;

	host->arg_int(call, "count", &count);
	pthread_mutex_lock(&m->lock);
	m->waiting++;
	pthread_cond_broadcast(&m->wake);
	while (m->waiting < count)
		pthread_cond_wait(&m->wake, &m->lock);
	pthread_mutex_unlock(&m->lock);
	return host->reply(call, "met");
}

static int options(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	struct many *m = self;
	const char *key, *value, *name = host->option(m->instance, "name");

	host->reply(call, "name=%s size=%lld", name ? name : "(unset)",
		    (long long)host->option_int(m->instance, "size"));
	for (size_t n = 0; !host->option_at(m->instance, "arg.", n, &key, &value); n++)
		host->reply(call, " %s=%s", key, value);
	return MT_OK;
}

static int places(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	struct many *m = self;

	return host->reply(call, "%s\n%s", host->workspace(m->instance),
			   host->private_dir(m->instance));
}

static int grow(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	struct many *m = self;

	m->more = 1;
	host->changed(m->instance);
	return host->reply(call, "grown");
}

static int listen(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	struct many *m = self;

	host->output(call, "ready", 5);
	pthread_mutex_lock(&m->lock);
	while (!m->input[0] && !host->cancelled(call))
		pthread_cond_wait(&m->wake, &m->lock);
	host->reply(call, "heard: %s", m->input);
	m->input[0] = '\0';
	pthread_mutex_unlock(&m->lock);
	return MT_OK;
}

/* A plain C function of the list, which is busy until `release` is called. */
static struct {
	pthread_mutex_t lock;
	pthread_cond_t wake;
	int entered, released;
} hold = { .lock = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER };

static int32_t held(int32_t *ret_released)
{
	pthread_mutex_lock(&hold.lock);
	hold.entered++;
	pthread_cond_broadcast(&hold.wake);
	while (!hold.released)
		pthread_cond_wait(&hold.wake, &hold.lock);
	*ret_released = hold.released;
	pthread_mutex_unlock(&hold.lock);
	return 1;
}
static const struct mt_arg held_args[] = { MT_A_OUT_INT32("number_of_releases",
							  "How often.") };
static const struct mt_function held_function = {
	.size = sizeof held_function, .returns = MT_TYPE_INT32,
	.arg_count = 1, .args = held_args, .address = (void (*)(void))held };

static int entered(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	(void)self;
	pthread_mutex_lock(&hold.lock);
	while (!hold.entered)
		pthread_cond_wait(&hold.wake, &hold.lock);
	pthread_mutex_unlock(&hold.lock);
	return host->reply(call, "entered");
}

static int release(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	(void)self;
	pthread_mutex_lock(&hold.lock);
	hold.released++;
	pthread_cond_broadcast(&hold.wake);
	pthread_mutex_unlock(&hold.lock);
	return host->reply(call, "released");
}

static int late(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	(void)self;
	return host->reply(call, "I came later");
}

static int many_input(const struct mt_tool_host *host, void *self, struct mt_call *call,
		      const struct mt_input *input)
{
	struct many *m = self;
	size_t len = input->bytes.len;

	(void)host, (void)call;
	if (input->kind != MT_INPUT_BYTES)
		return MT_EUNSUPPORTED;
	pthread_mutex_lock(&m->lock);
	if (len < sizeof m->input) {
		memcpy(m->input, input->bytes.ptr, len);
		m->input[len] = '\0';
	}
	pthread_cond_broadcast(&m->wake);
	pthread_mutex_unlock(&m->lock);
	return MT_OK;
}

static int many_cancel(const struct mt_tool_host *host, void *self, struct mt_call *call)
{
	struct many *m = self;

	(void)host, (void)call;
	pthread_mutex_lock(&m->lock);
	pthread_cond_broadcast(&m->wake);
	pthread_mutex_unlock(&m->lock);
	return MT_OK;
}

static int many_list(const struct mt_tool_host *host, struct mt_instance *instance,
		     void *self, struct mt_listing *listing)
{
	struct many *m = self;
	struct mt_tool tool = { .size = sizeof tool, .name = "late",
				.description = "A tool that comes later.",
				.schema = "{\"type\":\"object\"}", .call = late };
	struct mt_tool plain = { .size = sizeof plain, .name = "held",
				 .description = "A C function.", .function = &held_function };
	int r = host->add_tool(listing, &plain);

	(void)instance;
	return r || !m->more ? r : host->add_tool(listing, &tool);
}

static void many_close(const struct mt_tool_host *host, struct mt_instance *instance,
		       void *self)
{
	(void)host, (void)instance;
	free(self);
}

#define TOOL(name_)                                                                      \
	{                                                                                \
		.size = sizeof(struct mt_tool), .name = #name_,                          \
		.description = "For tests.", .schema = "{\"type\":\"object\"}", .call = name_\
	}
static const struct mt_tool tools[] = {
	TOOL(meet), TOOL(options), TOOL(places),  TOOL(grow),
	TOOL(listen), TOOL(entered), TOOL(release),
};
static const struct mt_toolset set = {
	.size = sizeof set, .flags = MT_TOOLSET_PARALLEL,
	.tool_count = sizeof tools / sizeof tools[0], .tools = tools,
	.open = many_open, .list = many_list, .input = many_input,
	.cancel = many_cancel, .close = many_close };
static const struct mt_option option_table[] = {
	{ sizeof(struct mt_option), MT_OPTION_TEXT, "name", NULL, "A name.", NULL, 0, 0,
	  0, 0 },
	{ sizeof(struct mt_option), MT_OPTION_BYTES, "size", "4K", "A size.", NULL, 0, 0,
	  0, 0 },
	{ sizeof(struct mt_option), MT_OPTION_TEXT, "refuse", NULL, "Do not open.", NULL,
	  0, 0, 0, 0 },
	{ sizeof(struct mt_option), MT_OPTION_TEXT, "arg.", NULL, "Any.", NULL, 0, 0,
	  MT_OPTION_PREFIX, 0 },
};
static const struct mt_component parts[] = {
	{ sizeof(struct mt_component), MT_KIND_TOOL, 0, MT_TOOL_MAJOR, MT_NEEDS_TOOL_MINOR,
	  sizeof option_table / sizeof option_table[0], "many", "For tests.",
	  option_table, &set },
};

MT_PLUGIN(.name = "many", .version = "1.0", .license = "MIT", .components = parts,
	  .component_count = 1)
