/** No text takes more time to read than its length accounts for. */
import { assert, AssertionError } from "@std/assert";
import process from "node:process";
import { hostileTexts, ordinaryText, randomText } from "../tests/support/hostile_markdown.ts";
import { parseBlock, splitBlocks } from "./markdown.ts";
import type { Inline } from "./markdown_tree.ts";
import { completeSentencesLength, stripMarkup } from "./answer_text.ts";

/** All that becomes of an answer's text before it is drawn. */
function read(text: string, live: boolean): Inline[] {
  completeSentencesLength(text);
  stripMarkup(text);
  const blocks = splitBlocks(text, live);
  return blocks.map((block, at) => parseBlock(block, live && at === blocks.length - 1));
}

/** The processor's time that this process has used, in milliseconds. */
function used(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * In milliseconds, the fastest of some tries: whatever else the machine does only adds to it. On a busy
 * machine also the collection of garbage waits for a processor, so waiting does not count.
 */
function time(text: string, tries = 1): number {
  let least = Infinity;
  for (let n = 0; n < tries; n++) {
    const [start, startUsed] = [performance.now(), used()];
    read(text, true);
    read(text, false);
    least = Math.min(least, performance.now() - start, used() - startUsed);
  }
  return least;
}

const TRIES = 5;
const ROUNDS = 10;
/** Below this, clock resolution and garbage collection dominate. */
const FLOOR_MS = 0.5;

Deno.test("parsing an answer: eight times the text takes at most eight times the time, for any text", () => {
  const short = hostileTexts(2_000);
  const long = hostileTexts(16_000);
  assert(long.length >= 200);
  long.forEach((text, at) => {
    // Allow three times the linear time; quadratic time would be eight times.
    if (time(text) <= 24 * FLOOR_MS) return;
    let once = Infinity;
    let ms = Infinity;
    // A busy machine may slow one of the two down for a while, but not in each round.
    for (let round = 0; round < ROUNDS; round++) {
      once = Math.min(once, Math.max(FLOOR_MS, time(short[at]!, TRIES)));
      ms = Math.min(ms, time(text, TRIES));
      if (ms <= 24 * once) return;
    }
    throw new AssertionError(`${ms} ms after ${once} ms: ${JSON.stringify(text.slice(0, 40))}`);
  });
});

Deno.test("parsing an answer: ten thousand random texts each parse in linear time", () => {
  const length = 500;
  time(ordinaryText(length), 50);
  // Text made of delimiters takes longer than ordinary text, by a bounded factor.
  const bound = 25 * time(ordinaryText(length), 50);
  for (let seed = 0; seed < 10_000; seed++) {
    const text = randomText(seed, length);
    if (time(text) <= bound) continue;
    const ms = time(text, 10 * TRIES);
    assert(ms <= bound, `${ms} ms of ${bound} ms: ${JSON.stringify(text)}`);
  }
});
