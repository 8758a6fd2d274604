/** The inbox in a real browser: keys, filters, the transcript, a live answer, and axe in both themes. */
import axe from "axe-core";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Page } from "playwright-core";
import type { Model, ModelEvent, ModelRequest } from "@/lib/providers/model.ts";
import type { ModelRegistry } from "@/lib/providers/model_registry.ts";
import { alive, type PageOptions, visit, withBrowser, withPage } from "./support/browser.ts";
import { openConversations } from "./support/conversations.ts";
import { streamOf } from "./support/model_events.ts";
import { ownerContext } from "./support/owner.ts";
import { onPage, say } from "./support/widget_calls.ts";

const ANSWER = "It left **Oslo**:\n\n1. customs\n2. by `truck`\n\n<img src=x onerror=alert(1)>";

/** Answers with Markdown; a question that ends in "…" is answered in two parts. */
function markdownModel(): { model: Model; resume: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  async function* words({ messages, signal }: ModelRequest): AsyncGenerator<ModelEvent> {
    const question = JSON.stringify(messages.at(-1));
    yield { type: "text", text: question.includes("…") ? "Looking it **up" : ANSWER };
    if (question.includes("…")) {
      const stopped = Promise.withResolvers<never>();
      signal.addEventListener("abort", () => stopped.reject(signal.reason));
      await Promise.race([promise, stopped.promise]);
      yield { type: "text", text: "** now." };
    }
    yield { type: "usage", inputTokens: 10, outputTokens: 20 };
    yield { type: "end", reason: "stop" };
  }
  return {
    model: { stream: (request) => Promise.resolve(streamOf(words(request))) },
    resume: resolve,
  };
}

async function open() {
  const fixture = await openConversations();
  const { service, agent, sessionToken, chat, advance } = fixture;
  const { model, resume } = markdownModel();
  (service.service.providers as ModelRegistry).find = () => model;
  const ids: string[] = [];
  for (const question of ["Do you ship to Norway?", "I want a refund", "Where is my parcel?"]) {
    advance(1_000);
    ids.unshift((await chat(question)).id);
  }
  const ask = async (question: string) =>
    await onPage(service, { agent, sessionToken, body: { messages: [say(question)] } });
  const context = await ownerContext(service);
  const withOwner = (options: PageOptions, use: (page: Page) => Promise<void>) =>
    withPage({ ...options, baseUrl: service.url, context }, async (page, lines) => {
      await use(page);
      assertEquals(lines.filter(({ type }) => type === "error" || type === "pageerror"), []);
    });
  return { ...fixture, ids, ask, resume, withOwner };
}

async function violations(page: Page): Promise<unknown[]> {
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]);
}

Deno.test("/conversations: J and K move through the list, and the answer looks as the visitor saw it", async () => {
  await using fixture = await open();
  const [newest, middle, oldest] = fixture.ids;
  await fixture.withOwner({ width: 1440 }, async (page) => {
    await visit(page, "/conversations");
    const press = async (key: string, id: string | undefined) => {
      await page.keyboard.press(key);
      await page.waitForURL(`**/conversations/${id}?**`);
      await alive(page);
    };
    await press("j", newest);
    await press("j", middle);
    await press("j", oldest);
    await press("k", middle);
    const open = page.locator(".inbox-list [aria-current=true]");
    assertEquals(await open.innerText(), "I want a refund");
    const answer = page.locator(".answer-markdown");
    assertEquals(await answer.locator("strong").innerText(), "Oslo");
    assertEquals(await answer.locator("ol > li").count(), 2);
    assertEquals(await answer.locator("img").count(), 0);
    assertStringIncludes(await answer.innerText(), "<img src=x");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Copy ID" }).click();
    await page.getByText("Copied conversation ID").waitFor({ state: "attached" });
    assertEquals(await page.evaluate(() => navigator.clipboard.readText()), middle);
  });
});

Deno.test("/conversations: filters apply as they are chosen, stay with the open conversation, and are removed as chips", async () => {
  await using fixture = await open();
  await fixture.withOwner({ width: 1440 }, async (page) => {
    await visit(page, "/conversations");
    const rows = page.locator(".inbox-row");
    assertEquals(await rows.count(), 3);
    await page.getByLabel("Source").selectOption("widget");
    await page.waitForURL("**/conversations?**source=widget**");
    await alive(page);
    await page.getByLabel("Messages contain").fill("refunds");
    await page.getByLabel("Messages contain").press("Enter");
    await page.waitForURL("**/conversations?**q=refunds**");
    assertEquals(await rows.count(), 1);
    assertEquals(await page.locator("mark").innerText(), "refund");
    await page.getByRole("link", { name: "I want a refund" }).click();
    await page.waitForURL("**/conversations/*?**");
    assertEquals(await rows.count(), 1);
    await page.getByRole("link", { name: "Remove filter: Contains “refunds”" }).click();
    await page.waitForURL("**/conversations?source=widget");
    assertEquals(await rows.count(), 3);
    await page.getByLabel("Messages contain").press("j");
    assertEquals(await page.getByLabel("Messages contain").inputValue(), "j");
  });
});

Deno.test("/conversations: a filter chosen before the page's script runs applies, and Back shows the list without it", async () => {
  await using fixture = await open();
  await fixture.withOwner({ width: 1440 }, async (page) => {
    const chosen = Promise.withResolvers<void>();
    await page.route("**/*.js", async (route) => {
      await chosen.promise;
      await route.continue();
    });
    await page.goto("/conversations", { waitUntil: "commit" });
    await page.getByLabel("Source").selectOption("widget");
    chosen.resolve();
    await page.waitForURL("**/conversations?**source=widget**");
    await alive(page);
    await page.goBack();
    await alive(page);
    assertEquals(new URL(page.url()).search, "");
    assertEquals(await page.getByLabel("Source").inputValue(), "");
  });
});

