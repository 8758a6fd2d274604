import { assertAlmostEquals, assertEquals } from "@std/assert";
import { fuseRanks } from "./rank_fusion.ts";

const items = (found: { item: string }[]) => found.map(({ item }) => item).join("");

Deno.test("fuseRanks: what both rank high comes first, what one ranks first before what it ranks last", () => {
  assertEquals(items(fuseRanks([["a", "b", "c"], ["d", "b", "e"]], { limit: 9 })), "badce");
  assertEquals(items(fuseRanks([["a", "b"], []], { limit: 1 })), "a");
  assertEquals(fuseRanks([[], []], { limit: 5 }), []);
});

Deno.test("fuseRanks: scores are sums of reciprocal ranks", () => {
  const [best] = fuseRanks([["x", "a"], ["a"]], { limit: 1 });
  assertEquals(best!.item, "a");
  assertAlmostEquals(best!.score, 1 / 62 + 1 / 61, 1e-12);
});
