import { assertEquals, assertRejects } from "@std/assert";
import { contentCipher } from "@/tests/support/content.ts";
import type { Frame } from "../wire/frames.ts";
import { keys } from "./keys.ts";
import { CorruptRecordError } from "./record.ts";
import { packFrames, RunLogStore } from "./run_log_store.ts";

const FRAMES: Frame[] = ["größer", "👩‍🚀\n\n", "end"].map((text) => ({ type: "delta", text }));
const keyOf = (n: number) => keys.runChunk("t", "r", n);

/** A log of so many parts and nothing after them. */
const partsOf = (chunks: number) => ({ chunks, frames: 0, tail: new Uint8Array() });

/** Stores the frames as parts of `size` bytes; answers how many there are. */
async function store(kv: Deno.Kv, size: number): Promise<number> {
  const bytes = packFrames(FRAMES);
  const count = Math.ceil(bytes.length / size);
  for (let n = 0; n < count; n++) {
    await kv.set(keyOf(n), bytes.slice(n * size, (n + 1) * size));
  }
  return count;
}

Deno.test("FrameReader: answers each frame once it is whole, wherever the parts were cut", async () => {
  for (const size of [1, 7, 30]) {
    using kv = await Deno.openKv(":memory:");
    const parts = await store(kv, size);
    const reader = new RunLogStore(kv, contentCipher()).reader("t", "r");
    const read: Frame[] = [];
    for (let n = 1; n <= parts; n++) read.push(...(await reader.upTo(partsOf(n)))!);
    assertEquals(read, FRAMES);
    assertEquals(
      await new RunLogStore(kv, contentCipher()).reader("t", "r").upTo(partsOf(parts)),
      FRAMES,
    );
  }
});

Deno.test("FrameReader: stays where it was when parts are missing or cannot be read", async () => {
  using kv = await Deno.openKv(":memory:");
  const parts = await store(kv, 10);
  const reader = new RunLogStore(kv, contentCipher()).reader("t", "r");
  const first = (await reader.upTo(partsOf(4)))!;
  const { value } = await kv.get(keyOf(5));
  await kv.delete(keyOf(5));
  assertEquals(await reader.upTo(partsOf(parts)), undefined);
  await kv.set(keyOf(5), new TextEncoder().encode("no frame\n"));
  await assertRejects(() => reader.upTo(partsOf(parts)), CorruptRecordError);
  await kv.set(keyOf(5), value);
  assertEquals([...first, ...(await reader.upTo(partsOf(parts)))!], FRAMES);
});
