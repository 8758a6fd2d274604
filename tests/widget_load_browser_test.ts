/** Ways in which pages load the script, and display settings of visitors. */
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import { answered, ask, onSite } from "./support/widget_site.ts";

/** Script tags as pages write them; the ready event fires once the script has run. */
const TAGS: Record<string, (tag: string) => string> = {
  "with async, in the head": (tag) => tag.replace("<script", "<script async"),
  "with defer": (tag) => tag.replace("<script", "<script defer"),
  "as a module": (tag) => tag.replace("<script", `<script type="module"`),
  "twice": (tag) => tag + tag,
};

Deno.test("widget: loaded with async, with defer, as a module or twice, it is mounted once", async (t) => {
  await withBrowser(async (browser) => {
    for (const [name, html] of Object.entries(TAGS)) {
      await t.step(name, () =>
        onSite({ browser, html }, async ({ page, console }) => {
          await page.getByRole("button", { name: "Open chat" }).click();
          await page.getByRole("dialog").waitFor();
          assertEquals(await page.locator("service-widget").count(), 1);
          assertEquals(
            await page.evaluate(
              "document.querySelector('[data-service-widget]').serviceWidget === window.serviceWidget",
            ),
            true,
          );
          assertEquals(console, []);
        }));
    }
    await t.step("with forced colours, borders separate its parts", () => forcedColors(browser));
    await t.step(
      "with an on-screen keyboard, the panel stays above it",
      () => onScreenKeyboard(browser),
    );
    await t.step("Try again resends the message", () => retry(browser));
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

/** The keyboard covers the lower half of the screen, which only `visualViewport` shows. */
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
    assert(input.y + input.height <= 420, "the input must be above the keyboard");
  });
}

async function retry(browser: Browser): Promise<void> {
  await onSite({ browser }, async ({ page, chat }) => {
    const body = { code: "internal_error", message: "", http: 500 };
    chat.rejections.push(Response.json(body, { status: 500 }));
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
