/** Who operates the installation: granting and taking the role, in the dashboard and by command. */
import {
  assert,
  assertEquals,
  assertMatch,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { adminCommands } from "@/lib/server/commands/admin_commands.ts";
import { CommandError } from "@/lib/server/commands/commands.ts";
import { INSTALLATION } from "@/lib/store/audit/audit_record.ts";
import { Dashboard, PASSWORD, SETUP_TOKEN } from "./support/dashboard.ts";
import { FakeRuntime } from "./support/fake_runtime.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";

const PAGE = "/operator/operators";

async function statusOf(answer: Promise<Response>): Promise<number> {
  const { status, body } = await answer;
  await body?.cancel();
  return status;
}

async function htmlOf(answer: Promise<Response>): Promise<string> {
  return await (await answer).text();
}

/** Two processes on one store: an operator in the first, and the owner of another tenant in both. */
async function openTwo() {
  const kv = await openTestKv();
  const clock = new FakeRuntime();
  const runtime = { now: clock.now };
  const start = () =>
    TestService.start({ kv, keepKv: true, runtime, env: { SETUP_TOKEN, DEMO: "off" } });
  const [one, two] = [await start(), await start()];
  const operator = await Dashboard.setUp(one);
  const tenant = (await one.service.tenants.create("Elsewhere")).id;
  const owner = await Dashboard.join(one, "owner", { tenant, name: "else" });
  const ownerInTwo = new Dashboard(two);
  ownerInTwo.cookie = owner.cookie;
  const dispose = async () => {
    await one[Symbol.asyncDispose]();
    await two[Symbol.asyncDispose]();
    kv.close();
  };
  const user = (await one.service.team.members(tenant))[0]!;
  return {
    ...{ clock, one, two, operator, tenant, user, owner, ownerInTwo },
    [Symbol.asyncDispose]: dispose,
  };
}

Deno.test("/operator/operators: a user of any tenant becomes operator, and stops being one, at the next request of every process", async () => {
  await using fixture = await openTwo();
  const { one, operator, tenant, user, owner, ownerInTwo } = fixture;
  assertEquals(await statusOf(owner.get(PAGE)), 403);
  assertEquals(await statusOf(owner.post(PAGE, { email: user.email })), 403, "not by themselves");
  assertEquals(await statusOf(operator.post(PAGE, { email: " ELSE@example.com" })), 303);
  for (const page of [owner, ownerInTwo]) {
    const html = await htmlOf(page.get(PAGE));
    assertStringIncludes(html, "operator@example.com");
    assertStringIncludes(html, "Elsewhere");
  }
  // The new one takes it from the first, who is out of the operator's pages at once.
  const first = (await one.service.operators.list())[0]!;
  assertEquals(await statusOf(ownerInTwo.post(`${PAGE}/${first.id}`)), 303);
  assertEquals(await statusOf(operator.get("/operator/tenants")), 403);
  assertEquals(await statusOf(operator.get("/home")), 200, "still an owner of the own tenant");
  assertEquals(await statusOf(operator.get(`${PAGE}/${user.id}`)), 403);
  // Both logs know it.
  for (const log of [INSTALLATION, tenant]) {
    const { data } = await one.service.audit.list(log, { limit: 10, kind: "user" });
    const granted = data.find(({ action }) => action === "grant operator")!;
    assertEquals(granted.target.name, "else@example.com");
    assert(granted.actor.kind === "user" && granted.actor.name === "operator@example.com");
  }
  const log = await htmlOf(ownerInTwo.get("/audit?log=installation"));
  assertStringIncludes(log, "Removed the operator role of");
});

Deno.test("/operator/operators: asks for the password again, names what is wrong, and lists no action for the last operator", async () => {
  await using fixture = await openTwo();
  const { clock, one, operator, user } = fixture;
  assert(!(await htmlOf(operator.get(PAGE))).includes("Remove role"));
  for (
    const [email, message] of [
      ["nobody@example.com", "No user has this address"],
      ["no address", "No user has this address"],
      ["operator@example.com", "is an operator already"],
    ] as const
  ) {
    const answer = await operator.post(PAGE, { email });
    assertEquals(answer.status, 400);
    assertStringIncludes(await answer.text(), message);
  }
  await clock.advance(16 * 60_000);
  const asked = await operator.post(PAGE, { email: user.email });
  assertEquals(asked.status, 403);
  assertStringIncludes(await asked.text(), "own_password");
  assertEquals((await one.service.operators.list()).length, 1);
  const fields = { email: user.email, own_password: PASSWORD };
  assertEquals(await statusOf(operator.post(PAGE, fields)), 303);
  await clock.advance(16 * 60_000);
  assertEquals(await statusOf(operator.post(`${PAGE}/${user.id}`)), 403);
  assertEquals((await one.service.operators.list()).length, 2);
});

Deno.test("the last operator keeps the role: also when operators take it from each other at once, and as a member", async () => {
  await using fixture = await openTwo();
  const { one, two, operator, user, tenant } = fixture;
  for (let round = 0; round < 5; round++) {
    await one.service.operators.grant(user.email);
    await one.service.operators.grant("operator@example.com");
    const [a, b] = await one.service.operators.list();
    const taken = await Promise.all([
      one.service.operators.revoke(a!),
      two.service.operators.revoke(b!),
    ]);
    assertEquals(taken.filter((one) => "user" in one).length, 1);
    assertEquals((await one.service.operators.list()).length, 1);
  }
  await one.service.operators.grant("operator@example.com");
  await one.service.operators.revoke(user);
  const me = (await one.service.operators.list())[0]!;
  const own = await operator.post(`${PAGE}/${me.id}`);
  assertEquals(own.status, 409);
  assertStringIncludes(await own.text(), "make another user an operator first");
  // With a second owner the team could do without them, the installation could not.
  await Dashboard.join(one, "owner", { name: "second" });
  const removed = await operator.post(`/team/${me.id}/remove`);
  assertEquals(removed.status, 409);
  assertStringIncludes(await removed.text(), "The installation needs an operator");
  await one.service.operators.grant(user.email);
  assertEquals(await statusOf(operator.post(`/team/${me.id}/remove`)), 303);
  assertEquals((await one.service.operators.list()).map((one) => one.tenant), [tenant]);
});

Deno.test("deno task users operator: grants and revokes, says what it did, and keeps the last one", async () => {
  await using fixture = await openTwo();
  const { one, user, owner } = fixture;
  const change = adminCommands(one.service)["users.operator"];
  const email = user.email;
  assertEquals(await change({ email, operator: true }), { email, changed: true });
  assertEquals(await change({ email, operator: true }), { email, changed: false });
  assertEquals(await statusOf(owner.get(PAGE)), 200);
  await change({ email: "operator@example.com", operator: false });
  await assertRejects(() => change({ email, operator: false }), CommandError, "last operator");
  const unknown = () => change({ email: "x@example.com", operator: true });
  await assertRejects(unknown, CommandError, "no user has the e-mail");
  const { data } = await one.service.audit.list(INSTALLATION, { limit: 1 });
  assertEquals([data[0]!.actor.kind, data[0]!.action], ["command_line", "revoke operator"]);
  assertMatch(data[0]!.target.name, /^operator@/);
});
