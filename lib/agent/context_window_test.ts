import { assert, assertEquals } from "@std/assert";
import { maxPromptBytes, remainingOutputTokens } from "./context_window.ts";

Deno.test("roomBytes: an answer may not take more than a quarter of the context from what is asked", () => {
  assertEquals(maxPromptBytes({ contextTokens: 8_192, maxOutputTokens: 8_192 }), 6_144 * 3);
  assertEquals(maxPromptBytes({ contextTokens: 8_192, maxOutputTokens: 500 }), 7_692 * 3);
  assertEquals(maxPromptBytes({ contextTokens: 128_000, maxOutputTokens: 16_384 }), 111_616 * 3);
});

Deno.test("remainingOutputTokens: the answer has what the prompt leaves, and at most what it wants", () => {
  const room = { contextTokens: 8_192, maxOutputTokens: 8_192 };
  assertEquals(remainingOutputTokens(room, 0), 8_192);
  assertEquals(remainingOutputTokens(room, 300), 8_092);
  assertEquals(remainingOutputTokens(room, 301), 8_091);
  assertEquals(remainingOutputTokens({ ...room, maxOutputTokens: 500 }, 300), 500);
});

Deno.test("remainingOutputTokens: whatever fits into the room leaves the answer its place", () => {
  for (const contextTokens of [1, 3, 7, 100, 4_096, 8_192]) {
    for (const maxOutputTokens of [1, 50, 4_096]) {
      const room = { contextTokens, maxOutputTokens };
      const output = remainingOutputTokens(room, maxPromptBytes(room));
      assert(output >= 1);
      assert(output + maxPromptBytes(room) / 3 <= contextTokens || contextTokens === 1);
    }
  }
});

Deno.test("remainingOutputTokens: a prompt that does not fit by our guess still asks for a short answer", () => {
  assertEquals(remainingOutputTokens({ contextTokens: 8_192, maxOutputTokens: 8_192 }, 1e6), 2_048);
  assertEquals(remainingOutputTokens({ contextTokens: 2, maxOutputTokens: 10 }, 1e6), 1);
});
