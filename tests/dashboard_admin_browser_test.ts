/** The administration pages in a real browser: both themes, 360 px wide, and keyboard only. */
import axe from "axe-core";
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { Browser, Page } from "playwright-core";
import { type ConsoleLine, withBrowser, withPage } from "./support/browser.ts";
import { catalogueEntry } from "./support/chat.ts";
import { Dashboard, PASSWORD, SETUP_TOKEN } from "./support/dashboard.ts";
import { agentBody, TestService } from "./support/service.ts";

/** A service with data for every page. */
async function serviceWithData() {
  const service = await TestService.start({ env: { SETUP_TOKEN } });
  const { agents, apiKeys, catalogue, connections, secrets, runtime, team } = service.service;
  const operator = await Dashboard.setUp(service);
  const tenant = await service.tenant();
  const agent = await agents.create(tenant, agentBody());
  await agents.patch(tenant, agent.id, { patch: { name: "A longer name than it had before" } });
  const { apiKey } = await apiKeys.create(tenant, { name: "Shop", scopes: ["agents:write"] });
  await apiKeys.rotate(tenant, apiKey.id, { overlapMs: 3_600_000 });
  await secrets.set(tenant, {
    name: "CRM_KEY",
    value: "an older value",
    domains: ["crm.example.com"],
    agentId: (await agents.create(tenant, { ...agentBody(), name: "N".repeat(128) })).id,
  });
  await catalogue.set(catalogueEntry(), runtime);
  const connection = { protocol: "openai", baseUrl: "http://127.0.0.1:9/v1", apiKey: "x" } as const;
  await connections.set("vendor_b", connection);
  await team.invite(tenant, { email: "new@example.com", role: "viewer" });
  const [me] = await team.members(tenant);
  const pages = [
    "/audit",
    "/api-keys",
    `/api-keys/${apiKey.id}/rotate`,
    `/api-keys/${apiKey.id}/revoke`,
    "/team",
    "/team/invite",
    `/team/${me!.id}`,
    `/team/${me!.id}/remove`,
    "/settings",
    "/settings/secrets/new?name=CRM_KEY",
    "/account",
    "/operator/tenants",
    "/operator/tenants/new",
    `/operator/tenants/${tenant}`,
    ...["rename", "suspend", "delete", "export"].map((one) => `/operator/tenants/${tenant}/${one}`),
    "/operator/operators",
    "/settings/export",
    "/operator/models",
    "/operator/models/model",
    "/operator/providers",
    "/operator/providers/vendor_b",
    "/operator/providers/vendor_b/models",
    "/operator/providers/connect",
    "/operator/providers/connect/openai",
    "/operator/status",
  ];
  return { service, operator, pages };
}

async function signIn(
  page: Page,
  { service, operator }: Awaited<ReturnType<typeof serviceWithData>>,
) {
  const [name, value] = operator.cookie.split("=");
  await page.context().addCookies([{ name: name!, value: value!, url: service.url }]);
}

async function violations(page: Page): Promise<string[]> {
  const found = await page.evaluate(`(() => { ${axe.source}; return axe.run(); })()`) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
}

async function inBrowser(
  use: (page: Page, setup: Awaited<ReturnType<typeof serviceWithData>>) => Promise<void>,
  browser?: Browser,
) {
  const setup = await serviceWithData();
  await using service = setup.service;
  await withPage(
    { ...browser && { browser }, baseUrl: service.url, width: 360 },
    async (page, lines) => {
      await signIn(page, setup);
      await use(page, setup);
      assertEquals(lines.filter(isUnexpectedError), []);
    },
  );
}

Deno.test("administration: every page passes axe in both themes and fits a phone's width", async () => {
  await inBrowser(async (page, { pages }) => {
    for (const path of pages) {
      await page.goto(path);
      if (path === "/audit") await page.locator("details summary").nth(2).click();
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        assertEquals(await violations(page), [], `${path} ${colorScheme}`);
      }
      const wider = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
      assertEquals(wider, 0, path);
    }
  });
});

Deno.test("administration: an owner invites a member by keyboard, who joins without JavaScript", async () => {
  await withBrowser(async (browser) => {
    await inBrowser(async (page, { service }) => {
      await page.goto("/team");
      await tabTo(page, "Invite member");
      await page.keyboard.press("Enter");
      await page.waitForURL("**/team/invite");
      await tabTo(page, "email");
      await page.keyboard.type("bea@example.com");
      await page.keyboard.press("Tab");
      await page.keyboard.type("Admin");
      await page.keyboard.press("Tab");
      await page.keyboard.press("Enter");
      const link = await page.locator("pre").innerText();
      assertMatch(link, /\/join\?token=/);
      await joinWithoutScript(browser, { link, baseUrl: service.url });
      const members = await service.service.team.members(await service.tenant());
      assertEquals(members.map(({ email, role }) => [email, role]).at(-1), [
        "bea@example.com",
        "admin",
      ]);
    }, browser);
  });
});

Deno.test("administration: setting a secret and revoking a rotated key's old secret work by mouse; the audit log shows the secret", async () => {
  await inBrowser(async (page) => {
    await page.goto("/settings");
    await page.getByRole("link", { name: "Set secret" }).click();
    await page.getByLabel("Name").fill("shop-key");
    await page.getByLabel("Value").fill("tops3cret");
    await page.getByLabel("Allowed domains").fill("shop.example.com\n*.example.org");
    await page.getByRole("button", { name: "Save secret" }).click();
    await page.getByText("Use uppercase letters").waitFor();
    assertEquals(
      await page.getByLabel("Allowed domains").inputValue(),
      "shop.example.com\n*.example.org",
    );
    await page.getByLabel("Name").fill("SHOP_KEY");
    await page.getByLabel("Value").fill("tops3cret");
    await page.getByRole("button", { name: "Save secret" }).click();
    await page.waitForURL("**/settings?notice=secret_set");
    assert(!(await page.content()).includes("tops3cret"));
    await page.goto("/api-keys");
    await page.getByRole("link", { name: "Rotate Shop" }).click();
    await page.getByRole("button", { name: "Revoke old secret" }).click();
    await page.waitForURL("**/api-keys?notice=key_overlap_ended");
    await page.goto("/audit");
    await page.getByLabel("Type").selectOption("secret");
    await page.waitForURL("**/audit?*kind=secret*");
    const log = await page.locator("main").innerText();
    assertStringIncludes(log, "SHOP_KEY");
    assertStringIncludes(log, "operator@example.com");
    assertEquals(await page.locator(".audit").count(), 2);
  });
});

/** The browser itself logs the 400 of a rejected form. */
function isUnexpectedError({ type, text }: ConsoleLine): boolean {
  return type === "pageerror" || (type === "error" && !text.includes("400 (Bad Request)"));
}

/** Presses Tab until the link, button or field with this name has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  for (let n = 0; n < 40; n++) {
    await page.keyboard.press("Tab");
    const focused = await page.evaluate(
      "document.activeElement.name || document.activeElement.textContent.trim()",
    );
    if (focused === name) return;
  }
  throw new Error(`Tab does not reach ${name}`);
}

async function joinWithoutScript(
  browser: Browser,
  { link, baseUrl }: { link: string; baseUrl: string },
): Promise<void> {
  const context = { javaScriptEnabled: false };
  await withPage({ browser, baseUrl, context }, async (page) => {
    await page.goto(link);
    await page.getByLabel("New password").fill(PASSWORD);
    await page.getByRole("button", { name: "Create account" }).click();
    await page.waitForURL((url) => url.pathname !== "/join");
    assertEquals(await page.locator(".user-menu").count(), 1);
  });
}
