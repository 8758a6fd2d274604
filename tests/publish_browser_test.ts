/** Publishing in a real browser, with axe in both themes. */
import { assertEquals } from "@std/assert";
import { visit, withBrowser, withPage } from "./support/browser.ts";
import { openConversations } from "./support/conversations.ts";
import { expectAccessible } from "./support/expect_accessible.ts";
import { ownerContext } from "./support/owner.ts";

Deno.test("an editor publishes a draft and goes back to the version before it", async () => {
  await using on = await openConversations();
  const { service, agent, key } = on;
  const save = async (systemPrompt: string) => {
    const saved = await service.fetch(`/v1/agents/${agent.id}`, {
      ...{ method: "PATCH", key, json: { systemPrompt }, headers: { "if-match": "*" } },
    });
    return (await saved.json()).version as number;
  };
  const context = await ownerContext(service);
  await withBrowser(async (browser) => {
    for (const [width, colorScheme] of [[1440, "light"], [360, "dark"]] as const) {
      const options = { browser, width, colorScheme, baseUrl: service.url, context };
      await withPage(options, async (page) => {
        const click = (name: string) => page.getByRole("button", { name }).click();
        const before = await save(`Before at ${width}.`);
        await visit(page, `/agents/${agent.id}/publish`);
        await click("Publish by hand from now on");
        await page.getByRole("heading", { name: "Published by hand" }).waitFor();
        const draft = await save(`Draft at ${width}.`);
        await visit(page, `/agents/${agent.id}/publish`);
        await expectAccessible(page);

        assertEquals(await page.locator(".button-primary").count(), 1);
        await click(`Publish version ${draft}`);
        await page.getByText("Published.", { exact: true }).waitFor();
        await save(`Another draft at ${width}.`);
        await visit(page, `/agents/${agent.id}/publish`);
        await click(`Go back to version ${before}`);
        await page.getByText("Published.", { exact: true }).waitFor();
        const read = await service.fetch(`/v1/agents/${agent.id}/publication`, { key });
        assertEquals((await read.json()).version, before);
        await page.getByLabel("Share of new conversations, percent").fill("80");
        await click("Start canary of version");
        await page.getByText(/^must be a whole number from 1 to 50/i).waitFor();
        await expectAccessible(page);
        await page.getByLabel("Share of new conversations, percent").fill("20");
        await click("Start canary of version");
        await page.getByText("20 % of new conversations use version").waitFor();
        await page.getByRole("table", { name: "Canary compared with the published version" })
          .waitFor();
        await expectAccessible(page);
        await click("Roll back");
        await page.getByText("Canary ended.").waitFor();
        await page.getByText("Last canary: version").waitFor();
        await click("Publish automatically");
        await page.getByRole("heading", { name: "Published automatically" }).waitFor();
      });
    }
  });
});
