import { assertEquals, assertStringIncludes } from "@std/assert";
import { z } from "zod";
import { httpTool } from "@/tests/support/agents.ts";
import { EgressServer } from "@/tests/support/egress_server.ts";
import { mcpEndpoint, type McpEndpointOptions } from "@/tests/support/mcp_server.ts";
import { noAbort, toolsetOf } from "@/tests/support/toolsets.ts";
import type { Toolset } from "../toolset.ts";

const URL_OF_SERVER = "https://tools.example.com/mcp";

function mcpTool(change: Record<string, unknown> = {}) {
  return { type: "mcp", name: "crm", url: URL_OF_SERVER, ...change };
}

const TOOLS: McpEndpointOptions["tools"] = (server) => {
  server.registerTool(
    "add",
    { description: "Adds.", inputSchema: { a: z.number(), b: z.number() } },
    ({ a, b }) => ({ content: [{ type: "text", text: `${a + b}` }] }),
  );
  server.registerTool("who", { outputSchema: { name: z.string() } }, () => ({
    content: [{ type: "text", text: "ignored" }],
    structuredContent: { name: "Ada" },
  }));
  server.registerTool("mixed", {}, () => ({
    content: [
      { type: "text", text: "a picture:" },
      { type: "image", data: "AAAA", mimeType: "image/png" },
    ],
  }));
  server.registerTool("fail", {}, () => ({
    isError: true,
    content: [{ type: "text", text: "no such customer" }],
  }));
  server.registerTool("long", {}, () => ({
    content: [{ type: "text", text: "x".repeat(70_000) }],
  }));
};

async function codeOf(toolset: Toolset, name: string, args: unknown = {}): Promise<string> {
  const output = await toolset.execute(name, args, noAbort());
  return (output as { error: { code: string } }).error.code;
}

for (
  const kind of [{}, { json: true }, { session: true }, { json: true, session: true }]
) {
  Deno.test(`mcp: tools are listed and called over Streamable HTTP ${JSON.stringify(kind)}`, async () => {
    await using server = new EgressServer(mcpEndpoint({ tools: TOOLS, ...kind }));
    const toolset = toolsetOf(server, [mcpTool()]);
    const described = await toolset.listTools(noAbort());
    assertEquals(described.map(({ name }) => name), ["add", "who", "mixed", "fail", "long"]);
    assertEquals(described[0]?.description, "Adds.");
    assertEquals(described[0]?.parameters.required, ["a", "b"]);
    const call = (name: string, args: unknown = {}) => toolset.execute(name, args, noAbort());
    assertEquals(await call("add", { a: 1, b: 2 }), { content: "3" });
    assertEquals(await call("who"), { content: { name: "Ada" } });
    assertEquals(await call("mixed"), {
      content: "a picture:\n(image, image/png, 4 characters of base64)",
    });
    assertEquals(await call("fail"), {
      error: { code: "tool_http_error", message: "no such customer" },
    });
    assertEquals(await codeOf(toolset, "long"), "tool_response_too_large");
    assertEquals(await codeOf(toolset, "add", { a: "1", b: 2 }), "tool_invalid_arguments");
    assertEquals(await codeOf(toolset, "constructor"), "tool_unknown");
    await toolset.close();
    const methods = new Set(server.seen.map(({ method }) => method));
    assertEquals([...methods].sort(), "session" in kind ? ["DELETE", "POST"] : ["POST"]);
    assertEquals(toolset.egressCalls.length, server.seen.length);
    assertEquals(toolset.notes, []);
  });
}

Deno.test("mcp: tools are listed once per run", async () => {
  await using server = new EgressServer(mcpEndpoint({ tools: TOOLS }));
  const toolset = toolsetOf(server, [mcpTool()]);
  await Promise.all([toolset.listTools(noAbort()), toolset.listTools(noAbort())]);
  await toolset.execute("add", { a: 1, b: 2 }, noAbort());
  const lists = server.seen.filter(({ body }) => body.includes('"tools/list"'));
  assertEquals(lists.length, 1);
  await toolset.close();
});

Deno.test("mcp: allow filters, a name clash is prefixed, a second clash is omitted", async () => {
  await using server = new EgressServer(mcpEndpoint({ tools: TOOLS }));
  const toolset = toolsetOf(server, [
    mcpTool({ name: "one", allow: ["add", "who"] }),
    mcpTool({ name: "two", allow: ["add", "nothing"] }),
    httpTool({ name: "who" }),
    httpTool({ name: "two_add" }),
  ]);
  const names = (await toolset.listTools(noAbort())).map(({ name }) => name);
  assertEquals(names, ["who", "two_add", "add", "one_who"]);
  assertEquals(toolset.notes, ["two: add is left out: its name is taken"]);
  assertEquals(await toolset.execute("one_who", {}, noAbort()), { content: { name: "Ada" } });
  await toolset.close();
});

