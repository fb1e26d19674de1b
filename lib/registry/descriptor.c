/* SPDX-License-Identifier: MIT
 *
 * descriptor.c - opens a plugin file and checks its descriptor. Each refusal is one
 * sentence with a remedy. */
#define MORTISE_PROVISIONAL
#include "files.h"
#include "registry/internal.h"
#include "utf8.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <mortise/agent.h>
#include <mortise/analyzer.h>
#include <mortise/condenser.h>
#include <mortise/dialect.h>
#include <mortise/runtime.h>
#include <mortise/tool.h>
#include <string.h>

static const struct kind_info kinds[] = {
	[MT_KIND_TOOL] = { "tool", MT_TOOL_MAJOR, MT_TOOL_MINOR,
			   MT_TOOLSET_SIZE_1_0 },
	[MT_KIND_AGENT] = { "agent", MT_AGENT_MAJOR, MT_AGENT_MINOR,
			    sizeof(struct mt_agent) },
	[MT_KIND_CONDENSER] = { "condenser", MT_CONDENSER_MAJOR, MT_CONDENSER_MINOR,
				sizeof(struct mt_condenser) },
	[MT_KIND_DIALECT] = { "dialect", MT_DIALECT_MAJOR, MT_DIALECT_MINOR,
			      sizeof(struct mt_dialect) },
	[MT_KIND_RUNTIME] = { "runtime", MT_RUNTIME_MAJOR, MT_RUNTIME_MINOR,
			      sizeof(struct mt_runtime) },
	[MT_KIND_ANALYZER] = { "analyzer", MT_ANALYZER_MAJOR, MT_ANALYZER_MINOR,
			       sizeof(struct mt_analyzer) },
};

const struct kind_info *kind_info(int kind)
{
	return kind > 0 && (size_t)kind < ARRAY_LEN(kinds) ? &kinds[kind] : NULL;
}

const char *kind_name(int kind)
{
	const struct kind_info *info = kind_info(kind);

	return info ? info->name : "unknown";
}

int kind_find(const char *name)
{
	for (size_t i = 1; i < ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i].name, name) == 0)
			return (int)i;
	return 0;
}

/* ---- the rules --------------------------------------------------------------- */

static int descriptor_check_text(const char *text, const char *what, struct error *err)
{
	size_t len;

	if (!text)
		return fail(err, MT_EINVAL, "has no %s", what);
	len = strnlen(text, 256);
	if (len == 0 || len == 256 || !utf8_valid(text, len))
		return fail(err, MT_EINVAL,
			    "%s is empty, longer than 255 bytes or not UTF-8", what);
	return MT_OK;
}

static int descriptor_check_name(const char *name, const char *what, struct error *err)
{
	int status = descriptor_check_text(name, what, err);
	bool good = !status && name[0] >= 'a' && name[0] <= 'z' && strlen(name) <= 64;

	if (status)
		return status;
	for (const char *p = name; *p; p++)
		good &= (*p >= 'a' && *p <= 'z') || (*p >= '0' && *p <= '9') ||
			*p == '_' || *p == '-';
	return good ? MT_OK
		    : fail(err, MT_EINVAL,
			   "invalid %s `%.80s`: use a lowercase letter, then at most 63 "
			   "of a-z, 0-9, - and _",
			   what, name);
}

/* Two or more words of letters, digits, - and _, separated by dots. */
static bool descriptor_is_id(const char *id)
{
	size_t len = strlen(id), words = 1;

	for (size_t i = 0; i < len; i++) {
		bool letter = (id[i] >= 'a' && id[i] <= 'z') ||
			      (id[i] >= 'A' && id[i] <= 'Z') ||
			      (id[i] >= '0' && id[i] <= '9') || id[i] == '-' ||
			      id[i] == '_';

		if (!letter && (id[i] != '.' || i == 0 || id[i - 1] == '.'))
			return false;
		words += id[i] == '.';
	}
	return words > 1 && id[len - 1] != '.';
}

/* Check the ID, vendor, URL, and permissions. */
static int check_identity(const struct mt_plugin *p, struct error *err)
{
	int status = p->id ? descriptor_check_text(p->id, "id", err) : MT_OK;

	if (!status && p->id && !descriptor_is_id(p->id))
		status = fail(err, MT_EINVAL,
			      "invalid id `%.80s`: use a domain, reversed, and a name: "
			      "org.example.wc",
			      p->id);
	if (!status && p->vendor)
		status = descriptor_check_text(p->vendor, "vendor", err);
	if (!status && p->url)
		status = descriptor_check_text(p->url, "URL", err);
	if (!status && p->permission_count &&
	    (p->permission_count > PERMISSIONS_MAX || !p->permissions ||
	     p->permissions->size < MT_PERMISSION_SIZE_1_0 ||
	     p->permissions->size > 65536 ||
	     p->permissions->size % _Alignof(struct mt_permission)))
		status = fail(err, MT_EINVAL,
			      "its permissions have a wrong size, or are more than %d",
			      PERMISSIONS_MAX);
	return status;
}

