/** The launcher alone is on every page; the panel's file comes when somebody needs it. */
import axe from "axe-core";
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Page, Route } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import { answered, atRest, focused, onSite, type SiteOptions } from "./support/widget_site.ts";

const PANEL = "**/widget-panel.v1.*.js*";
const isPanel = (url: string) => /\/widget-panel\.v1\.[0-9a-f]{12}\.js(\?\d+)?$/.test(url);
const launcher = (page: Page) => page.getByRole("button", { name: "Open chat" });
/** Only the panel's file has the greeting. */
const greeting = (page: Page) => page.getByText("How can we help?");

/** Records what a page requests beside itself. */
function requestsOf(page: Page): string[] {
  const urls: string[] = [];
  page.on("request", (request) => {
    if (!request.isNavigationRequest()) urls.push(request.url());
  });
  return urls;
}

/** Holds the panel's file back until `release`. */
async function hold(page: Page) {
  const gate = Promise.withResolvers<void>();
  await page.route(PANEL, async (route) => {
    await gate.promise;
    await route.continue();
  });
  return { release: () => gate.resolve() };
}

/** A site whose page records its requests from the start. */
async function onRecordedSite(
  options: SiteOptions,
  use: (site: Parameters<Parameters<typeof onSite>[1]>[0] & { urls: string[] }) => Promise<void>,
): Promise<void> {
  let urls: string[] = [];
  const beforeLoad = async (page: Page) => {
    urls = requestsOf(page);
    await options.beforeLoad?.(page);
  };
  await onSite({ ...options, beforeLoad }, (site) => use({ ...site, urls }));
}

async function violations(page: Page): Promise<unknown[]> {
  await atRest(page);
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]);
}

Deno.test("launcher: a page that never opens the widget loads one script, and the panel on hover", async () => {
  await onRecordedSite({}, async ({ page, urls }) => {
    await page.waitForLoadState("networkidle");
    const [script, look, ...more] = urls;
    assertEquals(new URL(script!).pathname, "/widget.v1.js");
    assertEquals(new URL(look!).pathname.endsWith("/appearance.json"), true);
    assertEquals(more, []);
    const loaded = page.waitForResponse((response) => isPanel(response.url()));
    await launcher(page).hover();
    assertEquals((await loaded).status(), 200);
    await greeting(page).waitFor({ state: "attached" });
    assertEquals(await page.getByRole("dialog").isVisible(), false);
    await launcher(page).click();
    assertEquals(await focused(page), "input");
    assertEquals(urls.length, 3);
  });
});

Deno.test("launcher: a tag that says how the closed widget looks makes one request in all", async () => {
  const attributes = `data-accent="#aa33ff" data-theme="light" data-position="left"
    data-title="Shop" data-lang="en"`;
  const appearance = { greeting: "Good day!" };
  await onRecordedSite({ attributes, appearance }, async ({ page, urls }) => {
    await page.waitForLoadState("networkidle");
    assertEquals(urls.map((url) => new URL(url).pathname), ["/widget.v1.js"]);
    await page.getByRole("button", { name: "Open chat Shop" }).click();
    await page.getByText("Good day!").waitFor();
  });
});

Deno.test("launcher: the keyboard's focus loads the panel, and Enter opens it", async () => {
  await onRecordedSite({}, async ({ page, urls }) => {
    const loaded = page.waitForResponse((response) => isPanel(response.url()));
    await page.keyboard.press("Tab");
    await loaded;
    assertEquals(urls.filter(isPanel).length, 1);
    await page.keyboard.press("Enter");
    await greeting(page).waitFor();
    assertEquals(await focused(page), "input");
  });
});

