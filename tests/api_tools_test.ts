/** An agent's tools, from the message to the request that a tool's server receives. */
import { assert, assertEquals, assertFalse } from "@std/assert";
import { unsealRunDetails } from "@/lib/store/runs/run_details.ts";
import { runRecordSchema } from "@/lib/store/runs/run_record.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { contentCipher } from "./support/content.ts";
import type { SeenRequest } from "./support/egress_server.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { frameTypes, onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { mcpEndpoint } from "./support/mcp_server.ts";
import { TestService } from "./support/service.ts";
import { storedText } from "./support/store.ts";
import { byKey, embed, say } from "./support/widget_calls.ts";
import { openTestKv } from "./support/open_kv.ts";

/** A plain HTTP server on loopback, as an operator may run beside the service. */
function listen(answer: (seen: SeenRequest) => Response | Promise<Response>) {
  const requests: string[] = [];
  const server = Deno.serve(
    { port: 0, hostname: "127.0.0.1", onListen: () => {} },
    async (request) => {
      const { method, url, headers } = request;
      requests.push(`${method} ${new URL(url).pathname}${new URL(url).search}`);
      return await answer({ method, url, headers, body: await request.text() });
    },
  );
  const host = `127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  return { requests, host, [Symbol.asyncDispose]: () => server.shutdown() };
}

/** The frames of a message to an agent with `tools`, all of whose hosts are allowed. */
async function ask(
  options: {
    host: string;
    env: Record<string, string>;
    tools: unknown[];
    message: string;
    secrets?: Record<string, string>;
  },
) {
  const { host, env, tools, message, secrets = {} } = options;
  const kv = await openTestKv();
  await using service = await TestService.start({ ...instantRuntime(), env, kv });
  const { key } = await embed(service);
  for (const [name, value] of Object.entries(secrets)) {
    await service.service.secrets.set(await service.tenant(), { name, value, domains: [host] });
  }
  const agent = await service.agent(key, { tools, allowedDomains: [host] });
  const body = { agentId: agent.id, messages: [say(message)] };
  const frames = await readFrames(await byKey(service, { key, body }));
  const records = await Array.fromAsync(kv.list({ prefix: ["runs"] }));
  return {
    frames,
    records: await Promise.all(
      records.map(({ value }) =>
        unsealRunDetails(runRecordSchema.parse(value), { content: contentCipher() })
      ),
    ),
    logged: service.logged.join(""),
    stored: await storedText(kv),
  };
}

function lookupAt(host: string) {
  const request = { method: "GET", url: `http://${host}/items`, query: { q: "{{q}}" } };
  return httpTool({ request });
}

Deno.test("tools: an HTTP tool is called and its response shown if EGRESS_ALLOW permits it", async () => {
  await using server = listen(() => Response.json({ price: 12 }));
  const { host } = server;
  const message = 'use lookup with {"q": "red shoes"}';
  const env = { EGRESS_ALLOW: host };
  const { frames, records } = await ask({ host, env, tools: [lookupAt(host)], message });
  assertEquals(frameTypes(frames), ["start", "tool_call", "tool_result", "delta", "usage", "done"]);
  assertEquals(onlyFrame(frames, "tool_result").output, { status: 200, body: { price: 12 } });
  assertEquals(server.requests, ["GET /items?q=red%20shoes"]);
  const [egress] = records[0]!.egress!;
  assertEquals([egress?.host, egress?.address, egress?.status], [host, "127.0.0.1", 200]);
  assertEquals([records[0]!.steps, records[0]!.toolCalls], [2, 1]);
});

Deno.test("tools: without EGRESS_ALLOW neither plain HTTP nor a private address is reached", async () => {
  await using server = listen(() => Response.json({}));
  const { host } = server;
  const message = 'use lookup with {"q": "x"}';
  const { frames } = await ask({ host, env: {}, tools: [lookupAt(host)], message });
  const { error } = onlyFrame(frames, "tool_result").output as { error: { code: string } };
  assertEquals(error.code, "domain_not_allowed");
  assertEquals(onlyFrame(frames, "done").finishReason, "stop");
  assertEquals(server.requests, []);
});

