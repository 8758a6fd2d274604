import { assertEquals } from "@std/assert";
import type { ChatMessage } from "../schemas/chat.ts";
import { fitContext } from "./prepare_run.ts";

/** `u` is the user's, `a` the assistant's; each 30 bytes, so 10 tokens. */
function conversation(roles: string): ChatMessage[] {
  return [...roles].map((role) => ({
    role: role === "u" ? "user" as const : "assistant" as const,
    content: "x".repeat(30),
  }));
}

const room = (contextTokens: number) => ({ contextTokens, maxOutputTokens: 10, otherBytes: 15 });

Deno.test("fitContext: what fits is left as it is", () => {
  const messages = conversation("uau");
  assertEquals(fitContext(messages, room(45)), { messages, dropped: 0 });
});

Deno.test("fitContext: the oldest turns go, and what is left begins with the user", () => {
  const messages = conversation("uauau");
  assertEquals(fitContext(messages, room(64)).dropped, 2);
  assertEquals(fitContext(messages, room(54)).dropped, 2);
  assertEquals(fitContext(messages, room(44)).dropped, 4);
});

Deno.test("fitContext: the last message stays however long it is", () => {
  const messages = conversation("uau");
  assertEquals(fitContext(messages, room(5)), { messages: messages.slice(2), dropped: 2 });
});

Deno.test("fitContext: a script of three bytes a character counts by its bytes", () => {
  const messages: ChatMessage[] = [
    { role: "user", content: "猫".repeat(10) },
    { role: "user", content: "猫".repeat(10) },
  ];
  assertEquals(fitContext(messages, room(32)).dropped, 1);
  assertEquals(fitContext(messages, room(33)).dropped, 0);
});

Deno.test("fitContext: an answer as long as the context costs no turn before it is cut itself", () => {
  const messages = conversation("uauau");
  const whole = { contextTokens: 80, maxOutputTokens: 80, otherBytes: 15 };
  assertEquals(fitContext(messages, whole).dropped, 0);
  assertEquals(fitContext(messages, { ...whole, contextTokens: 72 }).dropped, 2);
});