Deno.test("launcher: a panel that opens with the page leaves the focus there; the page's own button moves it", async () => {
  const html = (tag: string) => `<input autofocus id="search">${tag}`;
  const policy = (base: string) =>
    `default-src 'none'; img-src data:; script-src ${base}; connect-src ${base}`;
  await withBrowser(async (browser) => {
    for (const attributes of ["data-open", `data-layout="page"`]) {
      await onSite({ browser, html, policy, attributes }, async ({ page }) => {
        await greeting(page).waitFor();
        assertEquals(await page.evaluate("document.activeElement.id"), "search");
      });
    }
    await onSite({ browser, html, policy }, async ({ page }) => {
      await launcher(page).waitFor();
      await page.evaluate("serviceWidget.open()");
      assertEquals(await focused(page), "input");
      await greeting(page).waitFor();
      assertEquals(await focused(page), "input");
    });
  });
});

Deno.test("launcher: what a visitor types before the panel is there stays, in the same field", async () => {
  await onSite({}, async ({ page, chat }) => {
    const panel = await hold(page);
    await launcher(page).click();
    assertEquals(await focused(page), "input");
    await page.keyboard.type("Where is my");
    assertEquals(await violations(page), [], "loading");
    const field = page.getByRole("textbox", { name: "Write a message" });
    const before = await field.elementHandle();
    panel.release();
    await greeting(page).waitFor();
    assertEquals(await focused(page), "input");
    assertEquals(await field.evaluate((element, old) => element === old, before), true);
    await page.keyboard.type(" order?");
    assertEquals(await field.inputValue(), "Where is my order?");
    await answered(page, () => field.press("Enter"));
    chat.say("Here.");
    chat.done();
    await page.locator(".after").waitFor();
    assertEquals(await page.locator(".mine").allInnerTexts(), ["Where is my order?"]);
    assertEquals(await field.inputValue(), "");
  });
});

Deno.test("launcher: a message sent before the panel is there is sent once, and more text stays a draft", async () => {
  await onSite({}, async ({ page, chat }) => {
    const panel = await hold(page);
    await launcher(page).click();
    await page.keyboard.type("First");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.keyboard.type(" and more");
    await answered(page, () => Promise.resolve(panel.release()));
    chat.say("Yes.");
    chat.done();
    await page.locator(".after").waitFor();
    assertEquals(await page.locator(".mine").allInnerTexts(), ["First"]);
    assertEquals(await page.getByRole("textbox").inputValue(), " and more");
    await page.reload();
    await page.locator(".mine").getByText("First").waitFor();
    assertEquals(await page.getByRole("textbox").inputValue(), " and more");
  });
});

Deno.test("launcher: text typed before the panel is there survives a reload", async () => {
  await onSite({}, async ({ page }) => {
    await page.route(PANEL, (route) => route.abort());
    await launcher(page).click();
    await page.keyboard.type("Half a");
    await page.unroute(PANEL);
    await page.reload();
    await greeting(page).waitFor();
    assertEquals(await page.getByRole("textbox").inputValue(), "Half a");
  });
});

Deno.test("launcher: calls on the handle before the panel is there are kept, and done in order", async () => {
  await onSite({}, async ({ page, chat }) => {
    const panel = await hold(page);
    const results = await page.evaluate(`window.events = [];
      for (const name of ["open", "close", "message", "start", "answer"])
        serviceWidget.on(name, (detail) => events.push([name, detail?.text]));
      serviceWidget.setSessionToken(" cs_from_the_page_0001 ");
      [serviceWidget.send("  "), serviceWidget.send("One"), serviceWidget.send("Two"),
        serviceWidget.newConversation(), serviceWidget.send("Three"), serviceWidget.send("Four"),
        serviceWidget.setLocale("de"), serviceWidget.toggle()]`);
    assertEquals(
      results,
      [false, true, false, undefined, true, false, undefined, undefined]
        .map((one) => one ?? null).map((one) => one === null ? undefined : one),
    );
    await page.getByRole("button", { name: "Chat schließen" }).first().waitFor();
    const sent = page.waitForResponse((response) =>
      !!response.request().postData()?.includes("Three")
    );
    panel.release();
    await sent;
    chat.say("Drei.");
    chat.done();
    await page.locator(".after").waitFor();
    assertEquals(await page.locator(".mine").allInnerTexts(), ["Three"]);
    assertEquals(new Set(chat.seen.map(({ token }) => token)), new Set(["cs_from_the_page_0001"]));
    assertEquals(
      (await page.evaluate(
        "events.map(([name, text]) => text ? name + ' ' + text : name)",
      ) as string[])
        .filter((event) => event !== "start"),
      ["open", "message One", "message Three", "answer Drei."],
    );
  });
});

