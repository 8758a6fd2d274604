/** Whatever is told agrees with the order in which the store took the commits, deletions included. */
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import { seeded } from "../../../tests/support/flaky_kv.ts";
import { type Runtime, systemRuntime } from "../../platform/runtime.ts";
import { GroupCommitter } from "./group_committer.ts";
import type { Transaction } from "./operation.ts";

const OPERATIONS = 300;

/** Under a key, until it is deleted: who wrote it. */
type Owner = string | undefined;

/** What one operation did, stored with it: it is done once, whatever its commits came to. */
interface Deed {
  name: string;
  saw: Owner;
  left: Owner;
  /** What its work had read under another key. */
  basis: { name: string; saw: Owner } | undefined;
  /** Its place among those of one commit. */
  nth: number;
}

/** A moment, later than all before. */
let moment = 0;

/** Time stands. Every twentieth wait for the store ends at once: its read or commit goes on unheeded. */
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

/** Between which moments a commit was made. */
interface Made {
  from: number;
  to: number;
}

/** A store that takes and answers late, and notes when it made each commit. */
function slow(kv: Deno.Kv, random: () => number) {
  const made = new Map<string, Made>();
  const underWay = new Set<Promise<unknown>>();
  const travel = async () => {
    const isLong = random() < 0.1;
    for (let n = Math.floor(random() * 8); n > 0; n--) {
      await (isLong ? new Promise((resolve) => setImmediate(resolve)) : undefined);
    }
  };
  const call = <T>(ask: () => Promise<T>): Promise<T> => {
    const called = travel().then(ask).finally(travel);
    underWay.add(called);
    return called.finally(() => underWay.delete(called));
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
  return { kv: { getMany, atomic } as unknown as Deno.Kv, made, underWay };
}

const at = (name: string) => ["owners", name];

/** Writes or deletes under a key, once, and tells what it found there. */
function deed(id: string, of: Pick<Deed, "name" | "left" | "basis">) {
  const [key, done] = [at(of.name), ["deeds", id]];
  const decide = (draft: Transaction): Deed => {
    const before = draft.get<Deed>(done);
    if (before !== undefined) return before;
    const saw = draft.get<string>(key);
    if (of.left === undefined) draft.delete(key);
    else draft.set(key, of.left);
    const mine = { ...of, saw, nth: ++moment };
    draft.set(done, mine);
    return mine;
  };
  return { keys: [key, done], decide };
}

/** What the operations were told. */
interface Told {
  /** What each deed found, by its id. */
  found: Map<string, Owner>;
  reads: { name: string; saw: Owner; from: number; to: number }[];
}

async function askAll(
  committers: readonly GroupCommitter[],
  { random, range }: { random: () => number; range: number },
): Promise<Told> {
  const told: Told = { found: new Map(), reads: [] };
  const draw = () => `${Math.floor(random() * range)}`;
  const ask = async (id: string) => {
    const committer = committers[Math.floor(random() * committers.length)]!;
    const [name, other, how, from] = [draw(), draw(), random(), ++moment];
    const left = random() < 0.5 ? id : undefined;
    if (how < 0.4) {
      const decide = (draft: Transaction) => draft.get<string>(at(name));
      const saw = await committer.run({ keys: [at(name)], decide });
      told.reads.push({ name, saw, from, to: ++moment });
    } else if (how < 0.8 || other === name) {
      const { saw } = await committer.run(deed(id, { name, left, basis: undefined }));
      told.found.set(id, saw);
    } else {
      const { saw } = await committer.transact(async (view) => {
        const basis = { name: other, saw: (await view.get<string>(at(other))).value ?? undefined };
        return await committer.run(deed(id, { name, left, basis }), view);
      });
      told.found.set(id, saw);
    }
  };
  const ids = Array.from({ length: OPERATIONS }, (_, n) => `${n}`);
  // At first all at once, so that batches go side by side; then by four who wait for their answers.
  await Promise.all(ids.splice(0, OPERATIONS / 2).map(ask));
  const client = async () => {
    for (let id = ids.pop(); id !== undefined; id = ids.pop()) await ask(id);
  };
  await Promise.all([client(), client(), client(), client()]);
  return told;
}

/** Does all deeds again in the order of their commits, and looks whether that is what was told. */
function judge(
  deeds: readonly Deno.KvEntry<Deed>[],
  { made, told }: { made: ReadonlyMap<string, Made>; told: Told },
): void {
  const spans = new Map<string, { saw: Owner; from: number; to: number }[]>();
  const of = (name: string) =>
    spans.getOrInsertComputed(name, () => [{ saw: undefined, from: 0, to: Infinity }]);
  const inOrder = deeds.toSorted((a, b) =>
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
    assertEquals(told.found.get(id), saw, `what ${id} was told`);
    const { from, to } = made.get(versionstamp)!;
    last.to = to;
    of(name).push({ saw: left, from, to: Infinity });
  }
  assertEquals(deeds.length, told.found.size);
  for (const { name, saw, from, to } of told.reads) {
    const isSo = of(name).some((span) => span.saw === saw && span.from <= to && span.to >= from);
    assert(isSo, `${name} was never ${saw} while it was read`);
  }
}

for (const seed of [1, 2, 3]) {
  for (const range of [3, 300]) {
    Deno.test(`Committer: two on ${range} keys tell what one order explains (seed ${seed})`, async () => {
      using kv = await Deno.openKv(":memory:");
      const random = seeded(seed);
      const { kv: slowly, made, underWay } = slow(kv, random);
      const runtime = impatient(random);
      const two = [0, 1].map(() => new GroupCommitter(slowly, { runtime }));
      const told = await askAll(two, { random, range });
      while (underWay.size > 0) await Promise.allSettled(underWay);
      judge(await Array.fromAsync(kv.list<Deed>({ prefix: ["deeds"] })), { made, told });
    });
  }
}
