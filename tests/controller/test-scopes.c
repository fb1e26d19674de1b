/* SPDX-License-Identifier: MIT
 *
 * test-scopes.c - the scopes that are offered for an action, and the actions that a
 * granted scope covers. */
#include "features/approval/action-hash.h"
#include "features/approval/scope.h"

#include "files.h"
#include "tap.h"

#include <string.h>
#include <sys/stat.h>

static char root[256]; /* the workspace, its links resolved */
static struct scope_place place;

/* `^` stands for the workspace. */
static char *expand(const char *text)
{
	AUTO(strbuf) struct strbuf out = STRBUF(1 << 16);

	for (; *text; text++)
		if (*text == '^')
			strbuf_add(&out, root);
		else
			strbuf_addc(&out, *text);
	return strbuf_take(&out);
}

static struct event *make(const char *type, const char *name, const char *value)
{
	AUTO(free) char *text = expand(value);
	struct error err = ERROR_NONE;
	json_object *args;

	if (*value == '{') {
		args = js_parse_object(text, strlen(text), &err);
	} else {
		args = json_object_new_object();
		js_set_str(args, name, text);
	}
	return event_action(type, SOURCE_AGENT, args, &err);
}

static struct event *run(const char *command)
{
	return make("run", "command", command);
}

/* ---- offered scopes ---------------------------------------------------------------- */

static const struct {
	const char *command, *texts; /* behind the exact one, one a line; * is the default */
} offers[] = {
	/* known programs: with their subcommand */
	{ "git status", "*`git status` with any arguments\nevery `git` command" },
	{ "git --no-pager diff HEAD~1", "*`git diff` with any arguments\nevery `git` command" },
	{ "ls -la src", "*`ls` with any arguments" },
	{ "make -j4 check", "*`make` with any arguments" },
	{ "cargo test", "*`cargo test` with any arguments\nevery `cargo` command" },
	{ "\\git status", "*`git status` with any arguments\nevery `git` command" },
	{ "'git' \"status\"", "*`git status` with any arguments\nevery `git` command" },
	{ "pip3 install x", "*`pip3 install` with any arguments\nevery `pip3` command" },
	/* unknown ones: the exact command, wider on demand */
	{ "frobnicate --all", "`frobnicate` with any arguments" },
	{ "touch one", "`touch` with any arguments" },
	{ "brew install jq", "`brew install` with any arguments\nevery `brew` command" },
	{ "tar -xf a.tar", "`tar` with any arguments" },
	{ "./configure --prefix=/x", "`^/configure` with any arguments" },
	{ "link/tool", "`^/real/tool` with any arguments" },
	/* compound: all of them, without those that need no approval */
	{ "cd src && make 2>&1 | tail", "*`make` with any arguments" },
	{ "git add . && git commit -m 'x y'",
	  "*`git add` with any arguments, `git commit` with any arguments\nevery `git` command" },
	{ "git log | grep -c fix", "*`git log` with any arguments\nevery `git` command" },
	{ "echo \"$(git rev-parse HEAD)\"",
	  "*`git rev-parse` with any arguments\nevery `git` command" },
	{ "for f in a b; do git show $x; done", "" },
	{ "if [ -f x ]; then make; fi; frob",
	  "`make` with any arguments, `frob` with any arguments" },
	{ "set -euo pipefail; make", "*`make` with any arguments" },
	{ "make >/dev/null 2>&1", "*`make` with any arguments" },
	{ "git apply < a.patch", "*`git apply` with any arguments\nevery `git` command" },
	/* only the exact command */
	{ "git", "" },
	{ "git co main", "" },              /* an alias may run anything */
	{ "git -c core.pager=x log", "" },
	{ "git -C /elsewhere status", "" },
	{ "git --git-dir=/x status", "" },
	{ "git config alias.s '!sh'", "" },
	{ "git submodule foreach x", "" },
	{ "git log --output=/x", "" },
	{ "git log --outp /x", "" },
	{ "git diff --ext-diff", "" },
	{ "git rebase -x 'rm y' HEAD~2", "" },
	{ "git grep -O'rm y' z", "" },
	{ "git clone -c a.b=c u", "" },
	{ "git fetch --upload-pack=x u", "" },
	{ "git bisect run x", "" },
	{ "GIT_SSH_COMMAND=x git push", "" },
	{ "LD_PRELOAD=x ls", "" },
	{ "PATH=/x; git status", "" },
	{ "git status > x", "" },
	{ "git log >> x", "" },
	{ "git log | tee x", "`git log` with any arguments, `tee` with any arguments\n"
	  "every `git` command, `tee` with any arguments" },
	{ "git status; git() { rm x; }; git status", "" },
	{ "git $x", "" },
	{ "$x status", "" },
	{ "git diff $x", "" },
	{ "git diff *", "" },
	{ "git diff {a,--output=x}", "" },
	{ "/tmp/git status", "" },
	{ "./git status", "" },
	{ "sudo git status", "" },
	{ "env git status", "" },
	{ "command git status", "" },
	{ "exec git status", "" },
	{ ". ./x", "" },
	{ "source x", "" },
	{ "flock l git status", "" },
	{ "nohup make", "" },
	{ "timeout 9 make", "" },
	{ "strace ls", "" },
	{ "chroot / ls", "" },
	{ "ls | xargs rm", "" },
	{ "find . -exec rm x ;", "" },
	{ "find . -delete", "" },
	{ "ssh -o ProxyCommand=x h", "" },
	{ "bash -c ls", "" },
	{ "python3 x.py", "" },
	{ "eval git status", "" },
	{ "sed -i s/a/b/ x", "" },
	{ "tar --to-command=sh -xf a", "" },
	{ "tar --to-com sh -xf a", "" },
	{ "tar -xIf sh a", "" },
	{ "tar xIf sh a", "" },
	{ "rsync -e 'sh -c x' a b", "" },
	{ "rsync --rsh=x a b", "" },
	{ "make SHELL=/tmp/x", "" },
	{ "make -f /tmp/x", "" },
	{ "make --eval='x:;y'", "" },
	{ "make -C /elsewhere", "" },
	{ "go test -exec x ./...", "" },
	{ "go test --exec=x ./...", "" },
	{ "go run x.go", "" },
	{ "cargo --config x build", "" },
	{ "cargo build --config x", "" },
	{ "cargo +nightly build", "" },
	{ "npm run t --script-shell=x", "" },
	{ "npm exec x", "" },
	{ "npx x", "" },
	{ "pip install --index-url http://x y", "" },
	{ "pip install -i http://x y", "" },
	{ "pip install --index http://x y", "" },
	{ "docker run x", "" },
	{ "docker -H tcp://x ps", "" },
	{ "sort -o x y", "" },
	{ "sort -uox y", "" },
	{ "rg --pre sh x", "" },
	{ "alias git=rm", "" },
	{ "export PATH=/x", "" },
	{ "cd / && make", "" },
	{ "cd .. && make", "" },
	{ "cd out && make", "" },           /* a link that leaves the workspace */
	{ "cd $x && make", "" },
	{ "make | tail x", "*`make` with any arguments, `tail` with any arguments" },
	{ "echo x", "" },                   /* nothing that could be named */
	{ "[ -v 'a[$(rm x)]' ] && make", "" },
	{ "printf -v PATH x; make", "" },
	{ "make <<E\n$(rm x)\nE", "" },
	{ "make\r", "" },
	{ "git status 'x", "" },
	{ "git log </dev/tcp/h/1", "" },
	{ "make &> x", "" },
	{ "coproc git push", "*`git push` with any arguments\nevery `git` command" },
};

