import { assert, assertEquals } from "@std/assert";
import { FakeSystem, fakeUuid, settled } from "@/tests/support/fake_system.ts";
import type { Draft, Operation } from "../committer/operation.ts";
import { keys } from "../storage/keys.ts";
import { newRunHead, type RunHead } from "../storage/run_head.ts";
import type { Frame } from "../wire/frames.ts";
import { RunLog } from "./run_log.ts";
import { StoredLog } from "./stored_log.ts";

const word: Frame = { type: "delta", text: "word " };
const call: Frame = { type: "tool_call", name: "t", args: {} };

/** A log whose commits are made at once, and remembered with their time. */
function open({ busy, after }: { busy?: () => Promise<void>; after?: () => Promise<void> } = {}) {
  const system = new FakeSystem();
  const values = new Map<string, unknown>();
  const commits: { at: number; bytes: number; keys: number }[] = [];
  const run = async <T>(operation: Operation<T>): Promise<T> => {
    await busy?.();
    const written = new Map<string, unknown>();
    const put = (key: Deno.KvKey, value: unknown) => void written.set(key.join("/"), value);
    const draft: Draft = {
      get: <V>(key: Deno.KvKey) => values.get(key.join("/")) as V | undefined,
      set: put,
      note: put,
      delete: (key) => put(key, undefined),
    };
    const result = operation.decide(draft);
    for (const [key, value] of written) values.set(key, value);
    const sizes = [...written.values()].map((v) => v instanceof Uint8Array ? v.length : 0);
    const bytes = sizes.reduce((sum, size) => sum + size, 0);
    commits.push({ at: system.now(), bytes, keys: written.size });
    await after?.();
    return result;
  };
  const source = { kind: "key", id: "key-1" } as const;
  const ids = { runId: fakeUuid(1), tenant: fakeUuid(2), agentId: fakeUuid(3) };
  const head = newRunHead({ ...ids, source, owner: "me" });
  const log: RunLog = new RunLog((frame) => stored.appended(frame));
  const committer = { run } as never;
  let lost = 0;
  const stored: StoredLog = new StoredLog({ committer, system, head, log, onLost: () => lost++ });
  values.set(stored.key.join("/"), head);
  const storedHead = () => values.get(stored.key.join("/")) as RunHead;
  const framesOf = () => {
    const parts = Array.from({ length: storedHead().chunks }, (_, n) => {
      const { tenant, runId } = ids;
      return new TextDecoder().decode(
        values.get(keys.runChunk(tenant, runId, n).join("/")) as Uint8Array,
      );
    });
    return parts.join("").split("\n").slice(0, -1).map((line) => JSON.parse(line) as Frame);
  };
  return { log, stored, system, commits, values, storedHead, framesOf, run, lost: () => lost };
}

/** The most commits that fall into one second. */
function busiestSecond(commits: readonly { at: number }[]): number {
  const counts = commits.map(({ at }) =>
    commits.filter((other) => other.at > at - 1_000 && other.at <= at).length
  );
  return Math.max(...counts);
}

Deno.test("StoredLog: text goes out every 250 ms, tools' frames at once, never more than 4 times a second", async () => {
  const { log, system, commits, storedHead } = open();
  for (let ms = 0; ms < 5_000; ms += 10) {
    log.append(ms % 150 === 0 ? call : word);
    await system.advance(10);
  }
  await system.advance(1_000);
  assertEquals(busiestSecond(commits), 4);
  assertEquals(storedHead().frames, log.length);
});

Deno.test("StoredLog: text alone is stored with the quarter of a second it came in", async () => {
  const { log, system, commits, storedHead } = open();
  log.append(word);
  await system.advance(249);
  assertEquals(commits, []);
  log.append(word);
  await system.advance(1);
  assertEquals([commits.length, storedHead().frames], [1, 2]);
});

Deno.test("StoredLog: a slow store is asked for one thing at a time, and then for all that came", async () => {
  const free = Promise.withResolvers<void>();
  const { log, system, commits, storedHead } = open({ busy: () => free.promise });
  log.append(call);
  for (let ms = 0; ms < 3_000; ms += 10) {
    log.append(word);
    await system.advance(10);
  }
  assertEquals(commits, []);
  free.resolve();
  await settled();
  await system.advance(1_000);
  assertEquals(storedHead().frames, log.length);
  assert(commits.length <= 3);
});

Deno.test("StoredLog: a frame of any size is stored in commits the store takes, and read as one", async () => {
  const { log, system, commits, values, storedHead } = open();
  const output = "x".repeat(2_000_000);
  log.append({ type: "tool_result", name: "t", output });
  await system.advance(0);
  assertEquals(storedHead().frames, 1);
  assert(commits.length > 1);
  assert(commits.every(({ bytes }) => bytes <= 400 * 1024));
  const parts = Array.from({ length: storedHead().chunks }, (_, n) => {
    const [name] = [...values.keys()].filter((key) => key.endsWith(`${fakeUuid(1)}/${n}`));
    return new TextDecoder().decode(values.get(name!) as Uint8Array);
  });
  assertEquals(JSON.parse(parts.join("")).output.length, output.length);
});

Deno.test("StoredLog: a run that ends with much unstored settles in a commit of bounded size", async () => {
  const { log, stored, commits, run, storedHead } = open();
  for (let n = 0; n < 10; n++) {
    log.append({ type: "tool_result", name: "t", output: "x".repeat(250_000) });
  }
  const { keys, write, bytes } = await stored.closing(() => [{
    type: "done",
    finishReason: "stop",
  }]);
  assert(bytes < 500 * 1024);
  await run({ keys, decide: (draft) => write(draft, { charged: 0, excess: 0 }) });
  assertEquals([storedHead().state, storedHead().frames], ["done", 11]);
  assert(commits.every((commit) => commit.bytes <= 400 * 1024));
});

Deno.test("StoredLog: a run that somebody else has ended is told so, and not written to", async () => {
  const { log, stored, system, values, storedHead, lost } = open();
  values.set(stored.key.join("/"), { ...storedHead(), state: "interrupted" });
  log.append(call);
  await system.advance(0);
  assertEquals([lost(), storedHead().frames], [1, 0]);
});

Deno.test("StoredLog: a commit that was made although it was given up is neither changed nor repeated", async () => {
  for (const givenUp of [1, 2]) {
    let commits = 0;
    const after = () =>
      ++commits === givenUp ? Promise.reject(new Error("late")) : Promise.resolve();
    const { log, stored, system, run, storedHead, framesOf } = open({ after });
    log.append(word);
    await system.advance(250);
    log.append(call);
    const { keys, write } = await stored.closing(() => [{ type: "done", finishReason: "stop" }]);
    await run({ keys, decide: (draft) => write(draft, { charged: 0, excess: 0 }) });
    assertEquals(framesOf(), [word, call, { type: "done", finishReason: "stop" }]);
    // A follower reads no part twice.
    assertEquals([storedHead().frames, storedHead().chunks], [3, 3]);
  }
});

Deno.test("StoredLog: what a store did not take is stored when it is back, although nothing else comes", async () => {
  let fails = 3;
  const busy = () => fails-- > 0 ? Promise.reject(new Error("away")) : Promise.resolve();
  const { log, system, storedHead } = open({ busy });
  log.append(call);
  await system.advance(2_000);
  assertEquals(storedHead().frames, 1);
});
