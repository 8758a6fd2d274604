/** Authenticator apps, recovery codes and who needs them: every way in asks, and no page opens before. */
import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertStringIncludes,
} from "@std/assert";
import { hasFactor } from "@/lib/store/users/account_security.ts";
import { openTestKv } from "./support/open_kv.ts";
import { Dashboard, PASSWORD, requireText, SETUP_TOKEN } from "./support/dashboard.ts";
import { addAuthenticatorApp, AuthenticatorApp } from "./support/second_factor.ts";
import { TestService, type TestServiceOptions } from "./support/service.ts";

const STEP = 30_000;

/** A service with a clock that only the test moves. */
async function start(options: TestServiceOptions = {}) {
  const clock = { ms: Date.UTC(2026, 0, 1) };
  const env = { SETUP_TOKEN, ...options.env };
  const runtime = { now: () => clock.ms };
  const service = await TestService.start({ ...options, env, runtime });
  return { clock, service };
}

/** A member with an authenticator app. */
async function withApp(
  service: TestService,
  name = "member",
): Promise<{ person: Dashboard; app: AuthenticatorApp; email: string }> {
  const person = await Dashboard.join(service, "owner", { name });
  const app = await addAuthenticatorApp(service, tokenOf(person));
  return { person, app, email: `${name}@example.com` };
}

function tokenOf({ cookie }: Dashboard): string {
  return cookie.slice(cookie.indexOf("=") + 1);
}

/** Signs in with the password, in a new browser or one with this `Cookie` header. */
async function signIn(service: TestService, email: string, cookie = ""): Promise<Dashboard> {
  const browser = new Dashboard(service);
  browser.cookie = cookie;
  const answer = await browser.post("/sign-in", { email, password: PASSWORD, next: "/agents" });
  await answer.body?.cancel();
  assertEquals([answer.status, answer.headers.get("location")], [303, "/agents"]);
  browser.keep(answer);
  return browser;
}

async function statusAndPlace(answer: Response): Promise<string> {
  await answer.body?.cancel();
  const place = answer.headers.get("location");
  return place === null ? `${answer.status}` : `${answer.status} ${place}`;
}

const ASKED = "303 /sign-in/factor?next=%2Fagents";

Deno.test("a code of the authenticator app signs in, once; nothing opens before it", async () => {
  const { clock, service } = await start();
  await using _ = service;
  await Dashboard.setUp(service);
  const person = await Dashboard.join(service, "owner");
  const page = await (await person.get("/account/factors/app")).text();
  const field = (name: string) => new RegExp(`name="${name}" value="([^"]+)"`).exec(page)![1]!;
  const offer = { secret: field("secret"), proof: field("proof") };
  const app = new AuthenticatorApp(offer.secret);
  const path = "/account/factors/app";
  assertEquals((await person.post(path, { ...offer, code: "000000" })).status, 400);
  const own = { secret: "A".repeat(32), proof: offer.proof };
  const forged = await person.post(path, {
    ...own,
    code: new AuthenticatorApp(own.secret).code(clock.ms),
  });
  assertEquals(forged.status, 400, "a secret that the service did not offer");
  await forged.body?.cancel();
  const added = await person.post(path, { ...offer, code: app.code(clock.ms) });
  assertEquals(added.status, 201);
  assertEquals(
    (await added.text()).match(/[a-z2-7]{4}(-[a-z2-7]{4}){5}/g)!.length,
    20,
    "twice each",
  );
  assertEquals(await statusAndPlace(await person.get("/agents")), "200");

  const browser = await signIn(service, "owner@example.com");
  for (const path of ["/agents", "/account", "/account/factors", "/account/factors/challenge"]) {
    const next = encodeURIComponent(path);
    assertEquals(await statusAndPlace(await browser.get(path)), `303 /sign-in/factor?next=${next}`);
  }
  assertStringIncludes(await statusAndPlace(await browser.post("/team/invite")), "/sign-in/factor");
  assertStringIncludes(await (await browser.get("/sign-in/factor")).text(), "owner@example.com");
  const enter = async (code: string) =>
    await statusAndPlace(await browser.post("/sign-in/factor", { code, next: "/agents" }));
  assertEquals(await enter(""), "400");
  assertEquals(await enter("123456"), "403");
  assertEquals(await enter(app.code(clock.ms)), "403", "this code set the app up");
  clock.ms += STEP;
  const code = app.code(clock.ms);
  const answer = await browser.post("/sign-in/factor", {
    code: ` ${code.slice(0, 3)} ${code.slice(3)}`,
    next: "/agents",
  });
  const pending = browser.cookie;
  browser.keep(answer);
  assertEquals(await statusAndPlace(answer), "303 /agents");
  assertNotEquals(browser.cookie, pending, "a new cookie");
  assertEquals(await statusAndPlace(await browser.get("/agents")), "200");
  const other = await signIn(service, "owner@example.com");
  const again = await other.post("/sign-in/factor", { code, next: "/agents" });
  assertEquals(await statusAndPlace(again), "403", "a code works once");
});

