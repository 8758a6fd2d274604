/** Sign-ins, sign-outs, failures and denied access: in the audit log, the process log and on /audit. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { runAs } from "@/lib/store/audit/actor.ts";
import type { AuditEntry } from "@/lib/store/audit/audit_entry.ts";
import { Dashboard, PASSWORD, SETUP_TOKEN } from "./support/dashboard.ts";
import { instantRuntime } from "./support/instant_runtime.ts";
import { TestService } from "./support/service.ts";

const OWNER = { email: "operator@example.com", password: PASSWORD };
const WRONG = "my-other-secret-password";

async function send(dashboard: Dashboard, path: string, fields = {}, headers = {}) {
  const answer = await dashboard.post(path, fields, headers);
  await answer.body?.cancel();
  return answer;
}

/** Entries as text, oldest first: actor, `kind: action`, account and changes. */
function describe(entries: readonly AuditEntry[]): string[] {
  return entries.toReversed().map(({ kind, action, actor, target, changes }) => {
    const facts = changes.map(({ field, after }) => `${field} ${after}`).join(", ");
    return `${actor.kind} ${kind}: ${action} ${target.name} [${facts}]`;
  });
}

async function entriesOf(service: TestService, log: string, kind: "sign-in" | "access") {
  await service.service.securityLog.flush();
  return describe((await service.service.audit.list(log, { limit: 100, kind })).data);
}

Deno.test("sign-in, sign-out, failures and lockouts are in the audit log and the process log, without passwords", async () => {
  const { runtime, advance } = instantRuntime();
  await using service = await TestService.start({ runtime, env: { SETUP_TOKEN, DEMO: "off" } });
  // A test can begin in the async context of an earlier one, whose actor would be recorded.
  await runAs({ kind: "service" }, () => Dashboard.setUp(service));
  const person = new Dashboard(service);
  const tick = () => advance(1_000);
  for (let n = 0; n < 4; n++) await send(person, "/sign-in", { ...OWNER, password: WRONG });
  tick();
  const signedIn = await send(person, "/sign-in", OWNER);
  person.keep(signedIn);
  tick();
  await send(person, "/sign-out");
  tick();
  // A user types the password into the e-mail field, once with a domain and once without.
  for (const email of [`${WRONG}@example.com`, WRONG]) {
    await send(person, "/sign-in", { ...OWNER, email });
  }
  for (let n = 0; n < 5; n++) await send(person, "/sign-in", { ...OWNER, password: WRONG });
  const from = "address 127.0.0.1";
  const tenant = await service.tenant();
  assertEquals(
    (await entriesOf(service, tenant, "sign-in")).toSorted(),
    [
      `anonymous sign-in: failed operator@example.com [${from}, times 1]`,
      `anonymous sign-in: failed operator@example.com [${from}, times 7]`,
      `anonymous sign-in: locked out operator@example.com [${from}, times 1]`,
      `user sign-in: signed in operator@example.com [${from}]`,
      // Setup signs the first owner in; the test does it without a request.
      "user sign-in: signed in operator@example.com [address local]",
      `user sign-in: signed out operator@example.com [${from}]`,
    ],
  );
  assertEquals(await entriesOf(service, "installation", "sign-in"), [
    `anonymous sign-in: failed  [${from}, times 1]`,
  ]);
  const lines = service.logged.filter((line) => line.includes('"sign-in: '));
  for (const words of ["signed in", "signed out", "failed", "locked out"]) {
    assert(lines.some((line) => line.includes(`sign-in: ${words}`)), words);
  }
  const everything = service.logged.join("\n") +
    JSON.stringify(await service.service.audit.list(tenant, { limit: 100 })) +
    JSON.stringify(await service.service.audit.list("installation", { limit: 100 }));
  assert(!everything.includes(WRONG) && !everything.includes(PASSWORD));
});

Deno.test("POST /setup: is in the audit log as the first owner's sign-in, with its address", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN, DEMO: "off" } });
  const fields = { ...OWNER, token: SETUP_TOKEN };
  assertEquals((await send(new Dashboard(service), "/setup", fields)).status, 303);
  assertEquals(await entriesOf(service, await service.tenant(), "sign-in"), [
    "user sign-in: signed in operator@example.com [address 127.0.0.1]",
  ]);
});

