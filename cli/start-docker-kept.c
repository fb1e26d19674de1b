/* SPDX-License-Identifier: MIT
 *
 * start-docker-kept.c - containers that are kept when their runner has ended, and started
 * again when the conversation is resumed.
 *
 * The options of a container cannot be changed: if they or the bundle are no longer the
 * same, its files become an image, from which another container is created. That one is
 * called NAME-next until the old one is removed, so that nothing is lost at any moment. */
#include "start-docker.h"

#include "digest.h"

#include <string.h>

enum { KEPT_NAME = 256, KEPT_TEXT = 8192 };

/* What is found of a container. */
struct kept_found {
	bool exists, runs, same_image, same_arguments;
};

struct kept {
	char name[KEPT_NAME], next[KEPT_NAME];
	struct kept_found found, found_next;
};

/* As the command that creates it ends. */
enum { WORD_IMAGE = 1, WORD_NAME = 3, WORD_IMAGE_LABEL = 5, WORD_ARGUMENTS_LABEL = 7 };

bool start_docker_is_kept(const struct start *s)
{
	return s->argc > 1 && strcmp(s->argv[1], "create") == 0;
}

int start_docker_name(struct start *s, const char *image, struct error *err)
{
	AUTO(strbuf) struct strbuf all = STRBUF(1 << 20);
	AUTO(strbuf) struct strbuf name = STRBUF(KEPT_NAME - 8);
	char hash[SHA256_HEX];

	for (int i = 0; i < s->argc; i++)
		strbuf_addn(&all, s->argv[i], strlen(s->argv[i]) + 1);
	strbuf_add(&all, s->bundle.name);
	strbuf_addf(&name, "mortise-%s", js_str(s->params, "conversation", ""));
	if (all.error || name.error)
		return out_of_memory(err);
	if (digest_sha256_hex(all.text, all.len, hash))
		return fail(err, MT_EUNSUPPORTED, "libcrypto is not available");
	if (start_docker_label(s, "arguments", hash, err) ||
	    start_docker_label(s, "image", image, err) || start_add(s, "--name", err) ||
	    start_add(s, name.text, err))
		return err->code;
	return MT_OK;
}

/* ---- what there is -------------------------------------------------------------- */

/* NAME RUNNING ARGUMENTS IMAGE; Docker writes a slash before the name. */
static void kept_read_line(const struct start *s, struct kept *k, char *line)
{
	char *word[4] = { NULL }, *rest = line;
	struct kept_found *found;

	for (size_t i = 0; i < ARRAY_LEN(word); i++)
		word[i] = i + 1 < ARRAY_LEN(word) ? strsep(&rest, " ") : rest;
	if (!word[3])
		return;
	word[0] += *word[0] == '/';
	if (strcmp(word[0], k->name) == 0)
		found = &k->found;
	else if (strcmp(word[0], k->next) == 0)
		found = &k->found_next;
	else
		return;
	found->exists = true;
	found->runs = strcmp(word[1], "true") == 0;
	found->same_arguments =
		strcmp(word[2],
		       strchr(s->argv[s->argc - WORD_ARGUMENTS_LABEL], '=') + 1) == 0;
	found->same_image =
		strcmp(word[3], strchr(s->argv[s->argc - WORD_IMAGE_LABEL], '=') + 1) ==
		0;
}

static int kept_find(struct start *s, struct kept *k, struct error *err)
{
	static const char format[] = "{{.Name}} {{.State.Running}} "
				     "{{index .Config.Labels \"mortise.arguments\"}} "
				     "{{index .Config.Labels \"mortise.image\"}}";
	const char *argv[] = { s->argv[0], "inspect", "--type", "container", "--format",
			       format, k->name, k->next, NULL };
	char text[KEPT_TEXT], *rest = text, *line;
	int status = start_run(s, argv, text, sizeof text, err);

	if (status && !err->code &&
	    (start_printed(s, "o such container") || start_printed(s, "o such object")))
		status = MT_OK;
	while (!status && (line = strsep(&rest, "\n")))
		kept_read_line(s, k, line);
	return status;
}

/* ---- changing it ---------------------------------------------------------------- */

static int kept_run(struct start *s, struct error *err, const char *command,
		    const char *first, const char *second)
{
	const char *argv[] = { s->argv[0], command, first, second, NULL };
	char text[KEPT_TEXT];

	return start_run(s, argv, text, sizeof text, err);
}

static int kept_create(struct start *s, const char *name, const char *image,
		       struct error *err)
{
	const char *argv[START_ARGS_MAX + 1];
	char text[KEPT_TEXT];

	memcpy(argv, s->argv, ((size_t)s->argc + 1) * sizeof *argv);
	argv[s->argc - WORD_NAME] = name;
	argv[s->argc - WORD_IMAGE] = image;
	return start_run(s, argv, text, sizeof text, err);
}

static int kept_remove(struct start *s, const char *name, struct error *err)
{
	return kept_run(s, err, "rm", "--force", name);
}

static int kept_rename(struct start *s, struct kept *k, struct error *err)
{
	return kept_run(s, err, "rename", k->next, k->name);
}

/* With other options, and the same files. */
static int kept_replace(struct start *s, struct kept *k, struct error *err)
{
	const char *argv[] = { s->argv[0], "commit", k->name, NULL };
	char image[KEPT_TEXT];
	int status = start_run(s, argv, image, sizeof image, err);

	if (!status)
		status = kept_create(s, k->next, image, err);
	if (!status)
		status = kept_remove(s, k->name, err);
	return status ? status : kept_rename(s, k, err);
}

/* What was left when this was killed: the old container, or only the new one. */
static int kept_finish(struct start *s, struct kept *k, struct error *err)
{
	if (!k->found_next.exists)
		return MT_OK;
	if (k->found.exists)
		return kept_remove(s, k->next, err);
	k->found = k->found_next;
	return kept_rename(s, k, err);
}

static int kept_provide(struct start *s, struct kept *k, struct error *err)
{
	int status = kept_finish(s, k, err);

	/* Its runner ends, because its host did. */
	if (!status && k->found.runs)
		status = kept_run(s, err, "stop", "-t5", k->name);
	if (!status && k->found.exists && !k->found.same_image) {
		status = kept_remove(s, k->name, err);
		k->found.exists = false;
	}
	if (!status && !k->found.exists)
		return kept_create(s, k->name, s->argv[s->argc - WORD_IMAGE], err);
	return status || k->found.same_arguments ? status : kept_replace(s, k, err);
}

int start_docker_find(struct start *s, struct error *err)
{
	struct kept k = { 0 };
	int status;

	if (!start_docker_is_kept(s))
		return MT_OK;
	snprintf(k.name, sizeof k.name, "%s", s->argv[s->argc - WORD_NAME]);
	snprintf(k.next, sizeof k.next, "%.240s-next", k.name);
	status = kept_find(s, &k, err);
	if (!status)
		status = kept_provide(s, &k, err);
	if (status)
		return status;
	while (s->argc > 1)
		free(s->argv[--s->argc]);
	s->argv[1] = NULL;
	if (start_add(s, "start", err) || start_add(s, "--attach", err) ||
	    start_add(s, "--interactive", err) || start_add(s, k.name, err))
		return err->code;
	return MT_OK;
}
