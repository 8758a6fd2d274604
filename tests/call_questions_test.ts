/** Questions of a tool's server to the visitor, while it executes a call. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { findOpenCalls } from "@/lib/chat/calls/interrupted_calls.ts";
import { askingMcp, impatientMcp } from "./support/asking_mcp.ts";
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

Deno.test("question: one that its server does not wait for ends before the call does", async () => {
  const shown = Promise.withResolvers<void>();
  for (const ready of [Promise.resolve(), shown.promise]) {
    await using fixture = await openWaitingCalls(
      (host) => [{ type: "mcp", name: "shop", url: `http://${host}/mcp` }],
      { answer: impatientMcp(QUESTION, ready) },
    );
    const response = await fixture.ask("ask");
    if (ready === shown.promise) {
      const { sse } = await untilPending(response);
      shown.resolve();
      await finish(sse);
    } else await response.body?.pipeTo(new WritableStream());
    const key = await fixture.service.key();
    const runId = response.headers.get("x-run-id");
    const replay = await fixture.service.fetch(`/v1/chat/runs/${runId}/stream`, { key });
    const frames = (await readFrames(replay)).map(({ frame }) => frame);
    assertEquals(findOpenCalls(frames), []);
    assertEquals(frames.at(-1)?.type, "done");
    const results = frames.filter(({ type }) => type === "tool_result");
    const { name, output } = results.at(-1) as Record<string, unknown>;
    assertEquals([name, output], ["ask", { content: "done" }]);
    assertEquals(results.length, ready === shown.promise ? 2 : results.length);
  }
});