/** A server that lists exactly `tools` in plain JSON-RPC. */
function listing(tools: unknown[]) {
  return new EgressServer(({ body }) => {
    const { id, method } = JSON.parse(body);
    if (id === undefined) return new Response(null, { status: 202 });
    const info = { name: "raw", version: "1" };
    const capabilities = { tools: {} };
    const result = method === "initialize"
      ? { protocolVersion: "2025-06-18", capabilities, serverInfo: info }
      : { tools };
    return Response.json({ jsonrpc: "2.0", id, result });
  });
}

function listed(name: string, inputSchema: Record<string, unknown> = {}) {
  return { name, inputSchema: { type: "object", ...inputSchema } };
}

Deno.test("mcp: names, schemas and number of tools are limited", async () => {
  const many = Array.from({ length: 70 }, (_, n) => listed(`t${n}`));
  await using server = listing(many);
  const three = [mcpTool({ name: "a" }), mcpTool({ name: "b" }), mcpTool({ name: "c" })];
  const toolset = toolsetOf(server, three);
  const names = (await toolset.listTools(noAbort())).map(({ name }) => name);
  assertEquals(names.length, 128);
  assertEquals(names.slice(62, 66), ["t62", "t63", "b_t0", "b_t1"]);
  await toolset.close();
  await using odd = listing([
    listed("spaced name"),
    listed("9th"),
    listed("x".repeat(65)),
    listed("large", { title: "x".repeat(17_000) }),
    listed("deep", JSON.parse(`{"not":${"[".repeat(5000)}${"]".repeat(5000)}}`)),
    listed("good"),
  ]);
  const picky = toolsetOf(odd, [mcpTool()]);
  assertEquals((await picky.listTools(noAbort())).map(({ name }) => name), ["good"]);
  assertEquals(picky.notes.length, 5);
  await picky.close();
});

Deno.test("mcp: arguments whose schema cannot be compiled are left to their server", async () => {
  const schema = z.object({ length: z.iso.duration() });
  await using server = new EgressServer(mcpEndpoint({
    tools: (mcp) =>
      mcp.registerTool("wait", { inputSchema: schema }, ({ length }) => ({
        content: [{ type: "text", text: length }],
      })),
  }));
  const toolset = toolsetOf(server, [mcpTool()]);
  const call = (args: unknown) => toolset.execute("wait", args, noAbort());
  assertEquals(await call({ length: "P1D" }), { content: "P1D" });
  assertStringIncludes(JSON.stringify(await call({ length: "P" })), "Invalid ISO duration");
  assertEquals(await codeOf(toolset, "wait", ["P1D"]), "tool_invalid_arguments");
  await toolset.close();
});

Deno.test("mcp: a server that is down or not MCP is omitted and the others stay", async () => {
  const servers = [
    new EgressServer(() => new Response("down", { status: 503 })),
    new EgressServer(() => new Response("<html>")),
    new EgressServer(() => Response.json({ hello: "world" })),
    new EgressServer(() =>
      new Response("x", { status: 200, headers: { "content-encoding": "zstd" } })
    ),
    new EgressServer(() => Response.redirect("https://other.example.com/", 307)),
  ];
  const codes = [];
  for (const server of servers) {
    const toolset = toolsetOf(server, [mcpTool(), httpTool()]);
    const names = (await toolset.listTools(noAbort())).map(({ name }) => name);
    assertEquals(names, ["look_up"]);
    codes.push(toolset.notes[0]?.split(":")[1]?.trim());
    await toolset.close();
  }
  assertEquals(codes, [
    "tool_http_error",
    "tool_unreachable",
    "tool_unreachable",
    "tool_unreachable",
    "tool_http_error",
  ]);
  for (const server of servers) await server[Symbol.asyncDispose]();
});

Deno.test("mcp: no connection to a server outside allowedDomains or at a private address", async () => {
  await using server = new EgressServer(mcpEndpoint({ tools: TOOLS }), {
    addresses: { "tools.example.com": ["10.0.0.1"] },
  });
  for (const url of [URL_OF_SERVER, "https://evil.example/mcp", "http://tools.example.com/mcp"]) {
    const toolset = toolsetOf(server, [mcpTool({ url })]);
    assertEquals(await toolset.listTools(noAbort()), []);
    assertStringIncludes(toolset.notes[0] ?? "", "domain_not_allowed");
    await toolset.close();
  }
  assertEquals(server.dialled, []);
});

