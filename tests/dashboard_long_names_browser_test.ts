/** Names without a place to break: no page becomes wider than its window. */
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { visit, withBrowser, withPage } from "./support/browser.ts";
import { ownerContext } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";

/** The longest name of an agent or a knowledge base. */
const NAME = "Donaudampfschifffahrtsgesellschaft".repeat(3).slice(0, 100);
/** The longest parts of an address that mail servers accept. */
const EMAIL = `${"a".repeat(64)}@${"b".repeat(63)}.${"c".repeat(63)}.example`;

async function open() {
  const service = await TestService.start();
  const context = await ownerContext(service);
  const tenant = await service.tenant();
  const { agents, knowledge, team } = service.service;
  const agent = await agents.create(tenant, { ...agentBody(), name: NAME });
  const base = await knowledge.create(tenant, { name: NAME });
  await team.invite(tenant, { email: EMAIL, role: "viewer" });
  const pages = [
    ...["", "/appearance", "/delete", "/embed", "/embed/doctor", "/versions"]
      .map((part) => `/agents/${agent.id}${part}`),
    ...["", "/delete", "/settings", "/search"].map((part) => `/knowledge/${base.id}${part}`),
    ...["/home", "/agents", "/knowledge", "/team"],
  ];
  return { service, context, pages };
}

/** How many pixels a page is wider than its window, and what is, from the outside in. */
function overflow(page: Page): Promise<{ pixels: number; elements: string[] }> {
  return page.evaluate(() => {
    const pixels = document.documentElement.scrollWidth - innerWidth;
    if (pixels <= 0) return { pixels: 0, elements: [] };
    const wide = [...document.querySelectorAll("body *")]
      .filter((one) => one.getBoundingClientRect().right > innerWidth + 1);
    return { pixels, elements: wide.map(({ tagName, className }) => `${tagName}.${className}`) };
  });
}

Deno.test("no page is wider than its window for the longest names and addresses, in both languages", async () => {
  const { service, context, pages } = await open();
  await using _ = service;
  await withBrowser(async (browser) => {
    for (const [language, width] of [["en", 1440], ["de", 360]] as const) {
      await withPage({ browser, baseUrl: service.url, width, context }, async (page) => {
        await page.context().addCookies([{ name: "language", value: language, url: service.url }]);
        for (const path of pages) {
          await visit(page, path);
          const found = await overflow(page);
          assertEquals(found, { pixels: 0, elements: [] }, `${path} at ${width} px`);
        }
      });
    }
  });
});
