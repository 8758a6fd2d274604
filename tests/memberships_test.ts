/** One person in several tenants: joining, switching, leaving, and what each tenant may do. */
import { TeamService } from "@/lib/services/team_service.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { UserStore } from "@/lib/store/users/user_store.ts";
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import {
  ADA,
  inviteAda,
  joinAway,
  openTwoTenants,
  signInAda,
  tokenOf,
} from "./support/two_tenants.ts";
import { addAuthenticatorApp } from "./support/second_factor.ts";
import { agentBodyOf } from "./support/agents.ts";
import { Dashboard, PASSWORD } from "./support/dashboard.ts";
import { interruptedKv } from "./support/interrupted_kv.ts";
import { shownText } from "./support/shown_text.ts";

async function place(answer: Promise<Response>): Promise<string> {
  const { status, headers, body } = await answer;
  await body?.cancel();
  return `${status} ${headers.get("location") ?? ""}`.trim();
}

Deno.test("a person joins a second tenant with their account, and switches between the two", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { service, home, away, ada } = on;
  for (const [tenant, name] of [[home, "Agent at home"], [away, "Agent away"]] as const) {
    await service.service.agents.create(tenant, agentBodyOf({ name }));
  }
  const token = await inviteAda(service, away);
  const stranger = new Dashboard(service);
  const page = await (await stranger.get(`/join?token=${token}`)).text();
  const path = `/account/join?token=${token}`;
  assertStringIncludes(page, `href="${path}"`);
  assertEquals(await place(stranger.get(path)), `303 /sign-in?next=${encodeURIComponent(path)}`);
  assertEquals(await place(stranger.post("/join", { token, password: PASSWORD })), "410");

  assertStringIncludes(shownText(await (await ada.get(path)).text()), "Join Away?");
  const joined = await ada.post("/account/join", { token });
  assertEquals(await place(Promise.resolve(joined)), "303 /home?notice=tenant_joined");
  const agents = async () => shownText(await (await ada.get("/agents")).text());
  assertStringIncludes(await agents(), "Agent away");
  assert(!(await agents()).includes("Agent at home"));
  assertEquals((await ada.get("/agents/new")).status, 403, "a viewer there");
  assertEquals(await place(ada.post(`/account/tenants/${home}/switch`)), "303 /home");
  assertStringIncludes(await agents(), "Agent at home");
  assertEquals((await ada.get("/agents/new")).status, 200, "an admin at home");
  assertEquals(await place(ada.post(`/account/tenants/${away}/switch`)), "303 /home");
  assertStringIncludes(await agents(), "Agent away");
  assertEquals(await place(stranger.get(`/join?token=${token}`)), "410", "it works once");
  const log = (await service.service.audit.list(away, { limit: 10 })).data;
  assertEquals(
    log.filter(({ action, target }) => target.name === ADA && action !== "create").map((
      { action, actor },
    ) => [
      action,
      actor.kind === "user" && actor.name,
    ]),
    [
      ["switched to this tenant", ADA],
      ["role not allowed", ADA],
      ["switched to this tenant", ADA],
      ["join", ADA],
    ],
  );
});

Deno.test("only the account with the address of the invitation joins, and nobody twice", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { service, away, home, homeOwner, ada } = on;
  const token = await inviteAda(service, away);
  const other = await homeOwner.get(`/account/join?token=${token}`);
  assertStringIncludes(shownText(await other.text()), `This invitation is for ${ADA}`);
  assertEquals(await place(homeOwner.post("/account/join", { token })), "403");
  assertEquals(await place(ada.post(`/account/tenants/${away}/switch`)), "404", "not on its team");
  assertEquals((await ada.post("/account/join", { token })).status, 303);
  assertEquals(await service.service.team.invite(away, { email: ADA, role: "owner" }), {
    rejected: "already_member",
  });
  assertEquals(await service.service.team.countMembers(away), 2);
  const own = await service.service.team.invite(home, { email: ADA, role: "owner" });
  assertEquals(own, { rejected: "already_member" });
});

