/** Home, conversations and usage in a real browser: both themes, two widths, and keyboard only. */
import axe from "axe-core";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Browser, Page } from "playwright-core";
import { alive, type PageOptions, visit, withBrowser, withPage } from "./support/browser.ts";
import { type Reports, serviceWithReports } from "./support/reports.ts";

async function violations(page: Page): Promise<unknown[]> {
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]);
}

type LookOptions = PageOptions & { browser: Browser };

/** Runs `use` on a signed-in page and fails on any console error. */
async function signedIn(
  { service, cookie }: Reports,
  look: LookOptions,
  use: (page: Page) => Promise<void>,
): Promise<void> {
  const [name = "", value = ""] = cookie.split("=");
  await withPage({ ...look, baseUrl: service.url }, async (page, lines) => {
    await page.context().addCookies([{ name, value, url: service.url }]);
    await use(page);
    const errors = lines.filter(({ type, text }) =>
      ["error", "pageerror"].includes(type) && !text.includes("404")
    );
    assertEquals(errors, []);
  });
}

Deno.test("reports: every page passes axe in both themes and fits its width", async () => {
  await using reports = await serviceWithReports();
  const { first, empty } = reports;
  const conversation = `/conversations/${first.conversationId}`;
  const pages = [
    "/home",
    "/conversations",
    `/conversations?finish=timeout&id=${first.conversationId}x`,
    conversation,
    `${conversation}/delete`,
    "/usage?by=agent",
    "/usage?from=today&to=2020-01-02",
  ];
  await withBrowser(async (browser) => {
    for (const [colorScheme, width] of [["light", 1440], ["dark", 360]] as const) {
      const look = { browser, colorScheme, width };
      await signedIn(reports, look, (page) => inspect(page, { pages, width }));
      await signedIn(empty, look, (page) => inspect(page, { pages: pages.slice(0, 2), width }));
    }
  });
});

async function inspect(
  page: Page,
  { pages, width }: { pages: readonly string[]; width: number },
): Promise<void> {
  for (const path of pages) {
    await page.goto(path);
    // Collapsed details are checked too.
    await page.evaluate(() => {
      const collapsed = document.querySelectorAll("main details");
      for (const details of collapsed) details.setAttribute("open", "");
    });
    assertEquals(await violations(page), [], path);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    assert(wide <= width, `${path} is ${wide} px wide`);
  }
}

Deno.test("reports: a failed run is found and its conversation deleted by keyboard alone", async () => {
  await using reports = await serviceWithReports();
  await withBrowser(async (browser) => {
    await signedIn(reports, { browser, width: 360 }, async (page) => {
      await visit(page, "/home");
      assertStringIncludes(await page.locator("main").innerText(), "https://evil.example");
      await press(page, "Show as table", "Enter");
      assert(await page.getByRole("table").isVisible());
      await press(page, "Menu", "Enter");
      await press(page, "Conversations", "Enter");
      await page.waitForURL("**/conversations");
      await alive(page);
      await page.getByLabel("Outcome").focus();
      await page.keyboard.type("Failed");
      await press(page, "Apply", "Enter");
      await page.waitForURL("**/conversations?**finish=failed**");
      await page.locator(".row").waitFor();
      await page.locator(".row-link").focus();
      await page.keyboard.press("Enter");
      await page.waitForURL("**/conversations/*");
      await alive(page);
      assertStringIncludes(
        await page.locator("article").innerText(),
        "The model provider returned an error.",
      );
      await press(page, "Delete", "Enter");
      await page.waitForURL("**/delete?**");
      await alive(page);
      await press(page, "Delete conversation", "Enter");
      await page.getByText("Conversation deleted.").waitFor();
      await page.goto("/conversations?finish=failed");
      assertEquals(await page.locator(".row").count(), 0);
    });
  });
});

Deno.test("reports: exact times are in the browser's time zone", async () => {
  await using reports = await serviceWithReports();
  const { conversationId, startedAt } = reports.first;
  await withBrowser(async (browser) => {
    const context = { timezoneId: "Asia/Kolkata" };
    const look = { browser, context };
    await signedIn(reports, look, async (page) => {
      await page.goto(`/conversations/${conversationId}`);
      const time = page.locator("article time").first();
      const expected = new Intl.DateTimeFormat("en", {
        ...{ dateStyle: "medium", timeStyle: "short", timeZone: "Asia/Kolkata" },
      }).format(startedAt);
      await page.waitForFunction(
        (text) => document.querySelector("article time")?.textContent === text,
        expected,
      );
      assertEquals(await time.textContent(), expected);
    });
  });
});

/** Presses Tab until the control with this name has the focus, then presses `key`. */
async function press(page: Page, name: string, key: string): Promise<void> {
  for (let n = 0; n < 60; n++) {
    await page.keyboard.press("Tab");
    const text = await page.evaluate(() => document.activeElement?.textContent?.trim());
    if (text === name) return await page.keyboard.press(key);
  }
  throw new Error(`Tab does not reach ${name}`);
}
