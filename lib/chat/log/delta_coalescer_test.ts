import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { DeltaCoalescer } from "./delta_coalescer.ts";

function open() {
  const sent: string[] = [];
  return { sent, deltas: new DeltaCoalescer((text) => sent.push(text), { now: Date.now }) };
}

Deno.test("DeltaCoalescer: emits the first delta immediately", () => {
  using _time = new FakeTime();
  const { sent, deltas } = open();
  deltas.push("a");
  assertEquals(sent, ["a"]);
});

Deno.test("DeltaCoalescer: emits at most one delta per 30 ms with all pending text", () => {
  using time = new FakeTime();
  const { sent, deltas } = open();
  for (const piece of ["a", "b", "c"]) deltas.push(piece);
  time.tick(29);
  assertEquals(sent, ["a"]);
  time.tick(1);
  assertEquals(sent, ["a", "bc"]);
  deltas.push("d");
  time.tick(29);
  assertEquals(sent, ["a", "bc"]);
  time.tick(1);
  assertEquals(sent, ["a", "bc", "d"]);
});

Deno.test("DeltaCoalescer: after a pause emits the next delta immediately", () => {
  using time = new FakeTime();
  const { sent, deltas } = open();
  deltas.push("a");
  time.tick(30);
  deltas.push("b");
  assertEquals(sent, ["a", "b"]);
});

Deno.test("DeltaCoalescer: flush emits pending text once and leaves no timer", () => {
  using time = new FakeTime();
  const { sent, deltas } = open();
  deltas.push("a");
  deltas.push("b");
  deltas.flush();
  deltas.flush();
  assertEquals(sent, ["a", "b"]);
  assertEquals(time.next(), false);
});

Deno.test("DeltaCoalescer: ignores empty text", () => {
  using time = new FakeTime();
  const { sent, deltas } = open();
  deltas.push("");
  deltas.flush();
  assertEquals(sent, []);
  assertEquals(time.next(), false);
});

Deno.test("DeltaCoalescer: never loses or reorders text", () => {
  using time = new FakeTime();
  const { sent, deltas } = open();
  const pieces = Array.from({ length: 200 }, (_, n) => `${n} `);
  for (const [n, piece] of pieces.entries()) {
    deltas.push(piece);
    time.tick(n % 13);
    if (n % 50 === 49) deltas.flush();
  }
  deltas.flush();
  assertEquals(sent.join(""), pieces.join(""));
});