static void check_offer(const struct event *e, const char *what, const char *expected)
{
	AUTO(free) char *wanted = expand(expected);
	AUTO(strbuf) struct strbuf got = STRBUF(1 << 16);
	AUTO(json) json_object *list = NULL;
	struct error err = ERROR_NONE;
	size_t offer = 0;

	if (!e || scopes_offer(e, &place, &list, &offer, &err)) {
		CHECK_MSG(false, "%s: %s", what, err.text);
		return;
	}
	for (size_t i = 1; i < json_object_array_length(list); i++)
		strbuf_addf(&got, "%s%s%s", i > 1 ? "\n" : "", i == offer ? "*" : "",
			    js_str(json_object_array_get_idx(list, i), "text", ""));
	CHECK_STR(got.text, wanted);
	for (size_t i = 0; i < json_object_array_length(list); i++) {
		AUTO(json) json_object *one = json_object_new_array();

		json_object_array_add(one, json_object_get(
						   json_object_array_get_idx(list, i)));
		CHECK_MSG(scopes_cover(one, e, &place), "%s: scope %zu covers it", what,
			  i);
	}
}

static void test_offers(void)
{
	for (size_t i = 0; i < ARRAY_LEN(offers); i++) {
		AUTO(event) struct event *e = run(offers[i].command);

		check_offer(e, offers[i].command, offers[i].texts);
	}
}

/* ---- covered actions --------------------------------------------------------------- */

