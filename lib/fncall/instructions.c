/* SPDX-License-Identifier: MIT
 *
 * instructions.c - instructions for calling tools as text: the frame around their
 * descriptions, and an example that uses only tools of the request. */
#include "fncall/fncall.h"
#include <string.h>

const char fncall_suffix_head[] = "\n\n# Tools\n\n"
				  "These functions are at your service:\n\n";

const char fncall_suffix_tail[] =
	"\nTo call one, end your reply with a block of exactly this form:\n\n"
	"<function=name_of_the_function>\n"
	"<parameter=first_parameter>one value</parameter>\n"
	"<parameter=second_parameter>\n"
	"a value\n"
	"of several lines\n"
	"</parameter>\n"
	"</function>\n\n"
	"<IMPORTANT>\n"
	"- A call opens with <function= and closes with </function>, as above.\n"
	"- Give every parameter that is marked required, with its real value: never a "
	"placeholder such as `...`, `<path>` or `your text here`.\n"
	"- Make one call in a reply, and wait for its result.\n"
	"- Say why you call before the call; write nothing after it.\n"
	"- Where no function helps, answer in plain words and mention no function.\n"
	"</IMPORTANT>\n";

static const char example_head[] =
	"This is how someone worked on another task with the functions. It shows the "
	"form of calls; none of it was done here.\n\n"
	"--------------------- START OF EXAMPLE ---------------------\n\n"
	"USER: Write clock.py, which shows the time of day as a web page on port "
	"8090.\n\n";

static const char example_end[] =
	"--------------------- END OF EXAMPLE ---------------------\n\n"
	"Your own task begins here. Do not take anything in the example for done.\n\n"
	"--------------------- NEW TASK DESCRIPTION ---------------------\n";

const char fncall_example_tail[] =
	"\n--------------------- END OF NEW TASK DESCRIPTION ---------------------\n\n"
	"Mind the form of a call:\n"
	"- each opens with <function= and closes with </function>;\n"
	"- required parameters must be there;\n"
	"- one call in a reply, and no words after it.\n";

/* The tools of the example, by name. */
enum known { SHELL, EDITOR, LINES, WRITER, BROWSER, FINISH, KNOWN };

static const char *const known_names[KNOWN][4] = {
	[SHELL] = { "execute_bash", "bash", "terminal" },
	[EDITOR] = { "str_replace_editor", "file_editor", "editor" },
	[LINES] = { "edit_file" },
	[WRITER] = { "str_replace_editor", "file_editor", "editor", "edit_file" },
	[BROWSER] = { "browser" },
	[FINISH] = { "finish" },
};

/* A step is part of the example if its tool is available, and `instead` is not. The name
 * of the tool replaces @, also in the result. */
