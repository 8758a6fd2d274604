/** All results agree with the order in which the store made the commits, deletions included. */
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import { seeded } from "../../../tests/support/flaky_kv.ts";
import { type Runtime, systemRuntime } from "../../platform/runtime.ts";
import { GroupCommitter } from "./group_committer.ts";
import type { Transaction } from "./operation.ts";

const OPERATIONS = 300;

/** The value under a key: who wrote it. */
type Owner = string | undefined;

/** What one operation did, stored with it, so that it runs once whatever the outcome of its commits. */
interface Effect {
  name: string;
  saw: Owner;
  left: Owner;
  /** What it had read under another key. */
  basis: { name: string; saw: Owner } | undefined;
  /** Its position within its commit. */
  nth: number;
}

/** A logical time, later than all before. */
let moment = 0;

/** The clock stands still. Every twentieth call times out at once, while its read or commit continues. */
function impatient(random: () => number): Runtime {
  const sleep = (ms: number, signal?: AbortSignal) => {
    if (ms < 1000) return Promise.resolve();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    if (random() < 0.05) setImmediate(resolve);
    return promise;
  };
  return { ...systemRuntime, now: () => 0, sleep };
}

/** The times between which a commit was made. */
interface Made {
  from: number;
  to: number;
}

/** A store with delays before and after each call, which records the time of each commit. */
function slow(kv: Deno.Kv, random: () => number) {
  const made = new Map<string, Made>();
  const inFlight = new Set<Promise<unknown>>();
  const travel = async () => {
    const isLong = random() < 0.1;
    for (let n = Math.floor(random() * 8); n > 0; n--) {
      await (isLong ? new Promise((resolve) => setImmediate(resolve)) : undefined);
    }
  };
  const call = <T>(ask: () => Promise<T>): Promise<T> => {
    const called = travel().then(ask).finally(travel);
    inFlight.add(called);
    return called.finally(() => inFlight.delete(called));
  };
  const atomic = () => {
    const step = kv.atomic();
    const commit = step.commit.bind(step);
    const note = async () => {
      const from = ++moment;
      const answer = await commit();
      if (answer.ok) made.set(answer.versionstamp, { from, to: ++moment });
      return answer;
    };
    return Object.assign(step, { commit: () => call(note) });
  };
  const getMany = (keys: Deno.KvKey[]) => call(() => kv.getMany(keys));
  return { kv: { getMany, atomic } as unknown as Deno.Kv, made, inFlight };
}

const at = (name: string) => ["owners", name];

/** Writes or deletes a key, once, and returns what it found there. */
function operation(id: string, of: Pick<Effect, "name" | "left" | "basis">) {
  const [key, done] = [at(of.name), ["effects", id]];
  const decide = (tx: Transaction): Effect => {
    const before = tx.get<Effect>(done);
    if (before !== undefined) return before;
    const saw = tx.get<string>(key);
    if (of.left === undefined) tx.delete(key);
    else tx.set(key, of.left);
    const mine = { ...of, saw, nth: ++moment };
    tx.set(done, mine);
    return mine;
  };
  return { keys: [key, done], decide };
}

/** The results of the operations. */
interface Results {
  /** What each operation found, by id. */
  found: Map<string, Owner>;
  reads: { name: string; saw: Owner; from: number; to: number }[];
}

async function runAll(
  committers: readonly GroupCommitter[],
  { random, range }: { random: () => number; range: number },
): Promise<Results> {
  const results: Results = { found: new Map(), reads: [] };
  const draw = () => `${Math.floor(random() * range)}`;
  const ask = async (id: string) => {
    const committer = committers[Math.floor(random() * committers.length)]!;
    const [name, other, how, from] = [draw(), draw(), random(), ++moment];
    const left = random() < 0.5 ? id : undefined;
    if (how < 0.4) {
      const decide = (tx: Transaction) => tx.get<string>(at(name));
      const saw = await committer.run({ keys: [at(name)], decide });
      results.reads.push({ name, saw, from, to: ++moment });
    } else if (how < 0.8 || other === name) {
      const { saw } = await committer.run(operation(id, { name, left, basis: undefined }));
      results.found.set(id, saw);
    } else {
      const { saw } = await committer.transact(async (view) => {
        const basis = { name: other, saw: (await view.get<string>(at(other))).value ?? undefined };
        return await committer.run(operation(id, { name, left, basis }), view);
      });
      results.found.set(id, saw);
    }
  };
  const ids = Array.from({ length: OPERATIONS }, (_, n) => `${n}`);
  // First all at once, so that batches run in parallel; then by four callers that await their results.
  await Promise.all(ids.splice(0, OPERATIONS / 2).map(ask));
  const client = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) await ask(id);
  };
  await Promise.all([client(), client(), client(), client()]);
  return results;
}

/** Replays all operations in the order of their commits and compares the results. */
function judge(
  effects: readonly Deno.KvEntry<Effect>[],
  { made, results }: { made: ReadonlyMap<string, Made>; results: Results },
): void {
  const spans = new Map<string, { saw: Owner; from: number; to: number }[]>();
  const of = (name: string) =>
    spans.getOrInsertComputed(name, () => [{ saw: undefined, from: 0, to: Infinity }]);
  const inOrder = effects.toSorted((a, b) =>
    a.versionstamp === b.versionstamp
      ? a.value.nth - b.value.nth
      : a.versionstamp < b.versionstamp
      ? -1
      : 1
  );
  for (const { key, value: { name, saw, left, basis }, versionstamp } of inOrder) {
    const id = String(key[1]);
    const last = of(name).at(-1)!;
    assertEquals(saw, last.saw, `what ${id} found`);
    if (basis) assertEquals(basis.saw, of(basis.name).at(-1)!.saw, `what ${id} relied on`);
    assertEquals(results.found.get(id), saw, `what ${id} was results`);
    const { from, to } = made.get(versionstamp)!;
    last.to = to;
    of(name).push({ saw: left, from, to: Infinity });
  }
  assertEquals(effects.length, results.found.size);
  for (const { name, saw, from, to } of results.reads) {
    const isSo = of(name).some((span) => span.saw === saw && span.from <= to && span.to >= from);
    assert(isSo, `${name} was never ${saw} while it was read`);
  }
}

for (const seed of [1, 2, 3]) {
  for (const range of [3, 300]) {
    Deno.test(`GroupCommitter: two on ${range} keys are serializable (seed ${seed})`, async () => {
      using kv = await Deno.openKv(":memory:");
      const random = seeded(seed);
      const { kv: slowly, made, inFlight } = slow(kv, random);
      const runtime = impatient(random);
      const two = [0, 1].map(() => new GroupCommitter(slowly, { runtime }));
      const results = await runAll(two, { random, range });
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
      judge(await Array.fromAsync(kv.list<Effect>({ prefix: ["effects"] })), { made, results });
    });
  }
}
