/** First run and lists in a real browser: the checklist leads through set-up, tables sort by click. */
import { assertEquals } from "@std/assert";
import { withPage } from "./support/browser.ts";
import { ownerCookie } from "./support/owner.ts";
import { TestService } from "./support/service.ts";

Deno.test("first run: the checklist of home leads to each step's page, and a done step is ticked", async () => {
  await using service = await TestService.start();
  const [name = "", value = ""] = (await ownerCookie(service)).split("=");
  await withPage({ baseUrl: service.url }, async (page) => {
    await page.context().addCookies([{ name, value, url: service.url }]);
    await page.goto("/home");
    const card = page.getByRole("region", { name: "Get started" });
    await card.getByText("0 of 5").waitFor();
    await card.getByRole("link", { name: "Connect model" }).click();
    await page.waitForURL("**/operator/providers/connect");
    await page.goto("/home");
    await card.getByRole("link", { name: "Create agent" }).click();
    await page.waitForURL("**/agents/new**");
    await page.getByLabel("Name", { exact: true }).fill("Gardener");
    await page.getByLabel("System prompt").fill("You know violets.");
    await page.getByRole("button", { name: "Create agent" }).click();
    await page.getByText("Agent created.").waitFor();
    await page.goto("/home");
    await card.getByText("1 of 5").waitFor();
    await card.getByRole("link", { name: "Allow site" }).click();
    await page.waitForURL("**/embed**");
    await page.getByRole("textbox", { name: "Site" }).fill("www.example.com");
    await page.getByRole("button", { name: "Add site" }).click();
    await page.getByText("Site added.").waitFor();
    await page.goto("/home");
    await card.getByText("2 of 5").waitFor();
  });
});

Deno.test("/agents: a click on a heading sorts by it, a second one reverses, by keyboard too", async () => {
  await using service = await TestService.start({ env: { DEMO: "off" } });
  const [name = "", value = ""] = (await ownerCookie(service)).split("=");
  const key = await service.key();
  for (const agent of ["Beta", "alpha", "Gamma 10", "Gamma 9"]) {
    await service.agent(key, { name: agent });
  }
  await withPage({ baseUrl: service.url }, async (page) => {
    await page.context().addCookies([{ name, value, url: service.url }]);
    await page.goto("/agents");
    const names = async () =>
      (await page.locator("tbody th a").allInnerTexts()).map((text) => text.trim());
    const heading = page.getByRole("columnheader", { name: "Name" });
    await heading.getByRole("link").click();
    await page.waitForURL("**sort=name**");
    assertEquals(await names(), ["alpha", "Beta", "Gamma 9", "Gamma 10"]);
    assertEquals(await heading.getAttribute("aria-sort"), "ascending");
    await heading.getByRole("link").focus();
    await page.keyboard.press("Enter");
    await page.waitForURL("**sort=-name**");
    assertEquals(await names(), ["Gamma 10", "Gamma 9", "Beta", "alpha"]);
    assertEquals(await heading.getAttribute("aria-sort"), "descending");
  });
});
