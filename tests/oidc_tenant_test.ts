/** A tenant's own provider: set up, tested, used by its people, and by nobody else. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { MembershipStore } from "@/lib/store/users/membership_store.ts";
import { NO_PASSWORD } from "@/lib/store/users/user_record.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { cookieOf, signInAtProvider, statusOf } from "./support/oidc_people.ts";
import { CLIENT, OidcProvider } from "./support/oidc_provider.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";
import { tokenOf } from "./support/two_tenants.ts";

const PAGE = "/settings/single-sign-on";

/** A tenant with an owner, and a provider that its people use. */
async function start() {
  const stack = new AsyncDisposableStack();
  const provider = stack.use(await OidcProvider.start());
  const { runtime, advance } = instantRuntime(Date.now());
  const kv = await openTestKv();
  const env = { SETUP_TOKEN, DEMO: "off", EGRESS_ALLOW: new URL(provider.issuer).host };
  const service = stack.use(await TestService.start({ kv, runtime, env }));
  await Dashboard.setUp(service);
  const tenant = (await service.service.tenants.create("Own")).id;
  const owner = await Dashboard.join(service, "owner", { tenant, name: "owner" });
  provider.register(service, tenant);
  provider.accounts.set("person-1", { email: "ada@example.com", email_verified: true });
  const connect = async (more: Record<string, string> = {}) => {
    const answer = await owner.post(PAGE, { ...fieldsOf(provider), ...more });
    await answer.body?.cancel();
    return answer.headers.get("location") ?? `${answer.status}`;
  };
  const test = async () => {
    const cookie = owner.cookie;
    const { response } = await signInAtProvider({ provider, service }, {
      path: `${PAGE}/test`,
      cookie,
    });
    return response.headers.get("location");
  };
  const signIn = (jar = new Map<string, string>()) =>
    signInAtProvider({ provider, service }, { path: `/sign-in/oidc?tenant=${tenant}`, jar });
  return { stack, kv, provider, service, tenant, owner, advance, connect, test, signIn };
}

function fieldsOf({ issuer }: OidcProvider): Record<string, string> {
  return {
    ...{ issuer, clientId: CLIENT.id, clientSecret: CLIENT.secret, defaultRole: "viewer" },
    scopes: "openid email profile",
  };
}

Deno.test("an owner connects a provider and tests it; then people join the tenant with its link", async () => {
  const { stack, kv, provider, service, tenant, owner, connect, test, signIn } = await start();
  await using _ = stack;
  assertEquals(await connect(), `${PAGE}?notice=oidc_saved`);
  const unused = await service.fetch(`/sign-in/oidc?tenant=${tenant}`, { redirect: "manual" });
  assertEquals(unused.status, 404, "it was not tested");
  await unused.body?.cancel();
  assertEquals(await test(), PAGE);
  const page = await (await owner.get(PAGE)).text();
  assertStringIncludes(page, "as ada@example.com, who gets the role Viewer.");
  assertStringIncludes(page, `${service.url}/sign-in?tenant=${tenant}`);
  assert(!page.includes(CLIENT.secret));
  const members = async () =>
    (await service.service.team.members(tenant)).map(({ email, role }) => `${email} ${role}`);
  assertEquals(await members(), ["owner@example.com owner"], "a test makes nobody a user");

  const link = await (await service.fetch(`/sign-in?tenant=${tenant}`)).text();
  assertStringIncludes(link, `/sign-in/oidc?tenant=${tenant}`);
  assert(!(await (await service.fetch("/sign-in")).text()).includes("/sign-in/oidc"));
  const { user } = await signIn();
  assertEquals(await statusOf(user), 200);
  assertEquals(await members(), ["owner@example.com owner", "ada@example.com viewer"]);
  const account = await (await user.get("/account")).text();
  assertStringIncludes(account, `/sign-in/oidc?tenant=${tenant}&amp;again=yes`);
  const again = await signIn();
  assertEquals(await statusOf(again.user), 200);
  assertEquals((await members()).length, 2, "the same user");
  const stored = Deno.inspect(await Array.fromAsync(kv.list({ prefix: [] })), {
    ...{ depth: 20, iterableLimit: 100_000, strAbbreviateSize: 100_000 },
  });
  assert(!stored.includes(CLIENT.secret));
  assert(!service.logged.join().includes(CLIENT.secret));
  provider.accounts.delete("person-1");
});

