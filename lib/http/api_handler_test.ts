import { assertEquals, assertRejects } from "@std/assert";
import { HttpError } from "fresh";
import { ApiError } from "../schemas/api_error.ts";
import { apiHandler } from "./api_handler.ts";
import { errorResponse, toApiError } from "./error_response.ts";
import { uuidParam } from "./request_params.ts";

const handler = apiHandler({
  GET: () => Response.json({ data: [] }, { headers: { etag: '"1"' } }),
  POST: () => Promise.resolve(new Response("made", { status: 201 })),
});

function call(method: string): Promise<Response> {
  // The handler reads the request alone; a whole routing context would say nothing more.
  return handler({ req: new Request("http://127.0.0.1/v1/x", { method }) } as never);
}

Deno.test("apiHandler: calls the handler of the method", async () => {
  assertEquals(await (await call("GET")).json(), { data: [] });
  assertEquals((await call("POST")).status, 201);
});

Deno.test("apiHandler: HEAD is GET without its body", async () => {
  const response = await call("HEAD");
  assertEquals([response.status, response.headers.get("etag"), await response.text()], [
    200,
    '"1"',
    "",
  ]);
});

Deno.test("apiHandler: OPTIONS returns Allow", async () => {
  const response = await call("OPTIONS");
  assertEquals(response.status, 204);
  assertEquals(response.headers.get("allow"), "GET, POST, HEAD, OPTIONS");
});

Deno.test("apiHandler: other methods are 405 with Allow, even if named like an object property", async () => {
  for (const method of ["PUT", "DELETE", "constructor"]) {
    const error = await assertRejects(() => call(method), ApiError);
    assertEquals([error.status, error.headers.allow], [405, "GET, POST, HEAD, OPTIONS"]);
  }
});

Deno.test("errorResponse: is the error envelope with the error's headers", async () => {
  const error = new ApiError("rate_limit_exceeded", "slow down", {
    details: { scope: "key" },
    headers: { "retry-after": "3" },
  });
  const response = errorResponse(error);
  assertEquals([response.status, response.headers.get("retry-after")], [429, "3"]);
  assertEquals(response.headers.get("content-type"), "application/json");
  assertEquals(await response.json(), {
    code: "rate_limit_exceeded",
    message: "slow down",
    http: 429,
    details: { scope: "key" },
  });
});

Deno.test("toApiError: keeps ApiErrors, maps router errors by status and hides the rest", () => {
  const refusal = new ApiError("not_found", "no such agent");
  assertEquals(toApiError(refusal), refusal);
  assertEquals(toApiError(new HttpError(404)).code, "not_found");
  assertEquals(toApiError(new HttpError(405)).code, "method_not_allowed");
  for (const thrown of [new TypeError("secret words"), "secret words", undefined]) {
    const { code, message } = toApiError(thrown);
    assertEquals([code, message], ["internal_error", "the request failed on our side"]);
  }
});

Deno.test("uuidParam: lower-cases a UUID; anything else is 404", async () => {
  const id = "ABCDEF00-0000-4000-8000-000000000001";
  assertEquals(uuidParam(id), id.toLowerCase());
  for (const value of [undefined, "", "x", `${id}0`, id.replaceAll("-", ""), `${id}\n`]) {
    await assertRejects(async () => await uuidParam(value), ApiError);
  }
});
