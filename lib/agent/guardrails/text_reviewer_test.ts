import { assert, assertEquals, assertRejects } from "@std/assert";
import { TextReviewer } from "./text_reviewer.ts";

const SENTENCE = "This sentence has exactly fifty characters, I trust. ";

/** A reviewer whose checks are answered by hand. */
function reviewed() {
  const checks: { text: string; answer: (isAllowed: boolean) => void; fail: (e: Error) => void }[] =
    [];
  const shown: string[] = [];
  const reviewer = new TextReviewer(
    (text) => {
      const { promise, resolve, reject } = Promise.withResolvers<boolean>();
      checks.push({ text, answer: resolve, fail: reject });
      return promise;
    },
    (text) => shown.push(text),
  );
  const turn = () => new Promise<void>((resolve) => queueMicrotask(() => queueMicrotask(resolve)));
  return { reviewer, checks, shown, turn };
}

Deno.test("TextReviewer: nothing is shown before it is judged, and windows end with sentences", async () => {
  const { reviewer, checks, shown, turn } = reviewed();
  reviewer.push(SENTENCE.repeat(3));
  assertEquals(checks.length, 0);
  reviewer.push(`${SENTENCE}And then`);
  assertEquals(checks.map(({ text }) => text), [SENTENCE.repeat(4)]);
  assertEquals(shown, []);
  reviewer.push(" more.");
  checks[0]!.answer(true);
  await turn();
  assertEquals(shown, [SENTENCE.repeat(4)]);
  const drained = reviewer.drain();
  // The rest is read after what precedes it.
  assertEquals(checks[1]!.text, `${SENTENCE.repeat(4)}And then more.`);
  checks[1]!.answer(true);
  await drained;
  assertEquals(shown.join(""), `${SENTENCE.repeat(4)}And then more.`);
});

Deno.test("TextReviewer: text that arrives during a check waits for one request, whatever its size", async () => {
  const { reviewer, checks, shown } = reviewed();
  for (let n = 0; n < 40; n++) reviewer.push(SENTENCE);
  assertEquals(checks.length, 1);
  const drained = reviewer.drain();
  for (let n = 0; n < checks.length; n++) {
    checks[n]!.answer(true);
    for (let turns = 0; turns < 4; turns++) await Promise.resolve();
  }
  await drained;
  assertEquals([checks.length, shown.join("")], [2, SENTENCE.repeat(40)]);
});

Deno.test("TextReviewer: after a text that is not allowed nothing is shown", async () => {
  const { reviewer, checks, shown } = reviewed();
  reviewer.push(SENTENCE.repeat(10));
  const drained = reviewer.drain();
  checks[0]!.answer(false);
  await drained;
  reviewer.push("x".repeat(5_000));
  await reviewer.drain();
  assertEquals([checks.length, shown, reviewer.heldLength], [1, [], 0]);
});

Deno.test("TextReviewer: a failing check rejects drain, and discard waits for it", async () => {
  const { reviewer, checks } = reviewed();
  reviewer.push(SENTENCE.repeat(10));
  const drained = reviewer.drain();
  checks[0]!.fail(new Error("gone"));
  await assertRejects(() => drained, Error, "gone");
  await reviewer.discard();
  assertEquals(reviewer.heldLength, 0);
});

Deno.test("TextReviewer: text without sentences is cut at 1,000 characters, never within one", async () => {
  const { reviewer, checks, shown, turn } = reviewed();
  reviewer.push("x".repeat(999));
  assertEquals(checks.length, 0);
  reviewer.push("😀".slice(0, 1));
  checks[0]!.answer(true);
  await turn();
  assert(shown[0]!.isWellFormed());
  assertEquals(shown[0]!.length, 999);
});
