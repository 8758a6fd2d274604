import { assertEquals } from "@std/assert";
import { HttpError } from "fresh";
import { StoreUnavailableError } from "../committer/operation.ts";
import { ApiError } from "../errors.ts";
import { errorResponse, toApiError } from "./error_response.ts";

Deno.test("toApiError: a store that does not answer is 503 with Retry-After, never 500", () => {
  const error = toApiError(new StoreUnavailableError("too many wait"));
  assertEquals([error.code, error.status], ["service_unavailable", 503]);
  assertEquals(error.headers["retry-after"], "1");
});

Deno.test("toApiError: the router's refusals keep their meaning, anything else is 500 untold", () => {
  assertEquals(toApiError(new HttpError(404)).code, "not_found");
  assertEquals(toApiError(new HttpError(405)).code, "method_not_allowed");
  const unknown = toApiError(new Error("the password is hunter2"));
  assertEquals(unknown.code, "internal_error");
  assertEquals(unknown.message.includes("hunter2"), false);
});

Deno.test("toApiError: a form's refusals are the client's, with their own words", () => {
  const told = ([408, 413, 415] as const).map((status) => new HttpError(status, "why"));
  assertEquals(told.map((error) => toApiError(error).status), [400, 413, 415]);
  assertEquals(toApiError(new HttpError(415, "why")).message, "why");
  assertEquals(toApiError(new HttpError(418, "why")).code, "internal_error");
});

Deno.test("errorResponse: every 503 says when to come back, in its own words where it has them", () => {
  const retryAfter = (headers: Record<string, string>) =>
    errorResponse(new ApiError("provider_rate_limited", "busy", { headers }))
      .headers.get("retry-after");
  assertEquals([retryAfter({}), retryAfter({ "retry-after": "7" })], ["1", "7"]);
  assertEquals(errorResponse(new ApiError("not_found", "no")).headers.get("retry-after"), null);
});
