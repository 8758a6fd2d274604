import { assertEquals, assertRejects } from "@std/assert";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { hmacSecretId, Signer } from "../../platform/crypto/signer.ts";
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
    /** Starts a process with these secrets. */
    use: (...secrets: (string | undefined)[]) =>
      registerHmacSecrets(kv, secrets.map((secret) => hmacSecretId(secret!)), runtime),
    keysOf: (...secrets: (string | undefined)[]) =>
      new ApiKeyStore(kv, { runtime, signer: new Signer(secrets.map((secret) => secret!)) }),
    [Symbol.dispose]: () => kv.close(),
  };
}

Deno.test("hmacSecretId: distinguishes secrets, and is not a stored hash", () => {
  assertEquals(hmacSecretId(OLD!), hmacSecretId(OLD!));
  assertEquals(new Set([OLD, NEW, OTHER].map((one) => hmacSecretId(one!))).size, 3);
  assertEquals(/^[0-9a-f]{8}$/.test(hmacSecretId(OLD!)), true);
});

Deno.test("registerHmacSecrets: a process without the store's signing secret does not start, even without keys", async () => {
  using context = await start();
  await context.use(OLD);
  await context.use(OLD);
  const error = await assertRejects(() => context.use(OTHER), MissingHmacSecretError);
  assertEquals(error.ids, [hmacSecretId(OLD!)]);
  // The rejected start has written nothing.
  await context.use(OLD);
});

Deno.test("registerHmacSecrets: an old secret can be removed when no valid key depends on it", async () => {
  using context = await start();
  await context.use(OLD);
  const { apiKey } = await context.keysOf(OLD).create(TENANT, INPUT);
  await context.use(NEW, OLD);
  await assertRejects(() => context.use(NEW), MissingHmacSecretError, hmacSecretId(OLD!));
  const store = context.keysOf(NEW, OLD);
  await store.rotate(TENANT, apiKey.id, { overlapMs: 60_000 });
  await assertRejects(() => context.use(NEW), MissingHmacSecretError);
  await context.runtime.advance(60_000);
  await context.use(NEW);
  await assertRejects(() => context.use(OLD), MissingHmacSecretError, hmacSecretId(NEW!));
});

Deno.test("registerHmacSecrets: revoked and expired keys need no secret", async () => {
  using context = await start();
  await context.use(OLD);
  const store = context.keysOf(OLD);
  const expiresAt = new Date(context.runtime.now() + 1_000).toISOString();
  await store.create(TENANT, { ...INPUT, expiresAt });
  const { apiKey } = await store.create(TENANT, INPUT);
  await context.use(NEW, OLD);
  await store.revoke(TENANT, apiKey.id);
  await assertRejects(() => context.use(NEW), MissingHmacSecretError);
  await context.runtime.advance(1_000);
  await context.use(NEW);
});

Deno.test("registerHmacSecrets: a key of an early release may depend on any removed secret", async () => {
  using context = await start();
  const { apiKey } = await context.keysOf(OLD).create(TENANT, INPUT);
  const entry = await context.kv.get<{ secrets: object[] }>(keys.apiKey(TENANT, apiKey.id));
  const secrets = entry.value!.secrets.map((one) => ({ ...one, signedBy: undefined }));
  await context.kv.set(entry.key, { ...entry.value!, secrets });
  await context.use(NEW, OLD);
  await assertRejects(() => context.use(NEW), MissingHmacSecretError, hmacSecretId(OLD!));
});

Deno.test("registerHmacSecrets: of two processes that start together with different secrets, one succeeds", async () => {
  using context = await start();
  const outcomes = await Promise.allSettled([context.use(OLD), context.use(NEW), context.use(OLD)]);
  const begun = outcomes.map(({ status }) => status === "fulfilled");
  assertEquals(begun[0], begun[2], "the same secrets fare alike");
  assertEquals(begun[0], !begun[1], "other secrets do not");
});

Deno.test("HmacSecrets: a command can discard a lost secret", async () => {
  using context = await start();
  await context.use(OLD);
  const { secret } = await context.keysOf(OLD).create(TENANT, INPUT);
  assertEquals(await new HmacSecrets(context.kv, [NEW!]).discardOthers(), hmacSecretId(NEW!));
  await context.use(NEW);
  assertEquals(await context.keysOf(NEW).verify(secret), undefined);
});
