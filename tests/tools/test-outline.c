/* SPDX-License-Identifier: MIT
 *
 * test-outline.c - pages as text for a model: each fact once. */
#include "plugins/tools/browser/outline.h"
#include "../oom.h"
#include "../tap.h"
#include <string.h>

/* A page is a list of lines ".ROLE|BID|NAME|VALUE|PROPERTIES", with a dot for each level.
 * The letter of the bid says how the element is. */
static const struct ax_mark *mark_of(void *arg, const char *bid)
{
	static const struct ax_mark plain = { .visibility = 1, .has_box = true },
				    clickable = { .visibility = 1, .clickable = true },
				    out = { .visibility = 0, .has_box = true },
				    closed = { .visibility = 1 },
				    scrolls = { .visibility = 1, .scrollable = true,
						.scroll_top = 20, .scroll_view = 100,
						.scroll_height = 900 };

	(void)arg;
	switch (*bid) {
	case 'c':
		return &clickable;
	case 'o':
		return &out;
	case 'x':
		return &closed;
	case 's':
		return &scrolls;
	default:
		return &plain;
	}
}

enum { FIELDS = 5, LINES = 200 };

static json_object *value_of(const char *text)
{
	json_object *o = js_new_object();

	js_set(o, "value",
	       *text == '#' ? json_object_new_int(atoi(text + 1))
			    : json_object_new_string(text));
	return o;
}

/* "name=value;name=value" */
static json_object *properties_of(char *text)
{
	json_object *list = js_new_list();

	for (char *one = strsep(&text, ";"); one && *one; one = strsep(&text, ";")) {
		json_object *p = js_new_object();
		char *name = strsep(&one, "=");

		js_set_str(p, "name", name);
		js_set(p, "value", value_of(one));
		json_object_array_add(list, p);
	}
	return list;
}

static json_object *node_of(char *line, int id)
{
	json_object *node = js_new_object();
	char *field[FIELDS] = { 0 }, text[20];

	for (size_t i = 0; i < FIELDS; i++)
		field[i] = strsep(&line, "|");
	snprintf(text, sizeof text, "%d", id);
	js_set_str(node, "nodeId", text);
	js_set(node, "role", value_of(field[0]));
	if (field[1] && *field[1])
		js_set_str(node, "browsergym_id", field[1]);
	js_set(node, "name", value_of(field[2] ? field[2] : ""));
	if (field[3] && *field[3])
		js_set(node, "value", value_of(field[3]));
	js_set(node, "properties", properties_of(field[4]));
	js_set(node, "childIds", json_object_new_array());
	return node;
}

static json_object *tree_of(const char *page)
{
	AUTO(free) char *copy = strdup(page);
	json_object *tree = js_new_object(), *nodes = json_object_new_array();
	json_object *path[LINES];
	char *rest = copy;
	int id = 0;

	js_set(tree, "nodes", nodes);
	for (char *line = strsep(&rest, "\n"); line && *line;
	     line = strsep(&rest, "\n"), id++) {
		size_t depth = strspn(line, ".");
		json_object *node = node_of(line + depth, id);

		if (depth)
			json_object_array_add(js_get(path[depth - 1], "childIds"),
					      json_object_get(js_get(node, "nodeId")));
		path[depth] = node;
		json_object_array_add(nodes, node);
	}
	return tree;
}

