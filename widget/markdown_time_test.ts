/** No text takes more time to read than its length accounts for. */
import { assert } from "@std/assert";
import { hostileTexts, ordinaryText, randomText } from "../tests/support/hostile_markdown.ts";
import { type Inline, parseBlock, splitBlocks } from "./markdown.ts";
import { completeSentencesLength, stripMarkup } from "./state.ts";

/** All that becomes of an answer's text before it is drawn. */
function read(text: string, live: boolean): Inline[] {
  completeSentencesLength(text);
  stripMarkup(text);
  const blocks = splitBlocks(text, live);
  return blocks.map((block, at) => parseBlock(block, live && at === blocks.length - 1));
}

/** In milliseconds, the fastest of some tries: whatever else the machine does only adds to it. */
function time(text: string, tries = 1): number {
  let least = Infinity;
  for (let n = 0; n < tries; n++) {
    const start = performance.now();
    read(text, true);
    read(text, false);
    least = Math.min(least, performance.now() - start);
  }
  return least;
}

const TRIES = 5;
/** Shorter times are told by the clock's steps and the collector's pauses. */
const FLOOR_MS = 0.5;

Deno.test("reading an answer: eight times the text takes eight times the time, whatever it is", () => {
  const short = hostileTexts(2_000);
  const long = hostileTexts(16_000);
  assert(long.length >= 200);
  long.forEach((text, at) => {
    // Three times as much is allowed for; in quadratic time it would be eight times as much.
    if (time(text) <= 24 * FLOOR_MS) return;
    const once = Math.max(FLOOR_MS, time(short[at]!, 10 * TRIES));
    const ms = time(text, 10 * TRIES);
    assert(ms <= 24 * once, `${ms} ms after ${once} ms: ${JSON.stringify(text.slice(0, 40))}`);
  });
});

Deno.test("reading an answer: ten thousand random texts are each as quick as their length allows", () => {
  const length = 500;
  time(ordinaryText(length), 50);
  // Where nearly every character is a mark there is more to do, but no more than so many times.
  const bound = 25 * time(ordinaryText(length), 50);
  for (let seed = 0; seed < 10_000; seed++) {
    const text = randomText(seed, length);
    if (time(text) <= bound) continue;
    const ms = time(text, 10 * TRIES);
    assert(ms <= bound, `${ms} ms of ${bound} ms: ${JSON.stringify(text)}`);
  }
});
