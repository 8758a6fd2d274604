/** Quotas that are counted when something is added hold under concurrency, also across processes. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { ApiError } from "../../schemas/api_error.ts";
import { keys } from "../keys/keys.ts";
import { countTestSets, TestSetStore } from "../test_sets/test_set_store.ts";
import { AccountLinkStore, countUsers } from "../users/account_link_store.ts";
import { NO_PASSWORD } from "../users/user_record.ts";
import { type User, UserStore } from "../users/user_store.ts";
import { DEFAULT_PLAN, type Plan } from "./tenant_store.ts";

const TENANT = fakeUuid(811);
const FIELDS = { name: "Hours", agentId: fakeUuid(812), threshold: 0.8, budget: 1 };

const plan = (more: Partial<Plan>): Plan => ({ ...DEFAULT_PLAN, ...more });

function userOf(runtime: FakeRuntime, email: string): User {
  const account = { id: runtime.uuid(), tenant: TENANT, email, role: "viewer" as const };
  const times = { createdAt: runtime.now(), epoch: 0 };
  return { v: 1, ...account, ...times, passwordHash: NO_PASSWORD, operator: false };
}

/** The stores of one process. */
function open(kv: Deno.Kv, runtime: FakeRuntime) {
  const users = new UserStore(kv, runtime);
  return {
    links: new AccountLinkStore(kv, runtime),
    users,
    testSets: new TestSetStore(kv, runtime),
    joinFromProvider: (email: string) => users.createFromProvider(userOf(runtime, email), () => {}),
  };
}

/** Fails on anything but a rejection by the quota. */
async function settle(work: Promise<unknown>[]): Promise<void> {
  for (const one of await Promise.allSettled(work)) {
    if (one.status === "fulfilled") continue;
    assert(one.reason instanceof ApiError, String(one.reason));
    assertEquals(one.reason.code, "quota_exceeded");
  }
}

for (const seed of [1, 2, 3]) {
  Deno.test(`quotas: random additions and removals of users and test sets in two processes stay within the plan (seed ${seed})`, async () => {
    using kv = await Deno.openKv(":memory:");
    const runtime = new FakeRuntime();
    const random = seeded(seed);
    const limits = { users: 5, testSets: 4 };
    await kv.set(keys.plan(TENANT), plan({ quotas: limits }));
    const all = [1, 2].map((n) => {
      return open(flakyKv(kv, { random: seeded(seed * 10 + n), turns: 4 }).kv, runtime);
    });
    const tokens: string[] = [];
    const ids = { users: [] as string[], testSets: [] as string[] };
    const any = (of: string[]) => of[Math.floor(random() * of.length)] ?? fakeUuid(1);
    const step = async (n: number) => {
      const { links, users, testSets, joinFromProvider } = all[n % 2]!;
      const roll = random();
      const email = `p${Math.floor(random() * 12)}@example.com`;
      if (roll < 0.3) {
        const by = { email, role: "viewer" as const };
        tokens.push((await links.createInvitation(TENANT, by)).token);
      } else if (roll < 0.4) await joinFromProvider(email);
      else if (roll < 0.5) {
        const found = await links.find(any(tokens), "invite");
        if (found === undefined) return;
        const user = userOf(runtime, found.link.email);
        if (await users.createFromInvitation(user, found)) ids.users.push(user.id);
      } else if (roll < 0.6) await users.remove(TENANT, any(ids.users));
      else if (roll < 0.65) {
        const [first] = await links.listInvitations(TENANT);
        if (first) await links.revokeInvitation(TENANT, first.id);
      } else if (roll < 0.85) {
        const made = await testSets.create(TENANT, FIELDS);
        if ("set" in made) ids.testSets.push(made.set.id);
      } else await testSets.delete({ tenant: TENANT, id: any(ids.testSets) });
    };
    for (let round = 0; round < 12; round++) {
      await settle(Array.from({ length: 10 }, (_, n) => step(n)));
      const people = new Set(
        [...await all[0]!.users.list(TENANT), ...await all[0]!.links.listInvitations(TENANT)]
          .map(({ email }) => email),
      );
      const used = await countUsers(kv, { tenant: TENANT, now: runtime.now() });
      assertEquals(used, people.size, "an address that is a user and invited is counted once");
      assert(used <= limits.users, `${used} users`);
      const sets = await all[0]!.testSets.list(TENANT, { limit: 100 });
      assertEquals(await countTestSets(kv, TENANT), sets.data.length);
      assert(sets.data.length <= limits.testSets);
    }
  });
}

Deno.test("quotas: a tenant with more users than its plan allows may replace an invitation, and add none", async () => {
  using kv = await Deno.openKv(":memory:");
  const { links, joinFromProvider } = open(kv, new FakeRuntime());
  const invite = (email: string) => links.createInvitation(TENANT, { email, role: "viewer" });
  for (const name of ["ada", "ben", "cy"]) await invite(`${name}@example.com`);
  await kv.set(keys.plan(TENANT), plan({ quotas: { users: 1 } }));
  assertEquals((await invite("ben@example.com")).replaced, true);
  await assertRejects(() => invite("dan@example.com"), ApiError, "the plan allows 1 user");
  await assertRejects(() => joinFromProvider("eve@example.com"), ApiError, "the plan allows 1");
  const emails = (await links.listInvitations(TENANT)).map(({ email }) => email).sort();
  assertEquals(emails, ["ada@example.com", "ben@example.com", "cy@example.com"]);
});

Deno.test("quotas: nothing is added to a tenant that is being deleted, whatever its quotas allow", async () => {
  using kv = await Deno.openKv(":memory:");
  const { links, joinFromProvider, testSets } = open(kv, new FakeRuntime());
  const invite = () => links.createInvitation(TENANT, { email: "ada@example.com", role: "viewer" });
  await invite();
  await kv.set(keys.plan(TENANT), plan({ deletion: { at: 1 } }));
  const attempts = [invite, () => joinFromProvider("b@example.com")];
  for (const add of [...attempts, () => testSets.create(TENANT, FIELDS)]) {
    await assertRejects(add, ApiError, "this tenant is being deleted");
  }
});
