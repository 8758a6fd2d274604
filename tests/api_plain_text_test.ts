/** Text that cannot be stored or forwarded unchanged is rejected anywhere in a body. */
import { assertEquals } from "@std/assert";
import { AgentStore } from "@/lib/store/agents/agent_store.ts";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import type { AgentBody } from "@/lib/schemas/agent.ts";
import { httpTool } from "./support/agent_bodies.ts";
import { expectInvalid } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { agentBody, TestService } from "./support/service.ts";
import { openTestKv } from "./support/open_kv.ts";

const BROKEN = ["half \ud83d", "NUL \0", "both \0 \udc00"];

Deno.test("/v1: lone surrogates and NUL are 400 not_plain_text with their path, in every value and field name", async () => {
  await using service = await TestService.start(instantRuntime());
  const key = await service.key(["agents:write", "knowledge:write", "billing:read"]);
  const { id: agentId } = await service.agent(key);
  const base = await service.fetch("/v1/knowledge-bases", {
    method: "POST",
    key,
    json: { name: "b" },
  });
  const documents = `/v1/knowledge-bases/${(await base.json()).id}/documents`;
  const chat = { agentId, messages: [{ role: "user", content: "hi" }] };
  for (const text of BROKEN) {
    const request = { method: "POST", url: "https://api.example.com/", body: { a: { [text]: 1 } } };
    const headers = { "x-a": text };
    const calls: [string, unknown, string][] = [
      ["/v1/agents", withTool({ description: text }), "tools.0.description"],
      ["/v1/agents", withTool({ request }), `tools.0.request.body.a.${text}`],
      [
        "/v1/agents",
        withTool({ request: { ...request, body: {}, headers } }),
        "tools.0.request.headers.x-a",
      ],
      [
        "/v1/agents",
        withTool({ parameters: { type: "object", title: text } }),
        "tools.0.parameters.title",
      ],
      ["/v1/agents", { ...agentBody(), name: text }, "name"],
      ["/v1/chat/stream", { ...chat, requestId: `request ${text}` }, "requestId"],
      ["/v1/chat/stream", { ...chat, model: text }, "model"],
      ["/v1/chat/stream", { ...chat, agentId: text }, "agentId"],
      ["/v1/chat/stream", { ...chat, [text]: 1 }, text],
      [documents, { title: "t", content: text }, "content"],
      [documents, { title: text, content: "c" }, "title"],
      [documents, { title: "t", content: "c", [text]: 1 }, text],
    ];
    for (const [path, json, field] of calls) {
      const answer = await service.fetch(path, { method: "POST", key, json });
      const issues = await expectInvalid(answer, [field]);
      assertEquals(issues.map(({ code }) => code), ["not_plain_text"], `${path} ${field}`);
    }
  }
});

Deno.test("PATCH /v1/agents/:id changes other fields of an agent that an earlier version stored with such text", async () => {
  const kv = await openTestKv();
  await using service = await TestService.start({ kv });
  const key = await service.key();
  const tool = httpTool({ description: BROKEN[0] });
  const body = { ...agentBody(), tools: [tool], allowedDomains: ["api.example.com"] };
  const store = new AgentStore(kv, systemRuntime);
  const stored = await store.create(await service.tenant(), body as unknown as AgentBody);
  const answer = await service.fetch(`/v1/agents/${stored.id}`, {
    method: "PATCH",
    key,
    json: { name: "New" },
  });
  assertEquals([answer.status, (await answer.json()).name], [200, "New"]);
});

function withTool(change: Record<string, unknown>) {
  return { ...agentBody(), tools: [httpTool(change)], allowedDomains: ["api.example.com"] };
}