static const struct {
	const char *granted;
	int scope;                 /* index in the offered scopes */
	const char *command;
	bool covered;
} covers[] = {
	{ "git status", 0, "git status", true },
	{ "git status", 0, "git status -s", false },
	{ "git status", 1, "git status -s", true },
	{ "git status", 1, "git reset --hard", false },
	{ "git status", 1, "git push --force", false },
	{ "git status", 1, "git clean -fdx", false },
	{ "git status", 1, "git -c core.fsmonitor=x status", false },
	{ "git status", 1, "git status > x", false },
	{ "git status", 1, "git status; rm x", false },
	{ "git status", 1, "git status | sh", false },
	{ "git status", 1, "git status $(rm x)", false },
	{ "git status", 1, "git status `rm x`", false },
	{ "git status", 1, "git status <(rm x)", false },
	{ "git status", 1, "git status &\nrm x", false },
	{ "git status", 1, "GIT_DIR=x git status", false },
	{ "git status", 1, "sudo git status", false },
	{ "git status", 1, "./git status", false },
	{ "git status", 1, "cd src && git status | head -5", true },
	{ "git status", 1, "cd src && git status | head -5 x", false },
	{ "git status", 1, "cd /tmp && git status", false },
	{ "git status", 1, "(cd src; git status)", true },
	{ "git status", 1, "git \"sta\"tus", true },
	{ "git status", 1, "git stat\\us", true },
	{ "git status", 1, "git s", false },
	{ "git status", 1, "cd src", false }, /* free pieces are not enough alone */
	{ "git status", 2, "git reset --hard", true },
	{ "git status", 2, "git co x", false },
	{ "git status", 2, "git config a b", false },
	{ "git status", 2, "git log --output=x", false },
	{ "make", 1, "make check", true },
	{ "make", 1, "make CC=x", false },
	{ "make", 1, "make -j8 2>&1 | tail -20", true },
	{ "make", 1, "make -j8 2>&1 | grep -E 'a|b' | tail -n 20", true },
	{ "make", 1, "make | grep -f x", false },
	{ "make", 1, "make | sort -o x", false },
	{ "make", 1, "make && echo done > x", false },
	{ "make", 1, "gmake", false },
	{ "make", 1, "nice make", false },
	{ "frob a", 0, "frob  a", false },
	{ "frob a", 1, "frob b", true },
	{ "frob a", 1, "frob $x", true },
	{ "frob a", 1, "frob > x", false },
	{ "frob a", 1, "X=1 frob", false },
	{ "frob a", 1, "./frob", false },
	{ "frob a", 1, "frob() { :; }; frob", false },
	{ "link/tool a", 1, "real/tool b", true },
	{ "link/tool a", 1, "./link/../link/tool b", true },
	{ "link/tool a", 1, "tool b", false },
	{ "cd src && make && git log", 1, "make", true },
	{ "cd src && make && git log", 1, "git log -3", true },
	{ "cd src && make && git log", 1, "git push", false },
	{ "sudo x", 0, "sudo x", true },
	{ "sudo x", 0, "sudo y", false },
	{ "git push", 1, "git push $x", false },
	{ "cat x", 1, "cat $y", true },
	{ "cat x", 1, "cat x > y", false },
	{ "cat x", 1, "cat ${y@P}", false },
	{ "cat x", 1, "cat x; echo ${y@P}", false },
	{ "cat x", 1, "cat x; echo $[y]", false },
	{ "cat x", 1, "cat x; : ${PATH=.}", false },
	{ "cat x", 1, "cat \"${y:-'$(rm x)'}\"", false },
	{ "cat x", 1, "cat ${y:-x}", true },
	{ "cat x", 1, "for PATH in .; do cat x; done", false },
	{ "cat x", 1, "for f in a b; do cat $f; done", true },
	{ "cat x", 1, "sleep 1 & wait -n -p PATH; cat x", false },
	{ "cat x", 1, "sleep 1 & wait; cat x", true },
	{ "cat x", 1, "[ -v 'a[x]' ] && cat x", false },
	{ "cat x", 1, "echo {PATH}< x; cat x", false },
	{ "npm run build", 1, "npm run test", true },
	{ "npm run build", 1, "npm run test --script-shell=/tmp/x", false },
	{ "npm run build", 1, "npm run test -- --script-sh /tmp/x", false },
	{ "go test", 1, "go test -run X ./...", true },
	{ "go test", 1, "go test -toolexec=x ./...", false },
};

/* One of the scopes that `e` is offered, alone in a list. */
static json_object *grant(const struct event *e, int scope)
{
	AUTO(json) json_object *list = NULL;
	struct error err = ERROR_NONE;
	json_object *one = json_object_new_array();
	size_t offer;

	if (e && !scopes_offer(e, &place, &list, &offer, &err))
		json_object_array_add(one, json_object_get(json_object_array_get_idx(
						   list, (size_t)scope)));
	return one;
}