int registry_check_size(const char *who, uint32_t size, size_t least, size_t align,
			struct error *err)
{
	static const char remedy[] = "rebuild the plugin with the installed headers";

	if (size < least)
		return fail(err, MT_EINVAL,
			    "%s a size of %u bytes, but at least %zu are required; %s",
			    who, size, least, remedy);
	if (size > STRUCT_MAX)
		return fail(err, MT_EINVAL,
			    "%s a size of %u bytes, but at most %d are allowed; %s", who,
			    size, STRUCT_MAX, remedy);
	if (size % align)
		return fail(err, MT_EINVAL,
			    "%s a size of %u bytes, which is not a multiple of %zu; %s",
			    who, size, align, remedy);
	return MT_OK;
}

static int check_plugin(const struct mt_plugin *p, struct error *err)
{
	int status = registry_check_size("descriptor declares", p->size,
					 MT_PLUGIN_SIZE_1_0, 1, err);

	if (status)
		return status;
	if (p->abi_major != MT_ABI_MAJOR || p->abi_minor > MT_ABI_MINOR)
		return fail(err, MT_EUNSUPPORTED,
			    "built for plugin ABI %u.%u, but this mortise has %u.%u; %s",
			    p->abi_major, p->abi_minor, MT_ABI_MAJOR, MT_ABI_MINOR,
			    p->abi_major < MT_ABI_MAJOR
				    ? "use a newer build of the plugin"
				    : "update mortise");
	if (p->needs)
		return fail(err, MT_EUNSUPPORTED,
			    "requires a feature that this mortise does not have (bits "
			    "0x%llx); update mortise",
			    (unsigned long long)p->needs);
	status = descriptor_check_name(p->name, "name", err);
	if (!status)
		status = descriptor_check_text(p->version, "version", err);
	if (!status)
		status = descriptor_check_text(p->license, "license", err);
	if (status)
		return status;
	status = check_identity(p, err);
	if (status)
		return status;
	if (p->component_count && !p->components)
		return fail(err, MT_EINVAL, "`components` is NULL");
	if (p->component_count == 0 || p->component_count > COMPONENTS_MAX)
		return fail(err, MT_EINVAL,
			    "provides %u components; the number must be from 1 to %d",
			    p->component_count, COMPONENTS_MAX);
	return registry_check_size("components declare", p->components->size,
				   MT_COMPONENT_SIZE_1_0, _Alignof(struct mt_component),
				   err);
}

const struct mt_component *component_at(const struct mt_plugin *p, size_t n)
{
	return (const struct mt_component *)((const char *)p->components +
					     n * p->components->size);
}

static int descriptor_check_version(const struct mt_component *c,
				    const struct kind_info *k, struct error *err)
{
	bool same = c->version_major == k->major;
	bool newer = same ? c->version_minor > k->minor : c->version_major > k->major;

	if (k->major == 0 ? same && c->version_minor == k->minor : same && !newer)
		return MT_OK;
	return fail(err, MT_EUNSUPPORTED,
		    "built for %s ABI %u.%u, but this mortise has %u.%u%s; %s", k->name,
		    c->version_major, c->version_minor, k->major, k->minor,
		    k->major == 0 ? " (provisional versions must be equal)" : "",
		    newer ? "update mortise" : "use a newer build of the plugin");
}

int component_check(const struct mt_component *c, struct error *err)
{
	const struct kind_info *k = kind_info(c->kind);
	int status = descriptor_check_name(c->name, "component name", err);

	if (status)
		return status;
	if (!k)
		return fail(err, MT_EUNSUPPORTED,
			    "unknown component type %u; update mortise", c->kind);
	status = descriptor_check_version(c, k, err);
	if (status)
		return status;
	if (c->reserved)
		return fail(err, MT_EUNSUPPORTED,
			    "%s `%s` has a reserved member that is not 0; update mortise",
			    k->name, c->name);
	if (!c->functions)
		return fail(err, MT_EINVAL, "%s `%s` has no functions", k->name, c->name);
	if (*(const uint32_t *)c->functions < k->functions_size)
		return fail(err, MT_EINVAL,
			    "functions of %s `%s` declare a size of %u bytes, but at "
			    "least %u are required; rebuild the plugin with the "
			    "installed headers",
			    k->name, c->name, *(const uint32_t *)c->functions,
			    k->functions_size);
	if (c->option_count && !c->options)
		return fail(err, MT_EINVAL,
			    "%s `%s` has %u options, but their table is NULL", k->name,
			    c->name, c->option_count);
	if (c->option_count > OPTIONS_MAX)
		return fail(err, MT_EINVAL,
			    "%s `%s` has %u options, but at most %d are allowed", k->name,
			    c->name, c->option_count, OPTIONS_MAX);
	return MT_OK;
}

/* ---- the file -------------------------------------------------------------- */