Deno.test("an unfinished sign-in ends after 10 minutes", async () => {
  const { clock, service } = await start();
  await using _ = service;
  await Dashboard.setUp(service);
  const { app, email } = await withApp(service);
  const browser = await signIn(service, email);
  clock.ms += 10 * 60_000;
  const code = app.code(clock.ms);
  const late = await browser.post("/sign-in/factor", { code });
  assertEquals(await statusAndPlace(late), "303 /sign-in?next=%2Fhome");
  const page = await (await browser.get("/sign-in")).text();
  assert(!page.includes("signed out"), "it was never signed in");
});

Deno.test("neither a reset link nor a new password goes past the second factor", async () => {
  const { clock, service } = await start();
  await using _ = service;
  const operator = await Dashboard.setUp(service);
  const { person, app, email } = await withApp(service);
  const { team } = service.service;
  const members = await team.members(await service.tenant());
  const { id } = members.find((member) => member.email === email)!;
  const link = await requireText(
    await operator.post(`/team/${id}/reset`),
    /reset-password\?token=[\w-]+/,
  );
  const browser = new Dashboard(service);
  const token = link.split("token=")[1]!;
  const reset = await browser.post("/reset-password", { token, password: `${PASSWORD} 2` });
  browser.keep(reset);
  await reset.body?.cancel();
  assertEquals(reset.headers.getSetCookie().filter((one) => one.startsWith("known_")), []);
  assertEquals(await statusAndPlace(await browser.get("/agents")), ASKED);
  clock.ms += STEP;
  const entered = await browser.post("/sign-in/factor", { code: app.code(clock.ms) });
  browser.keep(entered);
  assertEquals(await statusAndPlace(entered), "303 /home");
  // Those who are signed in have proven it, and keep that.
  const change = { current: `${PASSWORD} 2`, password: `${PASSWORD} 3` };
  const changed = await browser.post("/account", change);
  browser.keep(changed);
  assertEquals(await statusAndPlace(changed), "303 /account?notice=password_changed");
  assertEquals(await statusAndPlace(await browser.get("/agents")), "200");
  const elsewhere = await browser.post("/account", { action: "sign_out_elsewhere" });
  browser.keep(elsewhere);
  await elsewhere.body?.cancel();
  assertEquals(await statusAndPlace(await browser.get("/agents")), "200");
  assertStringIncludes(await statusAndPlace(await person.get("/agents")), "303 /sign-in?");
});

Deno.test("sign-ins of an earlier release are asked as soon as their user has a second factor", async () => {
  const kv = await openTestKv();
  const { service } = await start({ kv });
  await using _ = service;
  await Dashboard.setUp(service);
  const { person } = await withApp(service);
  assertEquals(await statusAndPlace(await person.get("/agents")), "200");
  for await (const { key } of kv.list({ prefix: ["sign_in_details"] })) await kv.delete(key);
  assertEquals(await statusAndPlace(await person.get("/agents")), ASKED);
});

