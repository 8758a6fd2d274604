import { assertEquals, assertMatch } from "@std/assert";
import { unavailableResponse } from "./unavailable_response.ts";

Deno.test("unavailableResponse is the envelope under /v1, readable by browsers on chat", async () => {
  const response = unavailableResponse(new URL("http://localhost/v1/chat/stream"));
  assertEquals(response.status, 503);
  assertEquals(response.headers.get("access-control-allow-origin"), "*");
  assertEquals(response.headers.get("retry-after"), "2");
  assertEquals(response.headers.get("cache-control"), "no-store");
  assertMatch(response.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
  assertEquals((await response.json()).code, "service_unavailable");
});

Deno.test("unavailableResponse is a sentence elsewhere", async () => {
  const response = unavailableResponse(new URL("http://localhost/agents"));
  assertEquals([response.status, response.headers.get("cache-control")], [503, "no-store"]);
  assertMatch(await response.text(), /try again soon/);
});
