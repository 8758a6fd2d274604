/** Passkeys in a real browser, with its virtual authenticator: add, sign in, confirm, lose, recover. */
import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Page } from "playwright-core";
import { alive, visit, withBrowser, withPage } from "./support/browser.ts";
import { Dashboard, PASSWORD, SETUP_TOKEN } from "./support/dashboard.ts";
import { expectAccessible } from "./support/expect_accessible.ts";
import { AuthenticatorApp } from "./support/second_factor.ts";
import { TestService } from "./support/service.ts";

const OWNER = "operator@example.com";

async function withOwner(
  { width, colorScheme }: { width: number; colorScheme?: "light" | "dark" },
  use: (page: Page, clock: { ms: number }, service: TestService) => Promise<void>,
): Promise<void> {
  const clock = { ms: Date.UTC(2026, 0, 1) };
  const runtime = { now: () => clock.ms };
  await using service = await TestService.start({ env: { SETUP_TOKEN }, runtime });
  await Dashboard.setUp(service);
  // Browsers have no passkeys for addresses.
  const baseUrl = service.url.replace("127.0.0.1", "localhost");
  await withBrowser(async (browser) => {
    await withPage(
      { browser, baseUrl, width, ...colorScheme && { colorScheme } },
      async (page, log) => {
        await use(page, clock, service);
        assertEquals(log.filter(({ type }) => type === "pageerror"), []);
      },
    );
  });
}

/** A device that holds passkeys and whose owner always touches it. Returns what takes it away. */
async function addDevice(page: Page): Promise<() => Promise<void>> {
  const session = await page.context().newCDPSession(page);
  await session.send("WebAuthn.enable");
  const { authenticatorId } = await session.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      ...{ protocol: "ctap2", transport: "internal", hasResidentKey: true },
      ...{ hasUserVerification: true, isUserVerified: true },
      automaticPresenceSimulation: true,
    },
  });
  return async () => {
    await session.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
  };
}

async function enterPassword(page: Page): Promise<void> {
  await visit(page, "/sign-in");
  await page.getByLabel("Email").fill(OWNER);
  await page.getByLabel("Password").fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

async function signOut(page: Page): Promise<void> {
  await page.context().clearCookies({ name: "dashboard" });
}

Deno.test("a passkey is added, signs in alone, confirms an action, is lost, and is replaced by a recovery code", async () => {
  await withOwner({ width: 360 }, async (page, clock) => {
    const loseDevice = await addDevice(page);
    await enterPassword(page);
    await page.waitForURL("**/home");
    await visit(page, "/account");
    await page.getByRole("link", { name: "Set up", exact: true }).click();
    await page.waitForURL("**/account/factors");
    await alive(page);
    await expectAccessible(page);
    await page.getByRole("link", { name: "Add passkey" }).click();
    await page.waitForURL("**/passkeys/new");
    await alive(page);
    await page.getByLabel("Name").fill("Work laptop");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create passkey" }).click();
    await page.getByRole("heading", { name: "Passkey added" }).waitFor();
    await expectAccessible(page);
    const codes = (await page.locator("pre").innerText()).trim().split("\n");
    assertEquals(codes.length, 10);
    await page.getByRole("link", { name: "I have saved them" }).click();
    await page.getByText("Work laptop").waitFor();

    await signOut(page);
    await visit(page, "/sign-in?next=/agents");
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
    await page.waitForURL((url) => url.pathname === "/agents");

    // After 15 minutes, a sensitive action asks for the passkey.
    clock.ms += 16 * 60_000;
    await visit(page, "/team/invite");
    await page.getByLabel("Email").fill("new@example.com");
    await expectAccessible(page);
    await page.getByRole("button", { name: "Create invitation" }).click();
    await page.getByText("Confirm with your passkey to continue.").first().waitFor();
    await alive(page);
    await page.getByRole("button", { name: "Confirm with passkey" }).click();
    await page.getByText("Confirmed. You can continue.").waitFor();
    await page.getByRole("button", { name: "Create invitation" }).click();
    await page.getByText("Copy the link now.").waitFor();

    // With the password, the passkey is the second factor.
    await signOut(page);
    await enterPassword(page);
    await page.waitForURL("**/sign-in/factor?**");
    await alive(page);
    await expectAccessible(page);
    await page.getByRole("button", { name: "Continue with passkey" }).click();
    await page.waitForURL("**/home");

    await loseDevice();
    await signOut(page);
    await enterPassword(page);
    await page.waitForURL("**/sign-in/factor?**");
    await page.getByLabel("Recovery code").fill(codes[0]!);
    await page.getByRole("button", { name: "Continue", exact: true }).click();
    await page.waitForURL("**/home");
    clock.ms += 16 * 60_000;
    await visit(page, "/account/factors");
    await page.getByRole("link", { name: "Remove Work laptop" }).click();
    await page.waitForURL("**/remove");
    await alive(page);
    await page.getByText("Use a recovery code instead").click();
    await page.getByLabel("Recovery code", { exact: true }).fill(codes[1]!);
    await page.getByRole("button", { name: "Remove passkey" }).click();
    await page.getByText("Passkey removed.").waitFor();
    await signOut(page);
    await enterPassword(page);
    await page.waitForURL("**/home");
  });
});

Deno.test("an authenticator app is set up from the page, and its code signs in", async () => {
  await withOwner({ width: 1440, colorScheme: "dark" }, async (page, clock) => {
    await enterPassword(page);
    await page.waitForURL("**/home");
    await visit(page, "/account/factors/app");
    await expectAccessible(page);
    const app = new AuthenticatorApp((await page.locator("pre").innerText()).trim());
    await page.getByLabel("Code from the app").fill("000000");
    await page.getByRole("button", { name: "Switch on" }).click();
    await page.getByText("This is not the current code.").first().waitFor();
    assertEquals((await page.locator("pre").innerText()).trim().length, 32, "the same secret");
    await page.getByLabel("Code from the app").fill(app.code(clock.ms));
    await page.getByRole("button", { name: "Switch on" }).click();
    await page.getByText("Save these recovery codes now.").waitFor();
    await signOut(page);
    clock.ms += 30_000;
    await enterPassword(page);
    await page.waitForURL("**/sign-in/factor?**");
    await expectAccessible(page);
    assertStringIncludes(await page.locator("main").innerText(), OWNER);
    await page.getByLabel("Code").fill(app.code(clock.ms));
    await page.keyboard.press("Enter");
    await page.waitForURL("**/home");
    await visit(page, "/account");
    assertStringIncludes(await page.locator("main").innerText(), "On: authenticator app.");
    await expectAccessible(page);
  });
});
