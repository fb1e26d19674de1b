/* SPDX-License-Identifier: MIT
 *
 * describe-permissions.c - checks the permissions that a plugin declares and converts them
 * to JSON. One that is not of the form that a user can grant, or that no host could
 * enforce, is refused: the plugin would never get it. */
#include "js.h"
#include "registry/internal.h"
#include "utf8.h"
#include <string.h>

enum { WHAT_MAX = 4096 };

#define DIGITS "0123456789"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static bool permission_is_path(const char *what)
{
	return what[0] == '/' || strncmp(what, "~/", 2) == 0 || strcmp(what, "~") == 0;
}

/* A name or an address, "*." before a name, ":PORT" after either. */
static bool permission_is_host(const char *what)
{
	what += strncmp(what, "*.", 2) == 0 ? 2 : 0;
	return *what && *what != '.' && !what[strspn(what, LETTERS DIGITS "-_.:[]")];
}

static bool permission_is_variable(const char *what)
{
	return !strchr(DIGITS, what[0]) && !what[strspn(what, LETTERS DIGITS "_")];
}

/* The name of a section, [grant.NAME] */
static bool permission_is_secret(const char *what)
{
	return !strpbrk(what, "[] \t");
}

static const struct {
	const char *name;
	bool (*good)(const char *what); /* NULL: any text */
	const char *form;
} kinds[] = {
	[MT_PERMIT_READ] = { "read", permission_is_path, "an absolute path, or one after ~/" },
	[MT_PERMIT_WRITE] = { "write", permission_is_path, "an absolute path, or one after ~/" },
	[MT_PERMIT_HOST] = { "host", permission_is_host, "a host name without a scheme or a path" },
	[MT_PERMIT_SECRET] = { "secret", permission_is_secret, "the NAME of [grant.NAME]" },
	[MT_PERMIT_ENVIRONMENT] = { "environment", permission_is_variable, "the name of a variable" },
	[MT_PERMIT_NAMESPACES] = { "namespaces", NULL, NULL },
};

static const struct mt_permission *permission_at(const struct mt_plugin *p, size_t n)
{
	return (const void *)((const char *)p->permissions + n * p->permissions->size);
}

static bool has_control_or_comma(const char *text)
{
	for (; *text; text++)
		if ((unsigned char)*text < 0x20 || *text == 0x7f || *text == ',')
			return true;
	return false;
}

static int check_permission(const struct mt_permission *m, size_t number,
			    struct error *err)
{
	bool known = m->kind < ARRAY_LEN(kinds) && kinds[m->kind].name;

	if (m->kind == 0)
		return fail(err, MT_EINVAL, "permission %zu has no kind", number);
	if (!m->what || !*m->what || strnlen(m->what, WHAT_MAX) == WHAT_MAX ||
	    !utf8_valid(m->what, strlen(m->what)))
		return fail(err, MT_EINVAL,
			    "permission %zu does not name what it permits", number);
	if (known && has_control_or_comma(m->what))
		return fail(err, MT_EINVAL,
			    "permission %zu (%s `%.80s`) has a comma or a control "
			    "character, so that the configuration cannot grant it",
			    number, kinds[m->kind].name, m->what);
	if (known && kinds[m->kind].good && !kinds[m->kind].good(m->what))
		return fail(err, MT_EINVAL, "invalid permission %zu (%s `%.80s`): use %s",
			    number, kinds[m->kind].name, m->what, kinds[m->kind].form);
	return MT_OK;
}

int registry_describe_permissions(const struct mt_plugin *p, struct strbuf *out,
				  struct error *err)
{
	js_key(out, "permissions");
	strbuf_addc(out, '[');
	for (size_t i = 0; i < p->permission_count; i++) {
		const struct mt_permission *m = permission_at(p, i);
		bool known = m->kind < ARRAY_LEN(kinds) && kinds[m->kind].name;
		int status = check_permission(m, i + 1, err);

		if (status)
			return status;
		strbuf_add(out, i ? ",{" : "{");
		js_key_str(out, "kind", known ? kinds[m->kind].name : "unknown");
		js_key_str(out, "what", m->what);
		if (m->why)
			js_key_str(out, "why", m->why);
		strbuf_addc(out, '}');
	}
	strbuf_addc(out, ']');
	return MT_OK;
}
