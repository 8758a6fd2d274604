/** Validation of tools when an agent is saved. */
import { assertEquals } from "@std/assert";
import { AgentStore } from "@/lib/store/agents/agent_store.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import type { AgentBody } from "@/lib/schemas/agent.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { expectInvalid, expectJson } from "./support/expect_response.ts";
import { agentBody, TestService } from "./support/service.ts";
import { openTestKv } from "./support/open_kv.ts";

const DOMAINS = ["api.example.com"];

Deno.test("POST /v1/agents accepts a tool whose parameter schema is recursive", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const recursive = [
    { type: "object", properties: { child: { $ref: "#" } } },
    { type: "object", $anchor: "r", properties: { child: { $ref: "#r" } } },
    { type: "object", $id: "https://tools.example/r", properties: { child: { $ref: "#" } } },
  ];
  for (const parameters of recursive) {
    const tool = httpTool({
      parameters,
      request: { method: "GET", url: "https://api.example.com" },
    });
    const agent = await service.agent(key, { tools: [tool], allowedDomains: DOMAINS });
    assertEquals(agent.tools as unknown, [tool]);
  }
});

Deno.test("POST /v1/agents: a placeholder that is not a parameter of the tool is 400 with its path", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  const request = {
    method: "POST",
    url: "https://api.example.com/{{id}}",
    headers: { "x-q": "{{q}}", authorization: "{{secret.KEY}}" },
    query: { page: "{{page}}" },
    body: { list: ["{{item}}"] },
  };
  const json = { ...agentBody(), tools: [httpTool({ request })], allowedDomains: DOMAINS };
  await expectInvalid(await service.fetch("/v1/agents", { method: "POST", key, json }), [
    "tools.0.request.url",
    "tools.0.request.query.page",
    "tools.0.request.body.list.0",
  ]);
});

Deno.test("PATCH /v1/agents/:id accepts an unchanged stored tool that no longer passes validation", async () => {
  const kv = await openTestKv();
  await using service = await TestService.start({ kv });
  const key = await service.key();
  const tool = httpTool({ parameters: { type: "object" } });
  const body = { ...agentBody(), tools: [tool], allowedDomains: DOMAINS };
  const store = new AgentStore(kv, systemRuntime);
  const { id } = await store.create(await service.tenant(), body as unknown as AgentBody);
  const patch = (json: unknown) =>
    service.fetch(`/v1/agents/${id}`, { method: "PATCH", key, json });
  const agent = await expectJson(await patch({ name: "New", tools: [tool] }), 200);
  assertEquals([agent.name, agent.tools], ["New", [tool]]);
  const changed = { ...tool, description: "Another one." };
  await expectInvalid(await patch({ tools: [changed] }), ["tools.0.request.query.q"]);
});