Deno.test("launcher: a conversation that the page ends is gone, even if the page is left at once", async () => {
  await onSite({}, async ({ page, chat }) => {
    await launcher(page).click();
    await page.getByRole("textbox").fill("Secret?");
    await answered(page, () => page.getByRole("textbox").press("Enter"));
    chat.say("One");
    await page.locator(".live").waitFor();
    await page.route(PANEL, () => {});
    await page.reload({ waitUntil: "domcontentloaded" });
    await page.locator("service-widget").waitFor({ state: "attached" });
    await page.evaluate("serviceWidget.newConversation()");
    assertEquals(await page.evaluate("sessionStorage.length"), 0);
    await page.unroute(PANEL);
    await page.reload();
    await page.locator("service-widget").waitFor({ state: "attached" });
    assertEquals(await page.evaluate("sessionStorage.length"), 0);
    await launcher(page).click();
    await greeting(page).waitFor();
  });
});

Deno.test("launcher: after a reload an unfinished answer loads the panel, and is unread when it is complete", async () => {
  await onRecordedSite({}, async ({ page, chat, urls }) => {
    await launcher(page).click();
    await page.getByRole("textbox").fill("Hello?");
    await answered(page, () => page.getByRole("textbox").press("Enter"));
    chat.say("One ");
    await page.locator(".live").waitFor();
    await page.keyboard.press("Escape");
    urls.length = 0;
    const again = page.waitForResponse(/\/runs\/[^/]+\/stream$/);
    await page.reload();
    await again;
    assertEquals(urls.filter(isPanel).length, 1);
    chat.say("two.");
    chat.done();
    await page.locator(".unread").waitFor();
    urls.length = 0;
    await page.reload();
    await launcher(page).waitFor();
    await page.waitForLoadState("networkidle");
    assertEquals(urls.filter(isPanel), [], "a finished conversation waits until it is opened");
    await launcher(page).click();
    await page.getByText("One two.").waitFor();
  });
});

/** Ways in which the file does not arrive. */
const FAILURES: Record<string, (route: Route) => Promise<void>> = {
  "the network fails": (route) => route.abort(),
  "the service fails": (route) => route.fulfill({ status: 500, body: "" }),
  "its content is another": async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, body: `${await response.text()};` });
  },
};

Deno.test("launcher: a panel that cannot be loaded is an alert in the visitor's language, and Try again loads it", async (t) => {
  await withBrowser(async (browser) => {
    for (const [name, fail] of Object.entries(FAILURES)) {
      await t.step(
        `when ${name}`,
        () =>
          onSite({ browser, attributes: `data-lang="de"` }, async ({ page, chat, console }) => {
            await page.route(PANEL, fail);
            await page.evaluate(
              "window.errors = []; void serviceWidget.on('error', (error) => errors.push(error))",
            );
            await page.getByRole("button", { name: "Chat öffnen" }).click();
            const alert = page.getByRole("alert");
            await alert.getByText("Der Chat ist nicht verfügbar.").waitFor();
            assertEquals(await violations(page), []);
            const message = "Der Chat ist nicht verfügbar.";
            const [error] = await page.evaluate("errors") as unknown[];
            assertEquals(error, { code: "panel_not_loaded", message });
            const hints = console.filter(({ text }) => text.includes("panel_not_loaded"));
            assertStringIncludes(hints[0]?.text ?? "", "script-src");
            await page.getByRole("textbox").fill("Hallo?");
            await page.unroute(PANEL);
            await alert.getByRole("button", { name: "Erneut versuchen" }).click();
            await page.getByText("Wie können wir helfen?").waitFor();
            assertEquals(await alert.count(), 0);
            assertEquals(await focused(page), "input");
            await answered(page, () => page.keyboard.press("Enter"));
            chat.say("Hallo.");
            chat.done();
            await page.locator(".after").waitFor();
            assertEquals(await page.locator(".mine").allInnerTexts(), ["Hallo?"]);
          }),
      );
    }
  });
});

