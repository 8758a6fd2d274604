import { assertEquals, assertRejects } from "@std/assert";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { hmacSecretId, Signer } from "../../platform/crypto/hashing.ts";
import { ApiKeyStore } from "./api_key_store.ts";
import { HmacSecrets, MissingHmacSecretError, registerHmacSecrets } from "./hmac_secrets.ts";
import { keys } from "../keys/keys.ts";

const [OLD, NEW, OTHER] = ["old", "new", "other"].map((name) => name.padEnd(32, "-"));
const TENANT = fakeUuid(801);
const INPUT = { name: "Backend", scopes: ["agents:write" as const] };

async function start() {
  const runtime = new FakeRuntime();
  const kv = await Deno.openKv(":memory:");
  return {
    ...{ kv, runtime },
    /** What a process with these secrets does at its start. */
    use: (...secrets: (string | undefined)[]) =>
      registerHmacSecrets(kv, secrets.map((secret) => hmacSecretId(secret!)), runtime),
    keysOf: (...secrets: (string | undefined)[]) =>
      new ApiKeyStore(kv, { runtime, signer: new Signer(secrets.map((secret) => secret!)) }),
    [Symbol.dispose]: () => kv.close(),
  };
}

Deno.test("hmacSecretId: tells secrets apart, and is no hash that the store holds otherwise", () => {
  assertEquals(hmacSecretId(OLD!), hmacSecretId(OLD!));
  assertEquals(new Set([OLD, NEW, OTHER].map((one) => hmacSecretId(one!))).size, 3);
  assertEquals(/^[0-9a-f]{8}$/.test(hmacSecretId(OLD!)), true);
});

Deno.test("registerHmacSecrets: a process that lacks the store's signing secret does not start, keys or not", async () => {
  using world = await start();
  await world.use(OLD);
  await world.use(OLD);
  const error = await assertRejects(() => world.use(OTHER), MissingHmacSecretError);
  assertEquals(error.ids, [hmacSecretId(OLD!)]);
  // The start that was refused has left nothing behind.
  await world.use(OLD);
});

Deno.test("registerHmacSecrets: an old secret may go once no key that counts was made with it", async () => {
  using world = await start();
  await world.use(OLD);
  const { apiKey } = await world.keysOf(OLD).create(TENANT, INPUT);
  await world.use(NEW, OLD);
  await assertRejects(() => world.use(NEW), MissingHmacSecretError, hmacSecretId(OLD!));
  const store = world.keysOf(NEW, OLD);
  await store.rotate(TENANT, apiKey.id, { overlapMs: 60_000 });
  await assertRejects(() => world.use(NEW), MissingHmacSecretError);
  await world.runtime.advance(60_000);
  await world.use(NEW);
  await assertRejects(() => world.use(OLD), MissingHmacSecretError, hmacSecretId(NEW!));
});

Deno.test("registerHmacSecrets: a revoked key, and an expired one, need no secret", async () => {
  using world = await start();
  await world.use(OLD);
  const store = world.keysOf(OLD);
  const expiresAt = new Date(world.runtime.now() + 1_000).toISOString();
  await store.create(TENANT, { ...INPUT, expiresAt });
  const { apiKey } = await store.create(TENANT, INPUT);
  await world.use(NEW, OLD);
  await store.revoke(TENANT, apiKey.id);
  await assertRejects(() => world.use(NEW), MissingHmacSecretError);
  await world.runtime.advance(1_000);
  await world.use(NEW);
});

Deno.test("registerHmacSecrets: a key of an earlier release may be under any secret that is gone", async () => {
  using world = await start();
  const { apiKey } = await world.keysOf(OLD).create(TENANT, INPUT);
  const entry = await world.kv.get<{ secrets: object[] }>(keys.apiKey(TENANT, apiKey.id));
  const secrets = entry.value!.secrets.map((one) => ({ ...one, signedBy: undefined }));
  await world.kv.set(entry.key, { ...entry.value!, secrets });
  await world.use(NEW, OLD);
  await assertRejects(() => world.use(NEW), MissingHmacSecretError, hmacSecretId(OLD!));
});

Deno.test("registerHmacSecrets: of two processes that start at once with other secrets, one does", async () => {
  using world = await start();
  const outcomes = await Promise.allSettled([world.use(OLD), world.use(NEW), world.use(OLD)]);
  const begun = outcomes.map(({ status }) => status === "fulfilled");
  assertEquals(begun[0], begun[2], "the same secrets fare alike");
  assertEquals(begun[0], !begun[1], "other secrets do not");
});

Deno.test("HmacSecrets: a lost secret can be given up by a command", async () => {
  using world = await start();
  await world.use(OLD);
  const { secret } = await world.keysOf(OLD).create(TENANT, INPUT);
  assertEquals(await new HmacSecrets(world.kv, [NEW!]).discardOthers(), hmacSecretId(NEW!));
  await world.use(NEW);
  assertEquals(await world.keysOf(NEW).verify(secret), undefined);
});