Deno.test("mcp: secrets are sent in headers and redacted in responses", async () => {
  const key = "mcp_key_0123456789";
  await using server = new EgressServer(mcpEndpoint({
    tools: (mcp) =>
      mcp.registerTool("echo", { description: `Knows ${key}` }, () => ({
        content: [{ type: "text", text: `your key is ${key}` }],
      })),
  }));
  const secrets = { KEY: { value: key, domains: ["tools.example.com"] } };
  const headers = { authorization: "Bearer {{secret.KEY}}" };
  const toolset = toolsetOf(server, [mcpTool({ headers })], { secrets });
  assertEquals((await toolset.listTools(noAbort()))[0]?.description, "Knows [secret]");
  assertEquals(await toolset.execute("echo", {}, noAbort()), {
    content: "your key is [secret]",
  });
  for (const { headers } of server.seen) {
    assertEquals(headers.get("authorization"), `Bearer ${key}`);
  }
  await toolset.close();
});

Deno.test("mcp: a broken response fails immediately, an aborted run ends its call", async () => {
  const answer = mcpEndpoint({ tools: TOOLS });
  const asked = Promise.withResolvers<void>();
  const server = new EgressServer((seen) => {
    if (!seen.body.includes('"tools/call"')) return answer(seen);
    if (seen.body.includes('"add"')) {
      const body = new ReadableStream({ pull: (stream) => stream.error(new Error("broken")) });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    }
    asked.resolve();
    return new Promise<Response>(() => {});
  });
  const toolset = toolsetOf(server, [mcpTool()]);
  assertEquals(await codeOf(toolset, "add", { a: 1, b: 2 }), "tool_unreachable");
  const stop = new AbortController();
  const call = toolset.execute("who", {}, { signal: stop.signal });
  await asked.promise;
  stop.abort();
  assertEquals(await call, { error: { code: "tool_timeout", message: "the call was stopped" } });
  await toolset.close();
  await server.abandon();
});

Deno.test("mcp: a server that sends endless requests is cut off", async () => {
  const answer = mcpEndpoint({ tools: TOOLS });
  await using server = new EgressServer((seen) => {
    if (!seen.body.includes('"tools/call"')) return answer(seen);
    const pings = Array.from(
      { length: 1000 },
      (_, n) => `data: ${JSON.stringify({ jsonrpc: "2.0", id: `p${n}`, method: "ping" })}\n\n`,
    );
    return new Response(pings.join(""), { headers: { "content-type": "text/event-stream" } });
  });
  const toolset = toolsetOf(server, [mcpTool()]);
  assertEquals(await codeOf(toolset, "add", { a: 1, b: 2 }), "tool_unreachable");
  assertEquals(server.seen.length <= 256, true);
  await toolset.close();
});

Deno.test("mcp: notes contain no secret, even where they are cut", async () => {
  const key = "mcp_key_0123456789";
  const tools = [
    { name: `not a name: ${key}`, inputSchema: { type: "object" } },
    { name: `${"x".repeat(55)} ${key}`, inputSchema: { type: "object" } },
    { name: "fine", description: "d".repeat(1_015) + key, inputSchema: { type: "object" } },
  ];
  const answer = mcpEndpoint({ tools: TOOLS, json: true });
  await using server = new EgressServer((seen) => {
    if (!seen.body.includes('"tools/list"')) return answer(seen);
    const { id } = JSON.parse(seen.body);
    return Response.json({ jsonrpc: "2.0", id, result: { tools } });
  });
  const secrets = { KEY: { value: key, domains: ["tools.example.com"] } };
  const headers = { authorization: "Bearer {{secret.KEY}}" };
  const toolset = toolsetOf(server, [mcpTool({ headers })], { secrets });
  const described = JSON.stringify(await toolset.listTools(noAbort()));
  assertEquals(toolset.notes.length, 2);
  assertEquals([...toolset.notes, described].filter((text) => text.includes("mcp_key")), []);
  await toolset.close();
});

Deno.test("mcp: messages about invalid arguments contain no secret, even where they are cut", async () => {
  const key = "mcp_key_0123456789";
  for (let pad = 170; pad < 205; pad += 5) {
    const kind = { enum: ["x".repeat(pad), key] };
    await using server = listing([listed("pick", { properties: { kind } })]);
    const secrets = { KEY: { value: key, domains: ["tools.example.com"] } };
    const headers = { authorization: "Bearer {{secret.KEY}}" };
    const toolset = toolsetOf(server, [mcpTool({ headers })], { secrets });
    const output = JSON.stringify(await toolset.execute("pick", { kind: "other" }, noAbort()));
    assertStringIncludes(output, "tool_invalid_arguments");
    assertEquals(output.includes("mcp_"), false, output);
    await toolset.close();
  }
});
