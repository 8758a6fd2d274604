/** MCP servers that end without a response, or send far too much. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { EgressServer, type SeenRequest } from "@/tests/support/egress_server.ts";
import { noAbort, toolsetOf } from "@/tests/support/toolsets.ts";

const SERVER = { type: "mcp", name: "crm", url: "https://tools.example.com/mcp" };
const TOOLS = [{ name: "ask", inputSchema: { type: "object" } }];

interface Asked extends SeenRequest {
  id: number | undefined;
}

/** A server with custom responses to calls and lists; everything else is correct. */
function serverOf(
  call: (asked: Asked) => Response,
  list: (asked: Asked) => unknown = () => ({ tools: TOOLS }),
): EgressServer {
  return new EgressServer((seen) => {
    if (seen.method === "GET") return call({ ...seen, id: undefined });
    const { id, method } = JSON.parse(seen.body || "{}");
    if (id === undefined) return new Response(null, { status: 202 });
    if (method === "tools/call") return call({ ...seen, id });
    const info = { name: "raw", version: "1" };
    const result = method === "tools/list"
      ? list({ ...seen, id })
      : { protocolVersion: "2025-06-18", capabilities: { tools: {} }, serverInfo: info };
    return Response.json({ jsonrpc: "2.0", id, result });
  });
}

const stream = (text: string) =>
  new Response(text, { headers: { "content-type": "text/event-stream" } });
const message = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const answer = (id: unknown, text = "late") => ({
  jsonrpc: "2.0",
  id,
  result: { content: [{ type: "text", text }] },
});

async function callOf(server: EgressServer): Promise<unknown> {
  const toolset = toolsetOf(server, [SERVER]);
  const output = await toolset.execute("ask", {}, noAbort());
  await toolset.close();
  return output;
}

async function faultOf(server: EgressServer): Promise<{ code: string; message: string }> {
  return (await callOf(server) as { error: { code: string; message: string } }).error;
}

const NO_ANSWER = {
  code: "tool_unreachable",
  message: "the server ended its answer without a result",
};

const ENDINGS: [string, (asked: Asked) => Response][] = [
  ["an empty stream", () => stream("")],
  ["signs of life alone", () => stream(": ping\n\n: ping\n\n")],
  [
    "a notification alone",
    () => stream(message({ jsonrpc: "2.0", method: "notifications/message", params: {} })),
  ],
  ["the answer to another request", ({ id }) => stream(message(answer(id! + 1_000)))],
  ["an answer that is none", ({ id }) => stream(message({ jsonrpc: "2.0", id, result: "7" }))],
  ["an event of another kind", ({ id }) => stream(`event: x\n${message(answer(id))}`)],
  ["JSON for another request", ({ id }) => Response.json(answer(id! + 1_000))],
  ["nothing but its acceptance", () => new Response(null, { status: 202 })],
  ["no content", () => new Response(null, { status: 204 })],
];

for (const [what, call] of ENDINGS) {
  Deno.test(`mcp: a call that ends with ${what} fails immediately`, async () => {
    await using server = serverOf(call);
    assertEquals(await faultOf(server), NO_ANSWER);
  });
}

Deno.test("mcp: a stream that a server ends early is resumed", async () => {
  let calls = 0;
  await using server = serverOf(({ method, headers, id }) => {
    if (method === "POST") {
      calls = id!;
      return stream("retry: 1\nid: e1\ndata: \n\n");
    }
    assertEquals(headers.get("last-event-id"), "e1");
    return stream(`id: e2\n${message(answer(calls))}`);
  });
  assertEquals(await callOf(server), { content: "late" });
});

Deno.test("mcp: a call ends if the resumed stream brings nothing or is rejected", async () => {
  for (const again of [stream(": nothing\n\n"), new Response("gone", { status: 404 })]) {
    await using server = serverOf(({ method }) =>
      method === "POST" ? stream("retry: 1\nid: e1\ndata: \n\n") : again.clone()
    );
    assertEquals(await faultOf(server), NO_ANSWER);
    await again.body?.cancel();
  }
});

Deno.test("mcp: a response with unknown properties is accepted", async () => {
  const odd = (id: unknown) => ({ ...answer(id, "fine"), took: 3 });
  await using json = serverOf(({ id }) => Response.json(odd(id)));
  assertEquals(await callOf(json), { content: "fine" });
  await using events = serverOf(({ id }) => stream(message([odd(id)])));
  assertEquals(await callOf(events), { content: "fine" });
});

Deno.test("mcp: a response with very many parts is parsed in bounded time", async () => {
  const numbers = Array.from({ length: 400_000 }, () => 1);
  await using wrong = serverOf(({ id }) =>
    Response.json({ jsonrpc: "2.0", id, result: { content: numbers } })
  );
  assertEquals((await faultOf(wrong)).code, "tool_response_too_large");
  const notes = Array.from({ length: 30_000 }, () => ({ jsonrpc: "2.0", method: "a" }));
  for (const flood of [stream("data: 1\n\n".repeat(50_000)), Response.json(notes)]) {
    await using server = serverOf(() => flood);
    assertEquals(await faultOf(server), {
      code: "tool_response_too_large",
      message: "the answer holds more than 2000 messages",
    });
  }
});

/** The tool names and notes for a server with such a list. */
async function described(list: (asked: Asked) => unknown): Promise<[string[], string]> {
  await using server = serverOf(() => new Response(), list);
  const toolset = toolsetOf(server, [SERVER]);
  const names = (await toolset.listTools(noAbort())).map(({ name }) => name);
  await toolset.close();
  return [names, toolset.notes.join()];
}

Deno.test("mcp: invalid items of a list are skipped", async () => {
  const odd = [1, null, "x", [], {}, { name: 7 }, { name: "a" }, { name: "b", inputSchema: [] }];
  assertEquals(await described(() => ({ tools: [...odd, ...TOOLS] })), [["ask"], ""]);
  const numbers = Array.from({ length: 400_000 }, () => 1);
  assertEquals(await described(() => ({ tools: numbers })), [[], ""]);
  assertEquals(await described(() => ({ tools: "all" })), [[], ""]);
});

Deno.test("mcp: the size of a list is limited over all its pages", async () => {
  let pages = 0;
  const endless = () => ({
    tools: [{ ...TOOLS[0], name: `t${++pages}` }],
    nextCursor: `${pages}`,
  });
  assertEquals((await described(endless))[0].length, 8);
  assertEquals(pages, 8);
  const large = () => ({
    tools: [{ ...TOOLS[0], description: "d".repeat(600_000) }],
    nextCursor: "x",
  });
  const [names, notes] = await described(large);
  assertEquals(names, []);
  assertStringIncludes(notes, "crm: tool_response_too_large");
});
