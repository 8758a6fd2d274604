import { assertEquals } from "@std/assert";
import type { ChatMessage } from "../../schemas/chat.ts";
import { fitContext } from "./fit_context.ts";

/** `u` is the user's, `a` the assistant's; each 30 bytes, so 10 tokens. */
function conversation(roles: string): ChatMessage[] {
  return [...roles].map((role) => ({
    role: role === "u" ? "user" as const : "assistant" as const,
    content: "x".repeat(30),
  }));
}

const room = (contextTokens: number) => ({ contextTokens, maxOutputTokens: 10, otherBytes: 15 });

Deno.test("fitContext: keeps messages that fit", () => {
  const messages = conversation("uau");
  assertEquals(fitContext(messages, room(45)), { messages, dropped: 0 });
});

Deno.test("fitContext: drops the oldest turns and keeps a user message first", () => {
  const messages = conversation("uauau");
  assertEquals(fitContext(messages, room(64)).dropped, 2);
  assertEquals(fitContext(messages, room(54)).dropped, 2);
  assertEquals(fitContext(messages, room(44)).dropped, 4);
});

Deno.test("fitContext: always keeps the last message", () => {
  const messages = conversation("uau");
  assertEquals(fitContext(messages, room(5)), { messages: messages.slice(2), dropped: 2 });
});

Deno.test("fitContext: counts bytes, not characters", () => {
  const messages: ChatMessage[] = [
    { role: "user", content: "猫".repeat(10) },
    { role: "user", content: "猫".repeat(10) },
  ];
  assertEquals(fitContext(messages, room(32)).dropped, 1);
  assertEquals(fitContext(messages, room(33)).dropped, 0);
});

Deno.test("fitContext: shortens the answer before it drops turns", () => {
  const messages = conversation("uauau");
  const whole = { contextTokens: 80, maxOutputTokens: 80, otherBytes: 15 };
  assertEquals(fitContext(messages, whole).dropped, 0);
  assertEquals(fitContext(messages, { ...whole, contextTokens: 72 }).dropped, 2);
});
