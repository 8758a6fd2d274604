/** The widget on pages that were not made for it, and for visitors with other needs. */
import axe from "axe-core";
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { ATTACKS } from "./fixtures/markdown_attacks.ts";
import { withBrowser } from "./support/browser.ts";
import { AGENT, ask, atRest, onSite } from "./support/widget_site.ts";

async function violations(page: Page): Promise<unknown[]> {
  await atRest(page);
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]);
}

Deno.test("widget: axe finds no violation in any state or theme", async () => {
  await withBrowser(async (browser) => {
    for (const colorScheme of ["light", "dark"] as const) {
      for (const width of [1280, 360]) {
        const attributes = `data-suggestions="Opening hours"`;
        await onSite({ browser, colorScheme, width, attributes }, async ({ page, chat }) => {
          assertEquals(await violations(page), [], "closed");
          await page.getByRole("button", { name: "Open chat" }).click();
          assertEquals(await violations(page), [], "empty");
          await page.keyboard.press("Escape");
          await ask(page, "Hello?");
          chat.say(
            "# A\n\nSee [b](https://c.test) and `code`.\n\n| d |\n|--|\n| e |\n\n```\nf\n```\n\nEnd",
          );
          chat.write({ type: "tool_call", name: "search_knowledge", args: {} });
          await page.locator(".working").getByText("search knowledge").waitFor();
          assertEquals(await violations(page), [], "streaming");
          chat.write({ type: "error", code: "provider_error", message: "" });
          chat.done("error");
          await page.locator(".notice").waitFor();
          assertEquals(await violations(page), [], "error");
        });
      }
    }
  });
});

Deno.test("widget: over a hundred Markdown attacks run no script, load nothing and leave no event handler", async () => {
  await onSite({}, async ({ page, chat, console, asked }) => {
    const requests: string[] = [];
    // What stands below the answer comes with it.
    const isExtras = (url: string) => /\/widget-(extras|texts)\.v1\.[0-9a-f]{12}\.js/.test(url);
    page.on("request", (request) => isExtras(request.url()) || requests.push(request.url()));
    await ask(page, "Hello?");
    requests.length = 0;
    for (const attack of ATTACKS) chat.say(attack, "\n\n");
    chat.say("The end of it.");
    chat.done();
    await page.locator(".after").waitFor();
    const found = await page.evaluate(() => {
      const root = document.querySelector("service-widget")!.shadowRoot!;
      const all = [...root.querySelectorAll(".bubble *")];
      const names = all.flatMap((element) => element.getAttributeNames());
      return {
        tags: [...new Set(all.map((element) => element.localName))],
        handlers: names.filter((name) => /^on|style|srcdoc|srcset/.test(name)),
        urls: all.map((el) => el.getAttribute("href") ?? el.getAttribute("src")).filter(Boolean),
      };
    });
    assertEquals(found.handlers, []);
    assertEquals(found.urls.filter((url) => !/^(https?|mailto):/.test(url!)), []);
    const never = ["script", "iframe", "img", "style", "object", "embed", "form", "input", "svg"];
    assertEquals(found.tags.filter((tag) => never.includes(tag)), []);
    assertEquals([requests, asked, console], [[], [], []]);
  });
});

Deno.test("widget: a page's CSS resets and !important rules do not reach it", async () => {
  const rules =
    `body * { all: unset !important; display: none !important; font-size: 3px !important }
    service-widget { opacity: 0 !important; transform: scale(0) !important; --accent: red !important }
    button { background: red !important }`;
  const policy = "default-src 'none'; script-src *; connect-src *; style-src 'unsafe-inline'";
  await onSite({ policy, html: (tag) => `<style>${rules}</style>${tag}` }, async ({ page }) => {
    const launcher = page.getByRole("button", { name: "Open chat" });
    const box = (await launcher.boundingBox())!;
    assertEquals([box.width, box.height], [60, 60]);
    const color = await launcher.evaluate((element) => getComputedStyle(element).backgroundColor);
    assertEquals(color, "rgb(13, 110, 99)");
    await launcher.click();
    assertEquals(await page.getByRole("dialog").isVisible(), true);
    const font = await page.getByRole("textbox").evaluate((el) => getComputedStyle(el).fontSize);
    assertEquals(font, "16px");
  });
});

