/** API keys and secrets stay within the plan, whatever two processes add and delete, and as keys expire. */
import { assert, assertEquals } from "@std/assert";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { flakyKv, seeded } from "@/tests/support/flaky_kv.ts";
import { Sealer } from "../../platform/crypto/sealing.ts";
import { Signer } from "../../platform/crypto/signer.ts";
import { isoTime, systemRuntime } from "../../platform/runtime.ts";
import { ApiError } from "../../schemas/api_error.ts";
import { keys } from "../keys/keys.ts";
import { DEFAULT_PLAN, type Plan } from "../tenants/tenant_store.ts";
import { ApiKeyStore } from "./api_key_store.ts";
import { SECRETS_PURPOSE, SecretStore } from "./secret_store.ts";

const TENANT = fakeUuid(801);
const MINUTE = 60_000;
const LIMITS = { apiKeys: 4, toolSecrets: 3 };
const signer = new Signer(["server secret"]);
const sealer = new Sealer([new Uint8Array(32).fill(7).toBase64()], {
  purpose: SECRETS_PURPOSE,
  randomBytes: systemRuntime.randomBytes,
});

function setQuotas(kv: Deno.Kv, quotas: Plan["quotas"]): Promise<Deno.KvCommitResult> {
  return kv.set(keys.plan(TENANT), { ...DEFAULT_PLAN, quotas });
}

/** The stores of one process, and what people do with them. */
function open(kv: Deno.Kv, runtime: FakeRuntime) {
  const apiKeys = new ApiKeyStore(kv, { runtime, signer });
  const secrets = new SecretStore(kv, { runtime, sealer });
  return {
    ...{ apiKeys, secrets },
    createKey: (lifeMs?: number) =>
      apiKeys.create(TENANT, {
        ...{ name: "Key", scopes: ["agents:read"] },
        ...lifeMs !== undefined && { expiresAt: isoTime(runtime.now() + lifeMs) },
      }),
    setSecret: (name: string) =>
      secrets.set(TENANT, { name, value: "tops3cret", domains: ["a.example"] }),
    /** How many keys are active, and how many secrets there are. */
    async count(): Promise<{ apiKeys: number; toolSecrets: number }> {
      const active = (await apiKeys.list(TENANT)).filter(({ state }) => state === "active");
      return { apiKeys: active.length, toolSecrets: (await secrets.list(TENANT)).length };
    },
  };
}

/** The number of successes; fails on anything but a rejection by a quota. */
async function countDone(work: readonly Promise<unknown>[]): Promise<number> {
  const settled = await Promise.allSettled(work);
  const rejected = settled.filter((one) => one.status === "rejected");
  for (const { reason } of rejected) {
    assert(reason instanceof ApiError && reason.code === "quota_exceeded", String(reason));
  }
  return settled.length - rejected.length;
}

for (const seed of [1, 2, 3]) {
  Deno.test(`quotas: random keys and secrets of two processes stay within the plan, and what is free is given (seed ${seed})`, async () => {
    using kv = await Deno.openKv(":memory:");
    const runtime = new FakeRuntime();
    const random = seeded(seed);
    const below = (n: number) => Math.floor(random() * n);
    await setQuotas(kv, LIMITS);
    const all = [1, 2].map((n) =>
      open(flakyKv(kv, { random: seeded(seed * 10 + n), turns: 4 }).kv, runtime)
    );
    const ids: string[] = [];
    const steps: ((of: typeof all[number]) => Promise<unknown>)[] = [
      async ({ createKey }) => {
        const life = random() < 0.5 ? undefined : (1 + below(60)) * MINUTE;
        ids.push((await createKey(life)).apiKey.id);
      },
      ({ apiKeys }) => apiKeys.revoke(TENANT, ids[below(ids.length)] ?? fakeUuid(1)),
      ({ setSecret }) => setSecret(`SECRET_${below(6)}`),
      ({ secrets }) => secrets.delete(TENANT, `SECRET_${below(6)}`),
      () => runtime.advance(below(20) * MINUTE),
    ];
    for (let round = 0; round < 15; round++) {
      await countDone(
        Array.from({ length: 12 }, (_, n) => steps[below(steps.length)]!(all[n % 2]!)),
      );
      const used = await all[0]!.count();
      const free = [LIMITS.apiKeys - used.apiKeys, LIMITS.toolSecrets - used.toolSecrets];
      assert(free.every((n) => n >= 0), JSON.stringify(used));
      if (round % 5 !== 4) continue;
      const keyed = Array.from({ length: 6 }, (_, n) => all[n % 2]!.createKey(10 * MINUTE));
      const named = Array.from(
        { length: 6 },
        (_, n) => all[n % 2]!.setSecret(`MORE_${round}_${n}`),
      );
      assertEquals(await Promise.all([countDone(keyed), countDone(named)]), free);
    }
  });
}

Deno.test("quotas: a plan below what a tenant has takes nothing away, and an expired key frees its place", async () => {
  using kv = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const { count, createKey, setSecret } = open(kv, runtime);
  await createKey();
  await createKey(10 * MINUTE);
  for (const name of ["A", "B"]) await setSecret(name);
  await setQuotas(kv, { apiKeys: 1, toolSecrets: 1 });
  assertEquals(await countDone([createKey(), setSecret("C")]), 0);
  assertEquals(await countDone([setSecret("A")]), 1, "a secret is replaced");
  assertEquals(await count(), { apiKeys: 2, toolSecrets: 2 });
  await setQuotas(kv, { apiKeys: 2 });
  await runtime.advance(10 * MINUTE - 1);
  assertEquals(await countDone([createKey()]), 0);
  await runtime.advance(1);
  assertEquals(await countDone([createKey(), createKey()]), 1);
});

Deno.test("quotas: of 120 secrets at once no commit fails, because a process adds them one after the other", async () => {
  using kv = await Deno.openKv(":memory:");
  const flaky = flakyKv(kv, { random: seeded(1), turns: 4 });
  const { setSecret } = open(flaky.kv, new FakeRuntime());
  const all = Array.from({ length: 120 }, (_, n) => setSecret(`SECRET_${n}`));
  assertEquals([await countDone(all), flaky.traffic.commits], [120, 120]);
});
