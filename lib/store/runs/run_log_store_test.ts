import { assertEquals, assertRejects } from "@std/assert";
import { contentCipher } from "@/tests/support/content.ts";
import type { Frame } from "../../schemas/frames.ts";
import { runFacts } from "@/tests/support/run_requests.ts";
import { contentContexts } from "../encryption/content_cipher.ts";
import { keys } from "../keys/keys.ts";
import { newActiveRun } from "./active_run.ts";
import { CorruptRecordError } from "../values/record.ts";
import { closedLog, type LogState, newLog } from "./run_log_head.ts";
import { encodeFrames, toRunLogHead } from "./frame_reader.ts";
import { RunLogStore } from "./run_log_store.ts";

const FRAMES: Frame[] = ["größer", "👩‍🚀\n\n", "end"].map((text) => ({ type: "delta", text }));
const keyOf = (n: number) => keys.runLogChunk("t", "r", n);

/** A log of `chunks` chunks without a tail. */
const partsOf = (chunks: number) => ({ chunks, frames: 0, tail: new Uint8Array() });

/** Stores the frames as chunks of `size` bytes and returns their number. */
async function store(kv: Deno.Kv, size: number): Promise<number> {
  const bytes = encodeFrames(FRAMES);
  const count = Math.ceil(bytes.length / size);
  for (let n = 0; n < count; n++) {
    await kv.set(keyOf(n), bytes.slice(n * size, (n + 1) * size));
  }
  return count;
}

Deno.test("FrameReader: returns each frame when it is complete, wherever the chunks were split", async () => {
  for (const size of [1, 7, 30]) {
    using kv = await Deno.openKv(":memory:");
    const parts = await store(kv, size);
    const reader = new RunLogStore(kv, contentCipher()).reader("t", "r");
    const read: Frame[] = [];
    for (let n = 1; n <= parts; n++) read.push(...(await reader.readTo(partsOf(n)))!);
    assertEquals(read, FRAMES);
    assertEquals(
      await new RunLogStore(kv, contentCipher()).reader("t", "r").readTo(partsOf(parts)),
      FRAMES,
    );
  }
});

Deno.test("FrameReader: keeps its position if chunks are missing or unreadable", async () => {
  using kv = await Deno.openKv(":memory:");
  const parts = await store(kv, 10);
  const reader = new RunLogStore(kv, contentCipher()).reader("t", "r");
  const first = (await reader.readTo(partsOf(4)))!;
  const { value } = await kv.get(keyOf(5));
  await kv.delete(keyOf(5));
  assertEquals(await reader.readTo(partsOf(parts)), undefined);
  await kv.set(keyOf(5), new TextEncoder().encode("no frame\n"));
  await assertRejects(() => reader.readTo(partsOf(parts)), CorruptRecordError);
  await kv.set(keyOf(5), value);
  assertEquals([...first, ...(await reader.readTo(partsOf(parts)))!], FRAMES);
});

const FACTS = runFacts(1, { tenant: "t", runId: "r" });
const LIVE = keys.activeRun("t", "r");

/** An active run with the given log. */
const liveWith = (log: LogState) =>
  newActiveRun(FACTS, [{ kind: "tenant", key: ["tenant_ledgers", "t"] }], { log });

Deno.test("FrameReader: reads an open log chunk by chunk as it grows, then its end", async () => {
  using kv = await Deno.openKv(":memory:");
  const content = contentCipher();
  const logs = new RunLogStore(kv, content);
  const begun = newLog({ owner: "o" });
  await kv.set(LIVE, liveWith(begun));
  const reader = logs.reader("t", "r");
  assertEquals((await reader.poll())?.frames, []);
  assertEquals(await logs.hasFrames((await logs.head("t", "r"))!), false);
  const parts = FRAMES.map((frame, n) =>
    content.sealSync(encodeFrames([frame]), contentContexts.logChunk("t", "r", n))
  );
  for (const [n, part] of parts.entries()) {
    await kv.set(keyOf(n), part);
    assertEquals((await reader.poll())?.frames, [FRAMES[n]]);
  }
  assertEquals(await logs.hasFrames((await logs.head("t", "r"))!), true);
  // A later reader reads everything at once.
  assertEquals((await logs.reader("t", "r").poll())?.frames, FRAMES);
  const done: Frame = { type: "done", finishReason: "stop" };
  const tail = content.sealSync(encodeFrames([done]), contentContexts.logTail("t", "r", 4));
  const log = { ...closedLog(begun, { chunks: 3, frames: 4 }), tail };
  await kv.atomic().delete(LIVE).set(
    keys.runLogHead("t", "r"),
    toRunLogHead(FACTS, log, { state: "done" }),
  )
    .commit();
  assertEquals((await reader.poll())?.frames, [done]);
  assertEquals((await logs.reader("t", "r").poll())?.frames, [...FRAMES, done]);
  await kv.delete(keyOf(1));
  assertEquals(await logs.reader("t", "r").poll(), undefined);
});

Deno.test("FrameReader: ignores chunks stored by a process after it was taken for dead", async () => {
  using kv = await Deno.openKv(":memory:");
  const begun = newLog({ owner: "o" });
  await kv.set(LIVE, liveWith(begun));
  for (const [n, frame] of FRAMES.entries()) await kv.set(keyOf(n), encodeFrames([frame]));
  const logs = new RunLogStore(kv, contentCipher());
  const reader = logs.reader("t", "r");
  assertEquals((await reader.poll())?.frames, FRAMES);
  const head = toRunLogHead(FACTS, closedLog(begun, { chunks: 2, frames: 2 }), {
    state: "interrupted",
  });
  await kv.atomic().delete(LIVE).set(keys.runLogHead("t", "r"), head).commit();
  assertEquals(await reader.poll(), { head, frames: [] });
  assertEquals((await logs.reader("t", "r").poll())?.frames, FRAMES.slice(0, 2));
});

Deno.test("FrameReader: follows a run of the previous release, which stored the tail in its record", async () => {
  using kv = await Deno.openKv(":memory:");
  const content = contentCipher();
  const logs = new RunLogStore(kv, content);
  const reader = logs.reader("t", "r");
  const seal = (frames: Frame[], count: number) =>
    content.sealSync(encodeFrames(frames), contentContexts.logTail("t", "r", count));
  const seen: Frame[] = [];
  const store = async (state: Omit<LogState, "owner">) => {
    await kv.set(LIVE, liveWith({ owner: "o", ...state }));
    seen.push(...(await reader.poll())!.frames);
    const { log, frames } = (await logs.readAll({ tenant: "t", runId: "r" }))!;
    assertEquals([log.frames, log.chunks, frames.length], [
      state.frames,
      state.chunks,
      state.frames,
    ]);
  };
  await store({ chunks: 0, frames: 1, tail: seal(FRAMES.slice(0, 1), 1) });
  await store({ chunks: 0, frames: 2, tail: seal(FRAMES.slice(0, 2), 2) });
  await kv.set(
    keyOf(0),
    content.sealSync(encodeFrames(FRAMES), contentContexts.logChunk("t", "r", 0)),
  );
  await store({ chunks: 1, frames: 3, tail: new Uint8Array() });
  assertEquals(seen, FRAMES);
});
