/** Calls of tools that wait, in Chromium: approval cards, and functions of the page. */
import axe from "axe-core";
import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import { FakeCalls } from "./support/fake_calls.ts";
import {
  ask,
  atRest,
  focused,
  onSite,
  type Site,
  type SiteOptions,
} from "./support/widget_site.ts";

const card = (page: Page) => page.locator(".call");
const line = (page: Page) => page.locator("p[part=call]");
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const announced = (page: Page, text: string) =>
  page.getByRole("status").getByText(text).first().waitFor({ state: "attached" });
const settled = (page: Page) => button(page, "Send message").waitFor();

const CANCEL = {
  name: "cancel_order",
  title: "Cancel an order",
  args: { order_id: "A-1042", refund: 12.5 },
  waitsFor: "visitor",
} as const;
const HOSTILE = {
  to: `<img src=x onerror="document.title='pwned'"><script>document.title='pwned'</script>`,
  amount: "\u202e001",
  // Two names that look the same are two rows.
  "fee\u202a": "first row",
  "fee\u202b": "second row",
  [`<b onclick="x">key</b>`]: "javascript:alert(1)",
  note: `${"<svg onload=alert(1)> ".repeat(40)}end`,
};

/** An open panel whose question waits for its answer. */
async function onCallSite(
  options: SiteOptions,
  use: (site: Site & { calls: FakeCalls }) => Promise<void>,
): Promise<void> {
  await onSite(options, async (site) => {
    const calls = new FakeCalls(site.chat);
    await ask(site.page, "Please help.");
    await use({ ...site, calls });
  });
}

async function violations(page: Page): Promise<unknown[]> {
  await atRest(page);
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]);
}

/** A copy of the tab, which browsers give the same storage. */
async function copyTab(page: Page): Promise<Page> {
  const [copy] = await Promise.all([
    page.context().waitForEvent("page"),
    page.evaluate(() => void open(location.href)),
  ]);
  return copy;
}

/** Registers a function of the page, whose arguments the page keeps in `runs`. */
async function registerTool(page: Page, body: string): Promise<void> {
  await page.evaluate(`globalThis.runs = [];
    globalThis.unregister = serviceWidget.registerTool("read_cart", async (args, { signal }) => {
      runs.push(args);
      ${body}
    });`);
}

/** Waits until the function of the page was called so often. */
const called = (page: Page, times: number) =>
  page.waitForFunction(
    (times) => (globalThis as unknown as { runs?: unknown[] }).runs?.length === times,
    times,
  );

Deno.test("widget: a call waits for the visitor, who allows it with the keyboard", async () => {
  await onCallSite({}, async ({ page, chat, calls }) => {
    chat.say("I can do that.");
    const n = calls.begin(CANCEL);
    await announced(page, "Do you allow this? Cancel an order");
    // Nothing takes the focus from who is typing, and neither Enter nor Escape decides.
    assertEquals(await focused(page), "input");
    assertEquals(
      (await card(page).innerText()).split(/\s*\n\s*/),
      ["Do you allow this?", "Cancel an order", "order_id", "A-1042", "refund", "12.5"].concat(
        ["Don’t allow", "Allow"],
      ),
    );
    await page.keyboard.press("Enter");
    await page.keyboard.press("Escape");
    await button(page, "Open chat").click();
    await announced(page, "Do you allow this? Cancel an order");
    assertEquals(calls.answers, []);
    await button(page, "Don’t allow").focus();
    await page.keyboard.press("Tab");
    await page.keyboard.press("Space");
    await line(page).getByText("Cancel an order: Allow ✓").waitFor();
    await announced(page, "Cancel an order: Allow ✓");
    assertEquals(calls.answers, [{ n, body: { approve: true } }]);
    assertEquals([await card(page).count(), await focused(page)], [0, "log"]);
    calls.end(n);
    chat.say(" Done.");
    chat.done();
    await settled(page);
    assertEquals(await line(page).count(), 1);
    await page.getByRole("textbox").fill("Thanks");
    await page.keyboard.press("Enter");
    await line(page).waitFor({ state: "detached" });
  });
});

