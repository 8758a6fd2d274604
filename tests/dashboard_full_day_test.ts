/** The first day of a new installation, from the first visit to the audit log. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Browser, Page } from "playwright-core";
import { alive, type ConsoleLine, withBrowser, withPage } from "./support/browser.ts";
import { MockProviders } from "./support/mock_providers/mock_providers.ts";
import type { TestService } from "./support/service.ts";
import { openShop, type Shop } from "./support/shop.ts";
import { ProviderService } from "./support/provider_service.ts";

const OWNER = { email: "owner@example.com", password: "correct horse battery" };
const QUESTION = "Where is my parcel?";

interface Day {
  /** The owner's browser. */
  page: Page;
  browser: Browser;
  service: TestService;
  mock: MockProviders;
  shop: Shop;
}

const STEPS = [setUp, createAgent, tryIt, makeKey, embed, findIt, seeCost, revoke, readLog];

Deno.test("a full day: setup, an agent, a try, a key, an embedded chat, its cost, a revoked key, and the audit log", async () => {
  await using mock = await MockProviders.start();
  await using on = await ProviderService.start(mock, { env: { DEMO: "off" } });
  const { service } = on;
  await using shop = openShop(service.url);
  const context = { permissions: ["clipboard-read", "clipboard-write"] };
  await withBrowser((browser) =>
    withPage({ browser, baseUrl: service.url, context }, async (page, lines) => {
      const day = { page, browser, service, mock, shop };
      for (const step of STEPS) await step(day);
      assertEquals(errorsOf(lines), []);
    })
  );
});

async function setUp({ page, service }: Day): Promise<void> {
  const token = await service.service.setup.ensureToken();
  await page.goto("/");
  await page.getByLabel("Setup token").fill(token!);
  await page.getByLabel("Email").fill(OWNER.email);
  await page.getByLabel("Password").fill(OWNER.password);
  await page.getByRole("button", { name: "Create owner account" }).click();
  await page.waitForURL("**/home");
}

async function createAgent({ page, shop }: Day): Promise<void> {
  await page.getByRole("link", { name: "Create agent", exact: true }).click();
  await page.getByRole("link", { name: "Customer support" }).click();
  await page.waitForURL("**/agents/new?template=support");
  await page.getByLabel("Model", { exact: true }).selectOption("vendor_a/mid");
  await page.getByLabel("Allowed sites").fill(shop.origin);
  await page.getByRole("button", { name: "Create agent" }).click();
  await page.getByText("Agent created.").waitFor();
}

async function tryIt({ page, mock }: Day): Promise<void> {
  mock.next({ say: [{ text: "The playground works." }] });
  await alive(page);
  await page.getByLabel("Message").fill("Who are you?");
  await page.getByRole("button", { name: "Send" }).click();
  const log = page.getByRole("log");
  await log.getByText("The playground works.").waitFor();
  await log.getByText("25 input, 15 output tokens · $0.0003").waitFor();
}

