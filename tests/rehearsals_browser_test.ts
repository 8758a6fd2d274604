/** Rehearsals in a real browser, with axe in both themes. */
import axe from "axe-core";
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { alive, visit, withBrowser, withPage } from "./support/browser.ts";
import { openConversations } from "./support/conversations.ts";
import { ownerContext } from "./support/owner.ts";

async function faults(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate("axe.run()") as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
}

Deno.test("an editor rehearses a new version on what visitors have asked, and deletes the rehearsal", async () => {
  await using on = await openConversations();
  const { service, agent, key, chat } = on;
  await chat("May I return a book?");
  await chat('use nothing with {"q":"A-1042"}');
  const change = { systemPrompt: "You are brief.", name: "Brief" };
  await service.fetch(`/v1/agents/${agent.id}`, {
    ...{ method: "PATCH", key, json: change, headers: { "if-match": "*" } },
  });
  const context = await ownerContext(service);
  await withBrowser(async (browser) => {
    for (const [width, colorScheme] of [[1440, "light"], [360, "dark"]] as const) {
      const options = { browser, width, colorScheme, baseUrl: service.url, context };
      await withPage(options, async (page) => {
        await visit(page, `/agents/${agent.id}/rehearse`);
        assertEquals(await faults(page), []);
        await page.getByLabel("How many, at most").fill("5");
        await page.getByLabel("Budget in USD").fill("abc");
        await page.getByRole("button", { name: "Start rehearsal" }).click();
        await page.getByText("Enter an amount above 0").first().waitFor();
        await page.getByLabel("Budget in USD").fill("0,5");
        await page.getByRole("button", { name: "Start rehearsal" }).click();
        await page.getByRole("status").getByText("Done").waitFor();
        await alive(page);
        await page.getByRole("heading", { name: "May I return a book?" }).waitFor();
        assertEquals(await page.getByRole("article").count(), 2);
        assertEquals(await faults(page), []);
        const { scrollWidth } = await page.evaluate(() => ({
          scrollWidth: document.documentElement.scrollWidth,
        }));
        assertEquals(scrollWidth <= width, true);
        await page.getByRole("button", { name: "Delete rehearsal" }).click();
        await page.getByText("Rehearsal deleted.").waitFor();
      });
    }
  });
});
