import { assert, assertEquals } from "@std/assert";
import { clip, MAX_CONTENT, MAX_MESSAGES, messagesOf } from "./history.ts";
import type { Turn } from "./turn.ts";

function turns(count: number, text = (index: number) => `${index}`): Turn[] {
  return Array.from({ length: count }, (_, index) => ({
    id: index,
    role: index % 2 === 0 ? "user" : "assistant",
    text: text(index),
  }));
}

Deno.test("messagesOf: a short conversation is sent whole, in order", () => {
  assertEquals(messagesOf(turns(3)), [
    { role: "user", content: "0" },
    { role: "assistant", content: "1" },
    { role: "user", content: "2" },
  ]);
});

Deno.test("messagesOf: the oldest go first, and what is left begins with a question", () => {
  const messages = messagesOf(turns(101));
  assert(messages.length <= MAX_MESSAGES);
  assertEquals(messages[0]?.role, "user");
  assertEquals(messages.at(-1)?.content, "100");
});

Deno.test("messagesOf: stays below the body limit of 1 MiB even with bytes-heavy text", () => {
  const messages = messagesOf(turns(63, () => "世".repeat(MAX_CONTENT)));
  const bytes = new TextEncoder().encode(JSON.stringify(messages)).length;
  assert(bytes < 1024 * 1024);
  assertEquals(messages.at(-1)?.role, "user");
});

Deno.test("clip: never leaves half of a surrogate pair", () => {
  const text = "a".repeat(MAX_CONTENT - 1) + "👋";
  assertEquals(clip(text), "a".repeat(MAX_CONTENT - 1));
  assertEquals(clip("👋"), "👋");
});
