/** Joining a second tenant and switching, in a real browser, with axe in both themes. */
import axe from "axe-core";
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { visit, withBrowser, withPage } from "./support/browser.ts";
import { PASSWORD } from "./support/dashboard.ts";
import { ADA, inviteAda, openTwoTenants } from "./support/two_tenants.ts";

async function assertAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate("axe.run()") as { violations: { id: string }[] };
  assertEquals(violations.map(({ id }) => id), [], page.url());
  const isWide = await page.evaluate(() =>
    document.documentElement.scrollWidth > document.documentElement.clientWidth
  );
  assertEquals(isWide, false, `${page.url()} is too wide`);
}

Deno.test("a person follows an invitation, signs in, joins, switches by keyboard, and leaves", async () => {
  await withBrowser(async (browser) => {
    for (const [width, colorScheme, scripts] of SETTINGS) {
      const { service, home, away } = await openTwoTenants();
      await using _ = service;
      await service.service.tenantLifecycle.rename(
        away,
        "Away, with a long name of a company and its sons",
      );
      const token = await inviteAda(service, away);
      const context = { javaScriptEnabled: scripts };
      const options = { browser, width, colorScheme, baseUrl: service.url, context };
      await withPage(options, async (page) => {
        const open = scripts ? visit : (on: Page, path: string) => on.goto(path);
        const check = scripts ? assertAccessible : () => {};
        const menu = page.getByText("Account menu");
        await open(page, `/join?token=${token}`);
        await check(page);
        await page.getByRole("link", { name: "Join with your account" }).click();
        await page.getByLabel("Email").fill(ADA);
        await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
        await page.getByRole("button", { name: "Sign in", exact: true }).click();
        await page.getByText("Join Away, with").waitFor();
        await check(page);
        await page.getByRole("button", { name: "Join", exact: true }).click();
        await page.getByText("You joined the team.").waitFor();
        await page.locator("summary").filter({ has: menu }).focus();
        await page.keyboard.press("Enter");
        const tenants = page.getByRole("form", { name: "Tenant" }).getByRole("button");
        await tenants.first().waitFor();
        assertEquals(await tenants.allTextContents(), [
          "Home",
          "Away, with a long name of a company and its sons",
        ]);
        await check(page);
        await page.getByRole("button", { name: "Home", pressed: false }).press("Enter");
        await page.waitForURL("**/home");
        await page.locator("summary").filter({ has: menu }).press("Enter");
        await page.getByRole("button", { name: "Home", pressed: true }).waitFor();
        await open(page, "/account");
        await check(page);
        await page.getByRole("link", { name: "Leave Away" }).click();
        await page.getByRole("heading", { name: "Leave tenant" }).waitFor();
        await check(page);
        await page.getByRole("button", { name: "Leave tenant" }).click();
        await page.getByText("You left the tenant.").waitFor();
        assertEquals(await page.getByRole("heading", { name: "Tenants" }).count(), 0);
      });
      assertEquals((await service.service.team.members(away)).length, 1);
      assertEquals((await service.service.team.members(home)).length, 2);
    }
  });
});

const SETTINGS = [[1440, "light", true], [360, "dark", true], [360, "light", false]] as const;
