import { assertEquals } from "@std/assert";
import { systemRuntime } from "../../platform/runtime.ts";
import { detailsKey, NO_DETAILS } from "./sign_in_details.ts";
import {
  type PasswordTimes,
  SIGN_IN_MAX_MS,
  SIGN_IN_TTL_MS,
  type SignIn,
  SignInStore,
} from "./sign_in_store.ts";

const WHO = { tenant: crypto.randomUUID(), userId: crypto.randomUUID(), epoch: 0 };

async function withStore(
  run: (fixture: { kv: Deno.Kv; store: SignInStore; clock: { ms: number } }) => Promise<void>,
): Promise<void> {
  using kv = await Deno.openKv(":memory:");
  const clock = { ms: 1_000_000 };
  await run({ kv, clock, store: new SignInStore(kv, { ...systemRuntime, now: () => clock.ms }) });
}

async function versionOfOnlySignIn(kv: Deno.Kv): Promise<string | undefined> {
  return (await Array.fromAsync(kv.list({ prefix: ["sign_ins"] })))[0]?.versionstamp;
}

/** Uses a sign-in as a request does. */
async function use(
  { kv, store }: { kv: Deno.Kv; store: SignInStore },
  token: string,
): Promise<SignIn & PasswordTimes | undefined> {
  const live = await store.read(token);
  if (live === undefined) return undefined;
  const { hash, entry: _entry, ...signIn } = live;
  const entry = await kv.get(detailsKey({ ...signIn, hash }));
  await store.extend(live, { entry, details: NO_DETAILS });
  return signIn;
}

Deno.test("SignInStore: a sign-in ends at its stored time, before the store deletes it", async () => {
  await withStore(async ({ kv, store, clock }) => {
    const token = await store.create(WHO);
    clock.ms += SIGN_IN_TTL_MS - 1;
    assertEquals(await use({ kv, store }, token), {
      ...WHO,
      createdAt: 1_000_000,
      provenAt: 1_000_000,
    });
    clock.ms += SIGN_IN_TTL_MS;
    assertEquals(await use({ kv, store }, token), undefined);
  });
});

Deno.test("SignInStore: a use is stored at most once a minute", async () => {
  await withStore(async ({ kv, store, clock }) => {
    const token = await store.create(WHO);
    const before = await versionOfOnlySignIn(kv);
    clock.ms += 59_999;
    await use({ kv, store }, token);
    assertEquals(await versionOfOnlySignIn(kv), before);
    clock.ms += 1;
    await use({ kv, store }, token);
    assertEquals(await versionOfOnlySignIn(kv) === before, false);
  });
});

Deno.test("SignInStore: a deleted sign-in is not found", async () => {
  await withStore(async ({ kv, store }) => {
    const token = await store.create(WHO);
    await store.delete(token);
    assertEquals(await use({ kv, store }, token), undefined);
  });
});

Deno.test("SignInStore: a sign-in ends seven days after the password, even if it is used", async () => {
  await withStore(async ({ kv, store, clock }) => {
    const token = await store.create(WHO);
    for (let hours = 0; hours < 7 * 24 - 11; hours += 11) {
      clock.ms += 11 * 3_600_000;
      assertEquals((await use({ kv, store }, token))?.userId, WHO.userId, `${hours} hours`);
      await store.recordPasswordCheck(token);
    }
    clock.ms = 1_000_000 + SIGN_IN_MAX_MS - 1;
    assertEquals((await use({ kv, store }, token))?.userId, WHO.userId);
    clock.ms += 1;
    assertEquals(await use({ kv, store }, token), undefined);
    assertEquals(await store.endReason(token), "too_old");
  });
});

Deno.test("SignInStore: a sign-in that replaces another keeps its age", async () => {
  await withStore(async ({ kv, store, clock }) => {
    const first = await store.create(WHO);
    const { createdAt, provenAt } = (await use({ kv, store }, first))!;
    clock.ms += 3_600_000;
    const next = await store.create(WHO, { replaces: { createdAt, provenAt } });
    assertEquals(await use({ kv, store }, next), { ...WHO, createdAt, provenAt });
  });
});

Deno.test("SignInStore: a record of an earlier release ends after seven days too", async () => {
  await withStore(async ({ kv, store, clock }) => {
    const token = await store.create(WHO);
    const [entry] = await Array.fromAsync(kv.list<Record<string, unknown>>({ prefix: [] }));
    await kv.set(entry!.key, { ...entry!.value, exp: 1_000_000 + 30 * 86_400_000 });
    clock.ms += SIGN_IN_MAX_MS;
    assertEquals(await use({ kv, store }, token), undefined);
  });
});

Deno.test("SignInStore.endReason: says why a sign-in ended, and nothing of a live one", async () => {
  await withStore(async ({ store, clock }) => {
    const token = await store.create(WHO);
    assertEquals(await store.endReason(token), undefined);
    clock.ms += SIGN_IN_TTL_MS;
    assertEquals(await store.endReason(token), "unused");
    assertEquals(await store.endReason("made up"), undefined);
  });
});