Deno.test("widget: hostile arguments are text, turned by nothing, and can be read whole", async () => {
  await onCallSite({}, async ({ page, calls, console }) => {
    const title = `<i>Pay</i>`;
    const n = calls.begin({ ...CANCEL, title, args: HOSTILE });
    await card(page).waitFor();
    const tags = await card(page).evaluate((element) =>
      [...new Set([...element.querySelectorAll("*")].map(({ localName }) => localName))].sort()
    );
    assertEquals(tags, ["button", "dd", "details", "div", "dl", "dt", "h3", "p", "summary"]);
    const text = await card(page).innerText();
    assert(text.includes(title) && text.includes("\ufffd001") && !text.includes("\u202e"), text);
    assert(!text.includes("end"), "a long value is cut");
    await card(page).locator("summary").last().click();
    assert((await card(page).innerText()).includes(HOSTILE.note));
    assertEquals(await page.title(), "Shop");
    await button(page, "Don’t allow").click();
    await line(page).getByText("<i>Pay</i>: Don’t allow ✓").waitFor();
    assertEquals(calls.answers, [{ n, body: { approve: false } }]);
    assertEquals(console.filter(({ type }) => type !== "info"), []);
  });
});

Deno.test("widget: a card survives a reload, and goes when it is decided elsewhere, too late or stopped", async () => {
  await onCallSite({}, async ({ page, chat, calls }) => {
    const first = calls.begin(CANCEL);
    await card(page).waitFor();
    const again = page.waitForResponse(/\/runs\/.*\/stream$/);
    await page.reload();
    await again;
    await card(page).waitFor();
    const copy = await copyTab(page);
    await card(copy).waitFor();
    await button(copy, "Allow").click();
    await line(copy).waitFor();
    calls.end(first);
    await card(page).waitFor({ state: "detached" });
    assertEquals(await line(page).count(), 0);
    // In the meantime decided: what the visitor presses is no error for them.
    const second = calls.begin(CANCEL);
    await button(copy, "Don’t allow").click();
    await line(copy).nth(1).waitFor();
    await button(page, "Allow").click();
    await card(page).waitFor({ state: "detached" });
    assertEquals([await page.getByRole("alert").count(), calls.late], [0, 1]);
    assertEquals(await focused(page), "log");
    calls.end(second);
    calls.begin(CANCEL);
    await card(page).waitFor();
    await button(page, "Stop answering").click();
    await card(page).waitFor({ state: "detached" });
    await card(copy).waitFor({ state: "detached" });
    assertEquals(chat.seen.filter(({ path }) => path.endsWith("/cancel")).length, 1);
    assertEquals(calls.answers.length, 2);
  });
});

Deno.test("widget: a conversation that the page ends before the panel is there keeps no call", async () => {
  await onCallSite({}, async ({ page, calls }) => {
    calls.begin(CANCEL);
    await card(page).waitFor();
    await page.getByRole("textbox").fill("A draft");
    await page.route("**/widget-panel.v1.*", () => {});
    await page.reload({ waitUntil: "domcontentloaded" });
    await page.locator("service-widget").waitFor({ state: "attached" });
    await page.evaluate("serviceWidget.newConversation()");
    const [stored] = await page.evaluate(
      "Object.values(sessionStorage).map(JSON.parse)",
    ) as object[];
    assertEquals(stored, { open: true, turns: [], nextId: 2, draft: "A draft" });
  });
});

Deno.test("widget: without a network a decision can be pressed again, and a person's call is only shown", async () => {
  await onCallSite({}, async ({ page, calls }) => {
    calls.begin({ ...CANCEL, title: "Ask the boss", waitsFor: "person" });
    await line(page).getByText("Ask the boss: Waiting for approval").waitFor();
    await announced(page, "Ask the boss: Waiting for approval");
    const n = calls.begin(CANCEL);
    await card(page).waitFor();
    let isAway = true;
    await page.route("**/decision", (route) => isAway ? route.abort() : route.fallback());
    await button(page, "Allow").click();
    await card(page).getByRole("alert").getByText("The connection was lost.").waitFor();
    assertEquals(calls.answers, []);
    isAway = false;
    await button(page, "Allow").click();
    await line(page).getByText("Cancel an order: Allow ✓").waitFor();
    assertEquals(calls.answers, [{ n, body: { approve: true } }]);
  });
});

