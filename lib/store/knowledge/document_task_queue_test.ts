import { assert, assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { storedKeys } from "@/tests/support/store.ts";
import { DocumentStore, TASK_CLAIM_MS } from "./document_store.ts";
import { DocumentTaskQueue, type ProcessingOutcome } from "./document_task_queue.ts";
import { KnowledgeBaseStore } from "./knowledge_base_store.ts";
import { keys } from "../keys/keys.ts";

const READ: ProcessingOutcome = {
  read: { chunks: [new Uint8Array([1]), new Uint8Array([2])], passages: 7 },
};
const SENT = { title: "T", mediaType: "text/plain" as const, bytes: new Uint8Array(100_000) };

/** A store with a base and a stopped clock, and two processes on it. */
async function open() {
  const kv = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const bases = new KnowledgeBaseStore(kv, runtime);
  const documents = new DocumentStore(kv, runtime);
  const base = { tenant: "t", base: (await bases.create("t", { name: "B" })).id };
  const add = async (to = base) => {
    const made = await documents.create(to, SENT);
    assert("document" in made);
    return { ...to, id: made.document.id };
  };
  const counts = async () => {
    const { documents: count, chunks, sourceBytes } = (await bases.get("t", base.base))!;
    return [count, chunks, sourceBytes];
  };
  const [one, two] = [new DocumentTaskQueue(kv, runtime), new DocumentTaskQueue(kv, runtime)];
  const under = async (text: string) => (await storedKeys(kv)).filter((key) => key.includes(text));
  return {
    ...{ kv, runtime, bases, documents, base, add, counts, one, two, under },
    [Symbol.dispose]: () => kv.close(),
  };
}

Deno.test("DocumentTaskQueue: a document is claimed by one process, processed, and then searchable", async () => {
  using world = await open();
  const { add, one, two, documents, kv, counts } = world;
  const of = await add();
  const taken = await one.take();
  assertEquals([taken?.task.of, taken?.bytes], [of, SENT.bytes]);
  assertEquals(await two.take(), undefined);
  await one.finish(taken!.task, READ);
  assertEquals((await documents.get(of))?.state, "ready");
  assertEquals(await counts(), [1, 7, 100_000]);
  const { value } = await kv.get<{ revision: { parts: number } }>(keys.indexedDocument(of));
  assertEquals(value?.revision.parts, 2);
  assertEquals(await one.take(), undefined);
});

Deno.test("DocumentTaskQueue: the claim of a dead process expires, and what it wrote is deleted", async () => {
  using world = await open();
  const { add, one, two, documents, runtime, under, counts } = world;
  const of = await add();
  const dead = await one.take();
  await runtime.advance(TASK_CLAIM_MS);
  const again = await two.take();
  assertEquals([again?.task.of, again?.task.tries], [of, 1]);
  // It was not dead: its result is ignored, and none of its chunks remain.
  await one.finish(dead!.task, { read: { chunks: [new Uint8Array([9])], passages: 999 } });
  assertEquals((await documents.get(of))?.state, "processing");
  await two.finish(again!.task, READ);
  assertEquals(await counts(), [1, 7, 100_000]);
  assertEquals((await under("document_chunks")).length, 2);
});

Deno.test("DocumentTaskQueue: a released task counts as not claimed", async () => {
  using world = await open();
  const { add, one, two } = world;
  await add();
  await one.release((await one.take())!.task);
  assertEquals((await two.take())?.task.tries, 0);
});

Deno.test("DocumentTaskQueue: a document deleted during processing leaves nothing behind", async () => {
  using world = await open();
  const { add, one, documents, under, counts } = world;
  const of = await add();
  const taken = await one.take();
  assert(await documents.delete(of));
  await one.finish(taken!.task, READ);
  assertEquals(await under(of.id), []);
  assertEquals(await counts(), [0, 0, 0]);
});

Deno.test("DocumentTaskQueue: reprocessing keeps the previous revision until it is replaced completely", async () => {
  using world = await open();
  const { add, one, documents, under, counts, kv } = world;
  const of = await add();
  await one.finish((await one.take())!.task, READ);
  const before = await kv.get(keys.indexedDocument(of));
  await documents.reprocess(of);
  assertEquals((await documents.get(of))?.state, "processing");
  assertEquals((await kv.get(keys.indexedDocument(of))).versionstamp, before.versionstamp);
  const taken = (await one.take())!;
  // Requested again during processing: the later one counts.
  await documents.reprocess(of);
  await one.finish(taken.task, READ);
  assertEquals((await documents.get(of))?.state, "processing");
  const shorter = { read: { chunks: [new Uint8Array([3])], passages: 2 } };
  await one.finish((await one.take())!.task, shorter);
  assertEquals(await counts(), [1, 2, 100_000]);
  assertEquals((await under("document_chunks")).length, 1);
  await documents.reprocess(of);
  const error = { code: "damaged", message: "it is damaged" };
  await one.finish((await one.take())!.task, { error });
  const { state, error: told } = (await documents.get(of))!;
  assertEquals([state, told], ["failed", error]);
  assertEquals([await counts(), await under("document_chunks")], [[1, 0, 100_000], []]);
  assertEquals(await under("indexed_documents"), []);
});

Deno.test("DocumentTaskQueue: more passages than the base can take fail with a clear reason", async () => {
  using world = await open();
  const { add, one, documents, counts } = world;
  const [first, second] = [await add(), await add()];
  const many = (chunks: number): ProcessingOutcome => ({
    read: { chunks: [new Uint8Array([1])], passages: chunks },
  });
  const done: string[] = [];
  for (const chunks of [9_999, 2]) {
    const { task } = (await one.take())!;
    await one.finish(task, many(chunks));
    done.push(task.of.id);
  }
  assertEquals(done.sort(), [first.id, second.id].sort());
  const failed = [await documents.get(first), await documents.get(second)]
    .find((document) => document?.state === "failed");
  assertEquals(failed?.error, {
    code: "too_long",
    message: "a knowledge base takes 10,000 passages; there is room for 1 more",
  });
  assertEquals((await counts())[1], 9_999);
});

Deno.test("DocumentTaskQueue: tenants take turns", async () => {
  using world = await open();
  const { add, one, bases } = world;
  const other = { tenant: "u", base: (await bases.create("u", { name: "B" })).id };
  for (let n = 0; n < 3; n++) await add();
  await add(other);
  const turns: string[] = [];
  for (let n = 0; n < 4; n++) turns.push((await one.take())!.task.of.tenant);
  assertEquals(turns, ["t", "u", "t", "t"]);
});

Deno.test("DocumentTaskQueue: an interrupted upload is deleted", async () => {
  using world = await open();
  const { kv, one, base, under, runtime } = world;
  const of = { ...base, id: "00000000-0000-4000-8000-0000000000ff" };
  await kv.set(keys.documentTask(of), { v: 1, until: runtime.now() + TASK_CLAIM_MS, tries: 0 });
  await kv.set(keys.documentSourceChunk(of, runtime.uuid(), 0), new Uint8Array(9));
  assertEquals(await one.take(), undefined);
  assertEquals((await under(of.id)).length, 2);
  await runtime.advance(TASK_CLAIM_MS);
  assertEquals(await one.take(), undefined);
  assertEquals(await under(of.id), []);
});

Deno.test("DocumentTaskQueue: a document with lost content fails with that reason", async () => {
  using world = await open();
  const { kv, add, one, documents, under } = world;
  const of = await add();
  for (const name of await under("document_sources")) {
    const parts = name.split("/");
    await kv.delete([...parts.slice(0, -1), Number(parts.at(-1))]);
  }
  assertEquals(await one.take(), undefined);
  assertEquals((await documents.get(of))?.error?.message, "its content was lost; send it again");
});