Deno.test("a changed connection is tested again, and a secret never goes to another issuer", async () => {
  const { stack, provider, service, tenant, owner, connect, test, signIn } = await start();
  await using _ = stack;
  await connect();
  await test();
  const other = { ...fieldsOf(provider), clientSecret: "", issuer: "https://evil.example" };
  const moved = await owner.post(PAGE, other);
  assertEquals(moved.status, 400);
  assertStringIncludes(await moved.text(), "Enter the secret again for another issuer or client.");
  const { user } = await signIn();
  // A blank secret is kept.
  assertEquals(
    await connect({ clientSecret: "", emailDomains: "example.org" }),
    `${PAGE}?notice=oidc_saved`,
  );
  const unused = await service.fetch(`/sign-in/oidc?tenant=${tenant}`, { redirect: "manual" });
  assertEquals(unused.status, 404);
  await unused.body?.cancel();
  assertEquals(await statusOf(user), 200, "who is signed in stays so");
  provider.subject = "person-2";
  provider.accounts.set("person-2", { email: "bob@example.com", email_verified: true });
  await test();
  const page = await (await owner.get(PAGE)).text();
  assertStringIncludes(page, "this person would not get in");
  for (
    const wrong of [
      { issuer: "http://login.example.com" },
      { issuer: "https://login.example.com/?x=1" },
      { clientId: "" },
      { scopes: "email" },
      { roles: "admins" },
      { roles: "admins=king" },
      { emailDomains: "a b@c" },
      { defaultRole: "king" },
    ]
  ) {
    const answer = await owner.post(PAGE, {
      ...fieldsOf(provider),
      ...wrong as Record<string, string>,
    });
    assertEquals(answer.status, 400, JSON.stringify(wrong));
    assertStringIncludes(await answer.text(), "field-error");
  }
});

Deno.test("removing the connection ends its sign-ins at the next request, in every process", async () => {
  const { stack, kv, service, tenant, owner, connect, test, signIn } = await start();
  await using _ = stack;
  const second = await TestService.start({ kv, keepKv: true, env: { SETUP_TOKEN, DEMO: "off" } });
  await using _second = second;
  await connect();
  await test();
  const { user } = await signIn();
  const there = new Dashboard(second);
  there.cookie = user.cookie;
  assertEquals(await statusOf(there), 200);
  const cookie = tokenOf(user);
  const person = (await second.service.signIn.authenticate(cookie))!;
  assertEquals(await second.service.signIn.isSignedIn(cookie, person), true);
  const removed = await owner.post(`${PAGE}/delete`);
  assertEquals(removed.headers.get("location"), "/settings?notice=oidc_removed");
  await removed.body?.cancel();
  const isOpen = await second.service.signIn.isSignedIn(cookie, person);
  assertEquals(isOpen, false, "streams end without another request");
  assertEquals(await statusOf(there), 303);
  assertEquals(await statusOf(user), 303);
  assertEquals(await statusOf(owner), 200, "the owner has a password");
  const gone = await service.fetch(`/sign-in/oidc?tenant=${tenant}`, { redirect: "manual" });
  assertEquals(gone.status, 404);
  await gone.body?.cancel();
});

Deno.test("another tenant's connection to the same provider neither signs in nor signs out its people", async () => {
  const { stack, provider, service, tenant, connect, test, signIn } = await start();
  await using _ = stack;
  await connect();
  await test();
  const { user } = await signIn();
  const elsewhere = (await service.service.tenants.create("Elsewhere")).id;
  const thief = await Dashboard.join(service, "owner", { tenant: elsewhere, name: "thief" });
  await (await thief.post(PAGE, fieldsOf(provider))).body?.cancel();
  const settings = { path: `${PAGE}/test`, cookie: thief.cookie };
  provider.register(service, elsewhere);
  await signInAtProvider({ provider, service }, settings);
  const page = await (await thief.get(PAGE)).text();
  // Ada's address is taken, so this test shows who she would be; but she is not that user there.
  assertStringIncludes(page, "ada@example.com");
  const path = `/sign-in/oidc?tenant=${elsewhere}`;
  const { response } = await signInAtProvider({ provider, service }, { path });
  assertEquals(
    response.headers.get("location"),
    `/sign-in?problem=email_taken&tenant=${elsewhere}`,
  );
  assertEquals(cookieOf(response, "dashboard"), "");
  assertEquals(await statusOf(user), 200);

  // An answer that belongs to one connection is worth nothing at the address of the other.
  const started = await service.fetch(path, { redirect: "manual" });
  await started.body?.cancel();
  const callback = await provider.visit(started.headers.get("location")!);
  const mixed = callback.slice(service.url.length).replace(elsewhere, tenant);
  const answer = await service.fetch(mixed, {
    headers: { cookie: cookieOf(started, "oidc") },
    redirect: "manual",
  });
  await answer.body?.cancel();
  assertEquals(answer.headers.get("location"), `/sign-in?problem=restart&tenant=${tenant}`);
});

