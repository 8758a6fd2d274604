import { assert, assertEquals } from "@std/assert";
import { contentCipher } from "@/tests/support/content.ts";
import { setImmediate } from "node:timers";
import { FakeRuntime, flushMicrotasks } from "@/tests/support/fake_runtime.ts";
import { runFacts } from "@/tests/support/run_requests.ts";
import type { Operation, Transaction } from "../../store/tx/operation.ts";
import type { SettleHook } from "../../billing/decide_settlement.ts";
import { keys } from "../../store/keys/keys.ts";
import { newActiveRun } from "../../store/runs/active_run.ts";
import { CHUNK_TTL_MS, newLog, type RunLogHead } from "../../store/runs/run_log_head.ts";
import { encodeFrames } from "../../store/runs/frame_reader.ts";
import { RunLogStore } from "../../store/runs/run_log_store.ts";
import type { Frame } from "../../schemas/frames.ts";
import { RunLog } from "./run_log.ts";
import { RunLogWriter } from "./run_log_writer.ts";

const word: Frame = { type: "delta", text: "word " };
const ACCOUNT = { kind: "tenant" as const, key: ["tenant_ledgers", "t"] };
const call: Frame = { type: "tool_call", name: "t", args: {} };

/** A log with immediate commits, recorded with their times. */
function open({ busy, after }: { busy?: () => Promise<void>; after?: () => Promise<void> } = {}) {
  const runtime = new FakeRuntime();
  const values = new Map<string, unknown>();
  const commits: { at: number; bytes: number; keys: number }[] = [];
  const run = async <T>(operation: Operation<T>): Promise<T> => {
    await busy?.();
    const written = new Map<string, unknown>();
    const put = (key: Deno.KvKey, value: unknown) => void written.set(key.join("/"), value);
    const draft: Transaction = {
      get: <V>(key: Deno.KvKey) => values.get(key.join("/")) as V | undefined,
      set: put,
      update: (key, make) => put(key, make(values.get(key.join("/")) as never, false)),
      blindWrite: put,
      create: put,
      delete: (key) => put(key, undefined),
    };
    const result = operation.decide(draft);
    for (const [key, value] of written) values.set(key, value);
    const sizes = [...written.values()].map((v) => v instanceof Uint8Array ? v.length : 0);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    commits.push({ at: runtime.now(), bytes, keys: written.size });
    await after?.();
    return result;
  };
  const facts = runFacts(1);
  const { tenant, runId } = facts;
  const begun = newLog({ owner: "me" });
  const log: RunLog = new RunLog((frame) => stored.onAppend(frame));
  const committer = { run } as never;
  let lost = 0;
  const onLost = () => lost++;
  const chunkTtlMs = CHUNK_TTL_MS;
  const content = contentCipher();
  const deps = { committer, runtime, content, facts, begun, log, chunkTtlMs, onLost };
  const stored: RunLogWriter = new RunLogWriter(deps);
  values.set(stored.key.join("/"), newActiveRun(facts, [ACCOUNT], { log: begun }));
  const kv = {
    getMany: (wanted: Deno.KvKey[]) => {
      const entryOf = (key: Deno.KvKey) => {
        const value = values.get(key.join("/"));
        return { key, value: value ?? null, versionstamp: value === undefined ? null : "1" };
      };
      return Promise.resolve(wanted.map(entryOf));
    },
    async *list({ start }: { start: Deno.KvKey }) {
      for (let n = Number(start.at(-1));; n++) {
        const key = keys.runLogChunk(tenant, runId, n);
        const value = values.get(key.join("/"));
        if (value === undefined) return;
        yield await Promise.resolve({ key, value, versionstamp: "1" });
      }
    },
  } as unknown as Deno.Kv;
  const logs = new RunLogStore(kv, content);
  const reader = logs.reader(tenant, runId);
  /** The log as ended, or as far as it is stored. */
  const storedLog = async () => (await logs.readAll({ tenant, runId }))!.log;
  const head = () => values.get(keys.runLogHead(tenant, runId).join("/")) as RunLogHead | undefined;
  /** The frames that are new to a follower. */
  const read = async () => (await reader.poll())?.frames;
  /** Ends the log as part of a settlement, which deletes the active run. */
  const settle = (write: SettleHook["write"]) =>
    run({
      keys: [],
      decide(draft) {
        write(draft, { charged: 0, excess: 0 });
        draft.delete(stored.key);
      },
    });
  return { log, stored, runtime, commits, values, storedLog, head, read, settle, lost: () => lost };
}