Deno.test("of 10 sign-ins with one code at once, one succeeds; so with one recovery code", async () => {
  const { clock, service } = await start();
  await using _ = service;
  await Dashboard.setUp(service);
  const { person, app, email } = await withApp(service);
  const codes = await (await person.post("/account/factors/codes")).text();
  const recovery = /[a-z2-7]{4}(-[a-z2-7]{4}){5}/.exec(codes)![0];
  clock.ms += STEP;
  const user = (await service.service.signIn.authenticate(tokenOf(person)))!;
  for (const code of [app.code(clock.ms), recovery]) {
    const results = await Promise.all(
      Array.from(
        { length: 10 },
        (_, n) => service.service.factors.checkCode(user, code, { place: `place ${n}` }),
      ),
    );
    assertEquals(results.filter((result) => typeof result === "string").length, 1, code);
  }
  const browser = await signIn(service, email);
  const used = await browser.post("/sign-in/factor", { code: recovery });
  assertEquals(await statusAndPlace(used), "403");
});

Deno.test("recovery codes work however they are typed, and new ones replace them", async () => {
  const { service } = await start();
  await using _ = service;
  await Dashboard.setUp(service);
  const { person, email } = await withApp(service);
  const codesOf = async () => {
    const html = await (await person.post("/account/factors/codes")).text();
    return [...new Set(html.match(/[a-z2-7]{4}(-[a-z2-7]{4}){5}/g)!)];
  };
  const old = await codesOf();
  const [first, second] = await codesOf();
  const enter = async (code: string) => {
    const browser = await signIn(service, email);
    return await statusAndPlace(await browser.post("/sign-in/factor", { code }));
  };
  assertEquals(await enter(old[0]!), "403");
  assertEquals(await enter(first!.toUpperCase().replaceAll("-", " ")), "303 /home");
  assertEquals(await enter(first!), "403");
  assertEquals(await enter(second!.replaceAll("-", "")), "303 /home");
  assertStringIncludes(await (await person.get("/account/factors")).text(), "8 recovery codes");
});

Deno.test("five wrong codes lock unknown browsers for 15 minutes, and not the user's own", async () => {
  const { clock, service } = await start();
  await using _ = service;
  await Dashboard.setUp(service);
  const { app, email } = await withApp(service);
  const own = await signIn(service, email);
  clock.ms += STEP;
  const entered = await own.post("/sign-in/factor", { code: app.code(clock.ms) });
  const known = entered.headers.getSetCookie().find((one) => one.startsWith("known_browser="))!;
  await entered.body?.cancel();
  for (let n = 0; n < 5; n++) {
    // Each with a new sign-in: the password is not what is guessed.
    const attacker = await signIn(service, email);
    const guess = await attacker.post("/sign-in/factor", { code: `00000${n}` });
    assertEquals(await statusAndPlace(guess), "403");
  }
  clock.ms += STEP;
  const attacker = await signIn(service, email);
  const locked = await attacker.post("/sign-in/factor", { code: app.code(clock.ms) });
  assertEquals([locked.status, Number(locked.headers.get("retry-after")) > 800], [429, true]);
  await locked.body?.cancel();
  const knownCookie = known.split(";")[0]!;
  const again = await signIn(service, email, knownCookie);
  again.cookie = `${again.cookie}; ${knownCookie}`;
  const answer = await again.post("/sign-in/factor", { code: app.code(clock.ms) });
  assertEquals(await statusAndPlace(answer), "303 /home");
  const log = await (await (await Dashboard.join(service, "owner", { name: "o2" })).get("/audit"))
    .text();
  assertStringIncludes(log, "Locked out");
  assertStringIncludes(log, "Rejected second factor of");
});