Deno.test("only owners see and change the connection; a test belongs to the browser that began it", async () => {
  const { stack, provider, service, tenant, owner, connect, test } = await start();
  await using _ = stack;
  await connect();
  const admin = await Dashboard.join(service, "admin", { tenant });
  for (const path of [PAGE, `${PAGE}/test`, `${PAGE}/delete`]) {
    assertEquals(await statusOf(admin, path), 403, path);
  }
  const begun = await owner.get(`${PAGE}/test`);
  await begun.body?.cancel();
  const callback = await provider.visit(begun.headers.get("location")!);
  const path = callback.slice(service.url.length);
  const other = await Dashboard.join(service, "owner", { tenant, name: "owner2" });
  const cookie = `${other.cookie}; ${cookieOf(begun, "oidc")}`;
  const answer = await service.fetch(path, { headers: { cookie }, redirect: "manual" });
  await answer.body?.cancel();
  assertStringIncludes(answer.headers.get("location")!, "problem=restart");
  assertStringIncludes(await (await owner.get(PAGE)).text(), "Not in use yet");
  // Changed while it was tested.
  const late = await owner.get(`${PAGE}/test`);
  await late.body?.cancel();
  const second = await provider.visit(late.headers.get("location")!);
  await connect({ emailDomains: "example.org" });
  const outdated = await service.fetch(second.slice(service.url.length), {
    headers: { cookie: `${owner.cookie}; ${cookieOf(late, "oidc")}` },
    redirect: "manual",
  });
  await outdated.body?.cancel();
  assertStringIncludes(outdated.headers.get("location")!, "problem=restart");
  await connect();
  assertEquals(await test(), PAGE);
});

Deno.test("a tenant's provider never makes anybody an operator", async () => {
  const { stack, service, tenant, connect, test, signIn } = await start();
  await using _ = stack;
  await connect({ trustsFactors: "on" });
  await test();
  const { user } = await signIn();
  assertEquals(await statusOf(user), 200);
  const granted = await service.service.operators.grant("ada@example.com");
  assert("user" in granted);
  assertEquals(await statusOf(user), 303, "also not with a sign-in from before");
  const { response } = await signIn();
  assertEquals(response.headers.get("location"), `/sign-in?problem=not_allowed&tenant=${tenant}`);
  assertEquals(cookieOf(response, "dashboard"), "");
});

Deno.test("sign-ins end by logout token while a changed connection waits for its test", async () => {
  const { stack, provider, service, connect, test, signIn } = await start();
  await using _ = stack;
  await connect();
  await test();
  const jar = new Map<string, string>();
  const first = await signIn(jar);
  const second = await signIn(jar);
  await connect({ emailDomains: "example.com" });
  const out = await first.user.post("/sign-out");
  const url = /url=([^"]+)"/.exec(await out.text())![1]!.replaceAll("&amp;", "&");
  const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
  const page = await fetch(url, { headers: { cookie } });
  const html = await page.text();
  const set = page.headers.getSetCookie().map((header) => header.split(";", 1)[0]!);
  const ended = await fetch(/action="([^"]+)"/.exec(html)![1]!, {
    method: "POST",
    headers: { cookie: [cookie, ...set].join("; ") },
    body: new URLSearchParams({
      xsrf: /name="xsrf" value="([^"]+)"/.exec(html)![1]!,
      logout: "yes",
    }),
    redirect: "manual",
  });
  await ended.body?.cancel();
  assertEquals(ended.headers.get("location"), `${service.url}/sign-in`);
  assertEquals(await statusOf(second.user), 303);
  assertEquals(new URL(url).origin, provider.issuer);
});

