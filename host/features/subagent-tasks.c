/* SPDX-License-Identifier: MIT
 *
 * subagent-tasks.c - reads the tasks of a call of delegate_tasks, and divides the limits. */
#include "features/subagents.h"

#include "controller/agents.h"
#include "conversation/meta.h"
#include "features/delegation.h"
#include "features/limits.h"
#include "files.h"

#include <inttypes.h>
#include <string.h>

static int read_place(json_object *task, struct subagent *ch, struct error *err)
{
	static const char *const places[] = { [PLACE_SHARED] = "shared",
					      [PLACE_COPY] = "copy",
					      [PLACE_OWN] = "own" };
	const char *place = js_str(task, "workspace", "shared");

	for (size_t i = 0; i < ARRAY_LEN(places); i++)
		if (strcmp(place, places[i]) == 0) {
			ch->place = i;
			return MT_OK;
		}
	return fail(err, MT_EINVAL, "`workspace` must be shared, copy or own, not %.40s",
		    place);
}

/* Does it begin with the context of its parent? Then it is a copy of its parent, with
 * the same prompt, tools and directory. */
static int read_context(json_object *task, struct subagent *ch, struct error *err)
{
	const struct conversation *c = ch->all->c;
	bool of_agent = *ch->agent && delegation_forks(c, ch->agent);
	const char *context = js_str(task, "context", of_agent ? "fork" : "task");

	ch->forked = strcmp(context, "fork") == 0;
	if (!ch->forked && strcmp(context, "task") != 0)
		return fail(err, MT_EINVAL, "`context` must be task or fork, not %.40s",
			    context);
	if (ch->forked && *ch->agent && !of_agent)
		return fail(err, MT_EINVAL,
			    "`context` fork starts a copy of you; leave out `agent`");
	if (ch->forked && ch->place != PLACE_SHARED)
		return fail(err, MT_EINVAL, "`context` fork requires `workspace` shared");
	if (ch->forked && agents_waiting(c))
		return fail(
			err, MT_EDENIED,
			"`context` fork is not available to a subagent of `delegate`; "
			"put everything that is needed into `task`");
	return MT_OK;
}

static int refuse_agent(const struct conversation *c, const char *agent,
			struct error *err)
{
	AUTO(strbuf) struct strbuf agents = STRBUF(4096);

	delegation_put_agents(c, &agents);
	return fail(
		err, MT_ENOTFOUND,
		"Unknown agent `%.80s`. %s Without `agent`, a copy of you does the task.",
		agent, agents.text);
}

/* A task is an object, or just its text. */
static int subagent_tasks_read_one(struct subagents *all, json_object *task,
				   struct error *err)
{
	struct conversation *c = all->c;
	struct subagent *ch = &all->list[all->count];
	bool plain = json_object_is_type(task, json_type_string);
	const char *text =
		plain ? json_object_get_string(task) : js_str(task, "task", "");
	const char *agent = plain ? "" : js_str(task, "agent", "");

	if (strspn(text, " \t\r\n") == strlen(text))
		return fail(err, MT_EINVAL,
			    "task %zu has no text; each entry of `tasks` must be "
			    "{\"task\": TEXT}",
			    all->count + 1);
	if (*agent && !delegation_allowed(c, agent))
		return refuse_agent(c, agent, err);
	ch->all = all;
	all->count++;
	ch->task = strdup(text);
	ch->agent = strdup(agent);
	ch->id = meta_new_id();
	if (!ch->task || !ch->agent || !ch->id)
		return out_of_memory(err);
	if (!plain && read_place(task, ch, err))
		return err->code;
	return read_context(plain ? NULL : task, ch, err);
}

/* The directory of a subagent: next to the logs, unless it shares its parent's. */
static int subagent_tasks_find_workspace(struct subagent *ch, struct error *err)
{
	struct conversation *c = ch->all->c;
	AUTO(free) char *up = NULL;
	AUTO(free) char *real = NULL;

	if (ch->place == PLACE_SHARED) {
		ch->workspace = strdup(conversation_workspace(c));
		return ch->workspace ? MT_OK : out_of_memory(err);
	}
	up = path_join(evlog_dir(conversation_log(c)), "../../workspaces");
	if (!up || dir_make(up, err))
		return up ? err->code : out_of_memory(err);
	real = realpath(up, NULL);
	ch->workspace = real ? path_join(real, ch->id) : NULL;
	return ch->workspace ? dir_make(ch->workspace, err) : out_of_memory(err);
}

static int subagent_tasks_check_limits(const struct conversation *c, size_t count,
				       struct error *err)
{
	int64_t depth = config_int(conversation_config(c), conversation_agent(c)->section,
				   "max_depth");
	int64_t most = config_int(conversation_config(c), conversation_agent(c)->section,
				  "max_children_total");

	if (agents_depth(c) >= depth)
		return fail(err, MT_ELIMIT,
			    "Subagents may be nested %" PRId64
			    " deep (max_depth), and you "
			    "are at that depth. Do the task yourself.",
			    depth);
	if (count == 0 || count > CHILD_TASKS_MAX)
		return fail(err, MT_EINVAL, "`tasks` must be a list of 1 to %d tasks",
			    CHILD_TASKS_MAX);
	if (subagents_of(c)->started + (int64_t)count > most)
		return fail(err, MT_ELIMIT,
			    "this conversation has started %" PRId64
			    " subagents, and at most %" PRId64
			    " are allowed (max_children_total); pass fewer tasks or do "
			    "them yourself",
			    subagents_of(c)->started, most);
	return MT_OK;
}

int subagents_read_tasks(struct subagents *all, json_object *args, struct error *err)
{
	json_object *tasks = js_get(args, "tasks");
	bool list = json_object_is_type(tasks, json_type_array);
	size_t count = list ? json_object_array_length(tasks) : 0;
	int r = subagent_tasks_check_limits(all->c, count, err);

	if (r)
		return r;
	all->list = calloc(count, sizeof *all->list);
	if (!all->list)
		return out_of_memory(err);
	for (size_t i = 0; i < count && !r; i++)
		r = subagent_tasks_read_one(all, json_object_array_get_idx(tasks, i),
					    err);
	for (size_t i = 0; i < count && !r; i++)
		r = subagent_tasks_find_workspace(&all->list[i], err);
	return r;
}

void subagents_share(struct subagents *all)
{
	for (int i = 0; i < LIMIT_COUNT; i++) {
		const struct budget *a = limits_budget(conversation_agent(all->c));
		double least = 0;

		for (; a; a = a->parent) {
			const struct quota *m = &a->quotas[i];
			double left = m->max - m->used;

			if (m->max > 0 && (least <= 0 || left < least))
				least = left > 1e-9 ? left : 1e-9;
		}
		all->share[i] = i == LIMIT_TIME ? least : least / (double)all->count;
	}
}