Deno.test("a form of a page that shows another tenant changes nothing", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { service, home, away, ada } = on;
  await joinAway(on, "owner");
  const page = await (await ada.get("/knowledge/new")).text();
  const shown_tenant = /name="shown_tenant" value="([^"]*)"/.exec(page)![1]!;
  assertEquals(shown_tenant, away);
  await ada.post(`/account/tenants/${home}/switch`);
  const fields = { name: "Hours", description: "", shown_tenant };
  const late = await ada.post("/knowledge/new", fields);
  assertEquals(late.status, 409);
  assertStringIncludes(shownText(await late.text()), "You switched to another tenant");
  for (const tenant of [home, away]) {
    assertEquals((await service.service.knowledge.list(tenant, { limit: 9 })).data, []);
  }
  await ada.post(`/account/tenants/${away}/switch`);
  assertEquals((await ada.post("/knowledge/new", fields)).status, 303);
});

Deno.test("the owner of an account's tenant cannot become who it is in another one", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { service, home, homeOwner, operator, ada } = on;
  const { team } = service.service;
  const owner = (await service.service.signIn.authenticate(tokenOf(homeOwner)))!;
  const id = (await team.members(home)).find(({ email }) => email === ADA)!.id;
  const before = await team.createResetLink(owner, id);
  assert("token" in before);
  await joinAway(on);
  const stolen = await team.resetPassword(before.token, "another good password");
  assertEquals(stolen, { rejected: "gone" }, "a link from before");
  assertEquals(await team.createResetLink(owner, id), { rejected: "account_shared" });
  assertEquals(await team.resetFactors(owner, id), { rejected: "account_shared" });
  const page = shownText(await (await homeOwner.get(`/team/${id}`)).text());
  assertStringIncludes(page, "also belongs to another tenant");
  assert(!page.includes("Reset password"));
  assertEquals((await homeOwner.post(`/team/${id}/reset`)).status, 409);
  // The operator's own tenant is another one, so the operator uses the command line.
  const reset = await service.service.users.createResetLink(ADA);
  assert(reset !== undefined);
  assertEquals(await place(ada.get("/home")), "303 /sign-in?next=%2Fhome", "it ends sessions");
  assert("cookieToken" in await team.resetPassword(reset.token, "another good password"));
  assertEquals((await operator.get("/home")).status, 200);
});

Deno.test("the other tenant's owner changes the role there, and nothing of the account", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { service, awayOwner, ada } = on;
  const id = await joinAway(on);
  const page = shownText(await (await awayOwner.get(`/team/${id}`)).text());
  assertStringIncludes(page, "account belongs to another tenant");
  assert(!page.includes("Reset password") && !page.includes("Reset second factors"));
  for (const act of ["reset", "factors"]) {
    assertEquals((await awayOwner.post(`/team/${id}/${act}`)).status, 409, act);
  }
  assertEquals((await ada.get("/agents/new")).status, 403);
  assertEquals(
    await place(awayOwner.post(`/team/${id}`, { role: "admin" })),
    "303 /team?notice=member_changed",
  );
  assertEquals((await ada.get("/agents/new")).status, 200, "at the next request");
  assert(
    "cookieToken" in await service.service.signIn.signIn({
      ...{ email: ADA, password: PASSWORD, from: { address: "203.0.113.9" } },
    }),
  );
});

Deno.test("the other tenant's owner ends the sessions there: only a new sign-in leads back", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { service, clock, away, awayOwner, ada } = on;
  const id = await joinAway(on);
  const user = (await service.service.signIn.authenticate(tokenOf(ada)))!;
  assertEquals(user.tenant, away);
  assertEquals(await service.service.signIn.isSignedIn(tokenOf(ada), user), true);
  assertEquals(
    await place(awayOwner.post(`/team/${id}/sign-out`)),
    "303 /team?notice=member_signed_out",
  );
  assertEquals(await service.service.signIn.isSignedIn(tokenOf(ada), user), false, "streams end");
  assertEquals((await service.service.signIn.authenticate(tokenOf(ada)))?.tenant, on.home);
  assertEquals(
    await place(ada.post(`/account/tenants/${away}/switch`)),
    "303 /account?notice=tenant_signed_out",
  );
  clock.ms += 1;
  const again = new Dashboard(service, await signInAda(service));
  assertEquals(await place(again.post(`/account/tenants/${away}/switch`)), "303 /home");
});