Deno.test("/conversations: a filter chosen by keyboard before the page's script runs waits for Apply", async () => {
  await using fixture = await open();
  await fixture.withOwner({ width: 1440 }, async (page) => {
    const chosen = Promise.withResolvers<void>();
    await page.route("**/*.js", async (route) => {
      await chosen.promise;
      await route.continue();
    });
    await page.goto("/conversations", { waitUntil: "commit" });
    const source = page.getByLabel("Source");
    await page.keyboard.press("Tab");
    await source.focus();
    await page.keyboard.type("Widget");
    assertEquals(await source.inputValue(), "widget");
    chosen.resolve();
    await alive(page);
    assertEquals(new URL(page.url()).search, "");
    assertEquals(await source.inputValue(), "widget");
    await page.getByRole("button", { name: "Apply" }).press("Enter");
    await page.waitForURL("**/conversations?**source=widget**");
  });
});

Deno.test("/conversations: a key that is pressed before the page's script runs, and counts after it, waits for Apply", async () => {
  await using fixture = await open();
  await fixture.withOwner({ width: 1440 }, async (page) => {
    await visit(page, "/conversations");
    const source = page.getByLabel("Source");
    await page.keyboard.press("Tab");
    await source.focus();
    await source.evaluate((select: HTMLSelectElement) => {
      select.value = "widget";
      select.dispatchEvent(new Event("change", { bubbles: true }));
    });
    await alive(page);
    assertEquals(new URL(page.url()).search, "");
    await page.getByRole("button", { name: "Apply" }).press("Enter");
    await page.waitForURL("**/conversations?**source=widget**");
  });
});

Deno.test("/conversations: a live answer grows on the page until it is stored", async () => {
  await using fixture = await open();
  const { ask, resume, withOwner } = fixture;
  const first = await ask("Is it there…");
  await withOwner({ width: 1440 }, async (page) => {
    await visit(page, "/conversations");
    await page.getByRole("link", { name: "Is it there…" }).click();
    await page.locator(".answer-markdown.live strong", { hasText: "up" }).waitFor();
    assertEquals(await violations(page), []);
    resume();
    await page.locator(".answer-markdown:not(.live)", { hasText: "Looking it up now." }).waitFor();
    assertEquals(await page.getByRole("button", { name: "Stop answer" }).count(), 0);
  });
  await first.body?.cancel();
});

Deno.test("/conversations: a person stops a live answer", async () => {
  await using fixture = await open();
  const answer = await fixture.ask("Is it there…");
  await fixture.withOwner({ width: 390 }, async (page) => {
    await visit(page, "/conversations");
    await page.getByRole("link", { name: "Is it there…" }).click();
    await page.getByRole("button", { name: "Stop answer" }).click();
    await page.locator(".run-head .outcome", { hasText: "Stopped" }).waitFor();
  });
  assertStringIncludes(await answer.text(), '"finishReason":"cancelled"');
});

Deno.test("/conversations: axe finds nothing in both themes, and phones do not scroll sideways", async () => {
  await using fixture = await open();
  const paths = ["/conversations", "/conversations?q=refund", `/conversations/${fixture.ids[0]}`];
  await withBrowser(async (browser) => {
    for (const [colorScheme, width] of [["light", 1440], ["dark", 1440], ["dark", 360]] as const) {
      await fixture.withOwner({ browser, colorScheme, width }, async (page) => {
        for (const path of paths) {
          await visit(page, path);
          for (const summary of await page.locator("main summary").all()) await summary.click();
          assertEquals(await violations(page), [], path);
          const wide = await page.evaluate(() => document.documentElement.scrollWidth);
          assert(wide <= width, `${path} is ${wide} px wide`);
        }
      });
    }
  });
});

Deno.test("/conversations/:id: replaced runs are collapsed, open by a click or a link, and pass axe", async () => {
  await using fixture = await open();
  const { chat, withOwner } = fixture;
  const first = await chat("Where is my parcel?");
  const again = await chat("Where is my parcel?", {
    ...{ conversationId: first.id, replaces: first.runId },
  });
  await chat("Where is the parcel that I ordered on Tuesday, with the long number A-1042?", {
    ...{ conversationId: first.id, replaces: again.runId },
  });
  await withBrowser(async (browser) => {
    for (const [colorScheme, width] of [["light", 1280], ["dark", 360]] as const) {
      await withOwner({ browser, colorScheme, width }, async (page) => {
        await visit(page, `/conversations/${first.id}`);
        const card = (runId: string) => page.locator(`#run-${runId}`);
        assertEquals(await card(first.runId).isVisible(), false);
        assertEquals(await violations(page), []);
        await page.getByText("Replaced answer").click();
        await card(first.runId).waitFor();
        assertEquals(await card(again.runId).isVisible(), false);
        await visit(page, `/conversations/${first.id}#run-${again.runId}`);
        await card(again.runId).waitFor();
        await page.getByText("Asked again").waitFor();
        await page.getByText("Question edited").waitFor();
        assertEquals(await violations(page), []);
        const isWide = `document.documentElement.scrollWidth > ${width}`;
        assertEquals(await page.evaluate(isWide), false);
      });
    }
  });
});