static const struct {
	const char *what, *page, *shown;
} cases[] = {
	{ "no page", "", "" },
	{ "a page", "RootWebArea||T||focused=true\n.main|2|\n..button|3|A\n..button|4|B\n",
	  "RootWebArea 'T'\nmain\n\t[3] button 'A'\n\t[4] button 'B'" },
	{ "a text in a box is on its line", ".paragraph|2|\n..StaticText||Hello\n",
	  "[2] 'Hello'" },
	{ "a text in a region is its name", ".status|2|\n..StaticText||2 left\n",
	  "[2] status '2 left'" },
	{ "what can be clicked says so, unless its role does",
	  ".generic|c2|\n..StaticText||Hello\n.button|c3|B\n",
	  "[c2] 'Hello', clickable\n[c3] button 'B'" },
	{ "boxes without a use",
	  ".generic|2|\n..list|3|\n...listitem|4|\n....link|5|A\n....link|6|B\n"
	  "...listitem|7|\n....link|8|C\n..generic|9|\n",
	  "[4] listitem\n\t[5] link 'A'\n\t[6] link 'B'\n[8] link 'C'" },
	{ "a heading, image or text that repeats its link",
	  ".heading|2|News\n..link|3|News\n...StaticText||News\n...image||News\n"
	  ".link|4|Big news\n..heading|5|Big\n",
	  "[3] link 'News'\n[4] link 'Big news'" },
	{ "a region's name says nothing of the texts in it",
	  ".region|2|Shopping cart\n..StaticText||cart\n..StaticText||a\n",
	  "[2] region 'Shopping cart'\n\t'cart'\n\t'a'" },
	{ "a label of a control",
	  ".LabelText|c2|\n..StaticText||Name:\n..textbox|3|Name|Ada|required=true\n"
	  "...StaticText||Ada\n.LabelText|c4|\n..StaticText||Alone\n",
	  "[3] textbox 'Name' value='Ada', required\n[c4] LabelText 'Alone'" },
	{ "parts of a date field",
	  ".Date|2|Day|2026-01-02\n..spinbutton||Month|#1\n...StaticText||01\n",
	  "[2] Date 'Day' value='2026-01-02'" },
	{ "properties", ".checkbox|2|A||checked=false\n.checkbox|3|B||checked=true;live=\n"
			".checkbox|4|C||checked=mixed\n.button|5|D||expanded=false\n"
			".button|6|E||disabled=true;hasPopup=menu\n",
	  "[2] checkbox 'A'\n[3] checkbox 'B', checked\n[4] checkbox 'C', checked='mixed'\n"
	  "[5] button 'D', collapsed\n[6] button 'E', disabled" },
	{ "URLs", ".link|2|A||url=http://x.example/c\n.link|3|B||url=http://x.example/a/b?c#e\n"
		  ".link|4|C||url=http://x.example.org/\n.link|5|D||url=javascript:f()\n",
	  "[2] link 'A' -> /c\n[3] link 'B' -> #e\n[4] link 'C' -> http://x.example.org/\n"
	  "[5] link 'D'" },
	{ "limits of a range, but not those that the page does not set",
	  ".slider|2|A|#3|valuemin=#0;valuemax=#10\n.spinbutton|3|B|#2|valuemin=#0;valuemax=#0\n"
	  ".spinbutton|4|C|#2|valuemin=#-5;valuemax=#0\n",
	  "[2] slider 'A' value=3, valuemin=0, valuemax=10\n[3] spinbutton 'B' value=2\n"
	  "[4] spinbutton 'C' value=2, valuemin=-5, valuemax=0" },
	{ "a term, and words that are emphasized",
	  ".DescriptionList|2|\n..term|3|Tenon\n...term|4|Tenon\n....StaticText||Tenon\n"
	  ".paragraph|5|\n..strong|6|\n...StaticText||Do\n..emphasis|c7|\n...StaticText||not\n",
	  "[3] term 'Tenon'\n[5] paragraph\n\t'Do'\n\t[c7] emphasis 'not', clickable" },
	{ "a caption that names its box",
	  ".group|2|Color\n..Legend|3|\n...StaticText||Color\n..radio|4|Red\n"
	  ".figure|5|A hand\n..Figcaption|6|\n...StaticText||Another\n",
	  "[2] group 'Color'\n\t[4] radio 'Red'\n"
	  "[5] figure 'A hand'\n\t[6] Figcaption 'Another'" },
	{ "rows of a table",
	  ".table|1|\n..rowgroup|2|\n...row|3|Tea 4 Buy\n....cell|4|Tea\n.....StaticText||Tea\n"
	  "....cell|5|\n....cell|6|4\n.....StaticText||4\n....cell|7|Buy\n.....button|8|Buy\n"
	  "...row|c9|x y\n....cell|c10|x\n....cell|11|y\n.....link|12|y\n.....StaticText||z\n",
	  "table\n\trow: 'Tea' |  | '4' | [8] button 'Buy'\n"
	  "\t[c9] row, clickable: [c10] 'x', clickable | [12] link 'y' 'z'" },
	{ "tables that only lay out the page",
	  ".LayoutTable|1|\n..LayoutTableRow|2|\n...LayoutTableCell|3|Logo Top Menu\n"
	  "....link|4|Logo\n....LayoutTable|5|\n.....LayoutTableRow|6|\n"
	  "......LayoutTableCell|7|Top\n.......heading|8|Top\n........StaticText||Top\n"
	  "...LayoutTableCell|9|Menu\n....StaticText||Menu\n"
	  "..LayoutTableRow|10|\n...LayoutTableCell|11|a\n....StaticText||a\n"
	  "...LayoutTableCell|12|b\n....StaticText||b\n",
	  "row\n\t[3] cell\n\t\t[4] link 'Logo'\n\t\t[7] cell\n\t\t\t[8] heading 'Top'\n"
	  "\t[9] 'Menu'\nrow: 'a' | 'b'" },
	{ "a row with boxes in it",
	  ".row|3|x\n..cell|4|x\n...list||Menu\n....button|5|A\n....button|6|B\n",
	  "list 'Menu'\n\t[5] button 'A'\n\t[6] button 'B'" },
	{ "options of a closed and an open list",
	  ".combobox|2|Color|Red|expanded=false\n..MenuListPopup||\n"
	  "...option|x3|Red||selected=true\n...option|x4|Blue||disabled=true\n"
	  ".listbox|5|Size\n..option|6|S\n..option|7|L||selected=true\n",
	  "[2] combobox 'Color' value='Red': 'Red', selected | 'Blue', disabled\n"
	  "[5] listbox 'Size': [6] 'S' | [7] 'L', selected" },
	{ "out of view, and a scroll area",
	  ".button|o2|A\n.generic|s3|\n..StaticText||one\n..button|4|B\n",
	  "~[o2] button 'A'\n[s3] generic, scrollable=20-120/900px\n\t'one'\n\t[4] button 'B'" },
	{ "a frame", ".Iframe|a|F\n..RootWebArea||G||url=about:srcdoc\n...button|a1|A\n",
	  "[a] Iframe 'F'\n\tRootWebArea 'G'\n\t[a1] button 'A'" },
};

