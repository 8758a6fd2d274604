import { assertAlmostEquals, assertEquals } from "@std/assert";
import { ndcg } from "./ndcg.ts";

const judged = new Map([["a", 2], ["b", 1], ["c", 0]]);

Deno.test("ndcg: the best order is 1, nothing relevant is 0", () => {
  assertEquals(ndcg(["a", "b", "x"], { judged, cut: 10 }), 1);
  assertEquals(ndcg(["x", "c"], { judged, cut: 10 }), 0);
  assertEquals(ndcg(["a"], { judged: new Map(), cut: 10 }), 0);
});

Deno.test("ndcg: a later rank gains less, and a rank past the cut nothing", () => {
  const ideal = 2 + 1 / Math.log2(3);
  assertAlmostEquals(ndcg(["x", "b", "a"], { judged, cut: 10 }), (1 / Math.log2(3) + 1) / ideal);
  assertEquals(ndcg(["x", "y", "a"], { judged, cut: 2 }), 0);
});
