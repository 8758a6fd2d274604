/** Knowledge bases in a real browser: from dropped files to an answer that cites them. */
import axe from "axe-core";
import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Browser, Page } from "playwright-core";
import { alive, visit, withBrowser, withPage } from "./support/browser.ts";
import { ownerContext } from "./support/owner.ts";
import { agentBody, TestService } from "./support/service.ts";
import { atRest } from "./support/widget_site.ts";

const FILES = {
  "returns.md":
    "# Orders\n\n## Returns\n\nYou may return any book within thirty days of delivery.\n",
  "shipping.html": "<!doctype html><h1>Shipping</h1><p>Parcels travel by night train.</p>",
  "https://shop.example.com/faq": "Gift cards are valid for three years.",
};

/** The page's axe violations, and by how much it is wider than the window. */
async function problemsOf(page: Page): Promise<unknown[]> {
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
  };
  const wide = await page.evaluate(() =>
    Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)
  );
  return [
    ...found.violations.map(({ id, nodes }) => [id, nodes[0]?.html, nodes[0]?.failureSummary]),
    ...(wide > 0 ? [`${wide} px too wide`] : []),
  ];
}

/** Drops files on the page, as a user dragging them from a folder does. */
async function drop(page: Page, files: Record<string, string>): Promise<void> {
  const dataTransfer = await page.evaluateHandle((entries) => {
    const transfer = new DataTransfer();
    for (const [name, text] of Object.entries(entries)) transfer.items.add(new File([text], name));
    return transfer;
  }, files);
  await page.dispatchEvent("main", "dragover", { dataTransfer });
  await page.locator(".drop-over").waitFor();
  await page.dispatchEvent("main", "drop", { dataTransfer });
}

