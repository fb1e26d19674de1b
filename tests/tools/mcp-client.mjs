// SPDX-License-Identifier: MIT
// `mortise tools serve` as an official client sees it: every tool is listed and
// called, with progress and cancelling.
//   node mcp-client.mjs NODE_MODULES VERSION DIR COMMAND [ARGUMENT]...
import { createRequire } from 'node:module';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import assert from 'node:assert';

const [modules, version, dir, command, ...args] = process.argv.slice(2);
const load = async name => import(pathToFileURL(
	createRequire(join(modules, 'x.js')).resolve(name)));
const { Client } = await load('@modelcontextprotocol/client');
const { StdioClientTransport } = await load('@modelcontextprotocol/client/stdio');

const modern = version === '2026-07-28';
const client = new Client({ name: 'test', version: '1' },
	{ versionNegotiation: { mode: modern ? { pin: version } : 'legacy' } });
await client.connect(new StdioClientTransport({ command, args, env: process.env, cwd: dir }));

// What tools are called with, others with nothing, and what the answer must have.
const file = join(dir, 'notes.txt');
writeFileSync(file, 'alpha\nbeta\n');
const calls = {
	execute_bash: [{ command: 'echo $((6*7))' }, /42/],
	str_replace_editor: [{ command: 'view', path: file }, /beta/],
	apply_patch: [{ patch: '*** Begin Patch\n*** Add File: new.txt\n+fresh\n*** End Patch' }, /new.txt/],
	grep: [{ pattern: 'alpha', path: dir }, /notes\.txt/],
	glob: [{ pattern: '*.txt', path: dir }, /notes\.txt/],
	view: [{ path: file }, /alpha/],
	execute_ipython_cell: [{ code: 'print(6*7)' }, /42|No module|kernel/],
	fetch: [{ url: 'http://127.0.0.1:9/' }, /is not allowed/],
	invoke_skill: [{ name: 'none' }, null],
};

const { tools } = await client.listTools();
const names = tools.map(t => t.name);
console.log(`${client.getNegotiatedProtocolVersion?.() ?? version}: ${names.join(' ')}`);
assert(names.includes('execute_bash') && names.includes('grep'));
assert(!names.includes('finish'));
for (const { name } of tools) {
	const [given, expected] = calls[name] ?? [{}, null];
	const result = await client.callTool({ name, arguments: given });
	const text = result.content.map(c => c.text ?? c.type).join('\n');
	console.log(`${name}: ${result.isError ? 'error: ' : ''}${text.slice(0, 100)}`);
	if (expected)
		assert.match(text, expected);
}

const seen = [];
await client.callTool(
	{ name: 'execute_bash', arguments: { command: 'for i in 1 2 3; do echo part $i; sleep 0.5; done' } },
	{ onprogress: p => seen.push(p) });
assert(seen.length > 0, 'no progress came');
assert(seen.every((p, i) => i === 0 || p.progress > seen[i - 1].progress));
assert(seen.some(p => /part 1/.test(p.message)));
console.log(`progress: ${seen.length} notices`);

const began = join(dir, 'began');
const abort = new AbortController();
const call = client.callTool(
	{ name: 'execute_bash', arguments: { command: `touch ${began}; sleep 1000` } },
	{ signal: abort.signal });
for (let n = 0; n < 1500 && !existsSync(began); n++)
	await new Promise(r => setTimeout(r, 20));
abort.abort('enough');
await assert.rejects(call);
const next = await client.callTool({ name: 'execute_bash', arguments: { command: 'echo next' } });
assert.match(next.content[0].text, /next/);
console.log('cancelled');
await client.close();
