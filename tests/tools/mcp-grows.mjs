// SPDX-License-Identifier: MIT
// mcp-grows.mjs MODULES [PORTFILE]: a server made with the official SDK, whose tool
// `plain` adds the tool `grown`, and says so, before its result. On standard input and
// output, or over streamable HTTP.
import { createServer } from "node:http";
import { randomUUID } from "node:crypto";
import { writeFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [modules, portFile] = process.argv.slice(2);
const sdk = (path) =>
	import(pathToFileURL(join(modules, "@modelcontextprotocol/sdk/dist/esm/server", path)));
const { McpServer } = await sdk("mcp.js");

function make() {
	const server = new McpServer({ name: "grows", version: "1" });
	server.registerTool("plain", { description: "Adds a tool." }, async (extra) => {
		server.registerTool("grown", { description: "Is new." }, async () => ({
			content: [{ type: "text", text: "grown at last" }],
		}));
		await extra.sendNotification({ method: "notifications/tools/list_changed" });
		return { content: [{ type: "text", text: "done" }] };
	});
	return server;
}

if (!portFile) {
	const { StdioServerTransport } = await sdk("stdio.js");
	await make().connect(new StdioServerTransport());
} else {
	const { StreamableHTTPServerTransport } = await sdk("streamableHttp.js");
	const sessions = new Map();
	const http = createServer(async (request, response) => {
		let transport = sessions.get(request.headers["mcp-session-id"]);
		if (!transport) {
			transport = new StreamableHTTPServerTransport({
				sessionIdGenerator: randomUUID,
				onsessioninitialized: (id) => sessions.set(id, transport),
			});
			await make().connect(transport);
		}
		await transport.handleRequest(request, response);
	});
	http.listen(0, "127.0.0.1", () => {
		writeFileSync(portFile + ".new", String(http.address().port));
		renameSync(portFile + ".new", portFile);
	});
}
