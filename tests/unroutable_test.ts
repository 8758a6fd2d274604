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

Deno.test("a Host that names no host is 400", async () => {
  await using service = await TestService.start();
  for (const host of ["a b", "[", "x:99999", "<script>"]) {
    const answer = await sendRaw(service.url, `GET /v1/agents HTTP/1.1\r\nHost: ${host}`);
    assertEquals(answer.split("\r\n")[0], "HTTP/1.1 400 Bad Request");
  }
});

/** The whole answer to a request that no HTTP client would send. */
async function sendRaw(url: string, head: string): Promise<string> {
  const { hostname, port } = new URL(url);
  using connection = await Deno.connect({ hostname, port: Number(port) });
  const request = new TextEncoder().encode(`${head}\r\nConnection: close\r\n\r\n`);
  const writer = connection.writable.getWriter();
  await writer.write(request);
  return (await Array.fromAsync(connection.readable.pipeThrough(new TextDecoderStream()))).join("");
}
