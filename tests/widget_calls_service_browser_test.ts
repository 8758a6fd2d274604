/** Calls that wait, from the widget to a tool's server: both halves of the wire contract. */
import { assertEquals } from "@std/assert";
import { withBrowser } from "./support/browser.ts";
import { onRealSite } from "./support/real_site.ts";
import { pageTool, refundAt, toolServer } from "./support/waiting_calls.ts";
import { ask } from "./support/widget_site.ts";

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
      await t.step("the visitor allows a call, which is then made once", async () => {
        await ask(page, 'use refund with {"q":"A-1042"}');
        await page.getByText("Refund an order").first().waitFor();
        assertEquals(server.requests, []);
        await page.getByRole("button", { name: "Allow", exact: true }).click();
        await answer("done");
        assertEquals(server.requests.map(({ body }) => body), ['{"q":"A-1042"}']);
      });
      await t.step("the page's function gets the arguments, and the model its output", async () => {
        await page.evaluate(`serviceWidget.registerTool("cart", ({ q }) => ({ items: q.length }))`);
        await page.getByRole("textbox").fill('use cart with {"q":"four"}');
        await page.getByRole("textbox").press("Enter");
        await answer("items");
        assertEquals(server.requests.length, 1);
      });
    });
  });
});
