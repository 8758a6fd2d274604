import { assertEquals } from "@std/assert";
import { addCorsHeaders, isBrowserPath, isPreflight, preflightResponse } from "./cors.ts";

Deno.test("isBrowserPath: only chat paths may be called from other sites", () => {
  for (const path of ["/v1/chat", "/v1/chat/stream", "/v1/chat/runs/x/cancel"]) {
    assertEquals(isBrowserPath(path), true, path);
  }
  for (const path of ["/v1/agents", "/v1/chatter", "/chat", "/v1/widget/session", "/"]) {
    assertEquals(isBrowserPath(path), false, path);
  }
});

Deno.test("isPreflight: is an OPTIONS with a requested method", () => {
  const preflight = (method: string, headers: HeadersInit) =>
    isPreflight(new Request("http://127.0.0.1/v1/chat/stream", { method, headers }));
  assertEquals(preflight("OPTIONS", { "access-control-request-method": "POST" }), true);
  assertEquals(preflight("OPTIONS", {}), false);
  assertEquals(preflight("POST", { "access-control-request-method": "POST" }), false);
});

Deno.test("preflightResponse: allows what the widget sends, and no credentials", () => {
  const { status, headers } = preflightResponse("/v1/chat/stream");
  assertEquals(status, 204);
  assertEquals(Object.fromEntries(headers), {
    "access-control-allow-origin": "*",
    "access-control-allow-methods": "GET, POST, PUT, DELETE",
    "access-control-allow-headers":
      "content-type, x-service-session, last-event-id, idempotency-key, dpop",
    "access-control-max-age": "7200",
  });
});

Deno.test("preflightResponse: a page may change and delete what is its visitor's", () => {
  for (const path of ["conversations", "conversations/x", "memory", "memory/x"]) {
    const { headers } = preflightResponse(`/v1/chat/${path}`);
    assertEquals(headers.get("access-control-allow-methods"), "GET, PATCH, DELETE", path);
  }
  const { headers } = preflightResponse("/v1/chat/memory-of-another");
  assertEquals(headers.get("access-control-allow-methods"), "GET, POST, PUT, DELETE");
});

Deno.test("addCorsHeaders: a page can read why it was rejected", () => {
  const headers = new Headers();
  addCorsHeaders(headers);
  assertEquals(headers.get("access-control-allow-origin"), "*");
  assertEquals(headers.has("access-control-allow-credentials"), false);
  const exposed = headers.get("access-control-expose-headers")?.split(", ");
  assertEquals(exposed?.includes("x-request-id") && exposed.includes("retry-after"), true);
});