static void check_cover(const struct event *granted, int scope, const struct event *e,
			const char *name, bool covered)
{
	AUTO(json) json_object *scopes = grant(granted, scope);

	CHECK_MSG(e && scopes_cover(scopes, e, &place) == covered, "%s: %s `%s`",
		  js_str(json_object_array_get_idx(scopes, 0), "text", "no scope"),
		  covered ? "covers" : "does not cover", name);
}

static void test_covers(void)
{
	for (size_t i = 0; i < ARRAY_LEN(covers); i++) {
		AUTO(event) struct event *granted = run(covers[i].granted);
		AUTO(event) struct event *e = run(covers[i].command);

		check_cover(granted, covers[i].scope, e, covers[i].command,
			    covers[i].covered);
	}
}

/* ---- other types -------------------------------------------------------------------- */

static const struct {
	const char *type, *name, *value, *texts;
} others[] = {
	{ "edit", "path", "^/src/a.c",
	  "changing `^/src/a.c`\n*changing `^/src` and everything in it\n"
	  "changing `^` and everything in it" },
	{ "edit", "path", "^/a.c", "changing `^/a.c`\n*changing `^` and everything in it" },
	{ "read", "path", "^/a.c", "reading `^/a.c`\n*reading `^` and everything in it" },
	{ "edit", "path", "^/link/new/b.c",
	  "changing `^/real/new/b.c`\n*changing `^/real/new` and everything in it\n"
	  "changing `^` and everything in it" },
	{ "edit", "path", "^/out/passwd", "" },
	{ "edit", "path", "^/dangling", "" },
	{ "edit", "path", "^/src/../../etc/passwd", "" },
	{ "edit", "path", "^x/a", "" },
	{ "edit", "path", "src/a.c", "" },
	{ "edit", "path", "^/.git/hooks/pre-commit", "" },
	{ "edit", "path", "^/src/.GIT/config", "" },
	{ "edit", "path", "^/to-git/config", "" },
	{ "edit", "path", "^/.mortise/mortise.ini", "" },
	{ "edit", "path", "^/.envrc", "" },
	{ "edit", "path", "^/home/.bashrc", "" },
	{ "write", "path", "{\"path\":\"/etc/x\",\"content\":\"\"}", "" },
	{ "browse", "url", "https://A.example:8/b?c", "*pages of https://a.example:8" },
	{ "browse", "url", "https://a.example\\@evil.example/", "" },
	{ "browse", "url", "https://user@evil.example/", "" },
	{ "browse", "url", "file:///etc/passwd", "" },
	{ "run_ipython", "code", "print(1)", "" },
	{ "browse_interactive", "browser_actions", "click('1')", "" },
	{ "run", "command", "{\"command\":\"y\",\"is_input\":true}", "" },
	{ "call_tool", "name", "deploy", "every call of tool `deploy`" },
	{ "call_tool_mcp", "name", "deploy",
	  "every call of tool `deploy` of server `web`" },
};

static void test_others(void)
{
	place.tool = "deploy";
	place.toolset = "web";
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		AUTO(event) struct event *e =
			make(others[i].type, others[i].name, others[i].value);

		check_offer(e, others[i].value, others[i].texts);
	}
}

static void check_pair(int scope, const char *type, const char *name, const char *granted,
		       const char *value, bool covered)
{
	AUTO(event) struct event *a = make(type, name, granted);
	AUTO(event) struct event *b = make(type, name, value);

	check_cover(a, scope, b, value, covered);
}

static void test_other_covers(void)
{
	static const char *const never[] = {
		"^/.git/config", "^/out/x", "^/to-git/config", "^/home/.profile", "/etc/x",
		"^/src/../../x", "^/dangling",
	};
	AUTO(event) struct event *read = make("read", "path", "^/src/a.c");
	AUTO(event) struct event *edit = make("edit", "path", "^/src/a.c");
	AUTO(json) json_object *scopes = grant(edit, 3);

	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		check_pair(3, "edit", "path", "^/src/a.c", never[i], false);
	check_pair(1, "edit", "path", "^/src/a.c", "^/src/../src/a.c", true);
	check_pair(1, "edit", "path", "^/src/a.c", "^/src/b.c", false);
	check_pair(2, "edit", "path", "^/src/a.c", "^/src/b.c", true);
	check_pair(2, "edit", "path", "^/src/a.c", "^/srcx", false);
	check_pair(2, "edit", "path", "^/src/a.c", "^/a.c", false);
	check_pair(3, "edit", "path", "^/src/a.c", "^/link/x", true);
	CHECK_MSG(!scopes_cover(scopes, read, &place), "changing is not reading");
	check_pair(1, "browse", "url", "https://a.example/", "https://a.example/x", true);
	check_pair(1, "browse", "url", "https://a.example/", "http://a.example/x", false);
	check_pair(1, "browse", "url", "https://a.example/", "https://a.example.evil/",
		   false);
	check_pair(1, "browse", "url", "https://a.example/", "https://a.example@evil/",
		   false);
	check_pair(0, "run_ipython", "code", "1", "1", true);
	check_pair(0, "run_ipython", "code", "1", "2", false);
	check_pair(1, "call_tool_mcp", "name", "deploy", "deploy", true);
}

