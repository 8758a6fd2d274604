/** MCP servers that lose their sessions or redirect. */
import { assertEquals } from "@std/assert";
import { EgressServer } from "@/tests/support/egress_server.ts";
import { type McpAsked, rawMcp, rpcsOf } from "@/tests/support/raw_mcp.ts";
import { noAbort, toolsetOf } from "@/tests/support/toolsets.ts";

const SERVER = { type: "mcp", name: "crm", url: "https://tools.example.com/mcp" };
const FINE = { content: "fine" };
const notFound = () => new Response("Session not found", { status: 404 });
const refusal = (status: number, text: string) => ({
  error: {
    code: "tool_http_error",
    message:
      `the server answered ${status}: Streamable HTTP error: Error POSTing to endpoint: ${text}`,
  },
});
const NOT_FOUND = refusal(404, "Session not found");

/** A toolset on a server, and calls of its tool. */
async function calling(server: EgressServer) {
  const toolset = toolsetOf(server, [SERVER]);
  await toolset.listTools(noAbort());
  return {
    toolset,
    call: () => toolset.execute("ask", {}, noAbort()),
    [Symbol.asyncDispose]: () => toolset.close(),
  };
}

const sessionOf = ({ headers }: McpAsked) => headers.get("mcp-session-id");

Deno.test("mcp: a lost session is replaced and the call repeated", async () => {
  let forgotten = "";
  await using server = new EgressServer(
    rawMcp((asked) => sessionOf(asked) === forgotten ? notFound() : undefined),
  );
  await using run = await calling(server);
  assertEquals(await run.call(), FINE);
  forgotten = "session-1";
  assertEquals(await run.call(), FINE);
  assertEquals(await run.call(), FINE);
  await run.toolset.close();
  assertEquals(rpcsOf(server.seen), [
    "initialize -",
    "notifications/initialized session-1",
    "tools/list session-1",
    "tools/call session-1",
    "tools/call session-1",
    "initialize -",
    "notifications/initialized session-2",
    "tools/call session-2",
    "tools/call session-2",
    "DELETE session-2",
  ]);
});

Deno.test("mcp: a call rejected in the new session too is not repeated again", async () => {
  await using server = new EgressServer(
    rawMcp(({ rpc }) => rpc === "tools/call" ? notFound() : undefined),
  );
  await using run = await calling(server);
  assertEquals(await run.call(), NOT_FOUND);
  const calls = rpcsOf(server.seen).filter((rpc) => rpc.startsWith("tools/call"));
  assertEquals(calls, ["tools/call session-1", "tools/call session-2"]);
});

Deno.test("mcp: after a failed reconnection the next call tries again", async () => {
  let isDown = false;
  await using server = new EgressServer(
    rawMcp((asked) => {
      if (!isDown) return undefined;
      return asked.rpc === "initialize" ? new Response("down", { status: 503 }) : notFound();
    }),
  );
  await using run = await calling(server);
  isDown = true;
  const down = refusal(503, "down");
  assertEquals(await run.call(), down);
  assertEquals(await run.call(), down);
  isDown = false;
  assertEquals(await run.call(), FINE);
});

Deno.test("mcp: a session is ended even if its handshake fails late", async () => {
  const isEnd = ({ rpc }: McpAsked) => rpc === "notifications/initialized";
  let refuses = true;
  await using server = new EgressServer(
    rawMcp((asked) => refuses && isEnd(asked) ? new Response("no", { status: 500 }) : undefined),
  );
  await using failed = await calling(server);
  await failed.toolset.close();
  const ends = () => rpcsOf(server.seen).filter((rpc) => rpc.startsWith("DELETE"));
  assertEquals(ends(), ["DELETE session-1"]);
  refuses = false;
  await using run = await calling(server);
  assertEquals(await run.call(), FINE);
  await run.toolset.close();
  assertEquals(ends(), ["DELETE session-1", "DELETE session-2"]);
});

Deno.test("mcp: a session whose second handshake fails late is ended before the next", async () => {
  let forgotten = "";
  let refuses = false;
  await using server = new EgressServer(
    rawMcp((asked) => {
      if (sessionOf(asked) === forgotten) return notFound();
      const isEnd = asked.rpc === "notifications/initialized";
      return refuses && isEnd ? new Response("no", { status: 500 }) : undefined;
    }),
  );
  await using run = await calling(server);
  [forgotten, refuses] = ["session-1", true];
  await run.call();
  refuses = false;
  assertEquals(await run.call(), FINE);
  await run.toolset.close();
  const ends = rpcsOf(server.seen).filter((rpc) => rpc.startsWith("DELETE"));
  assertEquals(ends, ["DELETE session-2", "DELETE session-3"]);
});

Deno.test("mcp: without a session a 404 is final", async () => {
  const answer = rawMcp(({ rpc }) => rpc === "tools/call" ? notFound() : undefined);
  await using server = new EgressServer(async (seen) => {
    const { status, body } = await answer(seen);
    return new Response(body, { status, headers: { "content-type": "application/json" } });
  });
  await using run = await calling(server);
  assertEquals(await run.call(), NOT_FOUND);
  assertEquals(rpcsOf(server.seen).filter((rpc) => rpc.startsWith("tools/call")).length, 1);
});

Deno.test("mcp: a redirect is followed only to the same origin, with the tool's headers", async () => {
  const to = (url: string) => new Response(null, { status: 307, headers: { location: url } });
  const answer = rawMcp();
  await using server = new EgressServer((seen) => {
    const { pathname } = new URL(seen.url);
    if (pathname === "/mcp") return to("/mcp/");
    return pathname === "/away" ? to("https://other.example.com/mcp/") : answer(seen);
  });
  const headers = { "x-key": "k" };
  const away = { ...SERVER, name: "away", url: "https://tools.example.com/away", headers };
  const toolset = toolsetOf(server, [{ ...SERVER, headers }, away]);
  assertEquals(await toolset.execute("ask", {}, noAbort()), FINE);
  await toolset.close();
  assertEquals(toolset.notes, [
    "away: tool_http_error: the server answered 307: Streamable HTTP error: Error POSTing to " +
    "endpoint: Redirect to https://other.example.com/mcp/ not followed (redirectPolicy: 'same-origin')",
  ]);
  assertEquals(new Set(server.seen.map(({ headers }) => headers.get("x-key"))), new Set(["k"]));
  assertEquals(
    new Set(toolset.egressCalls.map(({ host }) => host)),
    new Set(["tools.example.com"]),
  );
});
