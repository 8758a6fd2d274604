/** Requests that are still open when the rights with which they began have ended. */
import { assert, assertEquals } from "@std/assert";
import { sha256 } from "@/lib/platform/crypto/signer.ts";
import { OwnSessions } from "@/lib/services/own_sessions.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { Dashboard, PASSWORD } from "./support/dashboard.ts";
import { holdForm } from "./support/held_form.ts";
import { interruptedKv } from "./support/interrupted_kv.ts";
import { addAuthenticatorApp } from "./support/second_factor.ts";
import { ADA, joinAway, openTwoTenants, signInAda, tokenOf } from "./support/two_tenants.ts";

const NEW_PASSWORD = { current: PASSWORD, password: "another good password" };
const HERE = { address: "203.0.113.9" };

Deno.test("a form of a session that ended meanwhile changes no password, and ends no other session", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { signIn, ownSessions } = on.service.service;
  const form = { user: on.ada, path: "/account" };
  const ada = (await signIn.authenticate(tokenOf(on.ada)))!;
  const mine = await signInAda(on.service);
  const me = (await signIn.authenticate(mine))!;
  const end = () => ownSessions.end(me, ada.session.hash);
  const fields = { action: "end_session", session: me.session.hash };
  const ended = "303 /sign-in?next=%2Fhome&interrupted=yes";
  assertEquals(await holdForm(on.service, { ...form, fields, during: end }), ended);
  assert(await signIn.authenticate(mine) !== undefined);

  const thief = new Dashboard(on.service, await signInAda(on.service));
  const theirs = (await signIn.authenticate(tokenOf(thief)))!;
  const during = () => ownSessions.end(me, theirs.session.hash);
  const held = { user: thief, path: "/account", fields: NEW_PASSWORD, during };
  assertEquals(await holdForm(on.service, held), ended);
  assert("cookieToken" in await signIn.signIn({ email: ADA, password: PASSWORD, from: HERE }));
});

Deno.test("a sign-in that lacks a factor by now changes no password", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { signIn } = on.service.service;
  const thief = new Dashboard(on.service, await signInAda(on.service));
  const during = () => addAuthenticatorApp(on.service, tokenOf(on.ada));
  await holdForm(on.service, { user: thief, path: "/account", fields: NEW_PASSWORD, during });
  assert("cookieToken" in await signIn.signIn({ email: ADA, password: PASSWORD, from: HERE }));
});

Deno.test("a role that was taken meanwhile is not used to take it back", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { operators, signIn, team } = on.service.service;
  const byName = (user: Dashboard) => signIn.authenticate(tokenOf(user)).then((found) => found!);

  const id = await joinAway(on, "owner");
  const awayOwner = await byName(on.awayOwner);
  await holdForm(on.service, {
    ...{ user: on.ada, path: `/team/${id}`, fields: { role: "owner" } },
    during: () => team.changeRole(awayOwner, id, "viewer"),
  });
  assertEquals((await byName(on.ada)).role, "viewer");

  const email = "home-owner@example.com";
  assert("user" in await operators.grant(email));
  await addAuthenticatorApp(on.service, tokenOf(on.homeOwner));
  const operator = await byName(on.homeOwner);
  await holdForm(on.service, {
    ...{ user: on.homeOwner, path: "/operator/operators", fields: { email } },
    during: () => operators.revoke(operator),
  });
  assertEquals((await byName(on.homeOwner)).operator, false);
});

Deno.test("a member who was removed meanwhile changes nothing in the tenant, and leaves nothing", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { knowledge, signIn, team, users } = on.service.service;
  const owner = (await signIn.authenticate(tokenOf(on.awayOwner)))!;
  let id = await joinAway(on, "admin");
  await holdForm(on.service, {
    ...{ user: on.ada, path: "/knowledge/new", fields: { name: "Left", description: "" } },
    during: () => team.remove(owner, id),
  });
  for (const tenant of [on.home, on.away]) {
    assertEquals((await knowledge.list(tenant, { limit: 9 })).data, []);
  }
  id = await joinAway(on, "admin");
  await holdForm(on.service, {
    ...{ user: on.ada, path: `/account/tenants/${on.away}/leave` },
    during: () => users.createResetLink(ADA),
  });
  assert(await team.member(on.away, id) !== undefined);
});

Deno.test("a removed factor ends every sign-in, and signing out elsewhere revives none", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { factors, ownSessions, signIn } = on.service.service;
  const thief = await signInAda(on.service);
  const bad = (await signIn.authenticate(thief))!;
  const ada = (await signIn.authenticate(tokenOf(on.ada)))!;
  await addAuthenticatorApp(on.service, thief);
  assert(await factors.removeTotp(ada));
  await ownSessions.end(bad, ada.session.hash);
  const cookieToken = tokenOf(on.ada);
  const options = { cookieToken, action: "end sign-ins" };
  assertEquals(await ownSessions.signOutElsewhere(ada, options), undefined);
  assertEquals(await signIn.authenticate(thief), undefined);
  assertEquals(await signIn.authenticate(cookieToken), undefined);
  assertEquals((await on.kv.get(keys.signIn(await sha256(cookieToken)))).value, null);
});

Deno.test("a tenant that is suspended, or requires a factor, meanwhile gets no change", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { factors, knowledge, tenantLifecycle } = on.service.service;
  const form = { user: on.ada, path: "/knowledge/new", fields: { name: "Late", description: "" } };
  await holdForm(on.service, { ...form, during: () => factors.require(on.home, true) });
  await factors.require(on.home, false);
  await holdForm(on.service, { ...form, during: () => tenantLifecycle.suspend(on.home, "unpaid") });
  assertEquals((await knowledge.list(on.home, { limit: 9 })).data, []);
});

Deno.test("a script's form of a page that shows another tenant is a 404, and no failure", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  await joinAway(on, "admin");
  const answer = await on.ada.post("/agents/check", { name: "A", shown_tenant: on.home });
  assertEquals([answer.status, (await answer.json()).code], [404, "not_found"]);
  assertEquals(on.service.logged.filter((line) => line.includes('"level":"error"')), []);
});

Deno.test("a session that is ended while it signs out the others gets no new one, in two processes", async () => {
  const on = await openTwoTenants();
  await using _ = on.service;
  const { ownSessions, runtime, signIn } = on.service.service;
  const me = (await signIn.authenticate(await signInAda(on.service)))!;
  const thief = (await signIn.authenticate(tokenOf(on.ada)))!;
  let isEnded = false;
  const kv = interruptedKv(on.kv, {
    ...{ key: keys.user(on.home, thief.id), nth: 1 },
    act: async () => isEnded = await ownSessions.end(me, thief.session.hash),
  });
  const there = new OwnSessions(kv, { runtime, signIn });
  const token = await there.signOutElsewhere(thief, { cookieToken: tokenOf(on.ada) });
  assertEquals([token, isEnded], [undefined, true]);
});
