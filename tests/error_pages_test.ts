/** Error pages of the dashboard, for missing pages and failures. */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { breakableKv } from "./support/broken_kv.ts";
import { TestService } from "./support/service.ts";

const PASSWORD = "correct horse battery";

Deno.test("every error page has a strict security policy and is not cached", async (t) => {
  await using service = await TestService.start();
  for (
    const [method, path, status] of [["GET", "/nothing", 404], ["DELETE", "/setup", 405]] as const
  ) {
    await t.step(`${method} ${path}`, async () => {
      const answer = await service.fetch(path, { method });
      assertEquals(answer.status, status);
      assertMatch(answer.headers.get("content-type") ?? "", /^text\/html/);
      assertMatch(answer.headers.get("content-security-policy") ?? "", /^default-src 'none';/);
      assertEquals(answer.headers.get("cache-control"), "no-store");
      assertEquals(answer.headers.get("x-content-type-options"), "nosniff");
      await answer.body?.cancel();
    });
  }
});

Deno.test("an internal error is logged with its request id, and the page does not reveal it", async () => {
  const store = await breakableKv();
  await using service = await TestService.start({ kv: store.kv });
  store.break("the disk is gone");
  const answer = await service.fetch("/agents", { headers: { cookie: "dashboard=x" } });
  assertEquals(answer.status, 503);
  assertEquals(answer.headers.get("retry-after"), "1");
  assert(!(await answer.text()).includes("disk"));
  const line = service.logged.map((one) => JSON.parse(one)).find((one) => one.level === "error");
  assertEquals(line.message, "request failed");
  assertMatch(line.requestId, /^[0-9a-f-]{36}$/);
  assertEquals(line.cause.message, "the disk is gone");
});

Deno.test("GET /demo is 503, not 404, while the store is unavailable", async () => {
  const store = await breakableKv();
  await using service = await TestService.start({ kv: store.kv });
  store.break("the disk is gone", ["get"]);
  const answer = await service.fetch("/demo");
  assertEquals(answer.status, 503);
  await answer.body?.cancel();
});

Deno.test("an id too long for a store key is 404 on the pages of agents and keys", async (t) => {
  await using service = await TestService.start();
  const cookie = await signIn(service);
  const id = "x".repeat(3_000);
  for (
    const [method, path] of [
      ["GET", `/agents/${id}`],
      ["POST", `/agents/${id}`],
      ["POST", `/agents/${id}/delete`],
      ["POST", `/api-keys/${id}/revoke`],
    ] as const
  ) {
    await t.step(`${method} ${path.replace(id, "…")}`, async () => {
      const answer = await service.fetch(path, { method, headers: { cookie } });
      assertEquals(answer.status, 404);
      await answer.body?.cancel();
    });
  }
});

async function signIn(service: TestService): Promise<string> {
  const { setup } = service.service;
  const token = await setup.ensureToken();
  const email = "owner@example.com";
  const done = await setup.complete({
    token: token!,
    email,
    password: PASSWORD,
    from: { address: "local" },
  });
  assert("cookieToken" in done);
  return `dashboard=${done.cookieToken}`;
}
