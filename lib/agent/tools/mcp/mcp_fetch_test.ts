import { assertEquals, assertRejects } from "@std/assert";
import { EgressServer, type SeenRequest } from "@/tests/support/egress_server.ts";
import { EgressError } from "../../../egress/egress_error.ts";
import { mcpFetch } from "./mcp_fetch.ts";
import { Redactor } from "../redactor.ts";

const URL_OF_SERVER = "https://tools.example.com/mcp";
const ERROR = { jsonrpc: "2.0", id: 1, error: { code: -1, message: "no" } };

/** A `mcpFetch` on a test server and the failures that it reported. */
function fetchOn(answer: (seen: SeenRequest) => Response) {
  const server = new EgressServer(answer);
  const failures: unknown[] = [];
  const { egress } = server;
  const allowedDomains = ["tools.example.com"];
  const world = {
    egress,
    tenant: "tenant",
    allowedDomains,
    redactor: new Redactor(),
    findSecret: () => undefined,
    visitor: new Map(),
  };
  const fetch = mcpFetch(new URL(URL_OF_SERVER), {
    context: { ...world, recordCall: () => {} },
    usesTokens: false,
    onFailure: (error) => failures.push(error),
  });
  const ask = (id: number) =>
    fetch(URL_OF_SERVER, {
      method: "POST",
      body: JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call" }),
    });
  const resume = (id: string) => fetch(URL_OF_SERVER, { headers: { "last-event-id": id } });
  return { server, failures, ask, resume };
}

const stream = (text: string) =>
  new Response(text, { headers: { "content-type": "Text/Event-Stream; charset=utf-8" } });

Deno.test("mcp fetch: only the stream of a pending request is resumed", async () => {
  const { server, failures, ask, resume } = fetchOn(({ method, body }) => {
    if (method === "GET") return stream(`id: e3\ndata: ${JSON.stringify({ ...ERROR, id: 2 })}\n\n`);
    return body.includes('"id":1')
      ? stream(`id: e1\ndata: ${JSON.stringify(ERROR)}\n\n`)
      : stream("id: e2\ndata: \n\n");
  });
  await using _server = server;
  await (await ask(1)).text();
  assertEquals((await resume("e1")).status, 405);
  await (await ask(2)).text();
  assertEquals((await resume("e1")).status, 405);
  assertEquals(
    await (await resume("e2")).text(),
    `id: e3\ndata: \n\ndata: ${JSON.stringify({ ...ERROR, id: 2 })}\n\n`,
  );
  assertEquals((await resume("e3")).status, 405);
  assertEquals(server.seen.map(({ method }) => method), ["POST", "POST", "GET"]);
  assertEquals(failures, []);
});

Deno.test("mcp fetch: failures after the response are ignored", async () => {
  const { server, failures, ask } = fetchOn(() =>
    stream(`data: ${JSON.stringify(ERROR)}\n\n${"data: 1\n\n".repeat(5_000)}`)
  );
  await using _server = server;
  const answer = await ask(1);
  assertEquals(answer.headers.get("content-type"), "text/event-stream");
  assertEquals(await answer.text(), `data: ${JSON.stringify(ERROR)}\n\n`);
  assertEquals(failures, []);
});

Deno.test("mcp fetch: only the headers that the library needs are relayed", async () => {
  const headers = { "mcp-session-id": "s1", "x-other": "1", "www-authenticate": "Bearer" };
  const { server, ask } = fetchOn(() => Response.json(ERROR, { headers }));
  await using _server = server;
  const answer = await ask(1);
  assertEquals(await answer.json(), [ERROR]);
  assertEquals(Object.fromEntries(answer.headers), {
    "content-type": "application/json",
    "mcp-session-id": "s1",
  });
});

Deno.test("mcp fetch: a server causes at most 256 requests, calls are not limited", async () => {
  const methods: string[] = [];
  const open = ({ method }: { method: string }) => {
    methods.push(method);
    const headers = { "content-type": "application/json" };
    return Promise.resolve({ status: 200, headers, body: nothing(), close: () => {} });
  };
  const world = { egress: { open }, allowedDomains: [], redactor: new Redactor() } as never;
  const fetch = mcpFetch(new URL(URL_OF_SERVER), {
    context: world,
    usesTokens: false,
    onFailure: () => {},
  });
  const ask = (id: number) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id, method: "tools/call" });
    return fetch(URL_OF_SERVER, { method: "POST", body });
  };
  const reply = () =>
    fetch(URL_OF_SERVER, { method: "POST", body: JSON.stringify({ id: "ping" }) });
  for (let id = 0; id < 300; id++) await ask(id);
  // The library repeats a request that is redirected.
  for (let n = 0; n < 128; n++) await Promise.all([ask(299), reply()]);
  await assertRejects(reply, EgressError, "too many requests");
  await assertRejects(() => ask(299), EgressError, "too many requests");
  await ask(300);
  await fetch(URL_OF_SERVER, { method: "DELETE" });
  assertEquals([methods.length, methods.at(-1)], [300 + 256 + 2, "DELETE"]);
});

/** An empty body. */
async function* nothing(): AsyncGenerator<Uint8Array> {}
