/** Content-Security-Policy: it allows everything that the pages do and blocks injected content. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Page } from "playwright-core";
import { visit, withBrowser, withPage } from "./support/browser.ts";
import { SETUP_TOKEN } from "./support/dashboard.ts";
import { crawl, seededService } from "./support/seeded_service.ts";
import { TestService } from "./support/service.ts";

/** Collects the policy violations that the browser reports. */
async function watchViolations(page: Page): Promise<string[]> {
  const violations: string[] = [];
  await page.exposeFunction("reportViolation", (text: string) => violations.push(text));
  await page.addInitScript(() => {
    addEventListener("securitypolicyviolation", (event) => {
      const report = Reflect.get(globalThis, "reportViolation");
      report(
        `${location.pathname}: ${event.violatedDirective} ${event.blockedURI} ${event.sample}`,
      );
    });
  });
  return violations;
}

/** One path for each kind of page, whatever its ids. */
function kindsOf(paths: Iterable<string>): string[] {
  const kind = (path: string) => path.replace(/[0-9a-f-]{36}/g, ":id").replace(/\?.*/, "");
  return [...new Map([...paths].map((path) => [kind(path), path])).values()];
}

Deno.test("no dashboard page violates its own policy", async () => {
  const { service, all } = await seededService();
  await using _ = service;
  const operator = all.get("operator")!;
  const paths = kindsOf((await crawl(operator, service)).keys());
  assert(paths.length > 30, `${paths.length} pages`);
  await withPage({ baseUrl: service.url }, async (page, console) => {
    await signIn(page, { service, cookie: operator.cookie });
    const violations = await watchViolations(page);
    for (const path of paths) {
      await visit(page, path);
      assertEquals([violations, console.filter(({ type }) => type === "error")], [[], []], path);
      // The policy must let the style sheets load.
      const sheets = await page.evaluate(() => document.styleSheets.length);
      const links = await page.locator("link[rel=stylesheet]").count();
      assert(links > 0, path);
      assertEquals(sheets, links, path);
    }
  });
});

Deno.test("no page for signed-out visitors violates its policy, nor does the widget on /demo", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  await withBrowser(async (browser) => {
    for (
      const path of ["/setup", "/sign-in", "/join?token=x", "/reset-password?token=x", "/docs"]
    ) {
      await withPage({ baseUrl: service.url, browser }, async (page) => {
        const violations = await watchViolations(page);
        await visit(page, path);
        assertEquals(violations, [], path);
      });
    }
    await withPage({ baseUrl: service.url, browser }, async (page) => {
      const violations = await watchViolations(page);
      await visit(page, "/nothing");
      await page.getByRole("heading").first().waitFor();
      await visit(page, "/demo");
      await page.getByRole("button").first().click();
      await page.getByRole("textbox").fill("Hello");
      await page.keyboard.press("Enter");
      await page.getByRole("log").getByText("demo model").first().waitFor();
      assertEquals(violations, []);
    });
  });
});

/** What an attacker who can write into a page would try, one element each. */
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

Deno.test("content injected into a dashboard page cannot run scripts, apply styles or load frames", async () => {
  const { service, all } = await seededService();
  await using _ = service;
  await withPage({ baseUrl: service.url }, async (page) => {
    await signIn(page, { service, cookie: all.get("operator")!.cookie });
    const violations = await watchViolations(page);
    await page.route("**/home", async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replace("</main>", `${INJECTED.join("")}</main>`);
      await route.fulfill({ response, body });
    });
    await visit(page, "/home");
    const effects = await page.evaluate(() => {
      const { borderTopWidth } = getComputedStyle(document.body);
      const isOurBase = document.baseURI.startsWith(location.origin);
      return [Reflect.get(globalThis, "ran"), borderTopWidth, isOurBase];
    });
    assertEquals(effects, [undefined, "0px", true]);
    assertEquals([...new Set(violations.map((text) => text.split(" ")[1]))].sort(), [
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

/** Sets the cookie of a session that was created outside the browser. */
async function signIn(
  page: Page,
  { service, cookie }: { service: TestService; cookie: string },
): Promise<void> {
  const [name, value] = cookie.split("=");
  await page.context().addCookies([{ name: name!, value: value!, url: service.url }]);
}
