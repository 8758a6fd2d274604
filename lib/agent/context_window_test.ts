import { assert, assertEquals } from "@std/assert";
import {
  maxInputTokens,
  maxPromptBytes,
  messageBytes,
  promptBytes,
  remainingOutputTokens,
} from "./context_window.ts";

Deno.test("roomBytes: output reserves at most a quarter of the context", () => {
  assertEquals(maxPromptBytes({ contextTokens: 8_192, maxOutputTokens: 8_192 }), 6_144 * 3);
  assertEquals(maxPromptBytes({ contextTokens: 8_192, maxOutputTokens: 500 }), 7_692 * 3);
  assertEquals(maxPromptBytes({ contextTokens: 128_000, maxOutputTokens: 16_384 }), 111_616 * 3);
});

Deno.test("remainingOutputTokens: output gets the rest of the context, up to its own limit", () => {
  const window = { contextTokens: 8_192, maxOutputTokens: 8_192 };
  assertEquals(remainingOutputTokens(window, 0), 8_192);
  assertEquals(remainingOutputTokens(window, 300), 8_092);
  assertEquals(remainingOutputTokens(window, 301), 8_091);
  assertEquals(remainingOutputTokens({ ...window, maxOutputTokens: 500 }, 300), 500);
});

Deno.test("remainingOutputTokens: a prompt of the maximum size leaves the reserved output", () => {
  for (const contextTokens of [1, 3, 7, 100, 4_096, 8_192]) {
    for (const maxOutputTokens of [1, 50, 4_096]) {
      const window = { contextTokens, maxOutputTokens };
      const output = remainingOutputTokens(window, maxPromptBytes(window));
      assert(output >= 1);
      assert(output + maxPromptBytes(window) / 3 <= contextTokens || contextTokens === 1);
    }
  }
});

Deno.test("remainingOutputTokens: a prompt estimated as too large still gets the reserved output", () => {
  assertEquals(remainingOutputTokens({ contextTokens: 8_192, maxOutputTokens: 8_192 }, 1e6), 2_048);
  assertEquals(remainingOutputTokens({ contextTokens: 2, maxOutputTokens: 10 }, 1e6), 1);
});

Deno.test("promptBytes and messageBytes count the bytes of the whole prompt", () => {
  assertEquals(promptBytes({ system: "", tools: [] }), 2);
  assertEquals(promptBytes({ system: "äö", tools: [] }), 6);
  const messages = [{ role: "user" as const, content: "猫" }];
  assertEquals(messageBytes(messages), '[{"role":"user","content":""}]'.length + 3);
});

Deno.test("maxInputTokens: provider metadata counts at most the tokens its turn was allowed", () => {
  const turn = { role: "assistant", content: "", providerMetadata: "t".repeat(998) } as const;
  const bound = (limit: object) => maxInputTokens(5_000, [{ ...turn, ...limit }]);
  assertEquals(bound({ maxOutputTokens: 300 }), 5_000 - 700);
  assertEquals(bound({ maxOutputTokens: 4_096 }), 5_000);
  assertEquals(bound({}), 5_000);
});
