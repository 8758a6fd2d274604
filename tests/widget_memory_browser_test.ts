/** What an agent remembers of its visitor, in the widget's menu, in Chromium. */
import axe from "axe-core";
import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { withBrowser } from "./support/browser.ts";
import type { FakeChat } from "./support/fake_chat.ts";
import { atRest, focused, onSite, type SiteOptions } from "./support/widget_site.ts";

const REMEMBERED = "What I remember";
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const sheet = (page: Page) => page.getByRole("group", { name: REMEMBERED });
const facts = (page: Page) => sheet(page).locator(".thread > .item").allInnerTexts();

/** The service's memory of the visitor. */
function remember(chat: FakeChat, texts: string[]) {
  const at = "2026-01-15T12:00:00.000Z";
  let known = texts.map((text, n) => ({ id: `${n + 1}`, text, createdAt: at, updatedAt: at }));
  chat.other = ({ method, path, body }) => {
    const [, id] = /\/v1\/chat\/memory(?:\/(.+))?$/.exec(path) ?? [];
    if (!path.includes("/v1/chat/memory")) return;
    if (method === "GET") return Response.json({ facts: known });
    if (method === "DELETE") known = id ? known.filter((fact) => fact.id !== id) : [];
    else known = known.map((fact) => fact.id === id ? { ...fact, text: body!.text! } : fact);
    return new Response(null, { status: 204 });
  };
}

async function openMenu(page: Page): Promise<void> {
  await button(page, "More").click();
  await button(page, "Close").waitFor();
}

async function violations(page: Page): Promise<unknown[]> {
  await atRest(page);
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
}

Deno.test("widget: the visitor reads, changes and deletes what the agent remembers", async () => {
  const options: SiteOptions = { appearance: { offers: ["memory"] }, width: 320 };
  await onSite(options, async ({ page, chat }) => {
    const hostile = `<img src=x onerror=alert(1)> ${"long ".repeat(50)}`.trim();
    remember(chat, ["Likes tea.", hostile, "Lives in Kyiv."]);
    await button(page, "Open chat").click();
    await openMenu(page);
    await button(page, REMEMBERED).click();
    await sheet(page).getByText("Likes tea.").waitFor();
    assertEquals(await facts(page), ["Likes tea.", hostile, "Lives in Kyiv."]);
    assertEquals(await violations(page), []);
    await button(page, "Edit: Likes tea.").click();
    await sheet(page).getByRole("textbox").fill("Likes coffee.");
    await page.keyboard.press("Enter");
    await sheet(page).getByText("Likes coffee.").waitFor();
    await button(page, "Edit: Lives in Kyiv.").click();
    await button(page, "Delete").click();
    await page.getByRole("status").getByText("Really delete?").waitFor({ state: "attached" });
    await button(page, "Really delete?").click();
    await sheet(page).getByText("Lives in Kyiv.").waitFor({ state: "detached" });
    assertEquals(await facts(page), ["Likes coffee.", hostile]);
    await page.route("**/memory", (route) => route.abort());
    await button(page, "Delete all").click();
    await button(page, "Really delete?").click();
    await sheet(page).getByRole("alert").getByText("The connection was lost.").waitFor();
    await page.unroute("**/memory");
    await button(page, "Delete all").click();
    await button(page, "Really delete?").click();
    await sheet(page).getByText("Nothing yet.").waitFor();
    assertEquals([await facts(page), await focused(page)], [[], "tool"]);
    assertEquals(await violations(page), []);
    assertEquals(
      chat.seen.filter(({ path }) => path.includes("memory")).map(({ method, path, body }) =>
        [method, path.slice("/v1/chat/memory".length), body?.text ?? ""].join(" ").trim()
      ),
      ["GET", "PATCH /1 Likes coffee.", "GET", "DELETE /3", "GET", "DELETE", "GET"],
    );
  });
});

Deno.test("widget: an agent without a memory has no entry for it", async () => {
  await withBrowser(async (browser) => {
    await onSite({ browser, appearance: { offers: ["images"] } }, async ({ page }) => {
      await button(page, "Open chat").click();
      await openMenu(page);
      assertEquals(await button(page, REMEMBERED).count(), 0);
    });
  });
});
