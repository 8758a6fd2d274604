/** Sign-in with OpenID Connect in Chromium: the policy of pages and cookies are the browser's. */
import { assertEquals, assertMatch } from "@std/assert";
import { withPage } from "./support/browser.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { expectAccessible } from "./support/expect_accessible.ts";
import { OidcProvider } from "./support/oidc_provider.ts";
import { TestService } from "./support/service.ts";

Deno.test("a person signs in at the provider, and out of both", async () => {
  await using provider = await OidcProvider.start();
  const env = { SETUP_TOKEN, DEMO: "off", OIDC_DEFAULT_ROLE: "viewer", ...provider.env };
  await using service = await TestService.start({ env });
  provider.register(service);
  provider.accounts.set("person-1", { email: "ada@example.com", email_verified: true });
  await Dashboard.setUp(service);
  await withPage({ baseUrl: service.url, width: 360 }, async (page, console) => {
    await page.goto("/agents");
    assertMatch(page.url(), /\/sign-in\?next=/);
    await expectAccessible(page);
    await page.getByRole("link", { name: /^Sign in with 127/ }).click();
    await page.waitForURL(`${service.url}/agents`);
    await page.goto("/account");
    await expectAccessible(page);
    await page.getByRole("link", { name: "Sign in again" }).click();
    await page.waitForURL(`${service.url}/account`);
    await page.evaluate(() => {
      const form = document.querySelector<HTMLFormElement>('form[action="/sign-out"]');
      form!.requestSubmit();
    });
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.waitForURL(`${service.url}/sign-in`);
    await page.goto("/agents");
    assertMatch(page.url(), /\/sign-in\?next=/);
    assertEquals(console.filter(({ type }) => type === "pageerror"), []);
  });
});
