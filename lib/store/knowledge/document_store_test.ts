import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { storedKeys } from "@/tests/support/store.ts";
import { DocumentStore } from "./document_store.ts";
import { DocumentTaskQueue } from "./document_task_queue.ts";
import type { KnowledgeBaseRecord } from "./knowledge_base_record.ts";
import { KnowledgeBaseStore } from "./knowledge_base_store.ts";
import { keys } from "../keys/keys.ts";

const SENT = { title: "T", mediaType: "text/plain" as const, bytes: new Uint8Array(10) };

async function open() {
  const kv = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const bases = new KnowledgeBaseStore(kv, runtime);
  const documents = new DocumentStore(kv, runtime);
  const base = { tenant: "t", base: (await bases.create("t", { name: "B" })).id };
  const change = async (fields: Partial<KnowledgeBaseRecord>) => {
    const key = keys.knowledgeBase("t", base.base);
    await kv.set(key, { ...(await kv.get<KnowledgeBaseRecord>(key)).value!, ...fields });
  };
  return { kv, bases, documents, base, change, [Symbol.dispose]: () => kv.close() };
}

Deno.test("DocumentStore: a base takes 1,000 documents, 10,000 passages and 512 MiB, exactly", async () => {
  const bounds: [Partial<KnowledgeBaseRecord>, RegExp][] = [
    [{ documents: 999 }, /has 1,000 documents/],
    [{ sourceBytes: 512 * 1_048_576 - 10 }, /512 MiB in all/],
  ];
  for (const [almost, because] of bounds) {
    using world = await open();
    const { documents, base, change } = world;
    await change(almost);
    const all = await Promise.all(Array.from({ length: 5 }, () => documents.create(base, SENT)));
    assertEquals(all.filter((made) => "document" in made).length, 1);
    for (const made of all) {
      assert("document" in made || "reason" in made && because.test(made.reason));
    }
  }
  using world = await open();
  await world.change({ chunks: 10_000 });
  const made = await world.documents.create(world.base, SENT);
  assertEquals(made, {
    rejected: "full",
    reason: "has 10,000 passages, which is the most it takes",
  });
});

Deno.test("DocumentStore: rejected and failed uploads leave nothing behind", async () => {
  using world = await open();
  const { kv, documents, base, bases } = world;
  const before = await storedKeys(kv);
  const failing = () => Promise.reject(new Error("the receipt was lost"));
  const create = () => documents.create(base, SENT, { commit: failing });
  await assertRejects(create, Error, "the receipt was lost");
  assertEquals(await storedKeys(kv), before);
  // The base is deleted while the content is being written.
  const set = kv.set.bind(kv);
  kv.set = async (...args: Parameters<Deno.Kv["set"]>) => {
    const done = await set(...args);
    await bases.delete("t", base.base);
    return done;
  };
  assertEquals(await documents.create(base, SENT), { rejected: "not_found" });
  assertEquals(await storedKeys(kv), []);
});

Deno.test("KnowledgeBaseStore: the next sweep completes an interrupted deletion", async () => {
  using world = await open();
  const { kv, documents, base, bases } = world;
  await documents.create(base, { ...SENT, bytes: new Uint8Array(2_000_000) });
  // The state if the process dies right after the step of the deletion.
  await kv.atomic()
    .delete(keys.knowledgeBase("t", base.base))
    .set(keys.knowledgeBasePendingDeletion("t", base.base), { v: 1 })
    .commit();
  for (const key of await storedKeys(kv)) {
    if (key.startsWith("knowledge_bases_by_created")) {
      const [name, tenant, at, id] = key.split("/");
      await kv.delete([name!, tenant!, Number(at), id!]);
    }
  }
  await bases.sweep();
  assertEquals(await storedKeys(kv), []);
});

Deno.test("KnowledgeBaseStore: every change of a base increases its version", async () => {
  using world = await open();
  const { bases, base, documents } = world;
  const version = async () => (await bases.get("t", base.base))?.version;
  assertEquals(await version(), 1);
  await bases.update("t", base.base, { name: "C" });
  await bases.update("t", base.base, { name: "C" });
  assertEquals(await version(), 2);
  const made = await documents.create(base, SENT);
  assert("document" in made);
  assertEquals(await version(), 3);
  await documents.delete({ ...base, id: made.document.id });
  assertEquals(await version(), 4);
});

Deno.test("DocumentStore.replace: the new content is processed, and the old one deleted afterwards", async () => {
  using world = await open();
  const { kv, documents, base } = world;
  const made = await documents.create(base, SENT);
  assert("document" in made);
  const of = { ...base, id: made.document.id };
  const tasks = new DocumentTaskQueue(kv, new FakeRuntime());
  const first = await tasks.take();
  const bytes = new TextEncoder().encode("another");
  const replaced = await documents.replace(of, { ...SENT, title: "New", bytes });
  assert("document" in replaced);
  const { title, state } = replaced.document;
  assertEquals([title, state, replaced.document.bytes], ["New", "processing", bytes.length]);
  // The process that was processing the old content has lost its claim.
  await tasks.finish(first!.task, { error: { code: "damaged", message: "never" } });
  assertEquals((await documents.get(of))?.state, "processing");
  const second = await tasks.take();
  assertEquals(second?.bytes, bytes);
  await tasks.finish(second!.task, { read: { chunks: [new Uint8Array([1])], passages: 1 } });
  assertEquals((await documents.get(of))?.state, "ready");
  const sources = await Array.fromAsync(kv.list({ prefix: keys.documentSourceChunks(of) }));
  assertEquals(sources.map(({ value }) => value), [bytes]);
  const record = await kv.get<KnowledgeBaseRecord>(keys.knowledgeBase("t", base.base));
  assertEquals([record.value?.documents, record.value?.sourceBytes], [1, bytes.length]);
});

Deno.test("DocumentStore.replace: a rejected replacement does not change the document", async () => {
  using world = await open();
  const { documents, base, change, kv } = world;
  const none = { ...base, id: crypto.randomUUID() };
  assertEquals(await documents.replace(none, SENT), { rejected: "not_found" });
  const made = await documents.create(base, SENT);
  assert("document" in made);
  const of = { ...base, id: made.document.id };
  await change({ sourceBytes: 512 * 1_048_576 });
  const larger = await documents.replace(of, { ...SENT, bytes: new Uint8Array(11) });
  assertEquals(larger, { rejected: "full", reason: "takes documents of 512 MiB in all" });
  const again = await new DocumentTaskQueue(kv, new FakeRuntime()).take();
  assertEquals(again?.bytes, SENT.bytes);
});
