/** Access tokens on the way to MCP servers that demand an authorization. */
import { assertEquals } from "@std/assert";
import { EgressServer, type SeenRequest } from "@/tests/support/egress_server.ts";
import { rawMcp, rpcsOf } from "@/tests/support/raw_mcp.ts";
import { noAbort, toolsetOf } from "@/tests/support/toolsets.ts";
import type { McpTokens } from "../callable_tool.ts";
import { Redactor } from "../redactor.ts";
import { ToolError } from "../tool_error.ts";
import { mcpFetch } from "./mcp_fetch.ts";

const SERVER = { type: "mcp", name: "crm", url: "https://tools.example.com/mcp" };
const FINE = { content: "fine" };

/** Tokens `token-1`, `token-2`, and so on; a rejection is recorded. */
function fakeTokens() {
  const log: string[] = [];
  let n = 1;
  const tokens: McpTokens = {
    current: (server) => {
      log.push(`current ${server.host}`);
      return Promise.resolve(`token-${n}`);
    },
    renew: (_server, { rejected }) => {
      log.push(`renew ${rejected}`);
      return Promise.resolve(`token-${++n}`);
    },
    reject: (_server, { rejected }) => {
      log.push(`reject ${rejected}`);
      return Promise.reject(new ToolError("tool_unauthorized", "needs attention"));
    },
  };
  return { log, tokens };
}

const tokenOf = ({ headers }: SeenRequest) => headers.get("authorization");
const unauthorized = () => new Response(null, { status: 401 });

Deno.test("mcp: a rejected token is renewed once, and the request repeated with the new one", async () => {
  let valid = "Bearer token-1";
  await using server = new EgressServer(
    rawMcp((asked) => tokenOf(asked) === valid ? undefined : unauthorized()),
  );
  const { log, tokens } = fakeTokens();
  const toolset = toolsetOf(server, [SERVER], { mcpTokens: tokens });
  assertEquals(await toolset.execute("ask", {}, noAbort()), FINE);
  valid = "Bearer token-2";
  assertEquals(await toolset.execute("ask", {}, noAbort()), FINE);
  assertEquals(log.filter((one) => !one.startsWith("current")), ["renew token-1"]);
  const calls = rpcsOf(server.seen).filter((rpc) => rpc.startsWith("tools/call"));
  assertEquals(calls.length, 3);
  valid = "";
  assertEquals(await toolset.execute("ask", {}, noAbort()), {
    error: { code: "tool_unauthorized", message: "needs attention" },
  });
  assertEquals(log.filter((one) => !one.startsWith("current")).slice(1), [
    "renew token-2",
    "reject token-3",
  ]);
  await toolset.close();
});

Deno.test("mcp: without a connection, a server that demands one is noted and left out", async () => {
  await using server = new EgressServer(unauthorized);
  const none = { ...fakeTokens().tokens, current: () => Promise.resolve(undefined) };
  const toolset = toolsetOf(server, [SERVER], { mcpTokens: none });
  assertEquals(await toolset.listTools(noAbort()), []);
  assertEquals(toolset.notes, [
    "crm: tool_unauthorized: tools.example.com demands an authorization: connect it in the dashboard",
  ]);
});

Deno.test("mcp: a token goes to its server's origin only, and no tool's own header is replaced", async () => {
  await using server = new EgressServer((seen) =>
    new URL(seen.url).pathname === "/mcp" && seen.url.startsWith("https://tools.")
      ? new Response(null, {
        status: 307,
        headers: { location: "https://other.example.com/mcp" },
      })
      : rawMcp()(seen)
  );
  const { tokens } = fakeTokens();
  const own = { authorization: "Basic b3duOmtleQ==" };
  const tool = { ...SERVER, name: "own", url: "https://other.example.com/own", headers: own };
  const toolset = toolsetOf(server, [SERVER, tool], { mcpTokens: tokens });
  await toolset.listTools(noAbort());
  await toolset.close();
  const sent = new Map(server.seen.map((seen) => [new URL(seen.url).href, tokenOf(seen)]));
  assertEquals([...sent].sort(), [
    ["https://other.example.com/own", own.authorization],
    ["https://tools.example.com/mcp", "Bearer token-1"],
  ]);
});

Deno.test("mcp: a call that needs more permissions fails, and a token that a server echoes is redacted", async () => {
  let isTooNarrow = false;
  const challenge = 'Bearer error="insufficient_scope", scope="write"';
  await using server = new EgressServer(
    rawMcp(({ rpc, id, headers }) => {
      if (rpc !== "tools/call") return undefined;
      if (isTooNarrow) {
        return new Response(null, { status: 403, headers: { "www-authenticate": challenge } });
      }
      const text = `you sent ${headers.get("authorization")}`;
      return Response.json({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } });
    }),
  );
  const toolset = toolsetOf(server, [SERVER], { mcpTokens: fakeTokens().tokens });
  assertEquals(await toolset.execute("ask", {}, noAbort()), {
    content: "you sent Bearer [secret]",
  });
  isTooNarrow = true;
  const message = "the connection lacks a permission for this: connect the server again";
  assertEquals(await toolset.execute("ask", {}, noAbort()), {
    error: { code: "tool_unauthorized", message },
  });
  await toolset.close();
});

Deno.test("mcp: whatever asks for another origin, it gets no token", async () => {
  const sent: unknown[] = [];
  const open = ({ headers }: { headers: Record<string, string> }) => {
    sent.push(headers.authorization);
    return Promise.resolve({ status: 202, headers: {}, body: none(), close: () => {} });
  };
  const { tokens: mcpTokens, log } = fakeTokens();
  const redactor = new Redactor();
  const context = { egress: { open }, allowedDomains: [], redactor, mcpTokens } as never;
  const options = { context, usesTokens: true, onFailure: () => {} };
  const fetch = mcpFetch(new URL(SERVER.url), options);
  const body = JSON.stringify({ jsonrpc: "2.0", method: "notifications/initialized" });
  for (
    const origin of [
      "https://tools.example.com",
      "https://evil.example",
      "http://tools.example.com",
    ]
  ) {
    await fetch(`${origin}/mcp`, { method: "POST", body });
  }
  assertEquals(sent, ["Bearer token-1", undefined, undefined]);
  assertEquals(log, ["current tools.example.com"]);
});

async function* none(): AsyncGenerator<Uint8Array> {}