Deno.test("sensitive actions ask for the strongest factor: a password is not enough", async () => {
  const { clock, service } = await start();
  await using _ = service;
  await Dashboard.setUp(service);
  const { person, app } = await withApp(service);
  clock.ms += 16 * 60_000;
  const invite = async (own_password: string) => {
    const form = { email: `m${clock.ms}@example.com`, role: "viewer", own_password };
    const answer = await person.post("/team/invite", form);
    await answer.body?.cancel();
    return answer.status;
  };
  const page = await (await person.get("/team/invite")).text();
  assertStringIncludes(page, "Code of your authenticator app");
  assertEquals(await invite(""), 403);
  assertEquals(await invite(PASSWORD), 403);
  // The page that changes the password checks it, which does not count as the stronger proof.
  const change = await person.post("/account", { current: PASSWORD, password: "short" });
  assertEquals(await statusAndPlace(change), "400");
  assertEquals(await invite(""), 403);
  assertEquals(await invite(app.code(clock.ms)), 201);
  assertEquals(await invite(""), 201, "for 15 minutes");
  clock.ms += 16 * 60_000;
  for (let n = 0; n < 5; n++) assertEquals(await invite("000000"), 403);
  assertEquals(await invite(app.code(clock.ms)), 429);
});

Deno.test("a tenant that requires a second factor opens nothing else to users without one", async () => {
  const { service } = await start();
  await using _ = service;
  await Dashboard.setUp(service);
  const owner = await withApp(service, "owner");
  const viewer = await Dashboard.join(service, "viewer");
  assertEquals(await statusAndPlace(await viewer.get("/agents")), "200");
  const path = "/settings/second-factor";
  assertEquals(await statusAndPlace(await viewer.post(path, { required: "yes" })), "403");
  assertStringIncludes(await (await owner.person.get(path)).text(), "2 members have none yet");
  assertEquals(
    await statusAndPlace(await owner.person.post(path, { required: "yes" })),
    "303 /settings?notice=factor_required",
  );
  assertEquals(await statusAndPlace(await owner.person.get("/agents")), "200");
  for (const page of ["/agents", "/account", "/home", "/settings"]) {
    assertEquals(await statusAndPlace(await viewer.get(page)), "303 /account/factors", page);
  }
  assertEquals(
    await statusAndPlace(await viewer.post("/account", { current: "x" })),
    "303 /account/factors",
  );
  assertStringIncludes(await (await viewer.get("/account/factors")).text(), "Add a passkey or an");
  await addAuthenticatorApp(service, tokenOf(viewer));
  assertEquals(await statusAndPlace(await viewer.get("/agents")), "200");
  // Removing the only one brings the requirement back.
  const removed = await viewer.post("/account/factors/app/remove");
  viewer.keep(removed);
  await removed.body?.cancel();
  assertEquals(await statusAndPlace(await viewer.get("/agents")), "303 /account/factors");
  await (await owner.person.post(path, { required: "no" })).body?.cancel();
  assertEquals(await statusAndPlace(await viewer.get("/agents")), "200");
});

Deno.test("operators need a second factor, unless only this machine reaches the service", async () => {
  const needs = async (env: Record<string, string>) => {
    const { service } = await start({ env });
    await using _ = service;
    const input = { token: SETUP_TOKEN, email: "operator@example.com", password: PASSWORD };
    const done = await service.service.setup.complete({ ...input, from: { address: "local" } });
    assert("cookieToken" in done);
    const member = await Dashboard.join(service, "owner");
    const user = await service.service.signIn.authenticate(done.cookieToken);
    const other = await service.service.signIn.authenticate(tokenOf(member));
    return [user?.mustAddFactor ?? false, other?.mustAddFactor ?? false];
  };
  assertEquals(await needs({}), [false, false]);
  assertEquals(await needs({ HOST: "0.0.0.0" }), [true, false]);
  assertEquals(await needs({ PUBLIC_URL: "http://localhost:8000", HOST: "127.0.0.1" }), [
    false,
    false,
  ]);
  // A proxy leads there.
  assertEquals(await needs({ PUBLIC_URL: "https://chat.example", HOST: "127.0.0.1" }), [
    true,
    false,
  ]);
});