Deno.test("launcher: a panel that takes more than 20 seconds can be asked for again, and still opens when it comes", async () => {
  await onSite({ beforeLoad: (page) => page.clock.install() }, async ({ page }) => {
    const panel = await hold(page);
    const asked = page.waitForRequest(PANEL);
    await launcher(page).click();
    await asked;
    await page.clock.fastForward(19_000);
    assertEquals(await page.getByRole("alert").count(), 0);
    await page.clock.fastForward(1_000);
    await page.getByRole("alert").waitFor();
    await page.keyboard.type("Still here");
    panel.release();
    await greeting(page).waitFor();
    assertEquals(await page.getByRole("alert").count(), 0);
    assertEquals(await page.getByRole("textbox").inputValue(), "Still here");
  });
});

Deno.test("launcher: a message sent while the panel cannot be loaded is sent once it can", async () => {
  await onSite({}, async ({ page, chat }) => {
    await page.route(PANEL, (route) => route.abort());
    await launcher(page).click();
    await page.getByRole("alert").waitFor();
    await page.getByRole("textbox").fill("Hello?");
    await page.getByRole("textbox").press("Enter");
    await page.getByRole("alert").waitFor();
    assertEquals(await page.getByRole("textbox").inputValue(), "Hello?");
    await page.unroute(PANEL);
    await answered(page, () => page.getByRole("button", { name: "Try again" }).click());
    chat.say("Hi.");
    chat.done();
    await page.locator(".after").waitFor();
    assertEquals(await page.locator(".mine").allInnerTexts(), ["Hello?"]);
  });
});

Deno.test("launcher: a press of Close that spans the panel's arrival closes, and deletes nothing", async () => {
  await onSite({}, async ({ page, chat }) => {
    await launcher(page).click();
    await page.getByRole("textbox").fill("Hello?");
    await answered(page, () => page.getByRole("textbox").press("Enter"));
    chat.say("Hi.");
    chat.done();
    await page.locator(".after").waitFor();
    const panel = await hold(page);
    await page.reload({ waitUntil: "domcontentloaded" });
    await page.locator(".header").getByRole("button", { name: "Close chat" }).hover();
    await page.mouse.down();
    panel.release();
    await page.locator(".mine").waitFor();
    await page.mouse.up();
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    await launcher(page).click();
    assertEquals(await page.locator(".mine").innerText(), "Hello?");
  });
});

/** The code blocks of docs/embedding.md with lines for a policy: what is needed, and Trusted Types. */
const [NEEDED, TRUSTED_TYPES] = await (async () => {
  const page = await Deno.readTextFile(new URL("../docs/embedding.md", import.meta.url));
  const section = page.split("## Content-Security-Policy")[1]!.split("\n## ")[0]!;
  const blocks = [...section.matchAll(/```\n(.*?)```/gs)].map(([, lines]) => lines!);
  assertEquals(blocks.length, 2);
  return blocks as [string, string];
})();

const needed = (base: string) =>
  NEEDED.replaceAll(/https:\/\/(cdn|chat)\.example\.com/g, base).replaceAll("\n", " ");
const REQUIRED = "require-trusted-types-for 'script';";

interface TestedPolicy {
  readonly lines: NonNullable<Exclude<SiteOptions["policy"], string>>;
  /** More attributes of the tags. */
  readonly tag?: string;
  /** The browser reports that the page's list of policies lacks one. */
  readonly reported?: boolean;
}

