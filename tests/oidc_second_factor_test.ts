/** Second factors of people who sign in with OpenID Connect: their provider's, or one of this service. */
import { assertEquals } from "@std/assert";
import { addAuthenticatorApp } from "./support/second_factor.ts";
import {
  type OidcParts,
  signInAtProvider,
  statusOf,
  withOidcProvider,
} from "./support/oidc_people.ts";

const EMAIL = { email: "ada@example.com", email_verified: true };

/** Where a page leads somebody who has just signed in at the provider. */
async function pageAfter(parts: OidcParts, amr?: string[]): Promise<string> {
  parts.provider.accounts.set("person-1", { ...EMAIL, ...amr !== undefined && { amr } });
  const { user } = await signInAtProvider(parts);
  const answer = await user.get("/agents");
  await answer.body?.cancel();
  return answer.headers.get("location") ?? `${answer.status}`;
}

Deno.test("where a second factor is required, the provider's counts if the ID token says so", async () => {
  const parts = await withOidcProvider();
  await using _ = parts.stack;
  const { service } = parts;
  assertEquals(await pageAfter(parts), "200");
  await service.service.factors.require(await service.tenant(), true);
  assertEquals(await pageAfter(parts), "/account/factors");
  assertEquals(await pageAfter(parts, ["pwd"]), "/account/factors");
  assertEquals(await pageAfter(parts, ["pwd", "mfa"]), "200");
});

Deno.test("OIDC_TRUST_FACTORS: every sign-in at the provider counts as one with a second factor", async () => {
  const parts = await withOidcProvider({ OIDC_TRUST_FACTORS: "on" });
  await using _ = parts.stack;
  const { service } = parts;
  await service.service.factors.require(await service.tenant(), true);
  assertEquals(await pageAfter(parts), "200");
});

Deno.test("who has an authenticator app here is asked after the provider, and stays signed in there", async () => {
  const parts = await withOidcProvider();
  await using _ = parts.stack;
  const { advance, provider, service } = parts;
  const { user } = await signInAtProvider(parts);
  const app = await addAuthenticatorApp(service, user.cookie.slice("dashboard=".length));
  assertEquals(await pageAfter(parts), "/sign-in/factor?next=%2Fagents");
  const again = await signInAtProvider(parts);
  advance(30_000);
  const code = app.code(service.service.runtime.now());
  const entered = await again.user.post("/sign-in/factor", { code });
  await entered.body?.cancel();
  again.user.keep(entered);
  assertEquals(entered.headers.get("location"), "/home");
  assertEquals(await statusOf(again.user), 200);
  // The provider can still end it.
  provider.accounts.delete("person-1");
  advance(11 * 60_000);
  assertEquals(await statusOf(again.user), 303);
});
