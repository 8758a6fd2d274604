/** Tools of an agent, from a message to what a server elsewhere gets to see. */
import { assertEquals } from "@std/assert";
import { runRecordSchema } from "@/lib/usage/run_record.ts";
import { httpTool } from "./support/agent_bodies.ts";
import type { SeenRequest } from "./support/egress_server.ts";
import { fastSystem } from "./support/fast_system.ts";
import { one, order } from "./support/frame_words.ts";
import { readFrames } from "./support/frames.ts";
import { mcpEndpoint } from "./support/mcp_server.ts";
import { TestService } from "./support/service.ts";
import { byKey, embed, say } from "./support/widget_calls.ts";

/** A plain http server on loopback, as an operator may have one beside the service. */
function listen(answer: (seen: SeenRequest) => Response | Promise<Response>) {
  const asked: string[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { method, url, headers } = request;
      asked.push(`${method} ${new URL(url).pathname}${new URL(url).search}`);
      return await answer({ method, url, headers, body: await request.text() });
    },
  );
  const host = `127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  return { asked, host, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** The frames of a message to an agent with `tools`, all of whose hosts are allowed. */
async function ask(
  options: { host: string; env: Record<string, string>; tools: unknown[]; message: string },
) {
  const { host, env, tools, message } = options;
  const kv = await Deno.openKv(":memory:");
  await using service = await TestService.start({ ...fastSystem(), env, kv });
  const { key } = await embed(service);
  const agent = await service.agent(key, { tools, allowedDomains: [host] });
  const body = { agentId: agent.id, messages: [say(message)] };
  const frames = await readFrames(await byKey(service, { key, body }));
  const records = await Array.fromAsync(kv.list({ prefix: ["runs"] }));
  return { frames, records: records.map(({ value }) => runRecordSchema.parse(value)) };
}

function lookupAt(host: string) {
  const request = { method: "GET", url: `http://${host}/items`, query: { q: "{{q}}" } };
  return httpTool({ request });
}

Deno.test("an agent's http tool is called and its answer shown, where EGRESS_ALLOW lets it", async () => {
  await using server = listen(() => Response.json({ price: 12 }));
  const { host } = server;
  const message = 'use lookup with {"q": "red shoes"}';
  const env = { EGRESS_ALLOW: host };
  const { frames, records } = await ask({ host, env, tools: [lookupAt(host)], message });
  assertEquals(order(frames), ["start", "tool_call", "tool_result", "delta", "usage", "done"]);
  assertEquals(one(frames, "tool_result").output, { status: 200, body: { price: 12 } });
  assertEquals(server.asked, ["GET /items?q=red%20shoes"]);
  const [kept] = records[0]!.egress!;
  assertEquals([kept?.host, kept?.address, kept?.status], [host, "127.0.0.1", 200]);
  assertEquals([records[0]!.steps, records[0]!.toolCalls], [2, 1]);
});

Deno.test("without EGRESS_ALLOW neither plain http nor a private address is reached", async () => {
  await using server = listen(() => Response.json({}));
  const { host } = server;
  const message = 'use lookup with {"q": "x"}';
  const { frames } = await ask({ host, env: {}, tools: [lookupAt(host)], message });
  const { error } = one(frames, "tool_result").output as { error: { code: string } };
  assertEquals(error.code, "domain_not_allowed");
  assertEquals(one(frames, "done").finishReason, "stop");
  assertEquals(server.asked, []);
});

Deno.test("a tool that names a secret nobody has set is told so, and nothing is sent", async () => {
  await using server = listen(() => Response.json({}));
  const { host } = server;
  const url = `http://${host}/items`;
  const request = { method: "GET", url, headers: { authorization: "Bearer {{secret.CRM_KEY}}" } };
  const { frames } = await ask({
    host,
    env: { EGRESS_ALLOW: host },
    tools: [httpTool({ request })],
    message: "use lookup with {}",
  });
  assertEquals(one(frames, "tool_result").output, {
    error: { code: "tool_unreachable", message: "the secret CRM_KEY is not set" },
  });
  assertEquals(server.asked, []);
});

Deno.test("an agent's MCP server is listed, called and let go", async () => {
  const answer = mcpEndpoint({
    session: true,
    tools: (mcp) =>
      mcp.registerTool("hours", {}, () => ({ content: [{ type: "text", text: "9 to 5" }] })),
  });
  await using server = listen(answer);
  const { host } = server;
  const tools = [{ type: "mcp", name: "shop", url: `http://${host}/mcp` }];
  const env = { EGRESS_ALLOW: host };
  const { frames } = await ask({ host, env, tools, message: "use hours with {}" });
  assertEquals(one(frames, "tool_result").output, { content: "9 to 5" });
  assertEquals(server.asked.at(-1), "DELETE /mcp");
});