const POLICIES: Record<string, TestedPolicy> = {
  "the documented lines": { lines: needed },
  "Trusted Types without a list": { lines: (base) => needed(base) + REQUIRED },
  "Trusted Types and the documented name": {
    lines: (base) => needed(base) + REQUIRED + TRUSTED_TYPES.replace("\n", ""),
  },
  "Trusted Types and a list that lacks it": {
    lines: (base) => `${needed(base)} ${REQUIRED} trusted-types 'none'`,
    reported: true,
  },
  "a nonce": {
    lines: (base) => `script-src 'nonce-n0'; connect-src ${base}`,
    tag: `nonce="n0"`,
  },
  "a nonce, strict-dynamic and Trusted Types": {
    lines: (base) =>
      `script-src 'nonce-n0' 'strict-dynamic'; connect-src ${base}; ${REQUIRED}${TRUSTED_TYPES}`
        .replace("\n", ""),
    tag: `nonce="n0"`,
  },
  "hashes": {
    lines: (base, { launcher, panel, extras }) =>
      `script-src '${launcher.integrity}' '${panel.integrity}' '${extras.integrity}'; ` +
      `connect-src ${base}`,
  },
};

Deno.test("launcher: two widgets work under each documented policy, with nothing else allowed", async (t) => {
  await withBrowser(async (browser) => {
    for (const [name, { lines, tag: more = "", reported }] of Object.entries(POLICIES)) {
      await t.step(`with ${name}`, () => {
        const html = (tag: string) =>
          (tag + tag.replace("7d0e", "7d0f").replace("data-service", `data-title="B" data-service`))
            .replaceAll("<script", `<script ${more}`);
        const policy: TestedPolicy["lines"] = (base, files) =>
          `default-src 'none'; img-src data:; ${lines(base, files)}`;
        return onSite({ browser, html, policy }, async ({ page, chat, console }) => {
          for (const [name, panel] of [["Open chat", "AI assistant"], ["Open chat B", "B"]]) {
            await page.getByRole("button", { name: name!, exact: true }).click();
            const dialog = page.getByRole("dialog", { name: panel!, exact: true });
            await dialog.getByText("How can we help?").waitFor();
            await dialog.getByRole("textbox").fill("Hello?");
            await answered(page, () => dialog.getByRole("textbox").press("Enter"));
            chat.say("Hi.");
            chat.done();
            await dialog.getByRole("button", { name: "Good answer" }).waitFor();
          }
          const others = console.filter(({ text }) => !/TrustedTypePolicy/.test(text));
          assertEquals([others, console.length > 0], [[], reported ?? false]);
        });
      });
    }
    await t.step("but not where script-src lacks it: the visitor is not left waiting", () => {
      const policy = (base: string) =>
        `script-src ${base}/widget.v1.js; connect-src ${base}; default-src 'none'`;
      return onSite({ browser, policy, html: (tag) => tag }, async ({ page }) => {
        await launcher(page).click();
        await page.getByRole("alert").getByText("not available").waitFor();
      });
    });
    await t.step(
      "and never runs another content, with or without a Trusted Types policy",
      async () => {
        for (const types of ["trusted-types service-widget", "trusted-types 'none'"]) {
          const policy = (base: string) => `${needed(base)} ${REQUIRED} ${types}`;
          const beforeLoad = async (page: Page) =>
            void await page.route(PANEL, async (route) => {
              const response = await route.fetch();
              await route.fulfill({ response, body: `${await response.text()};changed = 1;` });
            });
          await onSite({ browser, policy, html: (tag) => tag, beforeLoad }, async ({ page }) => {
            await launcher(page).click();
            await page.getByRole("alert").waitFor();
            assertEquals(await page.evaluate("typeof changed"), "undefined");
            await page.unroute(PANEL);
            await page.getByRole("button", { name: "Try again" }).click();
            await greeting(page).waitFor();
          });
        }
      },
    );
  });
});
