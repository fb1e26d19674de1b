/* SPDX-License-Identifier: MIT
 *
 * caches.c - the environment variables of caches. doc/sandbox.md has the list. */
#include "sandbox/caches.h"

#include "auto.h"
#include "strbuf.h"

#include <stdlib.h>

static const struct {
	const char *variable, *directory;
	const char *before; /* text before the directory; NULL: none */
} caches[] = {
	{ "XDG_CACHE_HOME", "cache", NULL },
	{ "CCACHE_DIR", "ccache", NULL },
	{ "PIP_CACHE_DIR", "pip", NULL },
	{ "UV_CACHE_DIR", "uv", NULL },
	{ "IPYTHONDIR", "ipython", NULL },
	{ "JUPYTER_DATA_DIR", "jupyter", NULL },
	{ "JUPYTER_CONFIG_DIR", "jupyter-config", NULL },
	{ "MPLCONFIGDIR", "matplotlib", NULL },
	{ "CHROME_CONFIG_HOME", "chrome", NULL }, /* it creates profiles there */
	{ "npm_config_cache", "npm", NULL },
	{ "npm_config_store_dir", "pnpm", NULL },
	{ "YARN_CACHE_FOLDER", "yarn", NULL },
	{ "BUN_INSTALL_CACHE_DIR", "bun", NULL },
	{ "DENO_DIR", "deno", NULL },
	{ "CARGO_HOME", "cargo", NULL },
	{ "GOPATH", "go", NULL },
	{ "GOCACHE", "go-build", NULL },
	{ "GOMODCACHE", "go-mod", NULL },
	{ "GRADLE_USER_HOME", "gradle", NULL },
	{ "MAVEN_OPTS", "maven", "-Dmaven.repo.local=" },
	{ "NUGET_PACKAGES", "nuget", NULL },
	{ "DOTNET_CLI_HOME", "dotnet", NULL },
	{ "COMPOSER_HOME", "composer", NULL },
	{ "BUNDLE_USER_HOME", "bundle", NULL },
	{ "GEM_SPEC_CACHE", "gem", NULL },
	{ "CABAL_DIR", "cabal", NULL },
	{ "STACK_ROOT", "stack", NULL },
};

int sandbox_caches_set(const char *cache)
{
	for (size_t i = 0; i < ARRAY_LEN(caches); i++) {
		AUTO(strbuf) struct strbuf value = STRBUF(8192);

		strbuf_addf(&value, "%s%s/%s", caches[i].before ? caches[i].before : "",
			    cache, caches[i].directory);
		if (value.error || setenv(caches[i].variable, value.text, 1))
			return MT_ENOMEM;
	}
	return MT_OK;
}
