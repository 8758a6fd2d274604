/** `data-bind` in Chromium: the widget signs its calls, and without the signing file it sends nothing. */
import { assert, assertEquals } from "@std/assert";
import { expectUnproven } from "./support/bound_session.ts";
import { onRealSite, type RealSiteOptions } from "./support/real_site.ts";
import { ask } from "./support/widget_site.ts";

const EXTRAS = "**/widget-extras.v1.*.js*";
const BOUND: RealSiteOptions = { attributes: "data-bind" };

for (const endpoint of [false, true]) {
  Deno.test(`widget: data-bind makes a copied token worthless, ${endpoint ? "with a session endpoint" : "with a token in the tag"}`, async () => {
    await onRealSite({ ...BOUND, endpoint }, async (site) => {
      const { page, service, agent, origin, minted, held, console } = site;
      held.release();
      const proofs: (string | undefined)[] = [];
      page.on("request", (request) => {
        if (/\/v1\/chat\//.test(request.url()) && request.method() !== "OPTIONS") {
          proofs.push(request.headers().dpop);
        }
      });
      await ask(page, "Where is my order?");
      await page.getByText("You asked").first().waitFor();
      await page.getByRole("button", { name: "Good answer" }).click();
      await page.getByRole("button", { name: "Good answer", pressed: true }).waitFor();
      await page.reload();
      await page.getByText("You asked").first().waitFor();
      await page.getByRole("textbox", { name: "Write a message" }).fill("And now?");
      await page.keyboard.press("Enter");
      await page.getByText("And now?").nth(1).waitFor();
      assert(proofs.length >= 3 && proofs.every((proof) => proof !== undefined), "each is signed");
      const sessionToken = minted.at(-1)!;
      const headers = { "x-service-session": sessionToken, origin };
      await expectUnproven(await service.fetch("/v1/chat/limits", { headers }));
      const messages = [{ role: "user", content: "Hello?" }];
      const json = { agentId: agent.id, sessionToken, messages };
      const copied = { method: "POST", json, headers };
      await expectUnproven(await service.fetch("/v1/chat/stream", copied));
      assertEquals(console.filter(({ type }) => type === "pageerror"), []);
    });
  });
}

Deno.test("widget: with data-bind nothing is sent while the signing file cannot be loaded, and a retry sends it", async () => {
  await onRealSite(BOUND, async ({ page, held }) => {
    held.release();
    await page.route(EXTRAS, (route) => route.abort());
    const sent: string[] = [];
    page.on("request", (request) => {
      if (/\/v1\/chat\//.test(request.url())) sent.push(request.method());
    });
    await page.getByRole("button", { name: "Open chat" }).click();
    await page.getByRole("textbox", { name: "Write a message" }).fill("Where is my order?");
    await page.keyboard.press("Enter");
    await page.getByText("The connection was lost.").first().waitFor();
    assertEquals(sent, []);
    await page.unroute(EXTRAS);
    await page.evaluate("dispatchEvent(new Event('online'))");
    await page.getByText("You asked").first().waitFor();
  });
});

Deno.test("widget: the agent's appearance cannot switch data-bind on", async () => {
  await onRealSite({}, async ({ page, held }) => {
    held.release();
    await page.evaluate("serviceWidget.setAppearance({ bind: 'on' })");
    const request = page.waitForRequest(/\/v1\/chat\/stream$/);
    await ask(page, "Where is my order?");
    assertEquals((await request).headers().dpop, undefined);
  });
});
