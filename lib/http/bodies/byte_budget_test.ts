import { assertEquals } from "@std/assert";
import { ByteBudget } from "./byte_budget.ts";

Deno.test("ByteBudget: limits each holder to its share and reuses released bytes", () => {
  const budget = new ByteBudget(100, { share: 40 });
  assertEquals(budget.take(40, ["a"]), true);
  assertEquals(budget.take(1, ["a", "t"]), false);
  assertEquals(budget.take(40, ["b", "t"]), true);
  assertEquals(budget.take(1, ["c", "t"]), false);
  assertEquals(budget.take(20, ["c"]), true);
  assertEquals(budget.take(1, ["d"]), false);
  budget.release(40, ["a"]);
  assertEquals([budget.take(40, ["a"]), budget.available], [true, 0]);
});

Deno.test("ByteBudget.resize: taken bytes count against the new limits", () => {
  const budget = new ByteBudget(100);
  assertEquals(budget.take(30, ["a"]), true);
  budget.resize(50, { share: 40 });
  assertEquals(budget.available, 20);
  assertEquals([budget.take(11, ["a"]), budget.take(10, ["a"])], [false, true]);
  budget.release(40, ["a"]);
  assertEquals(budget.available, 50);
});
