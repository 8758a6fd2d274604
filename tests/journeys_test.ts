/** User journeys in a real browser, on the whole service. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Page } from "playwright-core";
import { alive, type ConsoleLine, withPage } from "./support/browser.ts";
import { pausableRuntime } from "./support/pausable_runtime.ts";
import { TestService } from "./support/service.ts";

const OWNER = { email: "owner@example.com", password: "correct horse battery" };

async function openDemo(page: Page): Promise<void> {
  await page.goto("/demo");
  await page.getByRole("button", { name: /chat/i }).click();
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole("textbox").fill(text);
  await page.getByRole("textbox").press("Enter");
}

/** Completes the setup form; ends on the dashboard. */
async function setUp(page: Page, service: TestService): Promise<void> {
  const token = await service.service.setup.ensureToken();
  await page.goto("/");
  await page.getByLabel("Setup token").fill(token!);
  await page.getByLabel("Email").fill(OWNER.email);
  await page.getByLabel("Password").fill(OWNER.password);
  await page.getByRole("button", { name: "Create owner account" }).click();
  await page.waitForURL("**/home");
}

function errorsIn(lines: ConsoleLine[]): string[] {
  return lines.filter((line) => ["error", "pageerror"].includes(line.type)).map((l) => l.text);
}

Deno.test("/demo: a message streams an answer that grows before it is complete", async () => {
  const held = pausableRuntime();
  await using service = await TestService.start({ runtime: held.runtime });
  await withPage({ baseUrl: service.url }, async (page, lines) => {
    await openDemo(page);
    await say(page, "What is a violet?");
    const log = page.getByRole("log");
    await log.locator(".live p").waitFor();
    const early = (await log.innerText()).length;
    assertEquals(await log.getAttribute("aria-busy"), "true");
    held.release();
    await log.getByText("demo model").waitFor();
    await log.getByText("something new.").waitFor();
    assert((await log.innerText()).length > early, "the text grew");
    assertStringIncludes(await log.innerText(), "What is a violet?");
    await page.waitForFunction(() =>
      document.querySelector("[data-service-widget]") !== null &&
      "serviceWidget" in globalThis
    );
    assertEquals(errorsIn(lines), []);
  }).finally(() => held.release()); // a paused answer would keep the service from shutting down
});

Deno.test("/demo: the second message continues the same conversation", async () => {
  await using service = await TestService.start();
  await withPage({ baseUrl: service.url }, async (page) => {
    const bodies: { conversationId?: string; messages: unknown[] }[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/v1/chat/stream")) bodies.push(request.postDataJSON());
    });
    await openDemo(page);
    await say(page, "First");
    await page.getByRole("log").getByText("something new.").waitFor();
    // The run may still be ending after its last word, and the widget sends nothing until it has.
    await page.getByRole("button", { name: "Send message" }).waitFor();
    await say(page, "Second");
    await page.getByRole("log").getByText("this is message 2").waitFor();
    assertEquals(bodies[0]?.conversationId, undefined);
    assertMatch(bodies[1]?.conversationId ?? "", /^[0-9a-f-]{36}$/);
    assertEquals(bodies[1]?.messages.length, 3);
  });
});

Deno.test("the widget: a script whose integrity does not match is not run", async () => {
  await using service = await TestService.start();
  await withPage({ baseUrl: service.url }, async (page, lines) => {
    const { integrity } = service.service.widget;
    const wrong = `sha384-${"A".repeat(64)}`;
    await page.route("**/demo", async (route) => {
      const response = await route.fetch();
      const body = (await response.text()).replaceAll(integrity, wrong);
      await route.fulfill({ response, body });
    });
    await page.goto("/demo");
    await page.waitForLoadState("networkidle");
    assertEquals(await page.evaluate(() => "serviceWidget" in globalThis), false);
    assertEquals(await page.getByRole("button", { name: /chat/i }).count(), 0);
    assertStringIncludes(errorsIn(lines).join("\n"), "integrity");
  });
});

Deno.test("the dashboard: set up, sign out, sign in, create a key, and the key works", async () => {
  await using service = await TestService.start();
  await withPage({ baseUrl: service.url }, async (page, lines) => {
    await setUp(page, service);
    await page.locator("summary", { hasText: "Account menu" }).click();
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL("**/sign-in**");
    await page.getByLabel("Email").fill(OWNER.email);
    await page.getByLabel("Password").fill(OWNER.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL("**/home");

    await page.getByRole("link", { name: "API keys" }).click();
    await page.waitForURL("**/api-keys");
    await alive(page);
    await page.getByRole("link", { name: "Create API key" }).or(
      page.getByRole("button", { name: "Create API key" }),
    ).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name").fill("backend");
    await dialog.getByLabel("Purpose").fill("Deploys agents");
    await dialog.getByLabel("Manage agents").check();
    await dialog.getByRole("button", { name: /create/i }).click();
    const key = await revealedKey(page);
    const listed = await service.fetch("/v1/agents", { key });
    assertEquals(listed.status, 200);
    assertEquals((await listed.json()).data[0].name, "Demo agent");

    await page.goto("/api-keys");
    assertStringIncludes(await page.locator("main").innerText(), "backend");
    assert(!(await page.content()).includes(key), "the key must be shown only once");
    assertEquals(errorsIn(lines), []);
  });
});

Deno.test("the dashboard: an agent created in the form can be read over /v1", async () => {
  await using service = await TestService.start();
  await withPage({ baseUrl: service.url }, async (page) => {
    await setUp(page, service);
    await page.getByRole("link", { name: "Create agent" }).first().click();
    await page.getByLabel("Name", { exact: true }).fill("Gardener");
    await page.getByLabel("System prompt").fill("You know all about violets.");
    await page.getByRole("button", { name: /create agent|save/i }).click();
    await page.waitForURL(/\/agents\/[0-9a-f-]{36}/);
    const id = /agents\/([0-9a-f-]{36})/.exec(page.url())![1]!;
    const key = await service.key(["agents:read"]);
    const agent = await (await service.fetch(`/v1/agents/${id}`, { key })).json();
    assertEquals(agent.name, "Gardener");
    assertEquals(agent.systemPrompt, "You know all about violets.");
  });
});

async function revealedKey(page: Page): Promise<string> {
  const shown = page.getByText(/ck_live_[0-9A-Za-z]{8}_[0-9A-Za-z]{32}/).first();
  await shown.waitFor();
  const field = shown.and(page.locator("input, textarea"));
  return await field.count() > 0 ? await field.inputValue() : (await shown.innerText()).trim();
}
