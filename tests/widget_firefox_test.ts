/** The widget in Firefox, if it is installed. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import { findFirefox, type FirefoxPage, withFirefox } from "./support/firefox.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { TestService } from "./support/service.ts";

const [TAB, ENTER, ESCAPE] = ["\uE004", "\uE006", "\uE00C"];
const ROOT = `document.querySelector("service-widget")?.shadowRoot`;
const firefox = findFirefox();

const focused = (page: FirefoxPage) => page.evaluate(`${ROOT}.activeElement?.className`);

Deno.test({
  name: "widget: in Firefox the keyboard alone can open it, ask, read the answer and close it",
  ignore: firefox === undefined,
  async fn() {
    const paused = pausableRuntime();
    await using service = await TestService.start({ runtime: paused.runtime });
    await withFirefox(firefox!, async (page) => {
      await page.goto(`${service.url}/demo`);
      await page.until(`!!${ROOT}?.querySelector(".launcher")`);
      await page.evaluate(`${ROOT}.querySelector(".launcher").focus()`);
      await page.press(ENTER);
      await page.until(`${ROOT}.activeElement?.className === "input"`);
      await page.press(`What is a violet?${ENTER}`);
      await page.until(`${ROOT}.querySelector(".live p")`);
      assertEquals(await page.evaluate(`${ROOT}.querySelector("[role=log]").ariaBusy`), "true");
      paused.release();
      await page.until(`${ROOT}.querySelector(".after")`);
      const log = await page.evaluate(`${ROOT}.querySelector("[role=log]").innerText`);
      assertStringIncludes(`${log}`, "You asked: “What is a violet?”");
      assertStringIncludes(`${log}`, "to hear something new.");
      await page.press(TAB);
      assertEquals(await focused(page), "action");
      await page.press(ESCAPE);
      await page.until(`${ROOT}.activeElement?.className === "launcher"`);
      assertEquals(await page.evaluate(`${ROOT}.activeElement.ariaExpanded`), "false");
    }).finally(() => paused.release()); // a paused answer would keep the service from stopping
  },
});