static bool unseen; /* by the last one */

static int outline(json_object *tree, size_t most, bool visible_only, struct strbuf *out)
{
	const struct outline_options options = { .url = "http://x.example/a/b?c#d",
						 .visible_only = visible_only };

	*out = STRBUF(most);
	return outline_put(out, tree, &options, mark_of, NULL, &unseen, NULL);
}

/* A case that is not a whole page is embedded in one. */
static json_object *case_tree(size_t i)
{
	AUTO(free) char *page = NULL;

	if (asprintf(&page, "%s%s", *cases[i].page == '.' ? "none||\n" : "",
		     cases[i].page) < 0)
		abort();
	return tree_of(page);
}

static void pages(void)
{
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(json) json_object *tree = case_tree(i);
		struct strbuf out;

		if (*cases[i].page == '.') /* no line of its own */
			json_object_object_del(
				json_object_array_get_idx(js_get(tree, "nodes"), 0),
				"name");
		CHECK(outline(tree, 4096, false, &out) == MT_OK);
		if (strcmp(out.text ? out.text : "", cases[i].shown) != 0)
			CHECK_MSG(0, "%s: %s", cases[i].what, out.text);
		strbuf_clear(&out);
	}
}

/* A text that does not fit ends after a whole line. */
static void cut(void)
{
	bool good = true;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(json) json_object *tree = case_tree(i);
		AUTO(strbuf) struct strbuf whole = STRBUF(0);

		outline(tree, 4096, false, &whole);
		for (size_t max = 1; max < whole.len; max++) {
			AUTO(strbuf) struct strbuf part = STRBUF(0);

			good = good && outline(tree, max, false, &part) == MT_ELIMIT &&
			       (!part.len ||
				(memcmp(part.text, whole.text, part.len) == 0 &&
				 whole.text[part.len] == '\n'));
		}
	}
	CHECK_MSG(good, "cut at each byte");
}

