import { assert, assertEquals } from "@std/assert";
import { outputBeside, roomBytes } from "./context_room.ts";

Deno.test("roomBytes: an answer may not take more than a quarter of the context from what is asked", () => {
  assertEquals(roomBytes({ contextTokens: 8_192, outputTokens: 8_192 }), 6_144 * 3);
  assertEquals(roomBytes({ contextTokens: 8_192, outputTokens: 500 }), 7_692 * 3);
  assertEquals(roomBytes({ contextTokens: 128_000, outputTokens: 16_384 }), 111_616 * 3);
});

Deno.test("outputBeside: the answer has what the prompt leaves, and at most what it wants", () => {
  const room = { contextTokens: 8_192, outputTokens: 8_192 };
  assertEquals(outputBeside(room, 0), 8_192);
  assertEquals(outputBeside(room, 300), 8_092);
  assertEquals(outputBeside(room, 301), 8_091);
  assertEquals(outputBeside({ ...room, outputTokens: 500 }, 300), 500);
});

Deno.test("outputBeside: whatever fits into the room leaves the answer its place", () => {
  for (const contextTokens of [1, 3, 7, 100, 4_096, 8_192]) {
    for (const outputTokens of [1, 50, 4_096]) {
      const room = { contextTokens, outputTokens };
      const output = outputBeside(room, roomBytes(room));
      assert(output >= 1);
      assert(output + roomBytes(room) / 3 <= contextTokens || contextTokens === 1);
    }
  }
});

Deno.test("outputBeside: a prompt that does not fit by our guess still asks for a short answer", () => {
  assertEquals(outputBeside({ contextTokens: 8_192, outputTokens: 8_192 }, 1e6), 2_048);
  assertEquals(outputBeside({ contextTokens: 2, outputTokens: 10 }, 1e6), 1);
});
