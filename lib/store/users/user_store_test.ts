import { assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { type User, UserStore } from "./user_store.ts";

function user(email: string): User {
  const passwordHash = "scrypt$1$1$1$salt$hash";
  const [id, tenant] = [crypto.randomUUID(), crypto.randomUUID()];
  const account = { id, tenant, email, passwordHash, role: "owner", createdAt: 5 } as const;
  return { v: 1, ...account, operator: true, epoch: 0 };
}

Deno.test("UserStore: finds the first owner by id in the tenant, and by address", async () => {
  using kv = await Deno.openKv(":memory:");
  const users = new UserStore(kv, new FakeRuntime());
  const owner = user("owner@example.com");
  assertEquals(await users.createFirstOwner(owner), true);
  assertEquals(await users.findByEmail("owner@example.com"), owner);
  assertEquals(await users.get(owner.tenant, owner.id), owner);
  assertEquals(await users.get(crypto.randomUUID(), owner.id), undefined);
  assertEquals(await users.findByEmail("other@example.com"), undefined);
});

Deno.test("UserStore: the first owner completes the set-up permanently", async () => {
  using kv = await Deno.openKv(":memory:");
  const users = new UserStore(kv, new FakeRuntime());
  assertEquals(await users.setupState(), { done: false });
  assertEquals(await users.setSetupToken("hash one"), true);
  assertEquals(await users.setSetupToken("hash two"), true);
  assertEquals(await users.setupState(), { done: false, tokenHash: "hash two" });
  const made = await Promise.all([user("a@example.com"), user("b@example.com")]
    .map((owner) => users.createFirstOwner(owner)));
  assertEquals(made.sort(), [false, true]);
  assertEquals(await users.setupState(), { done: true });
  assertEquals(await users.setSetupToken("hash three"), false);
});
