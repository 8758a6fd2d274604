import { assertEquals } from "@std/assert";
import { firstFitting } from "./first_fitting.ts";

Deno.test("firstFitting: bytes of the JSON count, and the last version is taken in any case", () => {
  assertEquals(firstFitting(["aaaa", "aa"], 6), "aaaa");
  assertEquals(firstFitting(["漢字", "漢"], 6), "漢");
  assertEquals(firstFitting(["\u0001", "a", ""], 7), "a");
  assertEquals(firstFitting(["aaaa", "aaa"], 1), "aaa");
});
