/** Requests that Fresh's own router throws on are told like any other. */
import { assertEquals } from "@std/assert";
import { TestService } from "./support/service.ts";

Deno.test("a method outside HTTP's core is 405, under /v1 in the envelope", async () => {
  await using service = await TestService.start();
  const api = await service.fetch("/v1/agents", { method: "PROPFIND" });
  assertEquals([api.status, api.headers.has("x-request-id")], [405, true]);
  assertEquals((await api.json()).code, "method_not_allowed");
  const page = await service.fetch("/healthz", { method: "PROPFIND" });
  assertEquals([page.status, page.headers.get("x-content-type-options")], [405, "nosniff"]);
  await page.body?.cancel();
});

Deno.test("an id that cannot be decoded is 404, under /v1 in the envelope", async () => {
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