Deno.test("a removed member and a deleted account lose the other tenant at the next request", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { service, kv, away, homeOwner, awayOwner, ada } = on;
  const { signIn, team } = service.service;
  const id = await joinAway(on, "owner");
  assertEquals(
    await place(awayOwner.post(`/team/${id}/remove`)),
    "303 /team?notice=member_removed",
  );
  assertEquals((await signIn.authenticate(tokenOf(ada)))?.tenant, on.home);
  assert(!(await (await ada.get("/account")).text()).includes("/switch"));
  assertEquals(await team.countMembers(away), 1);
  assertEquals(
    (await signIn.signIn({ email: ADA, password: PASSWORD, from: { address: "::1" } })) !==
      undefined,
    true,
  );

  await joinAway(on, "owner");
  const there = (await signIn.authenticate(tokenOf(ada)))!;
  const invited = await team.invite(away, { email: "friend@example.com", role: "owner" }, there);
  assert("token" in invited);
  const home = (await team.members(on.home)).find(({ email }) => email === ADA)!;
  assertEquals(
    await place(homeOwner.post(`/team/${home.id}/remove`)),
    "303 /team?notice=member_removed",
  );
  assertEquals((await team.members(away)).map(({ email }) => email), ["away-owner@example.com"]);
  const log = (await service.service.audit.list(away, { limit: 50 })).data;
  const removal = log.find(({ action, target }) => action === "remove" && target.id === there.id)!;
  assertEquals(removal.actor, { kind: "service" }, "nobody of another tenant is named");
  assertEquals(await place(ada.get("/home")), "303 /sign-in?next=%2Fhome");
  assertEquals(await team.findLink(invited.token, "invite"), undefined, "of somebody who is gone");
  const alone = (await signIn.authenticate(tokenOf(awayOwner)))!;
  assertEquals(await team.remove(alone, alone.id), { rejected: "last_owner" });
  const left = await Array.fromAsync(kv.list({ prefix: [] }), ({ key }) => key);
  assertEquals(left.filter(([family]) => /^membership/.test(String(family))), []);
});

Deno.test("a person leaves a tenant, unless it would have no owner then", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { service, home, away, awayOwner, ada } = on;
  await joinAway(on, "owner");
  const owner = (await service.service.signIn.authenticate(tokenOf(awayOwner)))!;
  assert("user" in await service.service.team.remove(owner, owner.id));
  const path = `/account/tenants/${away}/leave`;
  const rejected = await ada.post(path);
  assertEquals(rejected.status, 409);
  assertStringIncludes(shownText(await rejected.text()), "The tenant needs an owner");
  await Dashboard.join(service, "owner", { tenant: away, name: "next" });
  assertStringIncludes(shownText(await (await ada.get(path)).text()), "Leave Away?");
  assertEquals(await place(ada.post(path)), "303 /account?notice=tenant_left");
  assertEquals((await service.service.signIn.authenticate(tokenOf(ada)))?.tenant, home);
  assertEquals(await place(ada.get(path)), "404");
  assertEquals(await place(ada.get(`/account/tenants/${home}/leave`)), "404", "the account's own");
});

Deno.test("the password, factors and sessions of the account are asked for and shown in every tenant", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { service, clock, away, awayOwner, ada } = on;
  await joinAway(on, "owner");
  clock.ms += 20 * 60_000;
  const invite = (own_password: string) =>
    ada.post("/team/invite", { email: "new@example.com", role: "viewer", own_password });
  assertEquals((await invite("wrong password")).status, 403);
  assertEquals((await invite(PASSWORD)).status, 201);
  await signInAda(service);
  const account = shownText(await (await ada.get("/account")).text());
  assertEquals(account.split("Last used").length - 1, 2, "both sessions");
  // A factor of the account counts where it is required.
  await awayOwner.post("/settings/second-factor", { required: "yes", own_password: PASSWORD });
  assertEquals(await service.service.factors.isRequired(away), true);
  assertEquals(await place(ada.get("/agents")), "303 /account/factors");
  assertEquals(await place(ada.post(`/account/tenants/${on.home}/switch`)), "303 /home");
  assertEquals((await ada.get("/agents")).status, 200, "not required at home");
  const app = await addAuthenticatorApp(service, tokenOf(ada));
  assertEquals(await place(ada.post(`/account/tenants/${away}/switch`)), "303 /home");
  assertEquals((await ada.get("/agents")).status, 200);
  clock.ms += 20 * 60_000;
  assertEquals((await invite(PASSWORD)).status, 403, "the password is not enough now");
  assertEquals((await invite(app.code(clock.ms))).status, 201);
  assertEquals([...await service.service.team.membersWithFactor(away)].length, 1);
});

