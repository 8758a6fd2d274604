/** Ways of loading the script, and of looking at the widget, that pages and people have. */
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import { answered, ask, onSite } from "./support/widget_site.ts";

/** Tags as pages write them: the ready event comes whenever the script has run. */
const WAYS: Record<string, (tag: string) => string> = {
  "with async, in the head": (tag) => tag.replace("<script", "<script async"),
  "with defer": (tag) => tag.replace("<script", "<script defer"),
  "as a module": (tag) => tag.replace("<script", `<script type="module"`),
  "twice": (tag) => tag + tag,
};

Deno.test("widget: loaded with async, with defer, as a module or twice, it is there once", async (t) => {
  await withBrowser(async (browser) => {
    for (const [way, html] of Object.entries(WAYS)) {
      await t.step(way, () =>
        onSite({ browser, html }, async ({ page, console }) => {
          await page.getByRole("button", { name: "Open chat" }).click();
          await page.getByRole("dialog").waitFor();
          assertEquals(await page.locator("service-widget").count(), 1);
          assertEquals(
            await page.evaluate(
              "document.querySelector('script').serviceWidget === window.serviceWidget",
            ),
            true,
          );
          assertEquals(console, []);
        }));
    }
    await t.step("where forced colours tell parts apart by borders", () => forcedColors(browser));
    await t.step("above an on-screen keyboard", () => onScreenKeyboard(browser));
    await t.step("and asks again when it is told to", () => retry(browser));
  });
});

type Browser = Parameters<Parameters<typeof withBrowser>[0]>[0];

async function forcedColors(browser: Browser): Promise<void> {
  const context = { forcedColors: "active" as const };
  await onSite({ browser, context }, async ({ page, chat }) => {
    await ask(page, "Hello?");
    chat.say("Hi.");
    chat.done();
    await page.locator(".after").waitFor();
    for (const part of [".launcher", ".panel", ".mine .bubble"]) {
      const style = page.locator(part).first().evaluate((el) => getComputedStyle(el).borderStyle);
      assertEquals(await style, "solid", part);
    }
  });
}

/** The keyboard takes the lower half of what is seen, and the page is not told otherwise. */
async function onScreenKeyboard(browser: Browser): Promise<void> {
  const beforeLoad = async (page: Page) => {
    await page.addInitScript(() => {
      const viewport = Object.assign(new EventTarget(), { scale: 1, height: 740, offsetTop: 0 });
      Object.defineProperty(globalThis, "visualViewport", { value: viewport });
    });
  };
  await onSite({ browser, beforeLoad, width: 360, height: 740 }, async ({ page }) => {
    await page.getByRole("button", { name: "Open chat" }).click();
    await page.evaluate(`Object.assign(visualViewport, { height: 400, offsetTop: 20 })
      .dispatchEvent(new Event("resize"))`);
    const panel = page.getByRole("dialog");
    await panel.evaluate((element) =>
      Promise.allSettled(element.getAnimations().map((animation) => animation.finished))
    );
    assertEquals(await panel.boundingBox(), { x: 0, y: 20, width: 360, height: 400 });
    const input = (await page.getByRole("textbox").boundingBox())!;
    assert(input.y + input.height <= 420, "the input is above the keys");
  });
}

async function retry(browser: Browser): Promise<void> {
  await onSite({ browser }, async ({ page, chat }) => {
    const body = { code: "internal_error", message: "", http: 500 };
    chat.refusals.push(Response.json(body, { status: 500 }));
    await ask(page, "Hello?");
    await page.getByText("Something went wrong.").first().waitFor();
    await answered(page, () => page.getByRole("button", { name: "Try again" }).click());
    chat.say("Hi.");
    chat.done();
    await page.locator(".after").waitFor();
    assertEquals(await page.locator(".mine").allInnerTexts(), ["Hello?"]);
    assertEquals(await page.locator(".notice").count(), 0);
  });
}
