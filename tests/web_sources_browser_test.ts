/** Websites of a knowledge base in a real browser, with axe in both themes. */
import axe from "axe-core";
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { visit, withBrowser, withPage } from "./support/browser.ts";
import { openCrawls } from "./support/crawls.ts";
import { ownerContext } from "./support/owner.ts";
import { pageOf, serveSite } from "./support/test_site.ts";

/** The page's axe violations, and whether it is wider than the window. */
async function problemsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate("axe.run()") as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  const isWide = await page.evaluate(() =>
    document.documentElement.scrollWidth > document.documentElement.clientWidth
  );
  return [
    ...violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`)),
    ...isWide ? ["too wide"] : [],
  ];
}

Deno.test("an editor adds a website, sees its pages, asks, and refreshes what has changed", async () => {
  await using site = serveSite({
    "/robots.txt": {
      headers: { "content-type": "text/plain" },
      body: "User-agent: *\nDisallow: /no",
    },
    "/": pageOf("Shop", "We sell books of every kind.", ["/returns", "/no", "/missing"]),
    "/returns": pageOf("Returns", "You may return any book within thirty days."),
  });
  await using crawls = await openCrawls();
  const { service, base, idle } = crawls;
  const context = await ownerContext(service);
  await withBrowser(async (browser) => {
    for (const [width, colorScheme] of [[1440, "light"], [360, "dark"]] as const) {
      const options = { browser, width, colorScheme, baseUrl: service.url, context };
      await withPage(options, async (page) => {
        await visit(page, `/knowledge/${base.id}`);
        await page.getByRole("link", { name: "Websites" }).click();
        await page.getByRole("heading", { name: "No websites" }).waitFor();
        assertEquals(await problemsOf(page), []);
        await page.getByLabel("Address").fill("ftp://shop.example");
        await page.getByRole("button", { name: "Add website" }).click();
        await page.getByText("Enter an address such as").first().waitFor();
        await page.getByLabel("Address").fill(site.url());
        await page.getByRole("button", { name: "Add website" }).click();
        await page.getByRole("heading", { name: "Pages" }).waitFor();
        // The page shows the end of the crawl by itself.
        await page.getByText("2 new, 0 changed").waitFor();
        await idle();
        const rows = page.getByRole("list", { name: "Pages" }).getByRole("listitem");
        await rows.filter({ hasText: "robots.txt does not allow it" }).waitFor();
        await rows.filter({ hasText: "no such page any more" }).waitFor();
        assertEquals(await rows.filter({ hasText: "Stored" }).count(), 2);
        assertEquals(await problemsOf(page), []);

        const before = await crawls.documents();
        site.pages["/returns"] = pageOf("Returns", `You may return any book for ${width} days.`);
        crawls.clock.advance(60_000);
        await page.getByRole("button", { name: "Refresh now" }).click();
        await page.getByText("0 new, 1 changed, 1 unchanged").waitFor();
        await idle();
        const after = await crawls.documents();
        const same = after.filter((one) => before.some((old) => isEqual(one, old)));
        assertEquals(same.map(({ title }) => title), ["Shop"]);

        await page.getByRole("link", { name: "Search" }).click();
        await page.getByRole("searchbox").or(page.getByRole("textbox")).first()
          .fill("return a book");
        await page.keyboard.press("Enter");
        await page.getByText(`${width} days`).first().waitFor();
        const long = await crawls.crawl(site.url(`/${"long".repeat(100)}`), { kind: "page" });
        await visit(page, `/knowledge/${base.id}/sources/${long.id}`);
        assertEquals(await problemsOf(page), []);
        await page.getByRole("link", { name: "Websites" }).click();
        await page.getByRole("link", { name: site.url(), exact: true }).waitFor();
        assertEquals(await problemsOf(page), []);
        assertEquals((await crawls.call("DELETE", `/${long.id}`)).status, 204);
        await page.getByRole("link", { name: site.url(), exact: true }).click();
        await page.getByLabel("Refresh").selectOption("Every day");
        await page.getByRole("button", { name: "Save changes" }).click();
        await page.getByText("Changes saved.").waitFor();
        await page.getByRole("link", { name: "Delete…" }).click();
        await page.getByLabel("Keep its pages as documents").waitFor();
        assertEquals(await problemsOf(page), []);
        await page.getByRole("button", { name: "Delete website" }).click();
        await page.getByText("Website deleted.").waitFor();
        assertEquals(await crawls.documents(), []);
      });
    }
  });
});

Deno.test("a website can be added and refreshed without scripts", async () => {
  await using site = serveSite({ "/": pageOf("Shop", "We sell books of every kind.") });
  await using crawls = await openCrawls();
  const { service, base, idle } = crawls;
  const context = { ...await ownerContext(service), javaScriptEnabled: false };
  await withBrowser(async (browser) => {
    await withPage({ browser, baseUrl: service.url, context }, async (page) => {
      await page.goto(`/knowledge/${base.id}/sources`);
      await page.getByLabel("Address").fill(site.url());
      await page.getByRole("button", { name: "Add website" }).click();
      await page.getByRole("heading", { name: "Pages" }).waitFor();
      await idle();
      await page.getByRole("link", { name: "Websites" }).click();
      await page.getByText("1 new, 0 changed").waitFor();
      await page.getByRole("link", { name: site.url() }).click();
      await page.getByRole("button", { name: "Refresh now" }).click();
      await idle();
      await page.getByRole("link", { name: "Websites" }).click();
      await page.getByText("0 new, 0 changed, 1 unchanged").waitFor();
      assert(site.requests.length >= 4);
    });
  });
});

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
