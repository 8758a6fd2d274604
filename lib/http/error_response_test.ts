import { assertEquals, assertMatch } from "@std/assert";
import { HttpError } from "fresh";
import { StoreUnavailableError } from "../store/tx/operation.ts";
import { ApiError } from "../schemas/api_error.ts";
import { errorResponse, toApiError, unavailableResponse } from "./error_response.ts";

Deno.test("toApiError: an unavailable store is 503 with Retry-After, never 500", () => {
  const error = toApiError(new StoreUnavailableError("too many wait"));
  assertEquals([error.code, error.status], ["service_unavailable", 503]);
  assertEquals(error.headers["retry-after"], "1");
});

Deno.test("toApiError: maps router errors; other errors are 500 without their message", () => {
  assertEquals(toApiError(new HttpError(404)).code, "not_found");
  assertEquals(toApiError(new HttpError(405)).code, "method_not_allowed");
  const unknown = toApiError(new Error("the password is hunter2"));
  assertEquals(unknown.code, "internal_error");
  assertEquals(unknown.message.includes("hunter2"), false);
});

Deno.test("toApiError: keeps the messages of form errors", () => {
  const told = ([408, 413, 415] as const).map((status) => new HttpError(status, "why"));
  assertEquals(told.map((error) => toApiError(error).status), [400, 413, 415]);
  assertEquals(toApiError(new HttpError(415, "why")).message, "why");
  assertEquals(toApiError(new HttpError(418, "why")).code, "internal_error");
});

Deno.test("errorResponse: every 503 has Retry-After, its own or the default", () => {
  const retryAfter = (headers: Record<string, string>) =>
    errorResponse(new ApiError("provider_rate_limited", "busy", { headers }))
      .headers.get("retry-after");
  assertEquals([retryAfter({}), retryAfter({ "retry-after": "7" })], ["1", "7"]);
  assertEquals(errorResponse(new ApiError("not_found", "no")).headers.get("retry-after"), null);
});

Deno.test("unavailableResponse: is the envelope under /v1, with CORS headers on chat paths", async () => {
  const response = unavailableResponse(new URL("http://localhost/v1/chat/stream"));
  assertEquals(response.status, 503);
  assertEquals(response.headers.get("access-control-allow-origin"), "*");
  assertEquals(response.headers.get("retry-after"), "2");
  assertEquals(response.headers.get("cache-control"), "no-store");
  assertMatch(response.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
  assertEquals((await response.json()).code, "service_unavailable");
});

Deno.test("unavailableResponse: is plain text elsewhere", async () => {
  const response = unavailableResponse(new URL("http://localhost/agents"));
  assertEquals([response.status, response.headers.get("cache-control")], [503, "no-store"]);
  assertMatch(await response.text(), /try again soon/);
});
