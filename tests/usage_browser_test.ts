/** The usage page in a real browser: its chart by pointer and by keyboard, and its links. */
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { withBrowser } from "./support/browser.ts";
import { serviceWithReports } from "./support/reports.ts";

Deno.test("/usage: the chart tells a day's values by pointer and by arrow keys, and its tabs divide it", async () => {
  await using reports = await serviceWithReports();
  const { service, cookie } = reports;
  const [name = "", value = ""] = cookie.split("=");
  await withBrowser(async (browser) => {
    const context = await browser.newContext({ baseURL: service.url, timezoneId: "Europe/Berlin" });
    await context.addCookies([{ name, value, url: service.url }]);
    const page = await context.newPage();
    await page.goto("/usage?days=7");
    const chart = page.getByRole("slider", { name: "Cost by day" });
    await chart.focus();
    await page.keyboard.press("End");
    const spoken = () => chart.getAttribute("aria-valuetext");
    assertMatch(await spoken() ?? "", /^Jan 15: \$0\.\d+, 7 days before: \$0\.00$/);
    await page.keyboard.press("ArrowLeft");
    assertEquals(await spoken(), "Jan 14: $0.00, 7 days before: $0.00");
    assertStringIncludes(await page.locator(".chart-tooltip").innerText(), "Jan 14");
    await page.keyboard.press("Escape");
    assertEquals(await page.locator(".chart-tooltip").count(), 0);

    await page.getByRole("link", { name: "By model" }).click();
    await page.waitForURL("**by=model**");
    await page.getByRole("link", { name: "Runs" }).click();
    await page.waitForURL("**metric=runs**");
    const box = (await page.getByRole("slider", { name: "Runs by day" }).boundingBox())!;
    await page.mouse.move(box.x + box.width - 3, box.y + 20);
    const tooltip = (await page.locator(".chart-tooltip").innerText()).replace(/\s+/g, " ");
    assertMatch(tooltip, /^Jan 15 2 mid \(Provider A\) 2 7 days before: 0$/);
    assertMatch(await page.locator("main time[data-clock]").innerText(), /^01:00 GMT\+1$/);

    await page.getByRole("link", { name: "90 days" }).click();
    await page.waitForURL("**days=90**");
    assertMatch(page.url(), /by=model&metric=runs/);
    await context.close();
  });
});
