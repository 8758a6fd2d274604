/** Hand-off through several processes of one store. */
import { assert, assertEquals } from "@std/assert";
import { systemRuntime } from "@/lib/platform/runtime.ts";
import { createContentSealer, openContentCipher } from "@/lib/store/encryption/content_cipher.ts";
import { HandoffStore } from "@/lib/store/handoffs/handoff_store.ts";
import { readFrames } from "./support/frames.ts";
import { TEST_ENCRYPTION_KEY } from "./support/encryption_keys.ts";
import { HANDOFF, Visitor } from "./support/handoffs.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { openTestKv } from "./support/open_kv.ts";
import { agentBody, TestService } from "./support/service.ts";
import { memoryStore, onStores, type SharedStore } from "./support/shared_store.ts";
import { createKey, startService } from "./support/started_service.ts";
import { embed, say } from "./support/widget_calls.ts";

const test = onStores(memoryStore);

async function start(store: SharedStore) {
  const clock = new ManualClock();
  const open = async () =>
    TestService.start({ runtime: clock.runtime, kv: await store.open(), keepKv: true });
  const [here, there] = [await open(), await open()];
  const { agent, sessionToken } = await embed(here, { handoff: HANDOFF });
  const visitor = new Visitor(here, { agent, sessionToken });
  await visitor.say("Hi");
  const tenant = await here.tenant();
  const nameOn = async ({ service }: TestService) =>
    (await service.handoffs.locate(tenant, visitor.id, {}))!.name;
  return {
    ...{ clock, here, there, visitor, tenant, nameOn },
    async [Symbol.asyncDispose]() {
      await here[Symbol.asyncDispose]();
      await there[Symbol.asyncDispose]();
    },
  };
}

test("hand-off: of two people who take a conversation in two processes, exactly one has it", async (store) => {
  await using fixture = await start(store);
  const { here, there, visitor, nameOn } = fixture;
  const name = await nameOn(here);
  for (let round = 0; round < 20; round++) {
    await visitor.ask();
    const taken = await Promise.all([here, there].map(({ service }, n) => {
      const person = { id: `user ${n}`, name: `Person ${n}` };
      return service.handoffs.act(name, { type: "take", person });
    }));
    assertEquals(taken.filter((head) => head !== undefined).length, 1, `round ${round}`);
    const winner = taken.findIndex((head) => head !== undefined);
    assertEquals((await visitor.status()).person, `Person ${winner}`);
    // The other person cannot write.
    const say = { type: "say" as const, userId: `user ${1 - winner}`, text: "Hello" };
    assertEquals(await there.service.handoffs.act(name, say), undefined);
    assert(await there.service.handoffs.act(name, { type: "return" }));
  }
  const { entries } = (await there.service.handoffs.read(name))!;
  assertEquals(entries.map(({ n }) => n), entries.map((_, n) => n + 1));
  const states = entries.map((entry) => entry.type === "state" ? entry.state : "");
  assertEquals(states, Array.from({ length: 20 }, () => ["waiting", "taken", "returned"]).flat());
});

test("hand-off: a feed is live through another process, in the order of the commits", async (store) => {
  await using fixture = await start(store);
  const { here, there, visitor, nameOn } = fixture;
  await visitor.ask();
  const name = await nameOn(there);
  await using feed = await visitor.on(here).feed();
  assertEquals((await feed.next())?.data.state, "waiting");
  const person = { id: "anna", name: "Anna" };
  await there.service.handoffs.act(name, { type: "take", person });
  assertEquals((await feed.next())?.data.state, "taken");
  const texts = Array.from({ length: 12 }, (_, n) => `message ${n}`);
  await Promise.all(texts.map((text, n) => {
    const { service } = n % 2 === 0 ? here : there;
    return service.handoffs.act(name, { type: "say", userId: "anna", text });
  }));
  const received: string[] = [];
  const ids: number[] = [];
  while (received.length < texts.length) {
    const event = (await feed.next())!;
    received.push(String(event.data.text));
    ids.push(Number(event.id.split(".")[1]));
  }
  assertEquals(received.toSorted(), texts.toSorted());
  assertEquals(ids, ids.map((_, n) => n + 3));
  const { entries } = (await here.service.handoffs.read(name))!;
  const stored = entries.flatMap((entry) => entry.type === "person" ? [entry.text] : []);
  assertEquals(received, stored);
  // The visitor's message of one process is in the person's feed of the other.
  await visitor.on(there).say("Thanks");
  const after = (await here.service.handoffs.read(name))!.entries.at(-1)!;
  assert(after.type === "visitor" && after.text === "Thanks");
});

