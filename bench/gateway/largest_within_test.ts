import { assert, assertEquals } from "@std/assert";
import { largestWithin } from "./largest_within.ts";

/** Sizes that were tried, and the result for a server that can do `limit`. */
async function search(limit: number, range: { from: number; to: number; precision?: number }) {
  const tried: number[] = [];
  const found = await largestWithin((size) => {
    tried.push(size);
    return Promise.resolve(size <= limit);
  }, range);
  return { found, tried };
}

Deno.test("largestWithin: finds every limit exactly if asked to", async () => {
  for (let limit = 0; limit <= 70; limit++) {
    const { found, tried } = await search(limit, { from: 10, to: 64, precision: 0 });
    assertEquals(found, Math.min(limit, 64));
    assertEquals(new Set(tried).size, tried.length, "a size was tried twice");
    assert(tried.every((size) => size >= 1 && size <= 64));
  }
});

Deno.test("largestWithin: stops as soon as it is close enough", async () => {
  const { found, tried } = await search(1_000, { from: 50, to: 1_600, precision: 0.1 });
  assert(found <= 1_000 && found > 900);
  assertEquals(tried, [50, 100, 200, 400, 800, 1600, 1200, 1000, 1100]);
});
