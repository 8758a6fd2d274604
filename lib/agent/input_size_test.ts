import { assertEquals } from "@std/assert";
import { maxInputTokens, messageBytes, promptBytes } from "./input_size.ts";

Deno.test("promptBytes and messageBytes count the bytes of everything the model is shown", () => {
  assertEquals(promptBytes({ system: "", tools: [] }), 2);
  assertEquals(promptBytes({ system: "äö", tools: [] }), 6);
  const messages = [{ role: "user" as const, content: "猫" }];
  assertEquals(messageBytes(messages), '[{"role":"user","content":""}]'.length + 3);
});

Deno.test("maxInputTokens: thoughts that go back are no more tokens than their turn was granted", () => {
  const thoughts = { role: "assistant", content: "", providerMetadata: "t".repeat(998) } as const;
  const bound = (granted: object) => maxInputTokens(5_000, [{ ...thoughts, ...granted }]);
  assertEquals(bound({ maxOutputTokens: 300 }), 5_000 - 700);
  assertEquals(bound({ maxOutputTokens: 4_096 }), 5_000);
  assertEquals(bound({}), 5_000);
});
