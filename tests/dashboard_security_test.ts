/** Attacks on the dashboard: stolen and planted cookies, password guessing and cross-site requests. */
import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { Dashboard, PASSWORD, requireText, SETUP_TOKEN } from "./support/dashboard.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { TestService } from "./support/service.ts";

const LATER = 16 * 60_000;
const NEW_KEY: [string, string][] = [["name", "k"], ["scopes", "agents:read"]];

/** A service whose owner last entered their password too long ago to count as recent. */
async function withStaleSignIn() {
  const { runtime, advance } = instantRuntime();
  const service = await TestService.start({ runtime, env: { SETUP_TOKEN, DEMO: "off" } });
  const owner = await Dashboard.setUp(service);
  advance(LATER);
  return { service, owner, advance };
}

Deno.test("a sensitive form asks for the password when it is no longer recent, and keeps the input", async () => {
  const { service, owner } = await withStaleSignIn();
  await using _ = service;
  const challenged = await owner.post("/api-keys/new", NEW_KEY);
  assertEquals(challenged.status, 403);
  const html = await challenged.text();
  assertStringIncludes(html, "Enter your password to continue.");
  assertStringIncludes(html, 'value="k"');
  const wrong = await owner.post("/api-keys/new", [...NEW_KEY, ["own_password", "not this one"]]);
  assertEquals(wrong.status, 403);
  assertStringIncludes(await wrong.text(), "This is not your password.");
  assertEquals(await service.service.apiKeys.list(await service.tenant()), []);
  const made = await owner.post("/api-keys/new", [...NEW_KEY, ["own_password", PASSWORD]]);
  assertEquals(made.status, 201);
  await made.body?.cancel();
  // The password counts as recent again.
  const another = await owner.post("/api-keys/new", NEW_KEY);
  assertEquals(another.status, 201);
  await another.body?.cancel();
});

Deno.test("without a recent password a session cannot change keys, secrets, accounts or credentials", async () => {
  const { service, owner } = await withStaleSignIn();
  await using _ = service;
  const tenant = await service.tenant();
  const { apiKey } = await service.service.apiKeys.create(tenant, {
    name: "k",
    scopes: ["agents:read"],
  });
  await service.service.secrets.set(tenant, {
    name: "A",
    value: "tops3cret",
    domains: ["a.example"],
  });
  const [me] = await service.service.team.members(tenant);
  const connection = { protocol: "openai", baseUrl: "http://127.0.0.1:9/v1", apiKey: "x" } as const;
  await service.service.connections.set("vendor_b", connection);
  const forms: [string, Record<string, string>][] = [
    [`/api-keys/${apiKey.id}/revoke`, {}],
    [`/api-keys/${apiKey.id}/rotate`, { hours: "0" }],
    [`/api-keys/${apiKey.id}/restrict`, { reach: "all" }],
    ["/settings/secrets/new", { name: "B", value: "tops3cret", domains: "b.example" }],
    ["/settings/secrets/A/delete", {}],
    ["/team/invite", { email: "x@example.com", role: "owner" }],
    [`/team/${me!.id}`, { role: "viewer" }],
    [`/team/${me!.id}/reset`, {}],
    [`/team/${me!.id}/remove`, {}],
    ["/operator/tenants/new", { name: "T", email: "x@example.com" }],
    ["/operator/providers/connect/other", { ...connection }],
    ["/operator/providers/vendor_b", { ...connection }],
    ["/operator/providers/vendor_b/delete", {}],
    ["/account", { current: "", password: "another password" }],
  ];
  const before = await service.service.audit.list(tenant, { limit: 100 });
  for (const [path, fields] of forms) {
    const answer = await owner.post(path, fields);
    assertEquals(answer.status, 403, path);
    await answer.body?.cancel();
  }
  assertEquals(await service.service.audit.list(tenant, { limit: 100 }), before);
  assertEquals((await service.service.tenants.list()).length, 1);
});

Deno.test("the password prompt limits guesses: the sixth attempt gets 429", async () => {
  const { service, owner } = await withStaleSignIn();
  await using _ = service;
  const statuses: number[] = [];
  for (let n = 0; n < 6; n++) {
    const answer = await owner.post("/api-keys/new", [...NEW_KEY, ["own_password", `guess ${n}`]]);
    statuses.push(answer.status);
    await answer.body?.cancel();
  }
  assertEquals(statuses, [403, 403, 403, 403, 403, 429]);
});

Deno.test("changing the password ends every other session and replaces the current cookie", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const here = await Dashboard.setUp(service);
  const elsewhere = new Dashboard(service);
  elsewhere.keep(
    await elsewhere.post("/sign-in", { email: "operator@example.com", password: PASSWORD }),
  );
  assertEquals((await elsewhere.get("/account")).status, 200);
  const old = new Dashboard(service);
  old.cookie = here.cookie;
  const fields = { current: PASSWORD, password: "another password" };
  const changed = await here.post("/account", fields);
  assertEquals(changed.headers.get("location"), "/account?notice=password_changed");
  here.keep(changed);
  assertNotEquals(here.cookie, old.cookie);
  const statuses = await Promise.all([here, elsewhere, old].map(async (dashboard) => {
    const { status, body } = await dashboard.get("/account");
    await body?.cancel();
    return status;
  }));
  assertEquals(statuses, [200, 303, 303]);
});