Deno.test("a removed factor counts at the next request, in every process", async () => {
  const kv = await openTestKv();
  const one = await start({ kv, keepKv: true });
  await using first = one.service;
  const two = await start({ kv });
  await using second = two.service;
  const operator = await Dashboard.setUp(first);
  const { person, email } = await withApp(first);
  const there = new Dashboard(second, tokenOf(person));
  assertEquals(await statusAndPlace(await there.get("/agents")), "200");
  const { team } = first.service;
  const members = await team.members(await first.tenant());
  const { id } = members.find((member) => member.email === email)!;
  assertStringIncludes(await (await operator.get("/team")).text(), "Second factor");
  const reset = await operator.post(`/team/${id}/factors`);
  assertEquals(await statusAndPlace(reset), "303 /team?notice=factors_reset");
  assertStringIncludes(await statusAndPlace(await there.get("/agents")), "303 /sign-in?");
  const browser = await signIn(second, email);
  assertEquals(await statusAndPlace(await browser.get("/agents")), "200", "the password is enough");
  // An owner who is no operator must not take over the operator's account.
  const me = members.find(({ operator }) => operator)!;
  await addAuthenticatorApp(first, tokenOf(operator));
  const taken = await browser.post(`/team/${me.id}/factors`);
  assertEquals(await statusAndPlace(taken), "409");
});

Deno.test("a form that was held back until its sign-in had ended adds no factor", async () => {
  const { clock, service } = await start();
  await using _ = service;
  await Dashboard.setUp(service);
  const thief = await Dashboard.join(service, "owner");
  const token = tokenOf(thief);
  const user = (await service.service.signIn.authenticate(token))!;
  const offer = await service.service.factors.offerTotp(user);
  const code = new AuthenticatorApp(offer.secret).code(clock.ms);
  const form = new URLSearchParams({ ...offer, code }).toString();
  const body = new TransformStream<Uint8Array, Uint8Array>();
  const writer = body.writable.getWriter();
  const answer = fetch(`${service.url}/account/factors/app`, {
    method: "POST",
    body: body.readable,
    headers: {
      ...{ cookie: thief.cookie, origin: service.url },
      "content-type": "application/x-www-form-urlencoded",
    },
    redirect: "manual",
  });
  await writer.write(new TextEncoder().encode(form.slice(0, 10)));
  // The owner has another browser.
  const owner = await signIn(service, "owner@example.com");
  const changed = await owner.post("/account", { current: PASSWORD, password: `${PASSWORD} 2` });
  await changed.body?.cancel();
  await writer.write(new TextEncoder().encode(form.slice(10)));
  await writer.close();
  // 303 if the request was not read before the change.
  assertMatch(await statusAndPlace(await answer), /^(403$|303 \/sign-in)/);
  assertEquals(await service.service.factors.summary(user), { passkeys: [], recoveryCodes: 0 });
});

Deno.test("after the loss of the encryption key, an app's code is wrong and a recovery code is right", async () => {
  const kv = await openTestKv();
  const { clock, service } = await start({ kv, keepKv: true });
  await using _ = service;
  await Dashboard.setUp(service);
  const { person, app, email } = await withApp(service);
  const html = await (await person.post("/account/factors/codes")).text();
  const [code] = /[a-z2-7]{4}(-[a-z2-7]{4}){5}/.exec(html)!;
  const other = btoa("x".repeat(32));
  const moved = await start({ kv, encryptionKeys: [other] });
  await using there = moved.service;
  clock.ms += STEP;
  const browser = await signIn(there, email);
  const enter = async (typed: string) =>
    await statusAndPlace(await browser.post("/sign-in/factor", { code: typed }));
  assertEquals(await enter(app.code(clock.ms)), "403");
  assertEquals(await enter(code!), "303 /home");
});

Deno.test("only owners see who has a second factor", async () => {
  const { service } = await start();
  await using _ = service;
  await Dashboard.setUp(service);
  const { person } = await withApp(service);
  const viewer = await Dashboard.join(service, "viewer");
  assertStringIncludes(await (await person.get("/team")).text(), "Second factor");
  assert(!(await (await viewer.get("/team")).text()).includes("Second factor"));
});

