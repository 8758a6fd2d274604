/** `replaces` together with bound sessions, playgrounds, and runs that end before their first frame. */
import { assertEquals } from "@std/assert";
import { BoundSession, expectUnproven } from "./support/bound_session.ts";
import { openConversations } from "./support/conversations.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { SseText } from "./support/sse_text.ts";
import { say } from "./support/widget_calls.ts";

async function openPaused() {
  const paused = pausableRuntime();
  const setup = await openConversations({ runtime: paused.runtime });
  return {
    ...{ ...setup, paused },
    async [Symbol.asyncDispose]() {
      paused.release();
      await setup[Symbol.asyncDispose]();
    },
  };
}

Deno.test("POST /v1/chat/stream: a proof that was used for a message cancels no run as `replaces`", async () => {
  await using setup = await openPaused();
  const { service, key, agent, paused } = setup;
  const session = await BoundSession.mint(service, { apiKey: key, agent });
  const dpop = await session.prove("POST", "/v1/chat/stream");
  const stream = new SseText(await session.send({ dpop }));
  await stream.until("event: delta");
  const { runId: replaces, conversationId } = stream.frame("start");
  const json = {
    ...{ agentId: agent.id, sessionToken: session.token, messages: [say("Hi")] },
    ...{ conversationId, replaces },
  };
  await expectUnproven(await session.send({ dpop, json }));
  paused.release();
  await stream.until("event: done");
  assertEquals(stream.frame("done").finishReason, "stop");
});