Deno.test("signing out elsewhere keeps this browser signed in under a new cookie", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const here = await Dashboard.setUp(service);
  const old = new Dashboard(service);
  old.cookie = here.cookie;
  here.keep(await here.post("/account", { action: "sign_out_elsewhere" }));
  assertEquals((await here.get("/account")).status, 200);
  assertEquals((await old.get("/account")).status, 303);
});

Deno.test("a cookie planted before sign-in is invalid afterwards", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  await Dashboard.setUp(service);
  const planted = new Dashboard(service, "a-cookie-of-the-attacker");
  const victim = new Dashboard(service, "a-cookie-of-the-attacker");
  victim.keep(await victim.post("/sign-in", { email: "operator@example.com", password: PASSWORD }));
  assertNotEquals(victim.cookie, planted.cookie);
  assertEquals((await planted.get("/agents")).status, 303);
});

Deno.test("one-time links reveal nothing: unknown, used, expired and withdrawn ones look the same", async () => {
  const { runtime, advance } = instantRuntime();
  await using service = await TestService.start({ runtime, env: { SETUP_TOKEN } });
  await Dashboard.setUp(service);
  const { team } = service.service;
  const tenant = await service.tenant();
  const invite = async (email: string) => {
    const invited = await team.invite(tenant, { email, role: "viewer" });
    assert("token" in invited);
    return invited;
  };
  const used = await invite("used@example.com");
  await team.join(used.token, PASSWORD);
  const withdrawn = await invite("withdrawn@example.com");
  await team.withdrawInvitation(tenant, withdrawn.invitation.id);
  const late = await invite("late@example.com");
  const other = (await service.service.tenants.create("Other")).id;
  const taken = await team.invite(other, { email: "used@example.com", role: "owner" });
  assert("token" in taken);
  const visitor = new Dashboard(service);
  const responses: string[] = [];
  responses.push(
    await textOf(await visitor.post("/join", { token: taken.token, password: PASSWORD })),
  );
  advance(8 * 86_400_000);
  for (const token of ["", "x".repeat(43), used.token, withdrawn.token, late.token]) {
    for (const path of ["/join", "/reset-password"]) {
      responses.push(await textOf(await visitor.get(`${path}?token=${token}`)));
      responses.push(await textOf(await visitor.post(path, { token, password: PASSWORD })));
    }
  }
  assertEquals(new Set(responses).size, 1);
  assertStringIncludes(responses[0]!, "410 ");
});

Deno.test("other sites cannot sign in or out, set up, join, reset or use the playground, whatever the content type", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN } });
  const owner = await Dashboard.setUp(service);
  const paths = ["/sign-in", "/sign-out", "/setup", "/join", "/reset-password", "/forgot-password"];
  const id = crypto.randomUUID();
  paths.push("/agents/check", "/agents/test-tool", `/agents/${id}/try`, `/agents/${id}/try/cancel`);
  const types = ["application/x-www-form-urlencoded", "text/plain", "application/json"];
  const from = [
    { origin: "https://evil.example", "sec-fetch-site": "cross-site" },
    { origin: "null" },
    { "sec-fetch-site": "same-site" },
  ];
  for (const path of paths) {
    for (const type of types) {
      for (const siteHeaders of from) {
        const headers = { ...siteHeaders, cookie: owner.cookie, "content-type": type };
        const answer = await service.fetch(path, { method: "POST", body: "{}", headers });
        assertEquals(answer.status, 403, `${path} ${type} ${JSON.stringify(siteHeaders)}`);
        assertEquals(answer.headers.getSetCookie(), []);
        await answer.body?.cancel();
      }
    }
  }
  assertEquals((await owner.get("/account")).status, 200);
});

Deno.test("links use PUBLIC_URL, whatever host a request names", async () => {
  const env = { SETUP_TOKEN, PUBLIC_URL: "http://chat.example.com" };
  await using service = await TestService.start({ env });
  const owner = await Dashboard.join(service, "owner");
  const headers = { "x-forwarded-host": "evil.example", origin: "http://chat.example.com" };
  const form = { email: "new@example.com", role: "admin" };
  const link = await requireText(
    await owner.post("/team/invite", form, headers),
    /http[^<\s]*join[^<\s]*/,
  );
  assert(link.startsWith("http://chat.example.com/join?token="), link);
});

async function textOf(answer: Response): Promise<string> {
  const html = (await answer.text()).replace(/nonce="[^"]*"/g, "");
  return `${answer.status} ${html}`;
}
