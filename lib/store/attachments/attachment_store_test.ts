import { assert, assertEquals, assertRejects } from "@std/assert";
import { contentCipher } from "@/tests/support/content.ts";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { openTestKv } from "@/tests/support/open_kv.ts";
import { type ConversationName, keys } from "../keys/keys.ts";
import { overrideKv } from "../kv/override_kv.ts";
import {
  eraseAttachment,
  eraseConversationAttachments,
  sweepAttachments,
} from "./attachment_eraser.ts";
import type { NewAttachment } from "./attachment_record.ts";
import { AttachmentStore } from "./attachment_store.ts";
import { attachmentStorageUsage } from "./attachment_usage.ts";

const HOUR_MS = 60 * 60_000;
const TENANT = fakeUuid(801);
const OWNER = { kind: "key" as const, id: "key" };
const OF = { tenant: TENANT, agentId: fakeUuid(802), owner: OWNER };
const CONVERSATION: ConversationName = {
  ...{ tenant: TENANT, id: fakeUuid(803), agentId: OF.agentId, page: "" },
};

/** A document of three chunks, with a text of two. */
function file(): NewAttachment {
  return {
    ...{ kind: "document", mediaType: "text/plain", name: "a.txt" },
    bytes: new Uint8Array(100_000).fill(97),
    text: { bytes: new Uint8Array(60_000).fill(98), cut: false },
  };
}

/** Records a use as the commit of an admission does. */
async function use(kv: Deno.Kv, id: string, { exp, now }: { exp: number; now: number }) {
  const step = kv.atomic();
  const tx = { blindWrite: (key: Deno.KvKey, value: unknown) => void step.set(key, value) };
  AttachmentStore.use(tx, id, { conversation: CONVERSATION, runId: "run", exp, now });
  await step.commit();
}

async function open() {
  const kv = await openTestKv();
  const runtime = new FakeRuntime();
  const store = new AttachmentStore(kv, { runtime, content: contentCipher() });
  const used = async () => (await attachmentStorageUsage(kv).read(TENANT)).used.attachmentBytes;
  /** Everything that is stored but the counter. */
  const left = async () => {
    const found = await Array.fromAsync(kv.list({ prefix: [] }), ({ key }) => String(key[0]));
    return [...new Set(found)].filter((kind) => kind !== "storage_usage");
  };
  return { kv, runtime, store, used, left, [Symbol.dispose]: () => kv.close() };
}

/** A store whose `n`-th write fails, like every write after it: the process has died. */
function dyingKv(kv: Deno.Kv, n: number): Deno.Kv {
  let writes = 0;
  const alive = () => {
    if (writes++ >= n) throw new TypeError("the process is dead");
  };
  return overrideKv(kv, {
    set: (...call: Parameters<Deno.Kv["set"]>) => {
      alive();
      return kv.set(...call);
    },
    delete: (key: Deno.KvKey) => {
      alive();
      return kv.delete(key);
    },
    atomic: () => {
      const step = kv.atomic();
      const { commit } = step;
      return Object.assign(step, {
        commit() {
          alive();
          return commit.call(step);
        },
      });
    },
  });
}

Deno.test("AttachmentStore: what was stored is read, chunk by chunk", async () => {
  using on = await open();
  const record = await on.store.create(OF, file());
  assertEquals([record.parts, record.text?.parts, await on.used()], [3, 2, 160_000]);
  const chunks = await Array.fromAsync(on.store.readFile(TENANT, record));
  assertEquals(chunks.map(({ length }) => length), [49_152, 49_152, 1_696]);
  assertEquals(await on.store.readText(TENANT, record), "b".repeat(60_000));
  assertEquals(await on.store.find(fakeUuid(9), record.id), undefined);
});

Deno.test("AttachmentStore: a process that dies at any write of an upload leaves nothing after an hour", async () => {
  for (let n = 0;; n++) {
    using on = await open();
    const { kv, runtime } = on;
    const dying = new AttachmentStore(dyingKv(kv, n), { runtime, content: contentCipher() });
    const failed = await dying.create(OF, file()).then(() => false, () => true);
    if (!failed) return assert(n >= 3, "the upload has several writes");
    await runtime.advance(HOUR_MS);
    await sweepAttachments(kv, runtime);
    assertEquals([await on.used(), await on.left()], [0, []], `write ${n}`);
  }
});

