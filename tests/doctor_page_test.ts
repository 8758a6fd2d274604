/** The embed doctor: its dashboard page and its API route. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { withPage } from "./support/browser.ts";
import { ownerContext } from "./support/owner.ts";
import { TestService } from "./support/service.ts";
import { embed, ORIGIN } from "./support/widget_calls.ts";

Deno.test("/agents/:id/embed/doctor: works without JavaScript and lists failed checks first, with lines to paste", async () => {
  await using service = await TestService.start();
  const agent = await service.agent(await service.key(), {
    allowedOrigins: ["http://localhost:3000"],
  });
  const context = { ...await ownerContext(service), javaScriptEnabled: false };
  await withPage({ baseUrl: service.url, context }, async (page) => {
    await page.goto(`/agents/${agent.id}/embed`);
    await page.getByRole("link", { name: "Embed doctor", exact: true }).click();
    assertEquals(await page.getByLabel("Origin of the page").inputValue(), "http://localhost:3000");
    const tag = `<script src="${service.url}/widget.v1.js" crossorigin="anonymous"
      data-service-widget data-api-base="${service.url}" data-agent-id="${agent.id}"></script>`;
    await page.getByLabel("Script tag").fill(tag);
    await page.getByRole("button", { name: "Run check" }).click();
    await page.getByRole("heading", { name: "2 checks failed" }).waitFor();
    await page.waitForLoadState();
    const rows = await page.locator(".row-name").allInnerTexts();
    assertMatch(rows[0]!, /^Integrity\s+failed$/i);
    assertMatch(rows[1]!, /^Session token\s+failed$/i);
    assertStringIncludes(await page.locator("pre").first().innerText(), 'integrity="sha384-');
    assertEquals(await page.getByLabel("Origin of the page").inputValue(), "http://localhost:3000");
  });
});

Deno.test("POST /v1/widget/doctor: requires widget:mint and an agent of the tenant, and allows 6 calls a minute", async () => {
  await using service = await TestService.start();
  const { key, agent } = await embed(service);
  const ask = (json: unknown, caller = key) =>
    service.fetch("/v1/widget/doctor", { method: "POST", key: caller, json });
  const other = { agentId: agent.id, origin: "https://elsewhere.example" };
  const weak = await ask(other, await service.key(["agents:write"]));
  assertEquals([weak.status, (await weak.json()).details], [403, { scope: "widget:mint" }]);
  const missing = await ask({ ...other, agentId: crypto.randomUUID() });
  assertEquals([missing.status, (await missing.json()).code], [404, "not_found"]);
  const bad = await ask({ ...other, url: "https://elsewhere.example/secret" });
  assertEquals([bad.status, (await bad.json()).code], [400, "schema_validation_failed"]);
  for (let n = 0; n < 6; n++) {
    const report = await (await ask(other)).json();
    assertEquals(report.findings[0].reason, "origin_not_listed");
    assertEquals(report.findings.length, 7);
    assertStringIncludes(report.lines.tag, agent.id);
  }
  const rejected = await ask({ ...other, origin: ORIGIN });
  assertEquals([rejected.status, (await rejected.json()).code], [429, "rate_limit_exceeded"]);
  assertMatch(rejected.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
});