Deno.test("changes that happen at the same time: never a new password for somebody who has joined", async () => {
  for (let n = 0; n < 20; n++) {
    const on = await openTwoTenants();
    await using _ = on.service;
    const { service, home, away, homeOwner, ada } = on;
    const { memberships, signIn, team } = service.service;
    const owner = (await signIn.authenticate(tokenOf(homeOwner)))!;
    const user = (await signIn.authenticate(tokenOf(ada)))!;
    const link = await team.createResetLink(owner, user.id);
    assert("token" in link);
    const token = await inviteAda(service, away);
    const invitation = (await team.findInvitation(token))!;
    const [joined, reset] = await Promise.all([
      memberships.join(user, invitation),
      team.resetPassword(link.token, "another good password"),
    ]);
    assertEquals(joined === "joined", "rejected" in reset, `${joined}, ${JSON.stringify(reset)}`);
    assertEquals((await team.members(home)).length, 2);
  }
});

Deno.test("a sign-in that has ended switches nowhere, however long its request was open", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { service, home, away, ada } = on;
  const { memberships, signIn } = service.service;
  await joinAway(on);
  const cookieToken = tokenOf(ada);
  const user = (await signIn.authenticate(cookieToken))!;
  const request = (tenant: string) =>
    memberships.switchTo(user, { tenant, cookieToken, address: "203.0.113.9" });
  assertEquals(await request(home), "switched");
  assert(await service.service.users.createResetLink(ADA) !== undefined, "ends all sign-ins");
  assertEquals([await request(away), await request(home)], ["ended", "ended"]);
  assertEquals(await signIn.authenticate(cookieToken), undefined);
});

Deno.test("deleting either tenant leaves nothing of a membership in the other", async () => {
  for (const which of ["home", "away"] as const) {
    const on = await openTwoTenants();
    await using _ = on.service;
    const { service, kv, ada } = on;
    await joinAway(on, "owner");
    const { tenantDeletions } = service.service;
    assertEquals(await tenantDeletions.begin(on[which]), "begun");
    const found = (await service.service.signIn.authenticate(tokenOf(ada)))?.tenant;
    assertEquals(found, which === "home" ? undefined : on.home, "at the next request");
    for (let n = 0; n < 3; n++) {
      await tenantDeletions.sweep();
      on.clock.ms += 11 * 60_000;
    }
    const rows = await Array.fromAsync(
      kv.list({ prefix: [] }),
      ({ key, value }) => ({ key, value }),
    );
    const families = ["memberships", "membership_accounts", "users", "users_by_email"];
    const left = rows.filter(({ key }) => families.includes(String(key[0])))
      .filter((row) => Deno.inspect(row, { depth: 5 }).includes(on[which]));
    assertEquals(left, []);
    const remaining = which === "home"
      ? ["away-owner@example.com"]
      : ["home-owner@example.com", ADA];
    const other = which === "home" ? on.away : on.home;
    assertEquals((await service.service.team.members(other)).map(({ email }) => email), remaining);
  }
});

Deno.test("joining asks for a recent proof, and for a factor where one is required", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { service, clock, home, away, ada } = on;
  const token = await inviteAda(service, away);
  clock.ms += 20 * 60_000;
  const join = (more: Record<string, string> = {}) => ada.post("/account/join", { token, ...more });
  assertEquals((await join()).status, 403);
  await service.service.factors.require(home, true);
  assertEquals(await place(join({ own_password: PASSWORD })), "303 /account/factors");
  await service.service.factors.require(home, false);
  const shown = shownText(await (await ada.get(`/account/join?token=${token}`)).text());
  assertStringIncludes(shown, "Your password, or a password reset link");
  assertEquals(await place(join({ own_password: PASSWORD })), "303 /home?notice=tenant_joined");
  clock.ms += 20 * 60_000;
  assertEquals(
    (await ada.post(`/account/tenants/${away}/leave`)).status,
    403,
    "and so does leaving",
  );
});

