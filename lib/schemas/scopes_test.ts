import { assertEquals } from "@std/assert";
import { canChat, hasScope, SCOPE_NAMES } from "./scopes.ts";

Deno.test("hasScope: a write scope includes its read scope, not the reverse", () => {
  assertEquals(hasScope(["agents:write"], "agents:write"), true);
  assertEquals(hasScope(["agents:write"], "agents:read"), true);
  assertEquals(hasScope(["agents:read"], "agents:write"), false);
  assertEquals(hasScope(["agents:write"], "knowledge:read"), false);
  assertEquals(hasScope([], "billing:read"), false);
});

Deno.test("canChat: any scope but a read scope is enough", () => {
  const reading = SCOPE_NAMES.filter((scope) => scope.endsWith(":read"));
  assertEquals(canChat(reading), false);
  assertEquals(canChat([]), false);
  for (const scope of SCOPE_NAMES) {
    assertEquals(canChat([scope]), !reading.includes(scope), scope);
    assertEquals(canChat([...reading, scope]), !reading.includes(scope), scope);
  }
});