Deno.test("eraseConversationAttachments: a process that dies at any write is finished by a repetition or a sweep", async () => {
  for (const finish of ["repeat", "sweep"] as const) {
    for (let n = 0;; n++) {
      using on = await open();
      const { kv, runtime } = on;
      const now = runtime.now();
      for (let files = 0; files < 2; files++) {
        const { id } = await on.store.create(OF, file());
        await use(kv, id, { exp: now + HOUR_MS, now });
      }
      const dying = dyingKv(kv, n);
      const failed = await eraseConversationAttachments(dying, CONVERSATION)
        .then(() => false, () => true);
      if (finish === "repeat") await eraseConversationAttachments(kv, CONVERSATION);
      else await runtime.advance(2 * HOUR_MS);
      await sweepAttachments(kv, runtime);
      const left = (await on.left()).filter((kind) => kind !== "conversation_attachments");
      // With the sweep, this index expires by itself.
      assertEquals([await on.used(), left], [0, []], `${finish} after write ${n}`);
      if (!failed) break;
    }
  }
});

Deno.test("sweepAttachments: keeps what a conversation uses, until the last of them has ended", async () => {
  using on = await open();
  const { kv, runtime, store } = on;
  const { id } = await store.create(OF, file());
  const end = runtime.now() + 10 * HOUR_MS;
  await use(kv, id, { exp: end, now: runtime.now() });
  await runtime.advance(HOUR_MS);
  assertEquals(await sweepAttachments(kv, runtime), undefined);
  assertEquals(await sweepAttachments(kv, runtime), end);
  assertEquals((await store.find(TENANT, id))?.id, id);
  await runtime.advance(9 * HOUR_MS - 1);
  assertEquals((await store.find(TENANT, id))?.id, id);
  await runtime.advance(1);
  assertEquals(await store.find(TENANT, id), undefined);
  await sweepAttachments(kv, runtime);
  assertEquals(await on.used(), 0);
});

const ANYONE = { mayUse: () => Promise.resolve(true) };

Deno.test("claim: an attachment that is about to expire survives the sweep until its message is stored", async () => {
  using on = await open();
  const { kv, runtime, store } = on;
  const { id } = await store.create(OF, file());
  await runtime.advance(HOUR_MS - 1);
  assertEquals((await store.claim(TENANT, { id, ...ANYONE }))?.id, id);
  await runtime.advance(5 * 60_000);
  await sweepAttachments(kv, runtime);
  assertEquals((await store.find(TENANT, id))?.id, id);
  await runtime.advance(HOUR_MS);
  assertEquals(await store.claim(TENANT, { id, ...ANYONE }), undefined);
  await sweepAttachments(kv, runtime);
  assertEquals([await on.used(), await on.left()], [0, []]);
});

Deno.test("claim: one that the sender may not use is neither found nor kept for longer", async () => {
  using on = await open();
  const { kv, runtime, store } = on;
  const { id } = await store.create(OF, file());
  await runtime.advance(HOUR_MS - 1);
  const mayUse = () => Promise.resolve(false);
  assertEquals(await store.claim(TENANT, { id, mayUse }), undefined);
  await runtime.advance(1);
  await sweepAttachments(kv, runtime);
  assertEquals(await store.find(TENANT, id), undefined);
});

Deno.test("sweepAttachments: 450 expired files are gone after three sweeps, each of which asks for the next", async () => {
  using on = await open();
  const { kv, runtime } = on;
  for (let n = 0; n < 450; n++) await kv.set(keys.attachmentDue(n, TENANT, fakeUuid(n)), { v: 1 });
  const next = [];
  for (let n = 0; n < 3; n++) next.push(await sweepAttachments(kv, runtime));
  assertEquals([next, await on.left()], [[0, 0, undefined], []]);
});

Deno.test("eraseAttachment: repeated and concurrent calls free the storage once", async () => {
  using on = await open();
  const [kept, gone] = [await on.store.create(OF, file()), await on.store.create(OF, file())];
  const of = { tenant: TENANT, id: gone.id };
  await Promise.all([1, 2, 3].map(() => eraseAttachment(on.kv, of)));
  assertEquals(await on.used(), 160_000);
  await assertRejects(() => Array.fromAsync(on.store.readFile(TENANT, gone)));
  assertEquals((await Array.fromAsync(on.store.readFile(TENANT, kept))).length, 3);
});