/** The highest number of commits within a second. */
function busiestSecond(commits: readonly { at: number }[]): number {
  const counts = commits.map(({ at }) =>
    commits.filter((other) => other.at > at - 1_000 && other.at <= at).length
  );
  return Math.max(...counts);
}

Deno.test("RunLogWriter: stores text every second, tool frames immediately, at most 4 times a second", async () => {
  const { log, runtime, commits, storedLog } = open();
  for (let ms = 0; ms < 5_000; ms += 10) {
    log.append(ms % 150 === 0 ? call : word);
    await runtime.advance(10);
  }
  await runtime.advance(1_000);
  assertEquals(busiestSecond(commits), 4);
  assertEquals((await storedLog()).frames, log.length);
});

Deno.test("RunLogWriter: stores text within a second", async () => {
  const { log, runtime, commits, storedLog } = open();
  log.append(word);
  await runtime.advance(999);
  assertEquals(commits, []);
  log.append(word);
  await runtime.advance(1);
  assertEquals([commits.length, (await storedLog()).frames], [1, 2]);
});

Deno.test("RunLogWriter: does not write stored frames again", async () => {
  const { log, stored, runtime, commits, values, settle, read } = open();
  const live = values.get(stored.key.join("/"));
  let bytes = 0;
  for (let second = 0; second < 10; second++) {
    for (let n = 0; n < 20; n++) log.append(word);
    await runtime.advance(1_000);
    bytes += encodeFrames(Array(20).fill(word)).length;
  }
  assertEquals(commits.map(({ keys }) => keys), Array(10).fill(1));
  const sealed = commits.reduce((sum, commit) => sum + commit.bytes, 0);
  assert(sealed - bytes <= 10 * 64, `${sealed} bytes were written for ${bytes}`);
  assertEquals(values.get(stored.key.join("/")), live);
  const { write } = await stored.settleHook(() => [{ type: "done", finishReason: "stop" }]);
  await settle(write);
  assertEquals((await read())?.length, 201);
});

Deno.test("RunLogWriter: stores text 4 times a second while the run is followed through another process", async () => {
  const { log, stored, runtime, commits } = open();
  log.append(word);
  await runtime.advance(100);
  stored.onFollowed();
  await flushMicrotasks();
  assertEquals(commits.map(({ at }) => at % 60_000), [100]);
  for (let ms = 0; ms < 20_000; ms += 50) {
    log.append(word);
    await runtime.advance(50);
  }
  const inSecond = (n: number) =>
    commits.filter(({ at }) => Math.floor(at % 60_000 / 1_000) === n).length;
  assertEquals([3, 8, 11].map(inSecond), [4, 4, 4]);
  assertEquals([14, 17, 19].map(inSecond), [1, 1, 1]);
});

Deno.test("RunLogWriter: a slow store gets one commit at a time, then everything pending", async () => {
  const free = Promise.withResolvers<void>();
  const { log, runtime, commits, storedLog } = open({ busy: () => free.promise });
  log.append(call);
  for (let ms = 0; ms < 3_000; ms += 10) {
    log.append(word);
    await runtime.advance(10);
  }
  assertEquals(commits, []);
  free.resolve();
  await flushMicrotasks();
  await runtime.advance(1_000);
  assertEquals((await storedLog()).frames, log.length);
  assert(commits.length <= 3);
});

Deno.test("RunLogWriter: a large frame is stored in several commits and read as one", async () => {
  const { log, runtime, commits, read } = open();
  const output = "x".repeat(2_000_000);
  log.append({ type: "tool_result", name: "t", output });
  await runtime.advance(0);
  // Large chunks yield to the event loop before they are encrypted.
  while (commits.length < 6) await new Promise((wake) => setImmediate(wake));
  assert(commits.length > 1);
  assert(commits.every(({ bytes }) => bytes <= 400 * 1024));
  assertEquals(await read(), [{ type: "tool_result", name: "t", output }]);
});