Deno.test("a test by somebody who would not get in leaves a connection in use", async () => {
  const { stack, provider, owner, connect, test, signIn } = await start();
  await using _ = stack;
  await connect({ emailDomains: "example.com" });
  await test();
  provider.subject = "person-2";
  provider.accounts.set("person-2", { email: "bob@example.org", email_verified: true });
  assertEquals(await test(), `${PAGE}?problem=not_allowed`);
  assertStringIncludes(await (await owner.get(PAGE)).text(), "as ada@example.com");
  provider.subject = "person-1";
  assertEquals(await statusOf((await signIn()).user), 200);
});

Deno.test("after the loss of the encryption key, the secret is entered again", async () => {
  const { stack, kv, provider, owner, connect, test, signIn } = await start();
  await using _ = stack;
  await connect();
  await test();
  const { user } = await signIn();
  const other = btoa("x".repeat(32));
  const env = { SETUP_TOKEN, DEMO: "off", EGRESS_ALLOW: new URL(provider.issuer).host };
  await using moved = await TestService.start({ kv, keepKv: true, env, encryptionKeys: [other] });
  const there = new Dashboard(moved);
  there.cookie = owner.cookie;
  for (const path of ["/account", `${PAGE}/delete`, "/settings"]) {
    assertEquals(await statusOf(there, path), 200, path);
  }
  assertStringIncludes(await (await there.get(PAGE)).text(), "The stored secret cannot be read.");
  const ada = new Dashboard(moved);
  ada.cookie = user.cookie;
  assertEquals(await statusOf(ada), 303);
  const blank = await there.post(PAGE, { ...fieldsOf(provider), clientSecret: "" });
  await blank.body?.cancel();
  assertEquals(blank.status, 400);
  const again = await there.post(PAGE, fieldsOf(provider));
  await again.body?.cancel();
  assertEquals(again.headers.get("location"), `${PAGE}?notice=oidc_saved`);
});

Deno.test("an owner without a provider in sight: internal addresses are not reached", async () => {
  const { stack, owner } = await start();
  await using _ = stack;
  const fields = { issuer: "http://localhost:1", clientId: "x", defaultRole: "", scopes: "openid" };
  await (await owner.post(PAGE, fields)).body?.cancel();
  const answer = await owner.get(`${PAGE}/test`);
  await answer.body?.cancel();
  assertEquals(answer.headers.get("location"), `${PAGE}?problem=provider`);
});

Deno.test("the provider's logout token and its removal of a person end the tenant's sign-ins", async () => {
  const { stack, provider, advance, connect, test, signIn } = await start();
  await using _ = stack;
  await connect();
  await test();
  const { user } = await signIn();
  provider.accounts.delete("person-1");
  advance(11 * 60_000);
  assertEquals(await statusOf(user), 303);
});

Deno.test("a tenant's provider never decides who somebody is in another tenant", async () => {
  const { stack, kv, provider, service, tenant, connect, test, signIn } = await start();
  await using _ = stack;
  await connect();
  await test();
  await signIn();
  const path = `/sign-in/oidc?tenant=${tenant}&again=yes`;
  const { user } = await signInAtProvider({ provider, service }, { path });
  const other = (await service.service.tenants.create("Other")).id;
  const invited = await service.service.team.invite(other, {
    ...{ email: "ada@example.com", role: "owner" },
  });
  assert("token" in invited);
  const { token } = invited;
  const join = await user.post("/account/join", { token });
  assertEquals(join.status, 409);
  assertStringIncludes(await join.text(), "Unlink the provider first");

  // Even if the account had joined before its provider was known.
  const { runtime, signIn: signIns, team } = service.service;
  const account = (await signIns.authenticate(user.cookie.slice("dashboard=".length)))!;
  const joined = await new MembershipStore(kv, runtime).join({ ...account, epoch: 0 }, {
    invitation: (await team.findInvitation(token))!,
    user: {
      ...{ v: 1, id: runtime.uuid(), tenant: other, email: account.email, role: "owner" },
      ...{ operator: false, passwordHash: NO_PASSWORD, createdAt: runtime.now(), epoch: 0 },
    },
  });
  assertEquals(joined, "joined");
  assertEquals(await statusOf(user), 303, "the sign-in from before has ended");
  const again = await signIn();
  assertEquals(
    again.response.headers.get("location"),
    `/sign-in?problem=not_allowed&tenant=${tenant}`,
  );
  assertEquals((await team.members(other)).length, 1);
});