static int descriptor_read_head(const char *path, ElfW(Ehdr) * head, uint64_t *ret_size)
{
	AUTO(close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat st;

	memset(head, 0, sizeof *head);
	if (fd < 0 || read(fd, head, sizeof *head) < 0 || fstat(fd, &st) != 0)
		return MT_EIO;
	*ret_size = (uint64_t)st.st_size;
	return MT_OK;
}

int registry_check_elf(const char *path, struct error *err)
{
	ElfW(Ehdr) head, own;
	uint64_t size, own_size;

	if (descriptor_read_head(path, &head, &size))
		return fail(err, MT_EDENIED, "cannot read the file");
	if (memcmp(head.e_ident, ELFMAG, SELFMAG) != 0)
		return fail(err, MT_EINVAL,
			    "not a shared library%s; a plugin is a compiled .so file",
			    utf8_valid((char *)&head, strnlen((char *)&head, 16)) &&
					    head.e_ident[0]
				    ? " (it appears to be text)"
				    : "");
	if (descriptor_read_head("/proc/self/exe", &own, &own_size))
		return MT_OK;
	if (head.e_ident[EI_CLASS] != own.e_ident[EI_CLASS] ||
	    head.e_machine != own.e_machine)
		return fail(err, MT_EINVAL,
			    "built for another machine type (%u; this mortise uses %u); "
			    "rebuild it here",
			    head.e_machine, own.e_machine);
	if (head.e_type != ET_DYN)
		return fail(err, MT_EINVAL,
			    "an object file, but not a shared library; link it with "
			    "-shared");
	if (head.e_shoff > size ||
	    (uint64_t)head.e_shnum * head.e_shentsize > size - head.e_shoff)
		return fail(err, MT_EINVAL, "truncated; copy the file again");
	return MT_OK;
}

/* The text between two markers; "" if they are missing. */
static void between(const char *text, const char *before, const char *after, char *to,
		    size_t size)
{
	const char *start = strstr(text, before), *end;

	*to = '\0';
	if (!start)
		return;
	start += strlen(before);
	end = strstr(start, after);
	if (end && (size_t)(end - start) < size)
		snprintf(to, size, "%.*s", (int)(end - start), start);
}

/* The message of the dynamic linker. It starts with the path. */
static int explain_dlerror(const char *path, const char *said, struct error *err)
{
	size_t len = strlen(path);
	const char *symbol;
	char name[256];

	if (!said)
		return fail(err, MT_EIO, "cannot be loaded");
	between(said, "version `GLIBC_", "' not found", name, sizeof name);
	if (*name)
		return fail(
			err, MT_EUNSUPPORTED,
			"built for glibc %s, but this system has %s; rebuild it here or "
			"on an older system",
			name, gnu_get_libc_version());
	between(said, "version `", "' not found", name, sizeof name);
	if (*name)
		return fail(err, MT_EUNSUPPORTED,
			    "requires a newer library (version %s); update the library, "
			    "or rebuild the plugin here",
			    name);
	symbol = strstr(said, "undefined symbol: ");
	if (symbol)
		return fail(err, MT_EINVAL,
			    "undefined symbol %.200s; link the library that defines it "
			    "(-Wl,-z,defs detects this at build time)",
			    symbol + strlen("undefined symbol: "));
	if (strncmp(said, path, len) != 0 &&
	    strstr(said, ": cannot open shared object file: Permission denied"))
		return fail(err, MT_EDENIED,
			    "requires the library %.*s, which cannot be read: Permission "
			    "denied",
			    (int)strcspn(said, ":"), said);
	if (strncmp(said, path, len) != 0 &&
	    strstr(said, ": cannot open shared object file"))
		return fail(err, MT_ENOTFOUND,
			    "requires the library %.*s, which is not installed",
			    (int)strcspn(said, ":"), said);
	if (strncmp(said, path, len) == 0 && said[len] == ':')
		said += len + 1 + (said[len + 1] == ' ');
	return fail(err, MT_EIO, "cannot be loaded: %s", said);
}

/* Report the other major version if there is a symbol of one. */
static int no_entry(void *handle, struct error *err)
{
	char symbol[32];

	for (unsigned v = 2; v < 10; v++) {
		snprintf(symbol, sizeof symbol, "mortise_plugin_v%u", v);
		if (dlsym(handle, symbol))
			return fail(err, MT_EUNSUPPORTED,
				    "built for plugin ABI %u, but this mortise has %u; "
				    "update mortise",
				    v, MT_ABI_MAJOR);
	}
	return fail(err, MT_EINVAL,
		    "has no symbol " MT_PLUGIN_SYMBOL
		    "; it is a library, but not a mortise plugin");
}

int registry_open_file(const char *path, const struct mt_plugin **ret, struct error *err)
{
	const struct mt_plugin *(*entry)(void);
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL); /* never closed */
	const struct mt_plugin *p;
	int status;

	if (!handle)
		return explain_dlerror(path, dlerror(), err);
	*(void **)&entry = dlsym(handle, MT_PLUGIN_SYMBOL);
	if (!entry)
		return no_entry(handle, err);
	p = entry();
	if (!p)
		return fail(err, MT_EINVAL, "its " MT_PLUGIN_SYMBOL " returned nothing");
	status = check_plugin(p, err);
	if (!status)
		*ret = p;
	return status;
}
