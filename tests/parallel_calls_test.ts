/** Tools with `parallel`: the calls of one step at the same time. */
import { assertEquals } from "@std/assert";
import { httpTool } from "./support/agent_bodies.ts";
import { catalogueEntry } from "./support/chat.ts";
import { readFrames } from "./support/frames.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";
import { refundAt, toolServer } from "./support/waiting_calls.ts";
import { byKey, say } from "./support/widget_calls.ts";

Deno.test("parallel tools: calls of one step run at once, and each result still follows its call", async () => {
  const lookups = [1, 2, 3].map((n) => ({ id: `c${n}`, name: "lookup", args: [`{"q":"${n}"}`] }));
  const other = { id: "c4", name: "refund", args: ['{"q":"4"}'] };
  await using mock = await MockProviders.start({
    otherwise: ({ body }) =>
      body.messages.at(-1).role === "tool"
        ? { say: [{ text: "Done." }] }
        : { say: [{ calls: [...lookups, other] }] },
  });
  const released = [1, 2].map(() => Promise.withResolvers<void>());
  const order: string[] = [];
  await using tool = toolServer(async (request, n) => {
    // The first two wait for the third, and answer in the opposite order.
    await released[n - 1]?.promise;
    order.push(request.headers.get("idempotency-key")!);
    released[n - 2]?.resolve();
    return Response.json({ n });
  });
  const kv = await openTestKv();
  const env = { EGRESS_ALLOW: tool.host, VENDOR_A_BASE_URL: mock.url, VENDOR_A_API_KEY: "sk" };
  await using service = await TestService.start({ kv, env });
  await service.service.catalogue.addMissing([catalogueEntry()]);
  const key = await service.key();
  const request = { method: "GET", url: `http://${tool.host}/items`, query: { q: "{{q}}" } };
  const agent = await service.agent(key, {
    modelPolicy: { provider: "vendor_a", model: "mid" },
    tools: [httpTool({ request, parallel: true }), refundAt(tool.host)],
    allowedDomains: [tool.host],
  });
  const body = { agentId: agent.id, messages: [say("Look them up")] };
  const frames = await readFrames(await byKey(service, { key, body }));
  const tools = frames.filter(({ frame }) => frame.type.startsWith("tool_"));
  const shape = tools.map(({ frame }) =>
    frame.type === "tool_call"
      ? `call ${(frame.args as { q: string }).q}`
      : frame.type === "tool_result"
      ? `result ${frame.call ?? ""}`
      : ""
  );
  assertEquals(shape, [
    ...["call 1", "result 2", "call 2", "result 4", "call 3", "result 6"],
    ...["call 4", "result "],
  ]);
  const ids = tools.filter(({ frame }) => frame.type === "tool_call").map(({ id }) => id!);
  assertEquals(order.toSorted(), ids.toSorted());
  assertEquals(order.at(-1), ids.at(-1));
  // The model gets the results in its own order.
  const { messages } = mock.requests.at(-1)!.body;
  const results = messages.filter(({ role }: { role: string }) => role === "tool");
  assertEquals(results.map((one: { tool_call_id: string }) => one.tool_call_id), [
    "c1",
    "c2",
    "c3",
    "c4",
  ]);
});
