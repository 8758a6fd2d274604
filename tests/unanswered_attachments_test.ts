/** Files of messages that are cancelled before a model accepts them, and so are in no conversation. */
import { assert, assertEquals } from "@std/assert";
import { upload } from "./support/attachments.ts";
import { ended, openConversations } from "./support/conversations.ts";
import { expectJson } from "./support/expect_response.ts";
import { silenceModels } from "./support/silent_models.ts";
import { storedKeys } from "./support/store.ts";
import { onPage, ORIGIN, say } from "./support/widget_calls.ts";

const HOUR_MS = 60 * 60_000;

async function open() {
  const setup = await openConversations();
  const { service, key, advance } = setup;
  const agent = await service.agent(key, {
    ...{ allowedOrigins: [ORIGIN], attachments: { documents: true } },
  });
  const sessionToken = await service.mint(key, agent.id, ORIGIN);
  const models = silenceModels(service);
  const headers = { "x-service-session": sessionToken, origin: ORIGIN };
  const send = (body: Record<string, unknown>) =>
    onPage(service, { agent, sessionToken, body: { messages: [say("Look")], ...body } });
  /** Sends a message, and cancels it before a model accepts it. */
  const sendInVain = async (body: Record<string, unknown> & { conversationId: string }) => {
    models.silent = true;
    const sent = send(body);
    let runId: string | undefined;
    for (let n = 0; n < 200 && runId === undefined; n++) {
      const read = await service.fetch(`/v1/chat/conversations/${body.conversationId}`, {
        headers,
      });
      runId = (await read.json()).activeRunId;
    }
    const path = `/v1/chat/runs/${runId}/cancel`;
    assertEquals((await service.fetch(path, { method: "POST", headers })).status, 202);
    const response = await sent;
    assertEquals(response.status, 503);
    await response.body?.cancel();
    models.silent = false;
  };
  return {
    ...{ ...setup, agent, sessionToken, send, sendInVain },
    upload: async () =>
      (await upload(service, { sessionToken }, { bytes: "text", name: "a.txt" })).id,
    /** Later than any file lives that no conversation uses. */
    later: async () => {
      advance(2 * HOUR_MS);
      await service.service.attachmentSweeper.sweep();
    },
    [Symbol.asyncDispose]: () => setup[Symbol.asyncDispose](),
  };
}

Deno.test("a file of a message that was cancelled before a model accepted it goes like an unused one", async () => {
  await using on = await open();
  const id = await on.upload();
  await on.sendInVain({
    messages: [{ ...say("Look"), attachments: [id] }],
    conversationId: crypto.randomUUID(),
  });
  await on.later();
  assertEquals((await storedKeys(on.kv)).filter((row) => row.includes(id)), []);
});

Deno.test("a file that another message of the conversation uses stays with it", async () => {
  await using on = await open();
  const { service, key } = on;
  const [first, second] = [await on.upload(), await on.upload()];
  const messages = [{ ...say("Look"), attachments: [first] }];
  const conversationId = crypto.randomUUID();
  await on.sendInVain({ messages, conversationId });
  await ended(await on.send({ messages, conversationId }));
  await on.sendInVain({
    messages: [...messages, { ...say("And"), attachments: [second] }],
    conversationId,
  });
  await on.later();
  const path = `/v1/conversations/${conversationId}`;
  const { runs } = await expectJson(await service.fetch(path, { key }), 200);
  assertEquals(runs[0].messages[0].attachments[0].id, first);
  const rows = await storedKeys(on.kv);
  assert(rows.some((row) => row.startsWith("attachments/") && row.endsWith(first)));
});
