/** Several processes agree on the key of a session, and on the proofs that have sent a message. */
import { assertEquals } from "@std/assert";
import { BoundSession, expectUnproven } from "./support/bound_session.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { ProofKey } from "./support/proofs.ts";
import { TestService } from "./support/service.ts";
import { servedStore } from "./support/served_store.ts";
import { memoryStore, onStores, type SharedStore } from "./support/shared_store.ts";
import { ORIGIN } from "./support/widget_calls.ts";

const test = onStores(memoryStore, servedStore);

async function startTwo(store: SharedStore) {
  const kv = await store.open();
  const { runtime } = instantRuntime();
  const here = await TestService.start({ runtime, kv, keepKv: true });
  const there = await TestService.start({ runtime, kv: await store.open(), keepKv: true });
  const apiKey = await here.key();
  const agent = await here.agent(apiKey, { allowedOrigins: [ORIGIN] });
  return {
    ...{ here, there, apiKey, agent },
    async [Symbol.asyncDispose]() {
      await here[Symbol.asyncDispose]();
      await there[Symbol.asyncDispose]();
    },
  };
}

test(
  "of two first calls with different keys in two processes, exactly one binds the session",
  async (store) => {
    await using fixture = await startTwo(store);
    const { here, there, apiKey, agent } = fixture;
    for (let n = 0; n < 12; n++) {
      const session = await BoundSession.mint(here, { apiKey, agent });
      const other = session.on(there, await ProofKey.create());
      const call = (of: BoundSession, sends: boolean) =>
        sends ? of.send() : of.call("/v1/chat/limits");
      const answers = await Promise.all([
        call(session, n % 2 === 0),
        call(other, n % 3 === 0),
      ]);
      assertEquals(answers.map(({ status }) => status).sort(), [200, 401]);
      const winner = answers[0]!.status === 200 ? session : other;
      for (const response of answers) await response.text();
      // For good, in both processes and whatever is called.
      for (const process of [here, there]) {
        assertEquals(await statusOf(await winner.on(process).call("/v1/chat/limits")), 200);
        assertEquals(await statusOf(await winner.on(process).send()), 200);
        const loser = winner === session ? other : session;
        await expectUnproven(await loser.on(process).call("/v1/chat/limits"));
        await expectUnproven(await loser.on(process).send());
      }
    }
  },
);

test("one proof sends one message across processes", async (store) => {
  await using fixture = await startTwo(store);
  const { here, there, apiKey, agent } = fixture;
  const session = await BoundSession.mint(here, { apiKey, agent });
  for (let n = 0; n < 8; n++) {
    const dpop = await session.prove("POST", "/v1/chat/stream");
    const sent = await Promise.all(
      [here, there, here, there].map((process) => session.on(process).send({ dpop })),
    );
    assertEquals(sent.map(({ status }) => status).sort(), [200, 401, 401, 401]);
    for (const response of sent) await response.text();
  }
  // Rejected ones are not counted.
  const last = await session.send();
  const [, left] = /"session_messages";r=(\d+)/.exec(last.headers.get("ratelimit") ?? "") ?? [];
  assertEquals(left, String(50 - 8 - 1));
  await last.text();
});

async function statusOf(response: Response): Promise<number> {
  await response.text();
  return response.status;
}
