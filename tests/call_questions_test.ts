/** Questions of a tool's server to the visitor, while it executes a call. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { askingMcp } from "./support/asking_mcp.ts";
import { readFrames } from "./support/frames.ts";
import { finish, openWaitingCalls, reply, untilPending } from "./support/waiting_calls.ts";

const QUESTION = {
  message: "Order for 20 EUR?",
  requestedSchema: { type: "object", properties: { agree: { type: "boolean" } } },
};

Deno.test("question: an MCP server asks during a call, and each result names its call", async () => {
  await using fixture = await openWaitingCalls(
    (host) => [{ type: "mcp", name: "shop", url: `http://${host}/mcp` }],
    { answer: askingMcp([QUESTION]) },
  );
  const { service, sessionToken } = fixture;
  const { sse, runId, n } = await untilPending(fixture.ask("ask"));
  const decide = (number: number) =>
    reply(service, { runId, n: number, sessionToken }, { approve: true });
  assertEquals([(await decide(n - 1)).status, (await decide(n)).status], [404, 204]);
  await finish(sse);
  const key = await service.key();
  const replay = await service.fetch(`/v1/chat/runs/${runId}/stream`, { key });
  const frames = (await readFrames(replay)).map(({ frame }) => frame)
    .filter(({ type }) => type.startsWith("tool_"));
  const [call, question, answer, result] = frames as never as Record<string, unknown>[];
  assertEquals([call!.name, call!.pending, question!.name, question!.args], [
    ...["ask", undefined, "question"],
    { message: QUESTION.message },
  ]);
  assertEquals([answer!.call, answer!.output], [n, { approved: true }]);
  assertEquals([result!.call, result!.name], [n - 1, "ask"]);
  assertStringIncludes(JSON.stringify(result!.output), "accept");
  const { conversationId } = sse.frame("start");
  const reader = await service.key(["conversations:read"]);
  const stored = await service.fetch(`/v1/conversations/${conversationId}`, { key: reader });
  const [run] = (await stored.json()).runs;
  const outputs = run.toolCalls.map(({ name, output }: Record<string, unknown>) => [name, output]);
  assertEquals(outputs, [["ask", result!.output], ["question", { approved: true }]]);
});