test("hand-off: messages that race with its end reach either the person or the model", async (store) => {
  await using fixture = await start(store);
  const { here, there, visitor, nameOn } = fixture;
  const name = await nameOn(here);
  const person = { id: "anna", name: "Anna" };
  for (let round = 0; round < 10; round++) {
    await visitor.ask();
    await here.service.handoffs.act(name, { type: "take", person });
    const before = (await here.service.handoffs.read(name))!.entries.length;
    const [frames] = await Promise.all([
      visitor.on(there).say(`round ${round}`),
      here.service.handoffs.act(name, { type: "return" }),
    ]);
    const { entries } = (await here.service.handoffs.read(name))!;
    const mine = entries.slice(before);
    const [start] = frames;
    assert(start?.type === "start");
    const isStored = mine.some((entry) => entry.type === "visitor");
    assertEquals(isStored, start.handoff === "taken", `round ${round}`);
    // Stored for a person only while a person had it.
    if (isStored) assertEquals(mine.map(({ type }) => type), ["visitor", "state"]);
  }
});

Deno.test("hand-off: kill -9 loses no message that was acknowledged", async () => {
  const dir = await Deno.makeTempDir();
  try {
    const env = { ENCRYPTION_KEY: TEST_ENCRYPTION_KEY };
    const service = await startService(dir, env);
    const key = await createKey(dir, { env });
    const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
    const post = (path: string, json: unknown) =>
      fetch(service.base + path, { method: "POST", headers, body: JSON.stringify(json) });
    const agent = await (await post("/v1/agents", { ...agentBody(), handoff: HANDOFF })).json();
    const conversationId = crypto.randomUUID();
    const send = async (text: string) => {
      const response = await post("/v1/chat/stream", {
        ...{ agentId: agent.id, conversationId, messages: [say(text)] },
      });
      return await readFrames(response);
    };
    await send("Hi");
    const asked = await post(`/v1/chat/conversations/${conversationId}/handoff`, {});
    assertEquals((await asked.json()).state, "waiting");
    const acknowledged: string[] = [];
    const sending = Array.from({ length: 8 }, async (_, n) => {
      for (let i = 0; i < 5; i++) {
        const text = `sender ${n} message ${i}`;
        const frames = await send(text).catch(() => []);
        if (frames[0]?.frame.type !== "start") return;
        acknowledged.push(text);
        if (acknowledged.length === 12) await service.kill();
      }
    });
    await Promise.all(sending);
    assert(acknowledged.length >= 12);
    using kv = await openTestKv(`${dir}/data/kv.sqlite3`);
    const content = await openContentCipher(kv, {
      sealer: createContentSealer([TEST_ENCRYPTION_KEY], systemRuntime.randomBytes),
      randomBytes: systemRuntime.randomBytes,
    });
    const store = new HandoffStore(kv, { runtime: systemRuntime, content });
    const [tenant] = await Array.fromAsync(kv.list({ prefix: ["handoffs"] }));
    const [head] = await store.findById(String(tenant!.key[1]), conversationId);
    const entries = await store.entries(String(tenant!.key[1]), head!.feed);
    assertEquals(entries.map(({ n }) => n), entries.map((_, n) => n + 1));
    assertEquals(head!.next, entries.length + 1);
    const stored = entries.flatMap((entry) => entry.type === "visitor" ? [entry.text] : []);
    assertEquals(acknowledged.filter((text) => !stored.includes(text)), []);
    assertEquals(new Set(stored).size, stored.length);
    await service[Symbol.asyncDispose]();
  } finally {
    await Deno.remove(dir, { recursive: true });
  }
});