static const struct {
	enum known tool, instead;
	const char *risk; /* said where the tool asks for it */
	const char *text;
} steps[] = {
	{ SHELL, KNOWN, "LOW",
	  "ASSISTANT: I look at what is there first.\n"
	  "<function=@>\n<parameter=command>pwd && ls</parameter>\n</function>\n\n"
	  "USER: EXECUTION RESULT of [@]:\n/home/user/clock\nREADME\n\n" },
	{ EDITOR, KNOWN, "MEDIUM",
	  "ASSISTANT: Only the README exists. I will write the program.\n"
	  "<function=@>\n<parameter=command>create</parameter>\n"
	  "<parameter=path>/home/user/clock/clock.py</parameter>\n"
	  "<parameter=file_text>\nimport time\nfrom bottle import route, run\n\n\n"
	  "@route('/')\ndef now():\n    return time.ctime()\n\n\nrun(port=8090)\n"
	  "</parameter>\n</function>\n\n"
	  "USER: EXECUTION RESULT of [@]:\nThe file is written: "
	  "/home/user/clock/clock.py\n\n" },
	{ LINES, EDITOR, "MEDIUM",
	  "ASSISTANT: Only the README exists. I will write the program.\n"
	  "<function=@>\n<parameter=path>/home/user/clock/clock.py</parameter>\n"
	  "<parameter=start>1</parameter>\n<parameter=end>-1</parameter>\n"
	  "<parameter=content>\nimport time\nfrom bottle import route, run\n\n\n"
	  "@route('/')\ndef now():\n    return time.ctime()\n\n\nrun(port=8090)\n"
	  "</parameter>\n</function>\n\n"
	  "USER: EXECUTION RESULT of [@]:\nThe file is written: "
	  "/home/user/clock/clock.py\n\n" },
	{ SHELL, WRITER, "MEDIUM",
	  "ASSISTANT: Only the README exists. I will write the program.\n"
	  "<function=@>\n<parameter=command>\ncat > /home/user/clock/clock.py <<'END'\n"
	  "import time\nfrom bottle import route, run\n\n\n"
	  "@route('/')\ndef now():\n    return time.ctime()\n\n\nrun(port=8090)\nEND\n"
	  "</parameter>\n</function>\n\n"
	  "USER: EXECUTION RESULT of [@]:\n\n\n" },
	{ SHELL, KNOWN, "MEDIUM",
	  "ASSISTANT: I start it in the background and keep what it says.\n"
	  "<function=@>\n<parameter=command>cd /home/user/clock && "
	  "(python3 clock.py > clock.log 2>&1 &) ; sleep 1; cat clock.log</parameter>\n"
	  "</function>\n\n"
	  "USER: EXECUTION RESULT of [@]:\nModuleNotFoundError: No module named "
	  "'bottle'\n\n"
	  "ASSISTANT: A package is missing. I install it and start again.\n"
	  "<function=@>\n<parameter=command>pip install bottle && "
	  "(python3 clock.py > clock.log 2>&1 & echo $!)</parameter>\n</function>\n\n"
	  "USER: EXECUTION RESULT of [@]:\nSuccessfully installed bottle\n4711\n\n" },
	{ BROWSER, KNOWN, "LOW",
	  "ASSISTANT: It runs. I look at the page.\n"
	  "<function=@>\n<parameter=code>goto('http://127.0.0.1:8090')</parameter>\n"
	  "</function>\n\n"
	  "USER: EXECUTION RESULT of [@]:\n[Page at http://127.0.0.1:8090]\n"
	  "Tue Mar  3 10:20:30 2026\n\n" },
	{ SHELL, KNOWN, "MEDIUM",
	  "ASSISTANT: Only the time of day was asked for, so the date must go. I stop "
	  "the program.\n"
	  "<function=@>\n<parameter=command>kill 4711</parameter>\n</function>\n\n"
	  "USER: EXECUTION RESULT of [@]:\n\n\n" },
	{ EDITOR, KNOWN, "MEDIUM",
	  "ASSISTANT: I change the line that makes the text.\n"
	  "<function=@>\n<parameter=command>str_replace</parameter>\n"
	  "<parameter=path>/home/user/clock/clock.py</parameter>\n"
	  "<parameter=old_str>time.ctime()</parameter>\n"
	  "<parameter=new_str>time.strftime('%H:%M:%S')</parameter>\n</function>\n\n"
	  "USER: EXECUTION RESULT of [@]:\nThe file is changed.\n\n" },
	{ LINES, EDITOR, "MEDIUM",
	  "ASSISTANT: I change the line that makes the text.\n"
	  "<function=@>\n<parameter=path>/home/user/clock/clock.py</parameter>\n"
	  "<parameter=start>7</parameter>\n<parameter=end>7</parameter>\n"
	  "<parameter=content>    return time.strftime('%H:%M:%S')</parameter>\n"
	  "</function>\n\n"
	  "USER: EXECUTION RESULT of [@]:\nThe file is changed.\n\n" },
	{ SHELL, WRITER, "MEDIUM",
	  "ASSISTANT: I change the line that makes the text.\n"
	  "<function=@>\n<parameter=command>sed -i \"s/time.ctime()/time.strftime('%H:%M:%S')/\" "
	  "/home/user/clock/clock.py</parameter>\n</function>\n\n"
	  "USER: EXECUTION RESULT of [@]:\n\n\n" },
	{ SHELL, KNOWN, "MEDIUM",
	  "ASSISTANT: I start it once more and ask it.\n"
	  "<function=@>\n<parameter=command>cd /home/user/clock && "
	  "(python3 clock.py > clock.log 2>&1 &) ; sleep 1; curl -s "
	  "127.0.0.1:8090</parameter>\n</function>\n\n"
	  "USER: EXECUTION RESULT of [@]:\n10:21:07\n\n" },
	{ FINISH, KNOWN, "LOW",
	  "ASSISTANT: The task is done.\n"
	  "<function=@>\n<parameter=message>clock.py serves the time of day at "
	  "http://127.0.0.1:8090.</parameter>\n</function>\n\n" },
};

static const struct llm_tool *find_known(const struct llm_tool *tools, size_t count,
					 enum known k)
{
	for (size_t n = 0; k < KNOWN && n < 4 && known_names[k][n]; n++)
		for (size_t i = 0; i < count; i++)
			if (strcmp(tools[i].name, known_names[k][n]) == 0)
				return &tools[i];
	return NULL;
}

static bool asks_for_risk(const struct llm_tool *tool)
{
	return tool->schema && strstr(tool->schema, "\"security_risk\"");
}

/* A lone @ is the name; one before a letter (a decorator) stays. */
static void instructions_put_step(struct strbuf *out, const char *text,
				  const struct llm_tool *tool, const char *risk)
{
	static const char end[] = "</function>";
	bool risky = asks_for_risk(tool);

	for (const char *p = text; *p; p++) {
		if (risky && strncmp(p, end, sizeof end - 1) == 0)
			strbuf_addf(out, "<parameter=security_risk>%s</parameter>\n",
				    risk);
		if (*p == '@' && (p[1] == '>' || p[1] == ']'))
			strbuf_add(out, tool->name);
		else
			strbuf_addc(out, *p);
	}
}

int fncall_example(const struct llm_tool *tools, size_t count, struct strbuf *out)
{
	bool any = false;

	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		const struct llm_tool *tool = find_known(tools, count, steps[i].tool);

		if (!tool || find_known(tools, count, steps[i].instead))
			continue;
		if (!any)
			strbuf_add(out, example_head);
		any = true;
		instructions_put_step(out, steps[i].text, tool, steps[i].risk);
	}
	if (any)
		strbuf_add(out, example_end);
	return out->error;
}
