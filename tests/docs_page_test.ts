/** /docs: the API document as a page without scripts or external resources. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { OpenApiDocument } from "@/lib/openapi/openapi_types.ts";
import { withPage } from "./support/browser.ts";
import { TestService } from "./support/service.ts";

Deno.test("GET /docs: contains every operation and loads no external resource", async () => {
  await using service = await TestService.start();
  const answer = await service.fetch("/docs");
  assertEquals(answer.status, 200);
  assertEquals(answer.headers.get("content-type"), "text/html; charset=utf-8");
  assertStringIncludes(answer.headers.get("content-security-policy") ?? "", "default-src 'none'");
  const html = await answer.text();
  assertEquals(html.includes("<script"), false);
  const loaded = [...html.matchAll(/<(?:link|img)\b[^>]*\b(?:href|src)="([^"]*)"/g)];
  assertEquals([...new Set(loaded.map(([, url]) => url))].sort(), [
    "/docs.css",
    "/docs_operations.css",
    "/favicon.svg",
  ]);
  const document: OpenApiDocument = await (await service.fetch("/v1/openapi.json")).json();
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const { operationId } of Object.values(methods)) {
      assertStringIncludes(html, `id="${operationId}"`, path);
    }
  }
});

Deno.test("GET /docs: every link within the page has a target, and ids are unique", async () => {
  await using service = await TestService.start();
  const html = await (await service.fetch("/docs")).text();
  const ids = [...html.matchAll(/\bid="([^"]*)"/g)].map(([, id]) => id!);
  assertEquals(new Set(ids).size, ids.length);
  const links = [...html.matchAll(/href="#([^"]*)"/g)].map(([, id]) => id!);
  assert(links.length > 40);
  assertEquals(links.filter((id) => !ids.includes(id)), []);
});

Deno.test("/docs: opens without console messages, and its links expand their targets", async () => {
  await using service = await TestService.start();
  await withPage({ baseUrl: service.url }, async (page, lines) => {
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    await page.goto("/docs", { waitUntil: "networkidle" });
    assertEquals(requested.filter((url) => !url.startsWith(`${service.url}/`)), []);
    assert(requested.some((url) => url.endsWith("/docs.css")));
    await page.getByRole("heading", { name: "Agent Chat Service" }).waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Create an agent POST" }).click();
    await page.waitForURL("**/docs#createAgent");
    const schema = page.locator("#schema-AgentBody");
    assertEquals(await schema.isVisible(), false);
    await page.locator("#createAgent").getByRole("link", { name: "AgentBody" }).click();
    await schema.waitFor();
    assertEquals(lines, []);
  });
});
