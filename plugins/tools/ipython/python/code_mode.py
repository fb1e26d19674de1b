# SPDX-License-Identifier: MIT
# Run in a new kernel with code_mode: `tools` offers the tools of the conversation as
# functions. A call is a request for input that begins with a token; its answer is JSON.
def _mortise_tools(token, listing):
    import inspect
    import json
    import keyword
    import threading

    kernel = get_ipython().kernel
    most = 1 << 20

    class ToolError(Exception):
        """A call of a tool failed or was refused."""

    def call(name, arguments):
        request = json.dumps({"name": name, "arguments": arguments})
        if len(request) > most:
            raise ToolError("The arguments are longer than %d bytes." % most)
        if threading.current_thread() is not threading.main_thread():
            raise ToolError("Tools can be called from the main thread only.")
        answer = json.loads(kernel.raw_input(token + request))
        if answer.get("is_error"):
            raise ToolError(answer["text"])
        cut = "\n[The rest of the result was cut.]" if answer.get("is_cut") else ""
        return answer["text"] + cut

    def function(tool):
        schema = tool.get("parameters") or {}
        required = schema.get("required", [])
        lines = [tool.get("description", ""), ""]
        parameters = []
        for name, one in schema.get("properties", {}).items():
            one = one if isinstance(one, dict) else {}  # true and false are schemas too
            lines.append("%s (%s%s): %s" % (
                name, one.get("type", "any"), ", required" if name in required else "",
                one.get("description", "")))
            if name.isidentifier() and not keyword.iskeyword(name):
                default = inspect.Parameter.empty if name in required else None
                parameters.append(inspect.Parameter(
                    name, inspect.Parameter.KEYWORD_ONLY, default=default))

        def run(**arguments):
            return call(tool["name"], arguments)

        run.__name__ = run.__qualname__ = tool["name"]
        run.__doc__ = "\n".join(lines)
        try:
            run.__signature__ = inspect.Signature(parameters)
        except ValueError:
            pass
        return run

    functions = {tool["name"]: function(tool) for tool in json.loads(listing)["tools"]}

    class Tools:
        """The tools of the conversation: tools.NAME(ARGUMENT=VALUE) or tools["NAME"]."""

        def __getattr__(self, name):
            try:
                return functions[name]
            except KeyError:
                raise AttributeError("unknown tool %s; see dir(tools)" % name) from None

        def __getitem__(self, name):
            return functions[name]

        def __dir__(self):
            return sorted(functions) + ["ToolError"]

        def __repr__(self):
            return "<tools: %s>" % ", ".join(sorted(functions))

    Tools.ToolError = ToolError
    get_ipython().user_ns["tools"] = Tools()


