/** What visitors read while a tool runs: a tool's `progress`. */
import { assertEquals } from "@std/assert";
import { httpTool } from "./support/agent_bodies.ts";
import { expectInvalid } from "./support/expect_response.ts";
import { onlyFrame } from "./support/frame_types.ts";
import { readFrames } from "./support/frames.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { mcpEndpoint } from "./support/mcp_server.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";
import { byKey, say } from "./support/widget_calls.ts";

const PROGRESS = "Looking up your order…";
const HOST = "api.example.com";
const CALL = [say('use lookup with {"q":"A-1042"}')];

Deno.test("tool_call: has the tool's progress live, resumed, polled, and read by another process", async () => {
  const kv = await openTestKv();
  await using service = await TestService.start({ ...instantRuntime(), kv });
  const key = await service.key();
  const tools = [httpTool({ progress: PROGRESS })];
  const agent = await service.agent(key, { tools, allowedDomains: [HOST] });
  const live = await byKey(service, { key, body: { agentId: agent.id, messages: CALL } });
  const runId = live.headers.get("x-run-id")!;
  const expected = { type: "tool_call", name: "lookup", args: { q: "A-1042" }, progress: PROGRESS };
  assertEquals(onlyFrame(await readFrames(live), "tool_call"), expected as never);
  const path = `/v1/chat/runs/${runId}/stream`;
  await using other = await TestService.start({ ...instantRuntime(), kv, keepKv: true });
  for (const process of [service, other]) {
    for (const query of ["?after=0", "?after=0&wait=1"]) {
      const frames = await readFrames(await process.fetch(path + query, { key }));
      assertEquals(onlyFrame(frames, "tool_call"), expected as never, query);
    }
  }
});

Deno.test("tool_call: without progress it is the frame of the specification, as for built-in tools", async () => {
  await using service = await TestService.start({ ...instantRuntime() });
  const key = await service.key();
  const agent = await service.agent(key, { tools: [httpTool()], allowedDomains: [HOST] });
  const body = { agentId: agent.id, messages: CALL };
  const frames = await readFrames(await byKey(service, { key, body }));
  assertEquals(Object.keys(onlyFrame(frames, "tool_call")), ["type", "name", "args"]);
  const suggests = await service.agent(key, { followUps: true });
  const answer = await byKey(service, { key, body: { agentId: suggests.id } });
  const call = onlyFrame(await readFrames(answer), "tool_call");
  assertEquals([call.name, "progress" in call], ["suggest_follow_ups", false]);
});

Deno.test("tool_call: every tool of an MCP server has the server's progress", async () => {
  const answer = mcpEndpoint({
    session: true,
    tools: (mcp) =>
      mcp.registerTool("hours", {}, () => ({ content: [{ type: "text", text: "9 to 5" }] })),
  });
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, async (got) => {
    const { method, url, headers } = got;
    return await answer({ method, url, headers, body: await got.text() });
  });
  const host = `127.0.0.1:${(server.addr as Deno.NetAddr).port}`;
  await using service = await TestService.start({
    ...instantRuntime(),
    env: { EGRESS_ALLOW: host },
  });
  const key = await service.key();
  const tools = [{ type: "mcp", name: "shop", url: `http://${host}/mcp`, progress: PROGRESS }];
  const agent = await service.agent(key, { tools, allowedDomains: [host] });
  const body = { agentId: agent.id, messages: [say("use hours with {}")] };
  const frames = await readFrames(await byKey(service, { key, body }));
  assertEquals(onlyFrame(frames, "tool_call").progress, PROGRESS);
  await server.shutdown();
});

Deno.test("PATCH /v1/agents: progress is one line of 1 to 80 characters", async () => {
  await using service = await TestService.start({ ...instantRuntime() });
  const key = await service.key();
  const agent = await service.agent(key, { allowedDomains: [HOST] });
  const patch = (progress: unknown) =>
    service.fetch(`/v1/agents/${agent.id}`, {
      ...{ method: "PATCH", key },
      json: { tools: [httpTool({ progress })] },
    });
  for (const progress of ["", " ", "x".repeat(81), "a\nb", "a\u0000", 7, null]) {
    await expectInvalid(await patch(progress), ["tools.0.progress"]);
  }
  const saved = await (await patch(` ${"…".repeat(80)} `)).json();
  assertEquals(saved.tools[0].progress, "…".repeat(80));
});
