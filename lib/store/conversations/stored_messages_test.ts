import { assertEquals } from "@std/assert";
import type { Branch } from "./conversation_record.ts";
import { branchesWithNext, currentPath } from "./current_path.ts";
import { keyedDigests, knownDigests, withDigests } from "./stored_messages.ts";

const keyed = (digest: string) => `keyed ${digest}`;

/** What a conversation's record knows of its messages. */
class Log {
  next = 0;
  branches: Branch[] = [];
  digests: string[] = [];
  digestRuns: number[] | undefined;
  known: string[] = [];

  /** Adds a run with these messages; returns those that it would store. */
  add(digests: string[], replaced?: number): string[] {
    const known = knownDigests(this, { keyed, replaced });
    const branches = branchesWithNext(this, replaced);
    const n = this.next;
    const path = currentPath({ next: n + 1, branches });
    const stored = withDigests(this, { digests, known, keyed, n, path });
    Object.assign(this, stored, { branches, next: n + 1 });
    return digests.filter((digest) => !known.includes(digest));
  }
}

Deno.test("knownDigests: what replaced runs have stored does not count", () => {
  const log = new Log();
  assertEquals(log.add(["q0", "a0"]), ["q0", "a0"]);
  assertEquals(log.add(["q0", "a0", "q1", "a1"]), ["q1", "a1"]);
  assertEquals(log.add(["q0", "a0", "q1", "b1"], 1), ["q1", "b1"]);
  assertEquals(log.add(["q0", "a0", "q1", "b1", "q3", "a3"]), ["q3", "a3"]);
  assertEquals(log.add(["q1", "a1", "q4", "a4"]), ["a1", "q4", "a4"]);
  // Back to the first branch, whose messages are known there.
  assertEquals(log.add(["q0", "a0", "q1", "a1", "q5", "a5"], 2), ["q1", "a1", "q5", "a5"]);
});

Deno.test("knownDigests: digests without numbers, of early releases, count on every path", () => {
  const log = new Log();
  Object.assign(log, { next: 2, digests: ["q0", "a0"], digestRuns: undefined, known: ["old"] });
  assertEquals(keyedDigests(log, keyed), {
    ...{ digests: ["keyed old", "q0", "a0"], digestRuns: [-1, -1, -1], known: [] },
  });
  assertEquals(log.add(["keyed old", "q0", "a0", "q1"], 0), ["q1"]);
  assertEquals(log.add(["keyed old", "q0", "a0", "q2"], 2), ["q2"]);
});

Deno.test("withDigests: of 128, those of replaced runs are dropped first", () => {
  const log = new Log();
  for (let n = 0; n < 40; n++) log.add([`q${n}`, `a${n}`]);
  for (let n = 40; n < 140; n++) log.add(["q39", `b${n}`], n - 1);
  assertEquals([log.digests.length, log.digestRuns?.length], [128, 128]);
  const claims = Array.from({ length: 39 }, (_, n) => [`q${n}`, `a${n}`]).flat();
  assertEquals(log.add([...claims, "q39", "b139", "new"]), ["new"]);
});