Deno.test("widget: cards are accessible, dark, narrow, mirrored and in forced colors", async () => {
  await withBrowser(async (browser) => {
    for (
      const options of [
        { colorScheme: "light" },
        { colorScheme: "dark", width: 320, attributes: `data-lang="ar"` },
        { context: { forcedColors: "active" } },
      ] satisfies SiteOptions[]
    ) {
      await onSite({ browser, ...options }, async ({ page, chat }) => {
        const calls = new FakeCalls(chat);
        await page.locator(".launcher").click();
        await page.getByRole("textbox").fill("?");
        const response = page.waitForResponse(/\/stream$/);
        await page.keyboard.press("Enter");
        await response;
        calls.begin({ ...CANCEL, args: { ...CANCEL.args, ...HOSTILE } });
        calls.begin({ ...CANCEL, waitsFor: "person" });
        await card(page).waitFor();
        await card(page).locator("summary").last().click();
        assertEquals(await violations(page), []);
        const log = page.getByRole("log");
        assert(await log.evaluate((log) => log.scrollWidth <= log.clientWidth), "no side scroll");
        const { borderTopWidth } = await card(page).evaluate((card) => ({
          borderTopWidth: getComputedStyle(card).borderTopWidth,
        }));
        assertEquals(borderTopWidth, "1px");
      });
    }
  });
});

Deno.test("widget: a function of the page is called once, however often its page is reloaded or copied", async () => {
  await onSite({ attributes: "data-bind" }, async ({ page, chat }) => {
    const calls = new FakeCalls(chat);
    const proofs: (string | undefined)[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/output") && request.method() === "POST") {
        proofs.push(request.headers().dpop);
      }
    });
    // Before the panel is there, and with it closed.
    await registerTool(page, "return { total: 12 };");
    const asked = page.waitForResponse(/\/v1\/chat\/stream$/);
    await page.evaluate(`serviceWidget.send("What is in my cart?")`);
    await asked;
    const copy = await copyTab(page);
    await copy.waitForResponse(/\/stream$/);
    await registerTool(copy, "return { total: 12 };");
    const answered = page.waitForResponse(/\/output$/);
    const n = calls.begin({ name: "read_cart", args: { full: true }, waitsFor: "page" });
    await Promise.race([answered, copy.waitForResponse(/\/output$/)]);
    const runs = async (tab: Page) => await tab.evaluate("runs") as unknown[];
    assertEquals((await Promise.all([page, copy].map(runs))).flat(), [{ full: true }]);
    assertEquals(calls.answers, [{ n, body: { output: { total: 12 } } }]);
    calls.end(n);
    chat.say("12.");
    chat.done();
    await copy.close();
    assert(proofs.every((proof) => proof !== undefined), "each is signed");
  });
});

Deno.test("widget: a page that was left does not call its function again, and says so", async () => {
  await onCallSite({}, async ({ page, chat, calls }) => {
    await registerTool(page, "await new Promise(() => {});");
    const n = calls.begin({ name: "read_cart", args: {}, waitsFor: "page" });
    await called(page, 1);
    await page.addInitScript(`addEventListener("service-widget:ready", ({ detail }) =>
      detail.registerTool("read_cart", () => globalThis.isRepeated = true))`);
    const answered = page.waitForResponse(/\/output$/);
    await page.reload();
    await answered;
    assertEquals(calls.answers, [{ n, body: { error: "the page was left" } }]);
    assertEquals(await page.evaluate("globalThis.isRepeated"), undefined);
    chat.done();
  });
});

Deno.test("widget: Stop aborts a function of the page; a missing one and a wrong output are errors for the model", async () => {
  await onCallSite({}, async ({ page, calls, console }) => {
    const call = { name: "read_cart", args: {}, waitsFor: "page" } as const;
    const next = async (act: () => unknown) => {
      const answered = page.waitForResponse((response) =>
        response.url().endsWith("/output") && response.status() === 204
      );
      await act();
      await answered;
      return calls.answers.at(-1)!.body;
    };
    let n = 0;
    const begin = () => n = calls.begin(call);
    assertEquals(await next(begin), { error: "not available on this page" });
    calls.end(n);
    await registerTool(
      page,
      `if (runs.length === 1) throw new Error("locked");
      if (runs.length === 2) return "wrong";
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      globalThis.isAborted = true;`,
    );
    assertEquals(await next(begin), { error: "locked" });
    calls.end(n);
    const body = { code: "schema_validation_failed", message: "", http: 400 };
    calls.invalid.push(Response.json(body, { status: 400 }));
    assertEquals(await next(begin), { error: "invalid output" });
    calls.end(n);
    assertEquals(console.filter(({ text }) => text.startsWith("[agent-chat] tool")).length, 3);
    begin();
    await called(page, 3);
    await button(page, "Stop answering").click();
    await page.waitForFunction(() => "isAborted" in globalThis);
    await page.evaluate("unregister()");
  });
});
