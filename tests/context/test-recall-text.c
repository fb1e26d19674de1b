/* SPDX-License-Identifier: MIT
 *
 * test-recall-text.c - text of recall observations, also of those that other programs
 * wrote: each item of knowledge once, hosts and secrets, no text without content. */
#include "context/recall-text.h"

#include "files.h"
#include "tap.h"

#include <stdlib.h>
#include <string.h>

static struct config *config;
static struct evlog *log_;

/* The text of a new recall at the end of the log; owned. */
static char *text_of(const char *extras)
{
	struct error err = ERROR_NONE;
	AUTO(event)
	struct event *e =
		event_observation("recall", SOURCE_ENVIRONMENT, -1, "", 0,
				  js_parse_object(extras, strlen(extras), &err), &err);
	char *text;

	if (!e || evlog_append(log_, e, &err)) {
		CHECK_MSG(false, "%s", err.text);
		return NULL;
	}
	text = recall_render(config, "codeact", log_, e, &err);
	if (!text)
		CHECK_MSG(false, "%s", err.text);
	return text;
}

static void test_knowledge(void)
{
	AUTO(free)
	char *first = text_of(
		"{\"recall_type\":\"knowledge\",\"microagent_knowledge\":["
		"{\"name\":\"a\",\"trigger\":\"t\",\"content\":\"first of a\"},"
		"{\"name\":\"b\",\"trigger\":\"t\",\"content\":\"first of b\"}]}");
	AUTO(free)
	char *second = text_of(
		"{\"recall_type\":\"knowledge\",\"microagent_knowledge\":["
		"{\"name\":\"a\",\"trigger\":\"t\",\"content\":\"second of a\"},"
		"{\"name\":\"c\",\"trigger\":\"t\",\"content\":\"first of c\"}]}");
	AUTO(free)
	char *third = text_of(
		"{\"recall_type\":\"knowledge\",\"microagent_knowledge\":["
		"{\"name\":\"c\",\"trigger\":\"t\",\"content\":\"second of c\"}]}");
	AUTO(free) char *none = text_of("{\"recall_type\":\"knowledge\"}");

	CHECK_MSG(first && strstr(first, "first of a") && strstr(first, "first of b"),
		  "both");
	CHECK_MSG(second && !strstr(second, "of a") && strstr(second, "first of c"),
		  "what an earlier recall holds is left out");
	CHECK_STR(third, "");
	CHECK_STR(none, "");
}

static void test_workspace(void)
{
	AUTO(free)
	char *empty = text_of("{\"recall_type\":\"workspace_context\","
			      "\"working_dir\":\"/w\",\"repo_name\":\"\","
			      "\"runtime_hosts\":{},\"microagent_knowledge\":[]}");
	AUTO(free)
	char *full = text_of(
		"{\"recall_type\":\"workspace_context\",\"repo_name\":\"o/r\","
		"\"runtime_hosts\":{\"h.example\":8080},"
		"\"additional_agent_instructions\":\"Be quick.\","
		"\"custom_secrets_descriptions\":{\"TOKEN\":\"for the registry\"}}");

	CHECK_STR(empty, "");
	CHECK_MSG(full && strstr(full, "o/r") && strstr(full, "Be quick."), "repository");
	CHECK_MSG(full && strstr(full, "h.example") && strstr(full, "8080"), "hosts");
	CHECK_MSG(full && strstr(full, "TOKEN") && strstr(full, "for the registry"),
		  "secrets");
	CHECK_MSG(full && !strstr(full, "working directory"), "none is known");
}

int main(void)
{
	static const struct evlog_options options = { .sync = SYNC_NONE };
	const char *settings[] = { "core.prompt_dir=" SOURCES "/prompts" };
	const struct config_input input = { .overrides = settings, .override_count = 1 };
	struct error err = ERROR_NONE;
	char dir[] = "/tmp/mortise-recall-XXXXXX";

	if (!mkdtemp(dir) || config_load(&input, &config, &err) ||
	    evlog_open(dir, EVLOG_CREATE, &options, &log_, NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	test_knowledge();
	test_workspace();
	evlog_close(log_);
	config_free(config);
	dir_remove(dir, NULL);
	return tap_done();
}
