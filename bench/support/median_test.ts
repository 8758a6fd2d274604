import { assertEquals } from "@std/assert";
import { median } from "./median.ts";

Deno.test("median: the middle value, or the mean of the two in the middle, in any order", () => {
  assertEquals(median([10, 2, 30]), 10);
  assertEquals(median([4, 1, 3, 2]), 2.5);
  assertEquals(median([7]), 7);
  assertEquals(median([]), NaN);
});
