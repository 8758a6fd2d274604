/** Impatient second clicks on buttons that send a form. */
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { visit, withPage } from "./support/browser.ts";
import { ownerContext } from "./support/owner.ts";
import { TestService } from "./support/service.ts";

/** Holds back the answers to forms until both clicks are done, like a slow connection. */
async function clickTwice(page: Page, button: string): Promise<void> {
  const clicked = Promise.withResolvers<void>();
  const sent = Promise.withResolvers<void>();
  await page.route("**", async (route) => {
    if (route.request().method() !== "POST") return await route.fallback();
    const response = await route.fetch({ maxRedirects: 0 });
    sent.resolve();
    await clicked.promise;
    // The browser drops the first request if the second click sends another.
    await route.fulfill({ response }).catch(() => {});
  });
  const target = page.getByRole("button", { name: button, exact: true });
  await target.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await target.boundingBox())!;
  const click = () => page.mouse.click(x + width / 2, y + height / 2);
  await click();
  await sent.promise;
  await click();
  clicked.resolve();
}

async function open() {
  const service = await TestService.start({ env: { DEMO: "off" } });
  return { service, context: await ownerContext(service), tenant: await service.tenant() };
}

Deno.test("/agents/new: a second click before the answer arrives creates no second agent", async () => {
  const { service, context, tenant } = await open();
  await using _ = service;
  await withPage({ baseUrl: service.url, context }, async (page) => {
    await visit(page, "/agents/new");
    await page.getByLabel("Name", { exact: true }).fill("Gardener");
    await page.getByLabel("System prompt").fill("You know violets.");
    await clickTwice(page, "Create agent");
    await page.getByText("Agent created.").waitFor();
  });
  const { data } = await service.service.agents.list(tenant, { limit: 10 });
  assertEquals(data.map(({ name }) => name), ["Gardener"]);
});

Deno.test("/knowledge/new: a second click before the answer arrives creates no second knowledge base", async () => {
  const { service, context, tenant } = await open();
  await using _ = service;
  await withPage({ baseUrl: service.url, context }, async (page) => {
    await visit(page, "/knowledge/new");
    await page.getByLabel("Name", { exact: true }).fill("Violets");
    await clickTwice(page, "Create");
    await page.waitForURL(/knowledge\/[0-9a-f-]{36}/);
  });
  const { data } = await service.service.knowledge.list(tenant, { limit: 10 });
  assertEquals(data.map(({ name }) => name), ["Violets"]);
});
