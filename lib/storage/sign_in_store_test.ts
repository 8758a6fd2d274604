import { assertEquals } from "@std/assert";
import { realSystem } from "../system.ts";
import { SIGN_IN_TTL_MS, SignInStore } from "./sign_in_store.ts";

const WHO = { tenant: crypto.randomUUID(), userId: crypto.randomUUID(), epoch: 0 };

async function withStore(
  run: (fixture: { kv: Deno.Kv; store: SignInStore; clock: { ms: number } }) => Promise<void>,
): Promise<void> {
  using kv = await Deno.openKv(":memory:");
  const clock = { ms: 1_000_000 };
  await run({ kv, clock, store: new SignInStore(kv, { ...realSystem, now: () => clock.ms }) });
}

async function versionOfOnlySignIn(kv: Deno.Kv): Promise<string | undefined> {
  return (await Array.fromAsync(kv.list({ prefix: ["sign_ins"] })))[0]?.versionstamp;
}

Deno.test("SignInStore ends a sign-in by its stored time, before storage collects it", async () => {
  await withStore(async ({ store, clock }) => {
    const token = await store.create(WHO);
    clock.ms += SIGN_IN_TTL_MS - 1;
    assertEquals(await store.use(token), { ...WHO, provenAt: 1_000_000 });
    clock.ms += SIGN_IN_TTL_MS;
    assertEquals(await store.use(token), undefined);
  });
});

Deno.test("SignInStore writes a use down at most once a minute", async () => {
  await withStore(async ({ kv, store, clock }) => {
    const token = await store.create(WHO);
    const before = await versionOfOnlySignIn(kv);
    clock.ms += 59_999;
    await store.use(token);
    assertEquals(await versionOfOnlySignIn(kv), before);
    clock.ms += 1;
    await store.use(token);
    assertEquals(await versionOfOnlySignIn(kv) === before, false);
  });
});

Deno.test("SignInStore forgets a deleted sign-in", async () => {
  await withStore(async ({ store }) => {
    const token = await store.create(WHO);
    await store.delete(token);
    assertEquals(await store.use(token), undefined);
  });
});

Deno.test("SignInStore lets five tries of a pair through in fifteen minutes, sliding", async () => {
  await withStore(async ({ store, clock }) => {
    const minute = 60_000;
    for (let n = 0; n < 5; n++) {
      assertEquals(await store.takeTry("a@example.com", "192.0.2.1"), 0);
      clock.ms += minute;
    }
    assertEquals(await store.takeTry("a@example.com", "192.0.2.1"), 10 * minute);
    assertEquals(await store.takeTry("a@example.com", "192.0.2.2"), 0);
    clock.ms += 10 * minute;
    assertEquals(await store.takeTry("a@example.com", "192.0.2.1"), 0);
    assertEquals(await store.takeTry("a@example.com", "192.0.2.1"), minute);
    await store.returnTry("a@example.com", "192.0.2.1");
    assertEquals(await store.takeTry("a@example.com", "192.0.2.1"), 0);
    await store.clearTries("a@example.com", "192.0.2.1");
    assertEquals(await store.takeTry("a@example.com", "192.0.2.1"), 0);
  });
});