Deno.test("POST /reset-password: the sign-in by a one-time link is in the audit log and the process log, with its address", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN, DEMO: "off" } });
  await Dashboard.setUp(service);
  const { token } = (await service.service.users.createResetLink(OWNER.email))!;
  const fields = { token, password: "a brand new password" };
  const reset = await send(new Dashboard(service), "/reset-password", fields);
  assertEquals(reset.status, 303);
  assertEquals(await entriesOf(service, await service.tenant(), "sign-in"), [
    "user sign-in: signed in operator@example.com [address local]",
    "user sign-in: signed in operator@example.com [address 127.0.0.1]",
  ]);
  assert(service.logged.some((line) => line.includes("sign-in: signed in")));
});

Deno.test("every 403 of the dashboard is in the audit log: a missing role, a cross-site form", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN, DEMO: "off" } });
  const owner = await Dashboard.setUp(service);
  const viewer = await Dashboard.join(service, "viewer");
  for (let n = 0; n < 3; n++) {
    const answer = await viewer.get("/operator/status");
    await answer.body?.cancel();
    assertEquals(answer.status, 403);
  }
  const cross = { origin: "https://evil.example", "sec-fetch-site": "cross-site" };
  assertEquals((await send(owner, "/account", {}, cross)).status, 403);
  const tenant = await service.tenant();
  const facts = "address 127.0.0.1, times";
  assertEquals(await entriesOf(service, tenant, "access"), [
    `user access: role not allowed viewer@example.com [${facts} 1, detail /operator/status]`,
    `user access: role not allowed viewer@example.com [${facts} 2, detail /operator/status]`,
  ]);
  assertEquals(await entriesOf(service, "installation", "access"), [
    `anonymous access: form of another site  [${facts} 1, detail /account]`,
  ]);
  assert(service.logged.some((line) => line.includes("access: role not allowed")));
});

Deno.test("/audit: shows sign-ins in plain words, and filters by kind and by anonymous actor", async () => {
  await using service = await TestService.start({ env: { SETUP_TOKEN, DEMO: "off" } });
  const owner = await Dashboard.setUp(service);
  for (let n = 0; n < 3; n++) await send(owner, "/sign-in", { ...OWNER, password: WRONG });
  const page = async (query: string) => await (await owner.get(`/audit?${query}`)).text();
  const signIns = (await page("kind=sign-in")).replace(/<\/?a\b[^>]*>/g, "");
  for (const words of ["Failed to sign in", "from 127.0.0.1", "2 times", "Not signed in"]) {
    assertStringIncludes(signIns, words);
  }
  assert(!signIns.includes("Created user"));
  assertStringIncludes(await page("actor=anonymous"), "Failed to sign in");
  assertStringIncludes(await page("kind=access"), "No matching entries");
});

Deno.test("a sign-in expires seven days after the password was entered, and /sign-in says why", async () => {
  const { runtime, advance } = instantRuntime();
  await using service = await TestService.start({ runtime, env: { SETUP_TOKEN, DEMO: "off" } });
  const owner = await Dashboard.setUp(service);
  const hour = 3_600_000;
  for (let hours = 0; hours < 7 * 24 - 8; hours += 8) {
    advance(8 * hour);
    const answer = await owner.get("/account");
    await answer.body?.cancel();
    assertEquals(answer.status, 200, `after ${hours + 8} hours`);
  }
  advance(8 * hour);
  const expired = await owner.get("/account");
  await expired.body?.cancel();
  assertEquals([expired.status, expired.headers.get("location")], [
    303,
    "/sign-in?next=%2Faccount",
  ]);
  const why = await (await owner.get("/sign-in?next=%2Faccount")).text();
  assertStringIncludes(why, "you last signed in 7 days ago");
  owner.keep(await owner.post("/sign-in", { ...OWNER, next: "/account" }));
  assertEquals((await owner.get("/account")).status, 200);
  advance(12 * hour);
  assertStringIncludes(await (await owner.get("/sign-in")).text(), "after 12 hours of inactivity");
});