static void test_tools(void)
{
	AUTO(event) struct event *e = make("call_tool_mcp", "name", "deploy");
	AUTO(json) json_object *scopes = grant(e, 1);

	place.toolset = "other";
	CHECK_MSG(!scopes_cover(scopes, e, &place),
		  "the tool of another server is another");
	place.toolset = "web";
	place.tool = "destroy";
	CHECK_MSG(!scopes_cover(scopes, e, &place), "another tool of the server too");
}

/* ---- hashes --------------------------------------------------------------------------- */

static void hash_of(const char *type, const char *args, bool whole, char ret[SHA256_HEX])
{
	AUTO(event) struct event *e = make(type, "", args);

	if (!e || action_hash(e, whole, ret, NULL))
		ret[0] = '\0';
}

static void test_hashes(void)
{
	char a[SHA256_HEX], b[SHA256_HEX];

	hash_of("run", "{\"command\":\"ls\",\"thought\":\"x\",\"security_risk\":2}", true,
		a);
	hash_of("run", "{\"security_risk\":0,\"command\":\"ls\"}", true, b);
	CHECK_MSG(strlen(a) == 64, "SHA-256");
	CHECK_STR(a, b);
	hash_of("run", "{\"command\":\"ls\",\"is_input\":true}", true, b);
	CHECK_MSG(strcmp(a, b) != 0, "input is not a command");
	hash_of("run", "{\"command\":\"ls \"}", true, b);
	CHECK_MSG(strcmp(a, b) != 0, "every byte counts");
	hash_of("call_tool",
		"{\"name\":\"x\",\"arguments\":{\"a\":1,\"b\":[{\"c\":2,\"d\":3}]}}",
		true, a);
	hash_of("call_tool",
		"{\"arguments\":{\"b\":[{\"d\":3,\"c\":2}],\"a\":1},\"name\":\"x\"}",
		true, b);
	CHECK_STR(a, b);
	hash_of("call_tool",
		"{\"name\":\"x\",\"arguments\":{\"a\":1,\"b\":[{\"c\":2,\"d\":4}]}}",
		true, b);
	CHECK_MSG(strcmp(a, b) != 0, "deep values count");
	hash_of("run", "{\"command\":\"ls\",\"blocking\":true}", true, a);
	hash_of("run", "{\"command\":\"ls\"}", true, b);
	CHECK_MSG(strcmp(a, b) != 0, "how it is waited for is part of the action");
	hash_of("run", "{\"command\":\"ls\",\"blocking\":true}", false, a);
	hash_of("run", "{\"command\":\"ls\"}", false, b);
	CHECK_STR(a, b);
}

static void make_workspace(void)
{
	char path[512], temp[] = "/tmp/mortise-scopes-XXXXXX";
	static const char *const dirs[] = { "src", "src/.git", ".git", "real", "real/new",
					    "home", ".mortise" };
	static const char *const links[][2] = {
		{ "link", "real" }, { "out", "/etc" }, { "to-git", ".git" },
		{ "dangling", "/nowhere/at/all" },
	};

	if (!mkdtemp(temp) || !realpath(temp, path))
		abort();
	snprintf(root, sizeof root, "%.200s", path);
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		snprintf(path, sizeof path, "%s/%s", root, dirs[i]);
		mkdir(path, 0700);
	}
	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		snprintf(path, sizeof path, "%s/%s", root, links[i][0]);
		if (symlink(links[i][1], path))
			abort();
	}
	place = (struct scope_place){ .workspace = root, .dir = root, .tool = "",
				      .toolset = "" };
}

int main(void)
{
	make_workspace();
	test_offers();
	test_covers();
	test_others();
	test_other_covers();
	test_tools();
	test_hashes();
	dir_remove(root, NULL);
	return tap_done();
}
