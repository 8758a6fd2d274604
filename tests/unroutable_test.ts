/** Requests on which Fresh's router throws get the same errors as any other. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { expectError } from "./support/expect_response.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { sendRaw } from "./support/send_raw.ts";
import { TestService } from "./support/service.ts";

const UNKNOWN = ["PROPFIND", "TRACE", "FOO"];

Deno.test("a method outside HTTP's core gets 405 with the headers of any other unsupported method", async () => {
  await using service = await TestService.start();
  for (const method of UNKNOWN) {
    for (const path of ["/v1/agents", `/v1/agents/${crypto.randomUUID()}`, "/v1/chat/stream"]) {
      const head = `${method} ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}`;
      const [unknown, unsupported] = [
        await sendRaw(service.url, head),
        await service.fetch(path, {
          method: "PUT",
        }),
      ];
      await unsupported.body?.cancel();
      assertEquals(unknown.status, "HTTP/1.1 405 Method Not Allowed");
      for (const name of ["allow", "cache-control", "access-control-allow-origin"]) {
        assertEquals(unknown.headers.get(name) ?? null, unsupported.headers.get(name), name);
      }
      assertEquals(unknown.headers.get("cache-control"), "no-store");
      assertMatch(unknown.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
      assertStringIncludes(unknown.text, '"method_not_allowed"');
    }
  }
  const nowhere = await service.fetch("/v1/nothing", { method: "PROPFIND" });
  await expectError(nowhere, "not_found");
  const page = await service.fetch("/healthz", { method: "PROPFIND" });
  assertEquals([page.status, page.headers.get("x-content-type-options")], [405, "nosniff"]);
  await page.body?.cancel();
});

Deno.test("requests that cannot be routed count against the rate limit of their IP address", async () => {
  const limits = { ipRequests: 2, ipMessages: 20, keyRequests: 60 };
  await using service = await TestService.start({ ...instantRuntime(), limits });
  const method = await service.fetch("/v1/agents", { method: "PROPFIND" });
  assertMatch(method.headers.get("ratelimit") ?? "", /^"ip";r=1;/);
  await expectError(method, "method_not_allowed");
  const host = await sendRaw(service.url, "GET /v1/agents HTTP/1.1\r\nHost: a b\r\n\r\n");
  assertMatch(host.headers.get("ratelimit") ?? "", /^"ip";r=0;/);
  const full = await service.fetch("/v1/agents", { method: "PROPFIND" });
  await expectError(full, "rate_limit_exceeded");
});

Deno.test("an id that cannot be decoded gets 404, under /v1 in the error envelope", async () => {
  await using service = await TestService.start();
  const key = await service.key();
  for (const id of ["%zz", "%E0%A4"]) {
    const api = await service.fetch(`/v1/agents/${id}`, { key });
    assertEquals([api.status, (await api.json()).code], [404, "not_found"]);
  }
  const script = await service.fetch("/widget.v1.%zz.js");
  assertEquals(script.status, 404);
  await script.body?.cancel();
});

Deno.test("an invalid Host header gets 400, under /v1 in the error envelope", async () => {
  await using service = await TestService.start();
  for (const host of ["a b", "[", "x:99999", "<script>"]) {
    for (const start of ["GET /v1/agents", "POST /v1/chat/stream", "PROPFIND /v1/usage"]) {
      const answer = await sendRaw(service.url, `${start} HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
      assertEquals(answer.status, "HTTP/1.1 400 Bad Request");
      assertEquals(answer.headers.get("content-type"), "application/json");
      assertEquals(answer.headers.get("cache-control"), "no-store");
      assertMatch(answer.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/);
      assertStringIncludes(answer.text, '"path":"Host"');
    }
    const page = await sendRaw(service.url, `GET /home HTTP/1.1\r\nHost: ${host}\r\n\r\n`);
    assertEquals(page.status, "HTTP/1.1 400 Bad Request");
  }
});
