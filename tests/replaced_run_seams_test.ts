/** `replaces` together with bound sessions, playgrounds, and runs that end before their first frame. */
import { assertEquals } from "@std/assert";
import type { OwnTranscript } from "@/lib/schemas/own_conversation.ts";
import { BoundSession, expectUnproven } from "./support/bound_session.ts";
import { ended, openConversations } from "./support/conversations.ts";
import { expectInvalid, expectJson } from "./support/expect_response.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { silenceModels } from "./support/silent_models.ts";
import { SseText } from "./support/sse_text.ts";
import { byKey, chat, onPage, ORIGIN, say } from "./support/widget_calls.ts";

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

Deno.test("POST /v1/chat/stream: a playground session replaces no run of a backend", async (t) => {
  await using setup = await openPaused();
  const { service, key, agent, paused } = setup;
  const path = `/v1/agents/${agent.id}/playground-session`;
  const minted = await expectJson(await service.fetch(path, { method: "POST", key }), 201);
  const { sessionToken } = minted;
  const stream = new SseText(await byKey(service, { key, body: { agentId: agent.id } }));
  await stream.until("event: delta");
  const { runId: replaces, conversationId } = stream.frame("start");
  const expectRejected = async () => {
    const body = { conversationId, replaces };
    const response = await chat(service, agent, { sessionToken, body });
    // The stream of an accepted one is paused.
    assertEquals(response.status, 400);
    await expectInvalid(response, ["replaces"]);
  };
  await t.step("while it is answered", async () => {
    await expectRejected();
    paused.release();
    await stream.until("event: done");
    assertEquals(stream.frame("done").finishReason, "stop");
  });
  await t.step("after its end", async () => {
    await expectRejected();
  });
});

Deno.test("POST /v1/chat/stream: a run without a frame yet is replaced, also from another session of its visitor", async (t) => {
  await using setup = await openConversations();
  const { service, key, agent } = setup;
  const models = silenceModels(service);
  const mint = async () => {
    const json = { agentId: agent.id, visitor: { id: "ada" } };
    const init = { method: "POST", key, json, headers: { origin: ORIGIN } };
    return (await expectJson(await service.fetch("/v1/widget/session", init), 201))
      .sessionToken as string;
  };
  const read = async (sessionToken: string, id: string): Promise<OwnTranscript> => {
    const headers = { "x-service-session": sessionToken, origin: ORIGIN };
    return await expectJson(await service.fetch(`/v1/chat/conversations/${id}`, { headers }), 200);
  };
  const first = await mint();
  const send = (sessionToken: string, text: string, body: Record<string, unknown>) =>
    onPage(service, { agent, sessionToken, body: { messages: [say(text)], ...body } });
  const { id: conversationId, runId } = await ended(await send(first, "one", {}));
  for (const [name, later] of [["the same session", first], ["another", await mint()]] as const) {
    await t.step(name, async () => {
      models.silent = true;
      const rejected = send(first, "one, again", { conversationId, replaces: runId });
      let activeRunId: string | undefined;
      for (let n = 0; n < 200 && activeRunId === undefined; n++) {
        ({ activeRunId } = await read(later, conversationId));
      }
      models.silent = false;
      const body = { conversationId, replaces: activeRunId };
      const changed = await ended(await send(later, `from ${name}`, body));
      assertEquals((await rejected).status, 503);
      await (await rejected).text();
      const { messages } = await read(later, conversationId);
      const current = messages.filter(({ superseded }) => !superseded);
      assertEquals(current.map(({ content }) => content), [`from ${name}`, changed.text]);
    });
  }
});