Deno.test("RunLogWriter: short answers need no chunk, and each chunk is read once", async () => {
  const { log, stored, runtime, head, settle, read } = open();
  const frames: Frame[] = Array.from({ length: 9 }, (_, n) => ({
    type: "delta",
    text: `${n} ${"ä".repeat(600)}`,
  }));
  const seen: Frame[] = [];
  for (const frame of frames) {
    log.append(frame);
    await runtime.advance(1_000);
    seen.push(...await read() ?? []);
  }
  assertEquals(seen, frames);
  log.append(word);
  const { write } = await stored.settleHook(() => [{ type: "done", finishReason: "stop" }]);
  await settle(write);
  assertEquals(await read(), [word, { type: "done", finishReason: "stop" }]);
  assertEquals([head()?.chunks, head()?.frames, head()?.open], [9, 11, undefined]);
});

Deno.test("RunLogWriter: the settlement stores what is pending when the run ends", async () => {
  const free = Promise.withResolvers<void>();
  const { log, stored, commits, head, read, settle } = open({
    busy: () => free.promise,
  });
  log.append(call);
  await flushMicrotasks();
  const { write } = await stored.settleHook(() => [{ type: "done", finishReason: "stop" }]);
  free.resolve();
  await flushMicrotasks();
  assertEquals(commits.map(({ keys }) => keys), [0]);
  await settle(write);
  assertEquals(await read(), [call, { type: "done", finishReason: "stop" }]);
  assertEquals([head()?.frames, head()?.chunks], [2, 0]);
});

Deno.test("RunLogWriter: a run with much unstored text settles in a commit of bounded size", async () => {
  const { log, stored, commits, settle, head, read } = open();
  for (let n = 0; n < 10; n++) {
    log.append({ type: "tool_result", name: "t", output: "x".repeat(250_000) });
  }
  const { write, estimatedBytes } = await stored.settleHook(() => [{
    type: "done",
    finishReason: "stop",
  }]);
  assert(estimatedBytes < 500 * 1024);
  await settle(write);
  assertEquals([head()?.state, head()?.frames], ["done", 11]);
  assertEquals((await read())?.length, 11);
  assert(commits.every((commit) => commit.bytes <= 400 * 1024));
});

Deno.test("RunLogWriter: a run settled by another process is reported as lost and not written", async () => {
  const { log, stored, runtime, values, lost } = open();
  values.delete(stored.key.join("/"));
  log.append(call);
  await runtime.advance(0);
  assertEquals([lost(), values.size], [1, 0]);
});

Deno.test("RunLogWriter: a commit with unknown outcome is written again unchanged", async () => {
  for (const givenUp of [[1], [2], [2, 3, 4]]) {
    let commits = 0;
    const after = () =>
      givenUp.includes(++commits) ? Promise.reject(new Error("late")) : Promise.resolve();
    const { log, stored, runtime, settle, head, read } = open({ after });
    log.append(word);
    await runtime.advance(1_000);
    const seen = await read() ?? [];
    log.append(call);
    await flushMicrotasks();
    seen.push(...await read() ?? []);
    log.append(word);
    const { write } = await stored.settleHook(() => [{ type: "done", finishReason: "stop" }]);
    await settle(write);
    seen.push(...await read() ?? []);
    assertEquals(seen, [word, call, word, { type: "done", finishReason: "stop" }]);
    assertEquals(head()?.frames, 4);
  }
});

Deno.test("RunLogWriter: large unstored text is stored ahead, also after a commit with unknown outcome", async () => {
  const { promise, reject } = Promise.withResolvers<void>();
  let commits = 0;
  const after = () => ++commits === 1 ? promise : Promise.resolve();
  const { log, stored, settle, head, read } = open({ after });
  log.append(call);
  await flushMicrotasks();
  for (let n = 0; n < 2; n++) {
    log.append({ type: "tool_result", name: "t", output: "x".repeat(250_000) });
  }
  const closing = stored.settleHook(() => [{ type: "done", finishReason: "stop" }]);
  reject(new Error("late"));
  const { write } = await closing;
  await settle(write);
  assertEquals([head()?.state, head()?.frames], ["done", 4]);
  assertEquals((await read())?.length, 4);
});

Deno.test("RunLogWriter: a failed commit is retried although no frame follows", async () => {
  let fails = 3;
  const busy = () => fails-- > 0 ? Promise.reject(new Error("away")) : Promise.resolve();
  const { log, runtime, storedLog } = open({ busy });
  log.append(call);
  await runtime.advance(2_000);
  assertEquals((await storedLog()).frames, 1);
});