async function createBase(page: Page): Promise<void> {
  await page.goto("/home");
  await page.getByRole("link", { name: "Knowledge" }).click();
  await page.waitForURL("**/knowledge");
  await alive(page);
  await page.getByRole("link", { name: "New knowledge base" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Shop manual");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByText("Knowledge base created.").waitFor();
}

async function fillBase(page: Page): Promise<void> {
  await page.getByText("Drop files here").waitFor();
  await drop(page, FILES);
  const rows = page.getByRole("list", { name: "Documents" }).getByRole("listitem");
  await rows.filter({ hasText: "ready" }).nth(2).waitFor({ timeout: 60_000 });
  assertEquals(await rows.count(), 3);
  await page.getByRole("list", { name: "Uploads" }).waitFor({ state: "detached" });
  await drop(page, { "empty.txt": "" });
  await page.getByRole("alert").filter({ hasText: "is empty" }).waitFor();
}

async function attach(page: Page, agent: string): Promise<void> {
  await page.goto(`/agents/${agent}/knowledge`);
  await page.getByLabel("Knowledge base").selectOption("Shop manual");
  await page.getByRole("button", { name: "Save changes" }).click();
  await page.getByText("Changes saved.").waitFor();
}

/** A shop's page that embeds an agent's widget. */
function shopPage(
  { service, agent, token }: { service: TestService; agent: string; token: string },
) {
  const html = `<!doctype html><html lang="en"><head><title>Shop</title>
    <link rel="icon" href="data:,"></head><body><main><h1>Shop</h1></main>
    <script src="${service.url}/widget.v1.js" crossorigin="anonymous" data-service-widget data-open
    data-api-base="${service.url}" data-agent-id="${agent}" data-session-token="${token}"></script>
    </body></html>`;
  return new Response(html, { headers: { "content-type": "text/html; charset=utf-8" } });
}

/** Asks the embedded widget about a document and returns the text of its log. */
async function askWidget(browser: Browser, shop: string): Promise<string> {
  return await withPage({ browser, baseUrl: shop }, async (page) => {
    await page.goto("/");
    await page.getByLabel("Write a message").fill("How long are gift cards valid?");
    await page.getByLabel("Write a message").press("Enter");
    await page.getByText("Sources").waitFor();
    await page.locator("service-widget summary").filter({ hasText: "shop.example.com/faq" })
      .click();
    const link = page.locator("service-widget").getByRole("link").last();
    assertEquals(await link.getAttribute("href"), "https://shop.example.com/faq");
    await atRest(page);
    assertEquals(await problemsOf(page), []);
    return await page.getByRole("log").innerText();
  });
}

Deno.test("knowledge: dropped files become ready, and the widget's answer cites them", async () => {
  const quiet = { port: 0, hostname: "127.0.0.1", onListen() {} };
  await using shop = Deno.serve(quiet, () => shopPage(shown!));
  let shown: Parameters<typeof shopPage>[0] | undefined;
  const origin = `http://127.0.0.1:${shop.addr.port}`;
  await using service = await TestService.start();
  const key = await service.key(["agents:write", "widget:mint"]);
  const agent = await service.agent(key, { allowedOrigins: [origin] });
  const context = await ownerContext(service);
  await withBrowser(async (browser) => {
    await withPage({ browser, baseUrl: service.url, context }, async (page, lines) => {
      await createBase(page);
      await fillBase(page);
      await attach(page, agent.id);
      // The browser logs the rejected upload and nothing else.
      const errors = lines.filter(({ type }) => type === "error" || type === "pageerror");
      assertEquals(errors.map(({ text }) => /status of 400/.test(text)), [true]);
    });
    const token = await service.mint(key, agent.id, origin);
    shown = { service, agent: agent.id, token };
    const log = await askWidget(browser, origin);
    assertStringIncludes(log, "valid for three years");
    assertMatch(log, /Sources\s+1\. /);
  });
});

Deno.test("knowledge pages: every page passes axe in both themes and fits 360 px, and a document is deleted by keyboard", async () => {
  await using service = await TestService.start();
  const tenant = await service.tenant();
  const { knowledge, documents, agents } = service.service;
  const context = await ownerContext(service);
  const base = await knowledge.create(tenant, { name: "Shop manual", description: "All of it" });
  const empty = await knowledge.create(tenant, { name: "Empty" });
  await agents.create(tenant, { ...agentBody(), name: "Desk", knowledgeBaseId: base.id });
  const of = { tenant, base: base.id };
  for (
    const [title, text] of [...Object.entries(FILES), [
      `${"long_name_".repeat(12)}.bin`,
      "\0\0\0\0\0\0",
    ]]
  ) {
    const bytes = new TextEncoder().encode(text);
    const mediaType = title!.endsWith(".bin") ? "application/octet-stream" : "text/markdown";
    await knowledge.addDocument(of, { title: title!, mediaType, bytes });
  }
  await documents.whenIdle();
  const { data: [document] } = await knowledge.listDocuments(of, { limit: 1 });
  const path = `/knowledge/${base.id}`;
  const pages = [
    ...["/knowledge", "/knowledge/new", path, `/knowledge/${empty.id}`, `${path}/settings`],
    ...[`${path}/search?q=return+a+book`, `${path}/search?q=zzz`, `${path}/delete`],
    ...["delete", "replace"].map((name) => `${path}/documents/${document!.id}/${name}`),
  ];
  await withBrowser(async (browser) => {
    for (const [colorScheme, width] of [["light", 360], ["dark", 1440]] as const) {
      await withPage(
        { browser, baseUrl: service.url, context, colorScheme, width },
        async (page, lines) => {
          for (const address of pages) {
            await page.goto(address);
            assertEquals(await problemsOf(page), [], `${address} ${colorScheme}`);
          }
          assertEquals(lines.filter(({ type }) => type === "error" || type === "pageerror"), []);
        },
      );
    }
    await withPage({ browser, baseUrl: service.url, context }, async (page) => {
      await visit(page, path);
      await tabTo(page, `Delete: ${document!.title}`);
      await page.keyboard.press("Enter");
      const dialog = page.getByRole("dialog", { name: /^Delete / });
      await dialog.getByRole("button", { name: "Delete document" }).focus();
      await page.keyboard.press("Enter");
      await page.getByText("Document deleted.").waitFor();
    });
  });
});

/** Presses Tab until the control with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let n = 0; n < 60; n++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(() => document.activeElement?.textContent ?? "");
    if (focused === name) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}
