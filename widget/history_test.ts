import { assert, assertEquals } from "@std/assert";
import { MAX_MESSAGE_LENGTH, MAX_MESSAGES, toChatMessages, truncate } from "./history.ts";
import type { TranscriptMessage } from "./state.ts";

function turns(count: number, text = (index: number) => `${index}`): TranscriptMessage[] {
  return Array.from({ length: count }, (_, index) => ({
    id: index,
    role: index % 2 === 0 ? "user" : "assistant",
    text: text(index),
  }));
}

/** As JSON has it. */
function sent(messages: unknown): unknown {
  return JSON.parse(JSON.stringify(messages));
}

Deno.test("toChatMessages: sends a short conversation completely, in order", () => {
  assertEquals(sent(toChatMessages(turns(3))), [
    { role: "user", content: "0" },
    { role: "assistant", content: "1" },
    { role: "user", content: "2" },
  ]);
});

Deno.test("toChatMessages: repeats the ids of the files that a question has", () => {
  const file = { id: "file-1", name: "photo.png", mediaType: "image/png" };
  const [first, ...rest] = turns(3);
  assertEquals(sent(toChatMessages([{ ...first!, files: [file] }, ...rest])), [
    { role: "user", content: "0", attachments: ["file-1"] },
    { role: "assistant", content: "1" },
    { role: "user", content: "2" },
  ]);
});

Deno.test("toChatMessages: drops the oldest first, and what is left begins with a question", () => {
  const messages = toChatMessages(turns(101));
  assert(messages.length <= MAX_MESSAGES);
  assertEquals(messages[0]?.role, "user");
  assertEquals(messages.at(-1)?.content, "100");
});

Deno.test("toChatMessages: stays below the body limit of 1 MiB even with bytes-heavy text", () => {
  const messages = toChatMessages(turns(63, () => "世".repeat(MAX_MESSAGE_LENGTH)));
  const bytes = new TextEncoder().encode(JSON.stringify(messages)).length;
  assert(bytes < 1024 * 1024);
  assertEquals(messages.at(-1)?.role, "user");
});

Deno.test("truncate: never splits a surrogate pair", () => {
  const text = "a".repeat(MAX_MESSAGE_LENGTH - 1) + "👋";
  assertEquals(truncate(text), "a".repeat(MAX_MESSAGE_LENGTH - 1));
  assertEquals(truncate("👋"), "👋");
});