Deno.test("a reset of factors and a joining at the same moment: one of them fails", async () => {
  for (let n = 0; n < 10; n++) {
    const on = await openTwoTenants();
    await using _ = on.service;
    const { factors, memberships, signIn, team } = on.service.service;
    await addAuthenticatorApp(on.service, tokenOf(on.ada));
    const owner = (await signIn.authenticate(tokenOf(on.homeOwner)))!;
    const user = (await signIn.authenticate(tokenOf(on.ada)))!;
    const invitation = (await team.findInvitation(await inviteAda(on.service, on.away)))!;
    const [joined, reset] = await Promise.all([
      memberships.join(user, invitation),
      team.resetFactors(owner, user.id),
    ]);
    const isLeft = (await factors.summary(user)).totp !== undefined;
    assertEquals(joined === "joined", isLeft, `${joined}, ${JSON.stringify(Object.keys(reset))}`);
  }
});

Deno.test("an account that joins while its tenant is being deleted leaves nobody in the other one", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { service, kv, clock, home, away, ada } = on;
  const { memberships, signIn, team, tenantDeletions } = service.service;
  const user = (await signIn.authenticate(tokenOf(ada)))!;
  const invitation = (await team.findInvitation(await inviteAda(service, away, "owner")))!;
  assertEquals(await tenantDeletions.begin(home), "begun");
  assertEquals(await memberships.join(user, invitation), "gone");
  for (let n = 0; n < 3; n++) {
    await tenantDeletions.sweep();
    clock.ms += 11 * 60_000;
  }
  assertEquals((await team.members(away)).map(({ email }) => email), ["away-owner@example.com"]);
  assertEquals((await Array.fromAsync(kv.list({ prefix: ["memberships"] }))).length, 0);
});

Deno.test("an owner's reset link opens no account that is an operator's by now, whatever becomes of its maker", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { operators, signIn, team } = on.service.service;
  const owner = (await signIn.authenticate(tokenOf(on.homeOwner)))!;
  const user = (await signIn.authenticate(tokenOf(on.ada)))!;
  const link = await team.createResetLink(owner, user.id);
  assert("token" in link);
  assert("user" in await operators.grant(ADA));
  const used = await team.resetPassword(link.token, "another good password");
  assertEquals(used, { rejected: "gone" });
});

Deno.test("the audit log of each tenant names its own user", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { audit, signIn } = on.service.service;
  const { id } = (await signIn.authenticate(tokenOf(on.ada)))!;
  const there = await joinAway(on);
  const actorOf = async (tenant: string, wanted: string) => {
    const found = (await audit.list(tenant, { limit: 20 })).data
      .find(({ action }) => action === wanted)!;
    return [found.target.id, found.actor.kind === "user" && found.actor.id];
  };
  await place(on.ada.post(`/account/tenants/${on.away}/leave`));
  assertEquals(await actorOf(on.away, "remove"), [there, there]);
  await joinAway(on);
  await place(on.ada.post("/sign-out"));
  assertEquals(await actorOf(on.home, "signed out"), [id, id]);
});

Deno.test("a reset link opens no shared account, also if its maker is removed while it is used", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { factors, runtime, signIn, team } = on.service.service;
  const owner = (await signIn.authenticate(tokenOf(on.homeOwner)))!;
  await Dashboard.join(on.service, "owner", { tenant: on.home, name: "accomplice" });
  const user = (await signIn.authenticate(tokenOf(on.ada)))!;
  const link = await team.createResetLink(owner, user.id);
  assert("token" in link);
  await joinAway(on);
  let isRemoved = false;
  const kv = interruptedKv(on.kv, {
    ...{ key: keys.user(on.home, owner.id), nth: 2 },
    act: async () => isRemoved = "user" in await team.remove(owner, owner.id),
  });
  const other = new TeamService(kv, { runtime, signIn, factors });
  const used = await other.resetPassword(link.token, "another good password");
  assertEquals([used, isRemoved], [{ rejected: "gone" }, true]);
});

Deno.test("a sign-in that is complete when its user has been removed leaves nothing of the account", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { runtime, signIn, team } = on.service.service;
  const { id } = (await signIn.authenticate(tokenOf(on.ada)))!;
  const owner = (await signIn.authenticate(tokenOf(on.homeOwner)))!;
  const user = (await new UserStore(on.kv, runtime).get(on.home, id))!;
  assert("user" in await team.remove(owner, id));
  const { cookieToken } = await signIn.createSignIn(user, { from: { address: "203.0.113.9" } });
  assertEquals(await signIn.authenticate(cookieToken), undefined);
  const rows = on.kv.list({ prefix: keys.accountSecurities(on.home) });
  assertEquals(await Array.fromAsync(rows, ({ key }) => key), []);
});