Deno.test("widget: two agents give two widgets side by side, one agent twice gives one", async () => {
  const other = AGENT.replace("7d0e", "7d0f");
  const html = (tag: string) => tag + tag + tag.replace(AGENT, `${other}" data-title="Billing`);
  await onSite({ html }, async ({ page }) => {
    const hosts = page.locator("service-widget");
    await hosts.nth(1).waitFor({ state: "attached" });
    assertEquals(await hosts.count(), 2);
    const [first, second] = await page.locator(".launcher").all();
    const [a, b] = [(await first!.boundingBox())!, (await second!.boundingBox())!];
    assert(a.x >= b.x + b.width, "launchers must not overlap");
    const handles = await page.evaluate(
      "[...document.querySelectorAll('[data-service-widget]')].map((s) => s.serviceWidget === serviceWidget)",
    );
    assertEquals(handles, [true, true, false]);
    await page.getByRole("button", { name: "Open chat Billing", exact: true }).waitFor();
    for (const launcher of [first!, second!]) await launcher.click();
    const open = page.getByRole("button", { name: "Close chat", expanded: true });
    assertEquals([await open.count(), (await open.boundingBox())!.x], [1, b.x]);
    await first!.click();
    await page.setViewportSize({ width: 360, height: 640 });
    const covering = await second!.evaluate((launcher) => {
      const { x, y } = launcher.getBoundingClientRect();
      const all = [...document.querySelectorAll("service-widget")];
      return all.indexOf(document.elementFromPoint(x + 30, y + 30)!);
    });
    assertEquals(covering, 0, "the open panel must cover the other launcher");
  });
});

Deno.test("widget: a single-page app can mount and unmount it, and it survives a replaced body", async () => {
  const policy = "default-src 'none'; script-src *; connect-src *";
  await onSite({ policy }, async ({ page, chat }) => {
    /** Replaces the whole body with a new script element, as a router does. */
    const mountAgain = () =>
      page.evaluate(() =>
        new Promise((resolve) => {
          const old = document.querySelector("[data-service-widget]")!;
          const tag = document.createElement("script");
          for (const { name, value } of old.attributes) tag.setAttribute(name, value);
          document.addEventListener("service-widget:ready", resolve, { once: true });
          tag.onload = resolve;
          document.body.replaceChildren(tag);
        }).then(() => {})
      );
    const hosts = page.locator("service-widget");
    await ask(page, "Hello?");
    chat.say("Hi.");
    chat.done();
    await page.locator(".after").waitFor();
    await page.evaluate("window.before = serviceWidget");
    await mountAgain();
    assertEquals(await hosts.count(), 1);
    assertEquals(await page.evaluate("before === serviceWidget"), true);
    await page.evaluate("serviceWidget.destroy()");
    assertEquals(await hosts.count(), 0);
    assertEquals(await page.evaluate("typeof serviceWidget"), "undefined");
    await mountAgain();
    await hosts.waitFor({ state: "attached" });
    assertEquals(await page.locator(".mine").innerText(), "Hello?");
  });
});

Deno.test("widget: its handle controls it, in another language and text direction", async () => {
  await onSite({ attributes: `data-launcher="hidden" data-lang="de"` }, async ({ page, chat }) => {
    assertEquals(await page.getByRole("button").count(), 0);
    await page.evaluate(`window.events = [];
      for (const name of ["open", "close", "message", "start", "answer"])
        serviceWidget.on(name, () => events.push(name));
      serviceWidget.open()`);
    await page.getByRole("textbox", { name: "Nachricht schreiben" }).waitFor();
    const streamed = page.waitForResponse(/\/stream$/);
    assertEquals(await page.evaluate("serviceWidget.send('Hallo')"), true);
    await streamed;
    chat.done();
    await page.getByText("Etwas ist schiefgegangen.").first().waitFor();
    await page.evaluate("serviceWidget.setLocale('ar-EG')");
    await page.getByRole("textbox", { name: "اكتب رسالة" }).waitFor();
    const direction = await page.getByRole("dialog").evaluate((el) =>
      getComputedStyle(el).direction
    );
    assertEquals(direction, "rtl");
    await page.evaluate("serviceWidget.newConversation(), serviceWidget.toggle()");
    await page.getByRole("dialog").waitFor({ state: "hidden" });
    assertEquals(await page.evaluate("events"), ["open", "message", "start", "answer", "close"]);
  });
});

Deno.test("widget: reduced motion stops every animation, and 200 % zoom keeps input and title in view", async () => {
  const context = { reducedMotion: "reduce" as const };
  await onSite({ context, width: 640, height: 400 }, async ({ page }) => {
    await page.getByRole("button", { name: "Open chat" }).click();
    for (const part of [page.getByRole("textbox"), page.locator(".title")]) {
      const box = (await part.boundingBox())!;
      assert(box.y >= 0 && box.y + box.height <= 400);
    }
    const running = "document.querySelector('service-widget').shadowRoot.getAnimations().length";
    assertEquals(await page.evaluate(running), 0);
  });
});
