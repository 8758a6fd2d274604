/** A first message without a network: it is kept, and sent once the network is back. */
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { onSite, type SiteOptions } from "./support/widget_site.ts";

const field = (page: Page) => page.getByRole("textbox", { name: "Write a message" });
const open = (page: Page) => page.getByRole("button", { name: "Open chat" }).click();
const mint = () => ({ sessionToken: "cs_minted", messageCap: 50 });
/** The page sets a token whenever it is asked for one. */
const setsToken = (tag: string) => tag.replace(/data-session-token="\w+"/, "");
const ASKED =
  `document.querySelector("[data-service-widget]").serviceWidget.on("session-expired", () =>
  document.querySelector("[data-service-widget]").serviceWidget.setSessionToken("cs_page"))`;

/** With the panel there, so that only the message needs the network. */
async function sendOffline(page: Page): Promise<void> {
  await open(page);
  await page.locator(".hello").waitFor();
  await page.context().setOffline(true);
  await field(page).fill("Hello?");
  await page.keyboard.press("Enter");
  await page.locator(".working").getByText("The connection was lost.").waitFor();
  await page.getByRole("status").getByText("The connection was lost.").waitFor({
    state: "attached",
  });
  assertEquals(await page.locator(".mine").innerText(), "Hello?");
  assertEquals(await page.getByText("reload the page").count(), 0);
}

const CASES: Record<string, SiteOptions & { token: string }> = {
  "a session endpoint": { attributes: `data-session-endpoint="/mint"`, mint, token: "cs_minted" },
  "a token in the tag": { token: "cs_0123456789abcdef" },
  "a token that the page sets": { html: setsToken, token: "cs_page" },
};

for (const [name, { token, ...options }] of Object.entries(CASES)) {
  Deno.test(`widget: the first message is sent by itself when the network is back, with ${name}`, async () => {
    await onSite(options, async ({ page, chat }) => {
      if (options.html) {
        await page.locator("service-widget").waitFor({ state: "attached" });
        await page.evaluate(ASKED);
      }
      await sendOffline(page);
      assertEquals(chat.seen.length, 0);
      const response = page.waitForResponse(/\/stream$/);
      await page.context().setOffline(false);
      await response;
      chat.say("Hi.");
      chat.done();
      await page.locator(".turn").getByText("Hi.").waitFor();
      assertEquals(chat.seen.map(({ token }) => token), [token]);
      assertEquals(chat.seen[0]!.body!.messages?.map(({ content }) => content), ["Hello?"]);
      assertEquals(await page.locator(".notice").count(), 0);
    });
  });
}

Deno.test("widget: a session endpoint that stays away leaves the message, with a retry", async () => {
  await onSite({ attributes: `data-session-endpoint="/mint"`, mint }, async ({ page, chat }) => {
    await page.clock.install();
    let isAway = true;
    await page.route("**/mint", (route) => isAway ? route.abort() : route.fallback());
    await open(page);
    await field(page).fill("Hello?");
    await page.keyboard.press("Enter");
    await page.locator(".working").getByText("The connection was lost.").waitFor();
    const retry = page.getByRole("button", { name: "Try again" });
    while (!await retry.count()) await page.clock.runFor(5000);
    await page.locator(".notice").getByText("The connection was lost.").waitFor();
    assertEquals(await page.locator(".mine").innerText(), "Hello?");
    isAway = false;
    const response = page.waitForResponse(/\/stream$/);
    await retry.click();
    await response;
    assertEquals(chat.seen.map(({ token }) => token), ["cs_minted"]);
  });
});
