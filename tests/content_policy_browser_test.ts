/** The pages' own policies let through all that the pages do, and nothing that is put into them. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Page } from "playwright-core";
import { visit, withBrowser, withPage } from "./support/browser.ts";
import { SETUP_TOKEN } from "./support/dashboard.ts";
import { crawl, seededService } from "./support/seeded_service.ts";
import { TestService } from "./support/service.ts";

/** What a page's policy refused, as the browser reports it. */
async function watchViolations(page: Page): Promise<string[]> {
  const refused: string[] = [];
  await page.exposeFunction("noteViolation", (text: string) => refused.push(text));
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      const note = Reflect.get(globalThis, "noteViolation");
      note(`${location.pathname}: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
    });
  });
  return refused;
}

/** One address for each kind of page: ids stand for each other. */
function kindsOf(paths: Iterable<string>): string[] {
  const kind = (path: string) => path.replace(/[0-9a-f-]{36}/g, ":id").replace(/\?.*/, "");
  return [...new Map([...paths].map((path) => [kind(path), path])).values()];
}

Deno.test("no page of the dashboard does anything that its own policy refuses", async () => {
  const { service, all } = await seededService();
  await using _ = service;
  const operator = all.get("operator")!;
  const paths = kindsOf((await crawl(operator, service)).keys());
  assert(paths.length > 30, `${paths.length} pages`);
  await withPage({ baseUrl: service.url }, async (page, console) => {
    await signIn(page, { service, cookie: operator.cookie });
    const refused = await watchViolations(page);
    for (const path of paths) {
      await visit(page, path);
      assertEquals([refused, console.filter(({ type }) => type === "error")], [[], []], path);
      // Style sheets came through: without them the font is the browser's own.
      const sheets = await page.evaluate(() => document.styleSheets.length);
      assert(sheets > 20, path);
    }
  });
});

Deno.test("neither does a page for strangers, nor the widget on /demo", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  await withBrowser(async (browser) => {
    for (
      const path of ["/setup", "/sign-in", "/join?token=x", "/reset-password?token=x", "/docs"]
    ) {
      await withPage({ baseUrl: service.url, browser }, async (page) => {
        const refused = await watchViolations(page);
        await visit(page, path);
        assertEquals(refused, [], path);
      });
    }
    await withPage({ baseUrl: service.url, browser }, async (page) => {
      const refused = await watchViolations(page);
      await visit(page, "/nothing");
      await page.getByRole("heading").first().waitFor();
      await visit(page, "/demo");
      await page.getByRole("button").first().click();
      await page.getByRole("textbox").fill("Hello");
      await page.keyboard.press("Enter");
      await page.getByRole("log").getByText("demo model").first().waitFor();
      assertEquals(refused, []);
    });
  });
});

/** What somebody who could write into a page would try, one thing at a time. */
const INJECTED = [
  "<style>body { border-top: 7px solid }</style>",
  '<link rel="stylesheet" href="/demo.css">',
  '<p style="border-top: 7px solid">x</p>',
  '<base href="https://evil.example/">',
  '<iframe src="/sign-in"></iframe>',
  '<object data="/sign-in"></object>',
  '<img src="/favicon.svg" onload="globalThis.ran = true">',
  "<script>globalThis.ran = true</script>",
  '<script src="/widget.v1.js"></script>',
  '<script type="module">import "/client.v1.js"</script>',
];

Deno.test("what gets into a page of the dashboard runs nothing, styles nothing and frames nothing", async () => {
  const { service, all } = await seededService();
  await using _ = service;
  await withPage({ baseUrl: service.url }, async (page) => {
    await signIn(page, { service, cookie: all.get("operator")!.cookie });
    const refused = await watchViolations(page);
    await page.route("**/home", async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace("</main>", `${INJECTED.join("")}</main>`);
      await route.fulfill({ response, body });
    });
    await visit(page, "/home");
    const seen = await page.evaluate(() => {
      const { borderTopWidth } = getComputedStyle(document.body);
      const isOurBase = document.baseURI.startsWith(location.origin);
      return [Reflect.get(globalThis, "ran"), borderTopWidth, isOurBase];
    });
    assertEquals(seen, [undefined, "0px", true]);
    assertEquals([...new Set(refused.map((text) => text.split(" ")[1]))].sort(), [
      "base-uri",
      "frame-src",
      "object-src",
      "script-src-attr",
      "script-src-elem",
      "style-src-attr",
      "style-src-elem",
    ]);
    const markup = () => page.evaluate(() => document.body.insertAdjacentHTML("beforeend", "x"));
    await assertRejects(markup, Error, "This document requires 'TrustedHTML' assignment");
  });
});

/** Gives the browser the cookie of somebody who has signed in without one. */
async function signIn(
  page: Page,
  { service, cookie }: { service: TestService; cookie: string },
): Promise<void> {
  const [name, value] = cookie.split("=");
  await page.context().addCookies([{ name: name!, value: value!, url: service.url }]);
}
