/** Team membership: invitations, roles, password resets and removal. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { Dashboard, PASSWORD, requireText, SETUP_TOKEN } from "./support/dashboard.ts";
import { storedText } from "./support/store.ts";
import { TestService } from "./support/service.ts";
import { openTestKv } from "./support/open_kv.ts";

const LINK = /http[^<\s"]*token=[\w-]{43}/;

async function start(kv?: Deno.Kv) {
  const options = { env: { SETUP_TOKEN, DEMO: "off" }, ...(kv && { kv }) };
  const service = await TestService.start(options);
  return { service, owner: await Dashboard.setUp(service) };
}

function idOf(service: TestService, email: string): Promise<string> {
  return service.tenant().then((tenant) => service.service.team.members(tenant))
    .then((members) => members.find((one) => one.email === email)!.id);
}

Deno.test("an invited user sets a password, is signed in and appears in the audit log; the link works once", async () => {
  const kv = await openTestKv();
  const { service, owner } = await start(kv);
  await using _ = service;
  const form = { email: "Bea@Example.com", role: "admin" };
  const link = new URL(await requireText(await owner.post("/team/invite", form), LINK));
  assertEquals(link.origin, service.url);
  const token = link.searchParams.get("token")!;
  assert(!(await storedText(kv)).includes(token), "only the token's hash is stored");
  const bea = new Dashboard(service);
  assertStringIncludes(
    await (await bea.get(link.pathname + link.search)).text(),
    "bea@example.com",
  );
  const short = await bea.post("/join", { token, password: "short" });
  assertEquals(short.status, 400);
  await short.body?.cancel();
  bea.keep(await bea.post("/join", { token, password: PASSWORD }));
  assertEquals((await bea.get("/api-keys/new")).status, 200);
  const again = await bea.post("/join", { token, password: "some other password" });
  assertEquals(again.status, 410);
  await again.body?.cancel();
  const entries = await service.service.audit.list(await service.tenant(), { limit: 3 });
  const [signIn, ...data] = entries.data;
  assertEquals([signIn?.kind, signIn?.action], ["sign-in", "signed in"]);
  assertEquals(data.map(({ kind, action, actor, target }) => [kind, action, actor, target.name]), [
    [
      "user",
      "join",
      { kind: "user", id: data[0]!.target.id, name: "bea@example.com" },
      "bea@example.com",
    ],
    ["invite", "create", data[1]!.actor, "bea@example.com"],
  ]);
  assert(data[1]!.actor.kind === "user" && data[1]!.actor.name === "operator@example.com");
});

Deno.test("an invitation used twice at once creates one account", async () => {
  const { service } = await start();
  await using _ = service;
  const { team } = service.service;
  const tenant = await service.tenant();
  const invited = await team.invite(tenant, { email: "one@example.com", role: "viewer" });
  assert("token" in invited);
  const joined = await Promise.all([1, 2].map(() => team.join(invited.token, PASSWORD)));
  assertEquals(joined.filter((one) => "cookieToken" in one).length, 1);
  assertEquals((await team.members(tenant)).length, 2);
});

Deno.test("a role change applies at once, and a removed member's session ends", async () => {
  const { service, owner } = await start();
  await using _ = service;
  const admin = await Dashboard.join(service, "admin");
  const id = await idOf(service, "admin@example.com");
  assertEquals((await admin.get("/api-keys/new")).status, 200);
  const changed = await owner.post(`/team/${id}`, { role: "viewer" });
  assertEquals(changed.headers.get("location"), "/team?notice=member_changed");
  assertEquals((await admin.get("/api-keys/new")).status, 403);
  const removed = await owner.post(`/team/${id}/remove`);
  assertEquals(removed.headers.get("location"), "/team?notice=member_removed");
  assertEquals((await admin.get("/agents")).status, 303);
  const signIn = await admin.post("/sign-in", { email: "admin@example.com", password: PASSWORD });
  assertEquals(signIn.status, 401);
  await signIn.body?.cancel();
});

Deno.test("the last owner cannot be removed or demoted, even by two concurrent changes", async () => {
  const { service, owner } = await start();
  await using _ = service;
  const { team, signIn } = service.service;
  const tenant = await service.tenant();
  const me = await idOf(service, "operator@example.com");
  for (const path of [`/team/${me}/remove`, `/team/${me}`]) {
    const answer = await owner.post(path, { role: "viewer" });
    assertEquals(answer.status, 409, path);
    assertStringIncludes(await answer.text(), "make another member owner first");
  }
  await Dashboard.join(service, "owner");
  const by = (await signIn.authenticate(owner.cookie.split("=")[1]!))!;
  const other = await idOf(service, "owner@example.com");
  const results = await Promise.all([
    team.changeRole(by, me, "admin"),
    team.changeRole(by, other, "admin"),
  ]);
  assertEquals(results.filter((one) => "user" in one).length, 1);
  const owners = (await team.members(tenant)).filter(({ role }) => role === "owner");
  assertEquals(owners.length, 1);
});

Deno.test("a reset link sets a new password once and ends the member's sessions", async () => {
  const { service, owner } = await start();
  await using _ = service;
  const viewer = await Dashboard.join(service, "viewer");
  const id = await idOf(service, "viewer@example.com");
  const first = new URL(await requireText(await owner.post(`/team/${id}/reset`), LINK));
  const second = new URL(await requireText(await owner.post(`/team/${id}/reset`), LINK));
  const there = new Dashboard(service);
  assertEquals((await there.get(first.pathname + first.search)).status, 410);
  const token = second.searchParams.get("token")!;
  there.keep(await there.post("/reset-password", { token, password: "a brand new password" }));
  assertEquals((await there.get("/agents")).status, 200);
  assertEquals((await viewer.get("/agents")).status, 303);
  assertEquals((await there.get(second.pathname + second.search)).status, 410);
});

Deno.test("links made by a member expire when the member is removed or demoted", async () => {
  const { service, owner } = await start();
  await using _ = service;
  const second = await Dashboard.join(service, "owner");
  await Dashboard.join(service, "viewer");
  const viewer = await idOf(service, "viewer@example.com");
  const invite = { email: "back@example.com", role: "owner" };
  const links = [
    new URL(await requireText(await second.post("/team/invite", invite), LINK)),
    new URL(await requireText(await second.post(`/team/${viewer}/reset`), LINK)),
  ];
  const there = new Dashboard(service);
  const statuses = () =>
    Promise.all(links.map(async ({ pathname, search }) => {
      const { status, body } = await there.get(pathname + search);
      await body?.cancel();
      return status;
    }));
  assertEquals(await statuses(), [200, 200]);
  const id = await idOf(service, "owner@example.com");
  await (await owner.post(`/team/${id}`, { role: "admin" })).body?.cancel();
  assertEquals(await statuses(), [410, 410]);
  await (await owner.post(`/team/${id}/remove`)).body?.cancel();
  for (const { pathname, searchParams } of links) {
    const token = searchParams.get("token")!;
    const spent = await there.post(pathname, { token, password: "a brand new password" });
    assertEquals(spent.status, 410, pathname);
    await spent.body?.cancel();
  }
  assertEquals(await service.service.team.invitations(await service.tenant()), []);
});

Deno.test("a reset link made with a stolen cookie expires when the user changes the password", async () => {
  const { service, owner } = await start();
  await using _ = service;
  const me = await idOf(service, "operator@example.com");
  const link = new URL(await requireText(await owner.post(`/team/${me}/reset`), LINK));
  const fields = { current: PASSWORD, password: "another password" };
  const changed = await owner.post("/account", fields);
  assertEquals(changed.status, 303);
  const there = new Dashboard(service);
  const token = link.searchParams.get("token")!;
  const spent = await there.post("/reset-password", { token, password: "a brand new password" });
  assertEquals(spent.status, 410);
  await spent.body?.cancel();
});

Deno.test("an owner who is not an operator cannot take over an operator's account", async () => {
  const { service } = await start();
  await using _ = service;
  const owner = await Dashboard.join(service, "owner");
  const operator = await idOf(service, "operator@example.com");
  for (const path of ["/reset", "/remove", ""]) {
    const answer = await owner.post(`/team/${operator}${path}`, { role: "viewer" });
    assertEquals(answer.status, 409, path);
    assertStringIncludes(await answer.text(), "only an operator");
  }
});

Deno.test("an invitation does not reveal whether the address has an account with another tenant", async () => {
  const { service } = await start();
  await using _ = service;
  const { team, tenants } = service.service;
  const other = (await tenants.create("Other")).id;
  const invite = (tenant: string) =>
    team.invite(tenant, { email: "operator@example.com", role: "viewer" });
  assert("token" in await invite(other));
  assertEquals(await invite(await service.tenant()), { rejected: "already_member" });
});
