/** Sign-in with OpenID Connect against a real provider: joining, roles, linking, refresh and logout. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { INSTALLATION } from "@/lib/store/audit/audit_record.ts";
import { PASSWORD } from "./support/dashboard.ts";
import {
  cookieOf,
  members,
  signInAtProvider,
  statusOf,
  withOidcProvider,
} from "./support/oidc_people.ts";

const HOUR = 3_600_000;

Deno.test("GET /sign-in/oidc: a person joins with the default role, and is the same user next time", async () => {
  const parts = await withOidcProvider();
  await using _ = parts.stack;
  const { service } = parts;
  const first = await signInAtProvider(parts, { path: "/sign-in/oidc?next=/agents" });
  assertEquals(first.response.status, 303);
  assertEquals(first.response.headers.get("location"), "/agents");
  assertEquals(await statusOf(first.user, "/agents"), 200);
  // The address changed at the provider: the person did not.
  parts.provider.accounts.set("person-1", { email: "new@example.com", email_verified: true });
  const second = await signInAtProvider(parts);
  assertEquals(await statusOf(second.user), 200);
  assertEquals(await members(service), ["operator@example.com owner", "ada@example.com viewer"]);
  const log = await service.service.audit.list(await service.tenant(), { limit: 100 });
  const actions = log.data.filter(({ target }) => target.name === "ada@example.com");
  assertEquals(actions.map(({ action }) => action).sort(), ["join", "signed in", "signed in"]);
});

Deno.test("a person without a verified address, with another domain or without a role does not join", async () => {
  const parts = await withOidcProvider({ OIDC_EMAIL_DOMAINS: "example.com" });
  await using _ = parts.stack;
  const { provider, service } = parts;
  const problem = async (account: { email: string; email_verified: boolean }) => {
    provider.accounts.set("person-1", account);
    const { response } = await signInAtProvider(parts);
    assertEquals(cookieOf(response, "dashboard"), "");
    return response.headers.get("location");
  };
  assertEquals(
    await problem({ email: "ada@example.com", email_verified: false }),
    "/sign-in?problem=email_unverified",
  );
  assertEquals(
    await problem({ email: "ada@example.org", email_verified: true }),
    "/sign-in?problem=not_allowed",
  );
  const { data: [entry] } = await service.service.audit.list(INSTALLATION, { limit: 1 });
  assertEquals([entry?.kind, entry?.action], ["sign-in", "refused"]);
  // An address never makes a person another user.
  assertEquals(
    await problem({ email: "operator@example.com", email_verified: true }),
    "/sign-in?problem=email_taken",
  );
  assertEquals(await members(service), ["operator@example.com owner"]);
});

Deno.test("joining is rejected without a role, and for a tenant that does not exist", async () => {
  for (
    const env of [
      { OIDC_TENANT: "3f2c8a51-7d0e-4b9a-9c34-5e6f7a8b9c0d" },
      { OIDC_DEFAULT_ROLE: "" },
    ]
  ) {
    const parts = await withOidcProvider(env);
    await using _ = parts.stack;
    const { response } = await signInAtProvider(parts);
    assertEquals(response.headers.get("location"), "/sign-in?problem=not_allowed");
    assertEquals(await members(parts.service), ["operator@example.com owner"]);
  }
});

Deno.test("a tenant that has all the users of its plan accepts only invited people", async () => {
  const parts = await withOidcProvider();
  await using _ = parts.stack;
  const { provider, service } = parts;
  const tenant = await service.tenant();
  const { team, tenants } = service.service;
  await tenants.changePlan(tenant, (plan) => ({ ...plan, quotas: { users: 2 } }));
  const { id } = await team.invite(tenant, { email: "ben@example.com", role: "viewer" })
    .then((result) => "invitation" in result ? result.invitation : { id: "" });
  const { response } = await signInAtProvider(parts);
  assertEquals(response.headers.get("location"), "/sign-in?problem=not_allowed");
  provider.accounts.set("person-1", { email: "ben@example.com", email_verified: true });
  assertEquals(await statusOf((await signInAtProvider(parts, { jar: new Map() })).user), 200);
  assertEquals((await service.service.storage.read(tenant)).users, { used: 2, limit: 2 });
  assertEquals(await team.withdrawInvitation(tenant, id), true);
  assertEquals((await service.service.storage.read(tenant)).users, { used: 2, limit: 2 });
});

Deno.test("roles follow the claim at each sign-in, except that of the last owner and of operators", async () => {
  const parts = await withOidcProvider({
    ...{ OIDC_ROLE_CLAIM: "groups", OIDC_ROLES: "chat-admins=owner,staff=admin" },
  });
  await using _ = parts.stack;
  const { provider, service } = parts;
  const account = { email: "ada@example.com", email_verified: true };
  const roleWith = async (groups: string[]) => {
    provider.accounts.set("person-1", { ...account, groups });
    await signInAtProvider(parts);
    return (await members(service))[1];
  };
  assertEquals(await roleWith(["staff", "chat-admins"]), "ada@example.com owner");
  assertEquals(await roleWith(["staff"]), "ada@example.com admin");
  assertEquals(await roleWith(["chat-admins"]), "ada@example.com owner");
  // The other owner leaves.
  const [operator] = await service.service.team.members(await service.tenant());
  const by = { ...operator!, provenAt: 0 };
  await service.service.team.changeRole(by, operator!.id, "viewer");
  assertEquals(await roleWith([]), "ada@example.com owner");
});

Deno.test("a user with a password links the provider, after the password and at the provider", async () => {
  const parts = await withOidcProvider();
  await using _ = parts.stack;
  const { provider, service, owner, advance } = parts;
  const confirmed = await owner.post("/account/oidc");
  assertEquals(confirmed.status, 200);
  const href = /href="(http:[^"]+)"/.exec(await confirmed.text())![1]!.replaceAll("&amp;", "&");
  const link = async (cookie: string) => {
    const callback = await provider.visit(href);
    const response = await service.fetch(callback.slice(service.url.length), {
      headers: { cookie: `${cookieOf(confirmed, "oidc")}; ${cookie}` },
      redirect: "manual",
    });
    await response.body?.cancel();
    return response.headers.get("location");
  };
  assertMatch((await link(owner.cookie))!, /^\/account\?notice=oidc_linked/);
  assertEquals(await link(owner.cookie), "/sign-in?problem=restart");
  const signed = await signInAtProvider(parts);
  assertStringIncludes(await (await signed.user.get("/account")).text(), "operator@example.com");
  assertEquals(await members(service), ["operator@example.com owner"]);
  advance(16 * 60_000);
  const refused = await owner.post("/account/oidc");
  assertEquals(refused.status, 403);
  await refused.body?.cancel();
  const unlinked = await owner.post("/account/oidc", { own_password: PASSWORD });
  assertMatch(unlinked.headers.get("location")!, /oidc_unlinked/);
});

Deno.test("someone who signs in at the provider only gets no password, and proves themselves there", async () => {
  const parts = await withOidcProvider({ OIDC_DEFAULT_ROLE: "owner" });
  await using _ = parts.stack;
  const { service, owner } = parts;
  const { user } = await signInAtProvider(parts);
  const key = [["name", "k"], ["scopes", "agents:read"]] as [string, string][];
  assertEquals((await (await user.get("/account")).text()).includes('name="current"'), false);
  // The provider did not say when it last asked for credentials.
  const asked = await user.post("/api-keys/new", key);
  assertEquals(asked.status, 403);
  assertStringIncludes(await asked.text(), "sign in again at your identity provider");
  const again = await signInAtProvider(parts, {
    path: "/sign-in/oidc?again=yes",
    cookie: user.cookie,
  });
  const made = await again.user.post("/api-keys/new", key);
  assertEquals(made.status, 201);
  await made.body?.cancel();
  assertEquals(await statusOf(user), 303);
  const { team } = service.service;
  const ada = (await team.members(await service.tenant()))[1]!;
  const reset = await team.createResetLink({ ...ada, operator: true }, ada.id);
  assert("token" in reset);
  assertEquals(await team.resetPassword(reset.token, PASSWORD), { rejected: "gone" });
  assertEquals(await statusOf(owner), 200);
});

Deno.test("a sign-in is refreshed at the provider, and ends with the person's account there", async () => {
  const parts = await withOidcProvider();
  await using _ = parts.stack;
  const { provider, service, advance } = parts;
  const { user } = await signInAtProvider(parts);
  for (let n = 0; n < 2; n++) {
    advance(11 * 60_000);
    // One refresh serves both: a refresh token may be used once.
    assertEquals(await Promise.all([statusOf(user), statusOf(user)]), [200, 200]);
  }
  provider.accounts.delete("person-1");
  assertEquals(await statusOf(user), 200);
  advance(11 * 60_000);
  assertEquals(await statusOf(user), 303);
  const log = await service.service.audit.list(await service.tenant(), { limit: 100 });
  assert(log.data.some(({ action }) => action === "ended by provider"));
});

Deno.test("a sign-in outlasts a provider that is down by an hour", async () => {
  const parts = await withOidcProvider();
  await using _ = parts.stack;
  const { provider, advance } = parts;
  const { user } = await signInAtProvider(parts);
  await provider[Symbol.asyncDispose]();
  advance(11 * 60_000);
  assertEquals(await statusOf(user), 200);
  advance(HOUR);
  assertEquals(await statusOf(user), 303);
});

Deno.test("signing out everywhere else keeps this sign-in at the provider", async () => {
  const parts = await withOidcProvider();
  await using _ = parts.stack;
  const { provider, advance } = parts;
  const { user } = await signInAtProvider(parts);
  const answer = await user.post("/account", { action: "sign_out_elsewhere" });
  await answer.body?.cancel();
  user.keep(answer);
  assertEquals(await statusOf(user), 200);
  provider.accounts.delete("person-1");
  advance(11 * 60_000);
  assertEquals(await statusOf(user), 303);
});

Deno.test("POST /sign-out leads to the provider, whose logout token ends its other sign-ins", async () => {
  const parts = await withOidcProvider();
  await using _ = parts.stack;
  const { provider, service } = parts;
  const jar = new Map<string, string>();
  const first = await signInAtProvider(parts, { jar });
  const second = await signInAtProvider(parts, { jar });
  const another = await signInAtProvider(parts);
  const out = await first.user.post("/sign-out");
  assertEquals(out.status, 200);
  const url = /url=([^"]+)"/.exec(await out.text())![1]!.replaceAll("&amp;", "&");
  assertEquals(new URL(url).origin, provider.issuer);
  assertEquals(await statusOf(second.user), 200);
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const page = await fetch(url, { headers: { cookie } });
  const html = await page.text();
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(html)![1]!;
  const action = /action="([^"]+)"/.exec(html)![1]!;
  const set = page.headers.getSetCookie().map((header) => header.split(";", 1)[0]!);
  const ended = await fetch(action, {
    method: "POST",
    headers: { cookie: [cookie, ...set].join("; ") },
    body: new URLSearchParams({ xsrf, logout: "yes" }),
    redirect: "manual",
  });
  await ended.body?.cancel();
  assertEquals(ended.headers.get("location"), `${service.url}/sign-in`);
  assertEquals(await statusOf(second.user), 303);
  assertEquals(await statusOf(another.user), 200);
});

Deno.test("an answer counts once, in the browser that began, and only with its state", async () => {
  const parts = await withOidcProvider();
  await using _ = parts.stack;
  const { provider, service } = parts;
  const done = await signInAtProvider(parts);
  const finish = async (callback: string, cookie: string) => {
    const path = callback.slice(service.url.length);
    const response = await service.fetch(path, { headers: { cookie }, redirect: "manual" });
    await response.body?.cancel();
    assertEquals(cookieOf(response, "dashboard"), "");
    return response.headers.get("location");
  };
  const restart = "/sign-in?problem=restart";
  assertEquals(await finish(done.callback, done.cookies), restart);
  const started = await service.fetch("/sign-in/oidc?next=//evil.example", { redirect: "manual" });
  await started.body?.cancel();
  const cookie = cookieOf(started, "oidc");
  const callback = await provider.visit(started.headers.get("location")!);
  const other = await service.fetch("/sign-in/oidc", { redirect: "manual" });
  await other.body?.cancel();
  assertEquals(await finish(callback, ""), restart);
  assertEquals(await finish(callback, cookieOf(other, "oidc")), restart);
  assertEquals(await finish(callback.replace(/state=[^&]+/, "state=x"), cookie), restart);
  assertEquals(await finish(callback.replace(/state=[^&]+/, ""), cookie), restart);
  const right = await service.fetch(callback.slice(service.url.length), {
    headers: { cookie },
    redirect: "manual",
  });
  await right.body?.cancel();
  assertEquals(right.headers.get("location"), "/home");
});
