import { assertEquals } from "@std/assert";
import { inputBound, inputBytes } from "./input_bound.ts";

Deno.test("inputBytes: counts the bytes of everything the model is shown", () => {
  const nothing = { system: "", messages: [], tools: [] };
  assertEquals(inputBytes(nothing), 4);
  assertEquals(inputBytes({ ...nothing, system: "äö" }), 8);
  const messages = [{ role: "user" as const, content: "猫" }];
  assertEquals(inputBytes({ ...nothing, messages }), 4 + '{"role":"user","content":""}'.length + 3);
});

Deno.test("inputBound: thoughts that go back are no more tokens than their turn was granted", () => {
  const thoughts = { role: "assistant", content: "", opaque: "t".repeat(998) } as const;
  const bound = (granted: object) => inputBound(5_000, [{ ...thoughts, ...granted }]);
  assertEquals(bound({ grantedTokens: 300 }), 5_000 - 700);
  assertEquals(bound({ grantedTokens: 4_096 }), 5_000);
  assertEquals(bound({}), 5_000);
});