static void visible(void)
{
	AUTO(json) json_object *tree =
		tree_of("RootWebArea||T\n.button|o2|A\n.generic|o3|\n"
			"..StaticText||x\n..button|4|B\n");
	AUTO(strbuf) struct strbuf out = STRBUF(0);

	CHECK(outline(tree, 4096, true, &out) == MT_OK);
	CHECK_STR(out.text, "RootWebArea 'T'\n[4] button 'B'");
	CHECK(unseen);
}

/* Elements without content, such as an empty box, do not count as omitted. */
static void whole(void)
{
	AUTO(json) json_object *tree =
		tree_of("RootWebArea||T\n.generic|o3|\n.button|4|B\n");
	AUTO(strbuf) struct strbuf out = STRBUF(0);

	CHECK(outline(tree, 4096, true, &out) == MT_OK);
	CHECK(!unseen);
}

static void long_list(void)
{
	AUTO(strbuf) struct strbuf page = STRBUF(1 << 16), out = STRBUF(0);
	AUTO(json) json_object *tree = NULL;

	strbuf_add(&page, "combobox|2|Country|0\n");
	for (int i = 0; i < OUTLINE_OPTIONS + 60; i++)
		strbuf_addf(&page, ".option|x%d|c%d\n", i, i);
	tree = tree_of(page.text);
	CHECK(outline(tree, 1 << 16, false, &out) == MT_OK);
	CHECK(strstr(out.text, " | 'c39' | and 60 more; find(text) shows all"));
	CHECK(!strstr(out.text, "c40"));
}

/* A chain far deeper than is walked, and nodes that name each other. */
static void deep(void)
{
	AUTO(json) json_object *tree = js_new_object(), *loop = NULL;
	AUTO(strbuf) struct strbuf out = STRBUF(0), round = STRBUF(0);
	json_object *nodes = json_object_new_array();
	static const char looped[] =
		"{\"nodes\":[null,3,{\"nodeId\":\"1\",\"name\":5,\"childIds\":[\"1\",null,"
		"\"9\"]}]}";

	js_set(tree, "nodes", nodes);
	for (int i = 0; i < 5000; i++) {
		char line[] = "r||n";
		json_object *node = node_of(line, i);
		char id[20];

		snprintf(id, sizeof id, "%d", i + 1);
		json_object_array_add(js_get(node, "childIds"),
				      json_object_new_string(id));
		json_object_array_add(nodes, node);
	}
	CHECK(outline(tree, 8 << 20, false, &out) == MT_ELIMIT);
	CHECK(out.len > AX_DEPTH * 4);
	loop = js_parse(looped, sizeof looped - 1, NULL);
	CHECK(outline(loop, 4096, false, &round) == MT_OK);
	CHECK(outline(NULL, 4096, false, &round) == MT_EINVAL);
}

static void no_memory(void)
{
	bool good = true;

	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(json) json_object *tree = case_tree(i);

		OOM_EACH({
			struct strbuf out;
			int status = outline(tree, 4096, false, &out);

			good = good && status == (oom_hit ? MT_ENOMEM : MT_OK);
			strbuf_clear(&out);
		});
	}
	CHECK_MSG(good, "each allocation failing once");
}

int main(void)
{
	pages();
	cut();
	visible();
	whole();
	long_list();
	deep();
	no_memory();
	return tap_done();
}
