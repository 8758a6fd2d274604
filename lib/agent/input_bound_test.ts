import { assertEquals } from "@std/assert";
import { inputBound } from "./input_bound.ts";

Deno.test("inputBound: counts the bytes of everything the model is shown", () => {
  const nothing = { system: "", messages: [], tools: [] };
  assertEquals(inputBound(nothing), 4);
  assertEquals(inputBound({ ...nothing, system: "äö" }), 8);
  const messages = [{ role: "user" as const, content: "猫" }];
  assertEquals(inputBound({ ...nothing, messages }), 4 + '{"role":"user","content":""}'.length + 3);
});
