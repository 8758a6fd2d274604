import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import type { QueuedOperation } from "./batch.ts";
import { encodeKey } from "./kv_cache.ts";
import { CommitQueue, type InFlightBatch } from "./commit_queue.ts";

/** An entry that may change the keys in `own` and relies on those in `read`. */
function entry(own: string[], read: string[] = []): QueuedOperation {
  const named = (names: string[]) =>
    new Map(names.map((name): [string, Deno.KvKey] => [encodeKey([name]), [name]]));
  return {
    operation: { keys: own.map((name) => [name]), decide() {} },
    readSet: new Map([...named(read).keys()].map((text) => [text, { versionstamp: null }])),
    keys: named([...own, ...read]),
    reads: undefined,
    since: 0,
    deadline: Infinity,
    wasTried: false,
    resolve() {},
    reject() {},
  };
}

function lineOf(...entries: QueuedOperation[]): CommitQueue {
  const line = new CommitQueue();
  for (const one of entries) line.add(one);
  return line;
}

function taken(line: CommitQueue, maxKeys: number): InFlightBatch {
  const batch = line.take(maxKeys);
  assert(batch !== undefined);
  return batch;
}

describe("CommitQueue", () => {
  it("takes what fits into one atomic, at least one entry, in order", () => {
    const [a, b, c] = [entry(["a"]), entry(["a", "b"]), entry(["c", "d", "e"])];
    const line = lineOf(a, b, c);
    const first = taken(line, 2);
    assertEquals(first.entries, [a, b]);
    line.release(first, []);
    assertEquals(taken(line, 2).entries, [c]);
    assertEquals(line.length, 0);
  });

  it("holds back a partial batch while another is in flight", () => {
    const line = lineOf(entry(["a"]));
    const first = taken(line, 2);
    line.add(entry(["b"]));
    assertEquals(line.take(2), undefined);
    line.release(first, []);
    assertEquals(taken(line, 2).entries.length, 1);
  });

  it("takes a large partial batch in parallel", () => {
    const line = lineOf(entry(["a"]));
    taken(line, 100);
    const others = Array.from({ length: 24 }, (_, n) => entry([`b${n}`]));
    for (const one of others.slice(1)) line.add(one);
    assertEquals(line.take(100), undefined);
    line.add(others[0]!);
    assertEquals(taken(line, 100).entries.length, 24);
  });

  it("takes entries that share keys together, so that the rest can go in parallel", () => {
    const of = (tenant: string) =>
      Array.from({ length: 4 }, (_, n) => entry([tenant, `${tenant}${n}`]));
    const [a, b] = [of("a"), of("b")];
    const line = lineOf(...a.flatMap((one, n) => [one, b[n]!]));
    assertEquals(taken(line, 4).entries, a.slice(0, 3));
    assertEquals(taken(line, 4).entries, b.slice(0, 3));
    assertEquals([line.inFlight, line.length], [2, 2]);
  });

  it("takes entries that share keys no earlier than older entries on other keys", () => {
    const [a, b, both] = [entry(["a"]), entry(["b"]), entry(["a", "b"])];
    assertEquals(taken(lineOf(a, b, both), 3).entries, [a, b, both]);
    const line = lineOf(a, b, both, entry(["a", "c"]));
    assertEquals(taken(line, 1).entries, [a]);
  });

  it("takes a full batch in parallel with one without common keys", () => {
    const line = lineOf(entry(["a"]));
    taken(line, 2);
    const [b, c, d] = [entry(["b"]), entry(["c"]), entry(["d"])];
    for (const one of [b, c, d]) line.add(one);
    assertEquals(taken(line, 2).entries, [b, c]);
    assertEquals(line.inFlight, 2);
  });

  it("holds back entries that conflict with a key in flight", () => {
    const line = lineOf(entry(["a"], ["shared"]));
    taken(line, 2);
    const beside = [entry(["b"], ["shared"]), entry(["c"], ["shared"])];
    const after = [entry(["a"]), entry(["shared"]), entry(["d"], ["a"])];
    for (const one of [...after, ...beside]) line.add(one);
    // Entries that only rely on `shared` must not overtake those that wait to change it.
    assertEquals(line.take(2), undefined);
    const [free, other] = [entry(["e"]), entry(["f"])];
    for (const one of [free, other, entry(["g"])]) line.add(one);
    assertEquals(taken(line, 2).entries, [free, other]);
  });

  it("takes batches that only rely on the same key in parallel", () => {
    const line = lineOf(entry(["a"], ["shared"]));
    taken(line, 3);
    const two = [entry(["b"], ["shared"]), entry(["c"], ["shared"])];
    for (const one of [...two, entry(["d"], ["shared"])]) line.add(one);
    assertEquals(taken(line, 3).entries, two);
  });

  it("never reorders entries on the same key", () => {
    const line = lineOf(entry(["a"]));
    const first = taken(line, 1);
    const waits = entry(["a", "b"]);
    const behind = entry(["b"]);
    for (const one of [waits, behind, entry(["c"])]) line.add(one);
    line.add(entry(["d"]));
    const beside = taken(line, 1);
    assert(!beside.entries.includes(behind));
    line.release(first, []);
    line.release(beside, []);
    assertEquals(taken(line, 2).entries, [waits, behind]);
  });

  it("puts the remaining entries of a batch first", () => {
    const [a, b, c] = [entry(["a"]), entry(["a"]), entry(["a"])];
    const line = lineOf(a, b);
    const first = taken(line, 1);
    line.add(c);
    line.release(first, [b]);
    assertEquals(taken(line, 1).entries, [b, c]);
  });
});
