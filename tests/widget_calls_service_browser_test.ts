/** Calls that wait, from the widget to a tool's server: both halves of the wire contract. */
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import { onRealSite } from "./support/real_site.ts";
import { pageTool, refundAt, toolServer } from "./support/waiting_calls.ts";
import { ask } from "./support/widget_site.ts";

interface Clickable {
  click(): void;
}

const allow = (page: Page) => page.getByRole("button", { name: "Allow", exact: true });
const settled = (page: Page) => page.getByRole("button", { name: "Send message" }).waitFor();

/** A copy of the tab, which browsers give the same storage. */
async function copyTab(page: Page): Promise<Page> {
  const [copy] = await Promise.all([
    page.context().waitForEvent("page"),
    page.evaluate(() => void open(location.href)),
  ]);
  return copy;
}

Deno.test("widget and service: a call is approved on a card, and a page's function is called", async (t) => {
  await using server = toolServer();
  const { host } = server;
  await withBrowser(async (browser) => {
    const agent = {
      tools: [refundAt(host, { approval: "visitor", title: "Refund an order" }), pageTool()],
      allowedDomains: [host],
    };
    await onRealSite({ browser, agent, env: { EGRESS_ALLOW: host } }, async (site) => {
      const { page, held } = site;
      held.release();
      const answer = (text: string) =>
        page.getByRole("log").locator(".bubble").getByText(text).last().waitFor();
      const send = async (text: string) => {
        await page.getByRole("textbox").fill(text);
        await page.getByRole("textbox").press("Enter");
      };
      await t.step("the visitor allows a call, which is then made once", async () => {
        await ask(page, 'use refund with {"q":"A-1042"}');
        await page.getByText("Refund an order").first().waitFor();
        assertEquals(server.requests, []);
        await allow(page).click();
        await answer("done");
        assertEquals(server.requests.map(({ body }) => body), ['{"q":"A-1042"}']);
      });
      await t.step(
        "a card survives a reload, and only one of two tabs makes the call",
        async () => {
          await send('use refund with {"q":"B-7"}');
          await allow(page).waitFor();
          await page.reload();
          await allow(page).waitFor();
          const copy = await copyTab(page);
          await allow(copy).waitFor();
          // The one that is late may have lost its button by then.
          const buttons = await Promise.all([page, copy].map((tab) => allow(tab).elementHandle()));
          await Promise.all(
            buttons.map((one) => one!.evaluate((one) => (one as Clickable).click())),
          );
          for (const tab of [page, copy]) await allow(tab).waitFor({ state: "detached" });
          await settled(page);
          await copy.close();
          assertEquals(server.requests.map(({ body }) => body).slice(1), ['{"q":"B-7"}']);
        },
      );
      await t.step("a closed panel shows that a call waits, and Stop ends the wait", async () => {
        await page.evaluate(`serviceWidget.close();
          serviceWidget.send('use refund with {"q":"C-9"}')`);
        await page.locator(".unread").waitFor();
        await page.reload();
        await page.locator(".unread").waitFor();
        await page.evaluate("serviceWidget.open()");
        await allow(page).waitFor();
        await page.getByRole("button", { name: "Stop answering" }).click();
        await allow(page).waitFor({ state: "detached" });
        await settled(page);
        assertEquals(server.requests.length, 2);
      });
      await t.step("the page's function gets the arguments, and the model its output", async () => {
        await page.evaluate(`serviceWidget.registerTool("cart", ({ q }) => ({ items: q.length }))`);
        await send('use cart with {"q":"four"}');
        await answer("items");
        assertEquals(server.requests.length, 2);
      });
    });
  });
});