async function makeKey({ page, shop }: Day): Promise<void> {
  await page.getByRole("link", { name: "API keys" }).click();
  await page.waitForURL("**/api-keys");
  await alive(page);
  await page.getByRole("link", { name: "Create API key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Shop backend");
  await dialog.getByLabel("Purpose").fill("Mints sessions for the shop");
  await dialog.getByLabel("Run chats").check();
  await dialog.getByRole("button", { name: "Create key" }).click();
  shop.key = await copied(page, "API key");
  assertMatch(shop.key, /^ck_live_\w{8}_\w{32}$/);
  await page.getByRole("link", { name: "I've copied the key" }).click();
  await page.waitForURL("**/api-keys");
}

async function embed(day: Day): Promise<void> {
  const { page, browser, mock, shop } = day;
  await openAgent(page);
  await page.getByRole("link", { name: "Embed" }).click();
  await page.waitForURL("**/embed");
  shop.tag = await copied(page, "Script tag");
  mock.next({ say: [{ text: "It arrives on Friday." }] });
  await withPage({ browser, baseUrl: shop.origin }, async (visitor, lines) => {
    await visitor.goto("/");
    await visitor.getByRole("button", { name: "Open chat" }).click();
    await visitor.getByRole("textbox").fill(QUESTION);
    await visitor.getByRole("textbox").press("Enter");
    await visitor.getByRole("log").getByText("It arrives on Friday.").waitFor();
    await visitor.getByRole("button", { name: "Send message" }).waitFor();
    assertEquals(errorsOf(lines), []);
  });
  assertEquals(shop.minted, [201]);
}

async function findIt({ page, shop }: Day): Promise<void> {
  await page.getByRole("link", { name: "Conversations" }).click();
  await page.waitForURL("**/conversations");
  await alive(page);
  await page.getByLabel("Agent").selectOption({ label: "Customer support" });
  await page.waitForURL("**/conversations?**agentId=**");
  const rows = page.locator(".row");
  assertEquals(await rows.count(), 2, "the visitor's conversation and the playground's");
  const row = rows.filter({ hasText: "Widget" });
  assertStringIncludes(await row.innerText(), QUESTION);
  await row.getByRole("link").click();
  await page.waitForURL("**/conversations/*");
  const text = await page.locator("main").innerText();
  for (
    const expected of [QUESTION, "It arrives on Friday.", shop.origin, "mid", "$0.0003", "Answered"]
  ) {
    assertStringIncludes(text, expected);
  }
}

async function seeCost({ page }: Day): Promise<void> {
  await page.getByRole("link", { name: "Home" }).click();
  await page.waitForURL("**/home");
  assertStringIncludes(await page.locator(".limit-cost").innerText(), "$0.0006 of $5.00");
  await page.getByRole("navigation").getByRole("link", { name: "Usage" }).click();
  await page.getByRole("link", { name: "By agent" }).click();
  await page.waitForURL("**/usage?**by=agent**");
  const row = page.getByRole("row").filter({ hasText: "Customer support" });
  assertMatch(await row.innerText(), /\$0\.0006\s+2\s+0\s+50\s+30/);
}

async function revoke({ page, browser, service, shop }: Day): Promise<void> {
  await page.getByRole("link", { name: "API keys" }).click();
  await page.getByRole("link", { name: "Revoke Shop backend" }).click();
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByText("Key revoked.").waitFor();
  const answer = await service.fetch("/v1/agents", { key: shop.key });
  assertEquals([answer.status, (await answer.json()).code], [401, "invalid_api_key"]);
  await withPage({ browser, baseUrl: shop.origin }, async (visitor) => {
    await visitor.goto("/");
    await visitor.getByRole("button", { name: "Open chat" }).click();
    await visitor.getByRole("textbox").fill(QUESTION);
    const minted = visitor.waitForResponse("**/chat-session");
    await visitor.getByRole("textbox").press("Enter");
    await minted;
  });
  assertEquals(shop.minted[1], 401);
}

async function readLog({ page, shop }: Day): Promise<void> {
  await page.getByRole("link", { name: "Audit log" }).click();
  await page.getByLabel("User").selectOption({ label: OWNER.email });
  await page.waitForURL("**/audit?**actor=**");
  const lines = await page.locator(".audit-line").allInnerTexts();
  assertEquals(lines.map((line) => line.replace(/\s+/g, " ")), [
    `${OWNER.email} Revoked API key Shop backend`,
    `${OWNER.email} Created API key Shop backend`,
    `${OWNER.email} Created agent Customer support`,
    `${OWNER.email} Signed in owner@example.com from 127.0.0.1`,
    `${OWNER.email} Created user ${OWNER.email}`,
  ]);
  for (const summary of await page.locator(".audit summary").all()) await summary.click();
  const main = await page.locator("main").innerText();
  assertStringIncludes(main, shop.origin);
  assert(
    !(await page.content()).includes(shop.key.split("_")[3]!),
    "the audit log contains no secret",
  );
}

/** Presses the copy button and returns the clipboard's text. */
async function copied(page: Page, what: string): Promise<string> {
  await page.getByRole("button", { name: `Copy ${what}`, exact: true }).click();
  await page.getByRole("status").filter({ hasText: `Copied ${what}` }).waitFor();
  return await page.evaluate(() => navigator.clipboard.readText());
}

async function openAgent(page: Page): Promise<void> {
  await page.getByRole("link", { name: "Agents" }).click();
  await page.getByRole("searchbox").fill("customer");
  await page.getByRole("button", { name: "Search" }).click();
  await page.getByRole("link", { name: "Customer support" }).click();
}

function errorsOf(lines: ConsoleLine[]): string[] {
  return lines.filter(({ type }) => ["error", "pageerror"].includes(type)).map(({ text }) => text);
}
