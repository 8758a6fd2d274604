/** The command palette by keyboard alone. */
import axe from "axe-core";
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { withPage } from "./support/browser.ts";
import { ownerContext } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";

async function axeIssues(page: Page): Promise<string[]> {
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
}

Deno.test("command palette: Ctrl K finds actions and agents, Enter opens, Esc closes", async () => {
  await using service = await TestService.start();
  const context = await ownerContext(service);
  const tenant = await service.tenant();
  const agent = await service.service.agents.create(tenant, { ...agentBody(), name: "Returns" });
  await withPage({ baseUrl: service.url, context }, async (page) => {
    await page.goto("/team", { waitUntil: "networkidle" });
    await page.keyboard.press("Control+k");
    const box = page.getByRole("combobox", { name: "Find anything" });
    await box.waitFor();
    await page.keyboard.type("invite");
    const options = page.getByRole("option");
    assertEquals(await options.allInnerTexts(), ["Invite member\nAction"]);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      assertEquals(await axeIssues(page), []);
    }
    await page.keyboard.press("Escape");
    assertEquals(await box.isVisible(), false);

    await page.keyboard.press("Control+k");
    await page.keyboard.type("retu");
    await page.getByRole("option", { name: "Returns" }).waitFor();
    assertEquals(await box.getAttribute("aria-activedescendant"), "command-0");
    await page.keyboard.press("Enter");
    await page.waitForURL(`**/agents/${agent.id}`);

    await page.goto("/team", { waitUntil: "networkidle" });
    await page.keyboard.press("?");
    await page.getByRole("heading", { name: "Keyboard shortcuts" }).waitFor();
  });
});

Deno.test("GET /search: finds by name in the own tenant only, and needs a sign-in", async () => {
  await using service = await TestService.start();
  const { storageState } = await ownerContext(service);
  const [cookie] = (storageState as { cookies: { name: string; value: string }[] }).cookies;
  const headers = { cookie: `${cookie!.name}=${cookie!.value}` };
  const { agents, tenants, knowledge } = service.service;
  const other = await tenants.create("Other");
  const agent = await agents.create(await service.tenant(), { ...agentBody(), name: "Returns" });
  await agents.create(other.id, { ...agentBody(), name: "Returns of another" });
  await knowledge.create(other.id, { name: "Returns of another" });
  const answer = await service.fetch("/search?q=returns", { headers });
  assertEquals(await answer.json(), {
    commands: [{ kind: "Agent", title: "Returns", href: `/agents/${agent.id}` }],
  });
  const signedOut = await service.fetch("/search?q=returns", { redirect: "manual" });
  assertEquals(signedOut.status, 303);
  await signedOut.body?.cancel();
});
