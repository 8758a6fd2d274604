import { assertEquals } from "@std/assert";
import { hasScope } from "./scopes.ts";

Deno.test("hasScope: a write includes its own read, never the other way", () => {
  assertEquals(hasScope(["agents:write"], "agents:write"), true);
  assertEquals(hasScope(["agents:write"], "agents:read"), true);
  assertEquals(hasScope(["agents:read"], "agents:write"), false);
  assertEquals(hasScope(["agents:write"], "knowledge:read"), false);
  assertEquals(hasScope([], "billing:read"), false);
});