Deno.test("tools: an unset secret is a tool error, and nothing is sent", async () => {
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
  assertEquals(onlyFrame(frames, "tool_result").output, {
    error: { code: "tool_unreachable", message: "the secret CRM_KEY is not set" },
  });
  assertEquals(server.requests, []);
});

Deno.test("tools: an agent's MCP server is listed, called and its session closed", async () => {
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
  assertEquals(onlyFrame(frames, "tool_result").output, { content: "9 to 5" });
  assertEquals(server.requests.at(-1), "DELETE /mcp");
});

const VALUE = "crm-value-0123456789";

/** A tool that sends a secret in a header, in the query and in the body. */
function secretToolAt(host: string) {
  return httpTool({
    request: {
      method: "POST",
      url: `http://${host}/items`,
      headers: { authorization: "Bearer {{secret.CRM_KEY}}", "x-key": "{{secret.CRM_KEY}}" },
      query: { key: "{{secret.CRM_KEY}}" },
      body: { key: "{{secret.CRM_KEY}}" },
    },
  });
}

Deno.test("tools: a secret reaches its server, and a response that echoes it shows [secret] everywhere", async () => {
  const seen: SeenRequest[] = [];
  await using server = listen((request) => {
    seen.push(request);
    const echo = { ...Object.fromEntries(request.headers), body: request.body, url: request.url };
    return Response.json(echo, { headers: { "x-echo": VALUE } });
  });
  const { host } = server;
  const { frames, records, logged, stored } = await ask({
    host,
    env: { EGRESS_ALLOW: host },
    tools: [secretToolAt(host)],
    message: "use lookup with {}",
    secrets: { CRM_KEY: VALUE },
  });
  const [request] = seen;
  assertEquals(request?.headers.get("authorization"), `Bearer ${VALUE}`);
  assertEquals(new URL(request!.url).searchParams.get("key"), VALUE);
  assertEquals(JSON.parse(request!.body), { key: VALUE });
  const { body } = onlyFrame(frames, "tool_result").output as { body: Record<string, string> };
  assertEquals([body["authorization"], body["x-key"]], ["Bearer [secret]", "[secret]"]);
  assertEquals(body["body"], '{"key":"[secret]"}');
  assertEquals(records[0]?.toolCalls, 1);
  for (const text of [JSON.stringify(frames), JSON.stringify(records), logged, stored]) {
    assertFalse(text.includes(VALUE));
    assertFalse(text.includes(btoa(VALUE).slice(0, 20)));
  }
  // The demo model quotes the tool result it received.
  assert(frames.some(({ frame }) => frame.type === "delta"));
});

Deno.test("tools: a secret does not follow a redirect to another host", async () => {
  const seen: string[] = [];
  await using witness = listen((request) => {
    seen.push(JSON.stringify([request.url, [...request.headers], request.body]));
    return Response.json({ moved: true });
  });
  await using leading = listen(() => Response.redirect(`http://${witness.host}/elsewhere`, 307));
  const kv = await openTestKv();
  const env = { EGRESS_ALLOW: `${leading.host},${witness.host}` };
  await using service = await TestService.start({ ...instantRuntime(), env, kv });
  const { key } = await embed(service);
  const secret = { name: "CRM_KEY", value: VALUE, domains: [leading.host] };
  await service.service.secrets.set(await service.tenant(), secret);
  const inHeader = httpTool({
    request: {
      method: "GET",
      url: `http://${leading.host}/items`,
      headers: { authorization: "Bearer {{secret.CRM_KEY}}", accept: "{{secret.CRM_KEY}}" },
    },
  });
  const allowedDomains = [leading.host, witness.host];
  for (const [tool, reached] of [[secretToolAt(leading.host), 0], [inHeader, 1]] as const) {
    const agent = await service.agent(key, { tools: [tool], allowedDomains });
    const body = { agentId: agent.id, messages: [say("use lookup with {}")] };
    const frames = await readFrames(await byKey(service, { key, body }));
    assertEquals(seen.length, reached);
    assertFalse((seen.join("") + JSON.stringify(frames)).includes(VALUE));
    assertEquals(onlyFrame(frames, "done").finishReason, "stop");
  }
});