Deno.test("the command line resets the second factors of a user", async () => {
  const { service } = await start();
  await using _ = service;
  await Dashboard.setUp(service);
  const { person, email } = await withApp(service);
  const { users } = service.service;
  assertEquals(await users.resetFactors("nobody@example.com"), undefined);
  assertEquals(await users.resetFactors(email.toUpperCase()), { email, changed: true });
  assertEquals(await users.resetFactors(email), { email, changed: false });
  assertStringIncludes(await statusAndPlace(await person.get("/agents")), "303 /sign-in?");
});

Deno.test("secrets of factors are in neither the store nor the log, and go with the user", async () => {
  const kv = await openTestKv();
  const { service } = await start({ kv });
  await using _ = service;
  const operator = await Dashboard.setUp(service);
  const person = await Dashboard.join(service, "viewer");
  const user = (await service.service.signIn.authenticate(tokenOf(person)))!;
  const { factors, runtime } = service.service;
  const offer = await factors.offerTotp(user);
  const code = new AuthenticatorApp(offer.secret).code(runtime.now());
  assert(await factors.confirmTotp(user, offer, code));
  const codes = await factors.renewRecoveryCodes(user);
  const stored = async () =>
    Deno.inspect(await Array.fromAsync(kv.list({ prefix: [] })), {
      ...{ depth: 20, iterableLimit: 100_000, strAbbreviateSize: 1_000_000 },
    });
  const all = await stored() + service.logged.join("\n");
  for (const secret of [offer.secret, ...codes]) assert(!all.includes(secret), secret);
  const entry = await kv.get(["account_security", user.tenant, user.id]);
  assert(hasFactor(entry.value as never));
  await (await operator.post(`/team/${user.id}/remove`)).body?.cancel();
  assertMatch(await stored(), /audit_entries/);
  const rest = await Array.fromAsync(
    kv.list({ prefix: ["sign_in_details", user.tenant, user.id] }),
  );
  assertEquals(rest, []);
  assertEquals((await kv.get(["account_security", user.tenant, user.id])).value, null);
});

Deno.test("a stolen cookie has five tries, also after it was replaced, and a new password proves no factor", async () => {
  const { clock, service } = await start();
  await using _ = service;
  await Dashboard.setUp(service);
  const { person, app } = await withApp(service);
  clock.ms += 20 * 60_000;
  const remove = async (own_password: string) =>
    await statusAndPlace(await person.post("/account/factors/app/remove", { own_password }));
  const fields = { current: PASSWORD, password: "another good password" };
  const changed = await person.post("/account", fields);
  assertEquals(await statusAndPlace(changed), "303 /account?notice=password_changed");
  person.keep(changed);
  const right = app.code(clock.ms);
  const wrong = right === "000000" ? "000001" : "000000";
  for (let n = 0; n < 5; n++) assertEquals(await remove(wrong), "403", `try ${n}`);
  assertEquals(await remove(wrong), "429");
  const replaced = await person.post("/account", { action: "sign_out_elsewhere" });
  assertEquals(await statusAndPlace(replaced), "303 /account?notice=signed_out_elsewhere");
  person.keep(replaced);
  assertEquals(await remove(right), "429");
  clock.ms += 16 * 60_000;
  const removed = "303 /account/factors?notice=totp_removed";
  assertEquals(await remove(app.code(clock.ms)), removed);
});

Deno.test("a provider's proof ends with its session: a new password does not keep it", async () => {
  const { service } = await start();
  await using _ = service;
  await Dashboard.setUp(service);
  const person = await Dashboard.join(service, "admin");
  const { factors, ownSessions, signIn } = service.service;
  const user = (await signIn.authenticate(tokenOf(person)))!;
  const proven = await signIn.createSignIn(
    { ...user, v: 1, passwordHash: "", createdAt: 0, epoch: user.session.epoch },
    { factor: "provider" },
  );
  const current = (await signIn.authenticate(proven.cookieToken))!;
  const changed = await ownSessions.changePassword(current, "another good password");
  assert("cookieToken" in changed);
  await factors.require(user.tenant, true);
  assertEquals((await signIn.authenticate(changed.cookieToken))?.mustAddFactor, true);
});
