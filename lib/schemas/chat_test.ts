import { assertEquals } from "@std/assert";
import { toIssues } from "./api_error.ts";
import { chatBodySchema } from "./chat.ts";

const user = (content = "hi") => ({ role: "user", content });

function faults(change: Record<string, unknown>): string[] {
  const body = { agentId: crypto.randomUUID(), messages: [user()], ...change };
  const parsed = chatBodySchema.safeParse(body);
  return parsed.success ? [] : toIssues(parsed.error).map((issue) => issue.path);
}

Deno.test("chatBodySchema: accepts 1 to 64 messages", () => {
  assertEquals(faults({ messages: Array.from({ length: 64 }, () => user()) }), []);
  assertEquals(faults({ messages: Array.from({ length: 65 }, () => user()) }), ["messages"]);
  assertEquals(faults({ messages: [] }).includes("messages"), true);
});

Deno.test("chatBodySchema: the last message is the user's", () => {
  const assistant = { role: "assistant", content: "hello" };
  assertEquals(faults({ messages: [assistant, user()] }), []);
  assertEquals(faults({ messages: [user(), assistant] }), ["messages"]);
});

Deno.test("chatBodySchema: a message has a known role and 1 to 32000 characters", () => {
  assertEquals(faults({ messages: [user("x".repeat(32_000))] }), []);
  assertEquals(faults({ messages: [user("x".repeat(32_001))] }), ["messages.0.content"]);
  assertEquals(faults({ messages: [user("")] }), ["messages.0.content"]);
  assertEquals(faults({ messages: [{ role: "system", content: "x" }, user()] }), [
    "messages.0.role",
  ]);
  assertEquals(faults({ messages: [{ ...user(), name: "n" }] }), ["messages.0.name"]);
});

Deno.test("chatBodySchema: limits the lengths of token and request id", () => {
  assertEquals(faults({ sessionToken: "s".repeat(16), requestId: "r".repeat(8) }), []);
  assertEquals(faults({ sessionToken: "s".repeat(256), requestId: "r".repeat(128) }), []);
  assertEquals(faults({ sessionToken: "s".repeat(15) }), ["sessionToken"]);
  assertEquals(faults({ sessionToken: "s".repeat(257) }), ["sessionToken"]);
  assertEquals(faults({ requestId: "r".repeat(7) }), ["requestId"]);
  assertEquals(faults({ requestId: "r".repeat(129) }), ["requestId"]);
});

Deno.test("chatBodySchema: rejects unknown fields and null", () => {
  assertEquals(faults({ stream: true }), ["stream"]);
  assertEquals(faults({ conversationId: null }), ["conversationId"]);
});
