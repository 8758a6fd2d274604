import { assert, assertEquals, assertFalse } from "@std/assert";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { storedText } from "@/tests/support/store.ts";
import { newApiKey } from "./api_key_format.ts";
import { Signer } from "../../platform/crypto/signer.ts";
import { ApiKeyStore } from "./api_key_store.ts";
import { runAs } from "../audit/actor.ts";
import { keys } from "../keys/keys.ts";
import { apiKeyRecordSchema } from "./api_key_record.ts";

const [OURS, THEIRS] = [fakeUuid(801), fakeUuid(802)];
const INPUT = { name: "Backend", scopes: ["agents:write" as const] };

function open(kv: Deno.Kv, options: { secrets?: string[]; runtime?: FakeRuntime } = {}) {
  const runtime = options.runtime ?? new FakeRuntime();
  const signer = new Signer(options.secrets ?? ["server secret"]);
  return { runtime, store: new ApiKeyStore(kv, { runtime, signer }) };
}

Deno.test("ApiKeyStore: a created key identifies its tenant and scopes", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store } = open(kv);
  const scopes = ["agents:write" as const, "billing:read" as const, "agents:write" as const];
  const { apiKey, secret } = await store.create(OURS, { name: "Backend", scopes });
  assertEquals(apiKey.scopes, ["agents:write", "billing:read"]);
  assertEquals(apiKey.state, "active");
  assertEquals(await store.verify(secret), {
    ...{ id: apiKey.id, tenant: OURS, name: "Backend", scopes: apiKey.scopes },
  });
});

Deno.test("ApiKeyStore: the secret is neither stored nor listed", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store } = open(kv);
  const { secret } = await store.create(OURS, INPUT);
  const secretPart = secret.split("_")[3]!;
  assertFalse((await storedText(kv)).includes(secretPart));
  const [listed] = await store.list(OURS);
  assertEquals(Object.keys(listed!.secrets[0]!), ["prefix", "createdAt"]);
});

Deno.test("ApiKeyStore: an unknown prefix, a wrong secret and a mistyped key are rejected", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store, runtime } = open(kv);
  const { secret } = await store.create(OURS, INPUT);
  const stranger = newApiKey(runtime.randomBytes);
  assertEquals(await store.verify(stranger.key), undefined);
  const prefix = secret.slice(0, "ck_live_12345678_".length);
  assertEquals(await store.verify(prefix + stranger.secret), undefined);
  assertEquals(await store.verify(secret.slice(0, -1) + "!"), undefined);
  assertEquals(await store.verify(""), undefined);
});

Deno.test("ApiKeyStore: a mistyped key causes no read", async () => {
  const kv = await Deno.openKv(":memory:");
  const { store } = open(kv);
  const { secret } = await store.create(OURS, INPUT);
  kv.close();
  const typo = secret.slice(0, -1) + (secret.endsWith("a") ? "b" : "a");
  assertEquals(await store.verify(typo), undefined);
});

Deno.test("ApiKeyStore: a rotated server secret still verifies, a removed one does not", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store, runtime } = open(kv, { secrets: ["old"] });
  const { secret } = await store.create(OURS, INPUT);
  assert(await open(kv, { secrets: ["new", "old"], runtime }).store.verify(secret));
  assertEquals(await open(kv, { secrets: ["new"], runtime }).store.verify(secret), undefined);
});

Deno.test("ApiKeyStore: a revoked key is rejected, and revoking is idempotent", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store, runtime } = open(kv);
  const { apiKey, secret } = await store.create(OURS, INPUT);
  await runtime.advance(5_000);
  const revoked = await store.revoke(OURS, apiKey.id);
  assertEquals([revoked?.state, revoked?.revokedAt], ["revoked", "2030-01-01T00:00:05.000Z"]);
  assertEquals(await store.verify(secret), undefined);
  await runtime.advance(5_000);
  assertEquals(await store.revoke(OURS, apiKey.id), revoked);
});

Deno.test("ApiKeyStore: a key expires to the millisecond", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store, runtime } = open(kv);
  const expiresAt = "2030-01-01T00:10:00.000Z";
  const { secret } = await store.create(OURS, { ...INPUT, expiresAt });
  await runtime.advance(10 * 60_000 - 1);
  assert(await store.verify(secret));
  await runtime.advance(1);
  assertEquals(await store.verify(secret), undefined);
  const [listed] = await store.list(OURS);
  assertEquals([listed?.state, listed?.expiresAt], ["expired", expiresAt]);
});

Deno.test("ApiKeyStore: lastUsedAt is the newest request of its window, to the minute", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store, runtime } = open(kv);
  await runtime.advance(1_500);
  const { apiKey } = await store.create(OURS, INPUT);
  assertEquals("lastUsedAt" in (await store.list(OURS))[0]!, false);
  const { createdAt } = apiKey;
  await kv.set(keys.apiKeyWindow(OURS, apiKey.id), { v: 1, all: [Date.parse(createdAt) + 1] });
  assertEquals((await store.list(OURS))[0]?.lastUsedAt, createdAt, "never before it was made");
  const all = [Date.UTC(2030, 0, 1, 0, 1, 1), Date.UTC(2030, 0, 1, 0, 2, 59)];
  await kv.set(keys.apiKeyWindow(OURS, apiKey.id), { v: 1, all });
  assertEquals((await store.list(OURS))[0]?.lastUsedAt, "2030-01-01T00:02:00.000Z");
});

Deno.test("ApiKeyStore: lastUsedAt is the newest of all shards of a window", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store } = open(kv);
  const { apiKey } = await store.create(OURS, INPUT);
  const at = (minute: number) => ({ v: 1, all: [Date.UTC(2030, 0, 1, 0, minute)] });
  await kv.set(keys.apiKeyWindow(OURS, apiKey.id), at(3));
  await kv.set(keys.apiKeyWindow(OURS, apiKey.id, 1), at(7));
  await kv.set(keys.apiKeyWindow(OURS, apiKey.id, 2), at(5));
  await kv.set(keys.apiKeyWindow(OURS, apiKey.id, 4), { v: 1, all: [] });
  assertEquals((await store.list(OURS))[0]?.lastUsedAt, "2030-01-01T00:07:00.000Z");
});

Deno.test("ApiKeyStore: concurrent uses and a revocation end in a revoked key", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store } = open(kv);
  const { apiKey, secret } = await store.create(OURS, INPUT);
  const uses = Array.from({ length: 20 }, () => store.verify(secret));
  await Promise.all([...uses, store.revoke(OURS, apiKey.id)]);
  assertEquals((await store.list(OURS))[0]?.state, "revoked");
  assertEquals(await store.verify(secret), undefined);
});

Deno.test("ApiKeyStore: another tenant cannot list, find or revoke a key", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store } = open(kv);
  const { apiKey, secret } = await store.create(OURS, INPUT);
  const prefix = apiKey.secrets[0]!.prefix;
  assertEquals(await store.list(THEIRS), []);
  assertEquals(await store.findByPrefix(THEIRS, prefix), undefined);
  assertEquals(await store.findByPrefix(OURS, prefix), apiKey.id);
  assertEquals(await store.revoke(THEIRS, apiKey.id), null);
  assert(await store.verify(secret));
});

Deno.test("ApiKeyStore: keys are listed newest first", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store, runtime } = open(kv);
  for (const name of ["first", "second", "third"]) {
    await store.create(OURS, { ...INPUT, name });
    await runtime.advance(1);
  }
  assertEquals((await store.list(OURS)).map((key) => key.name), ["third", "second", "first"]);
});

Deno.test("ApiKeyStore: a prefix that is taken is replaced", async () => {
  using kv = await Deno.openKv(":memory:");
  const first = open(kv);
  const again = new FakeRuntime();
  const { secret } = await first.store.create(OURS, INPUT);
  // The same runtime generates the same prefix again; the ids must differ for the test.
  const runtime = { ...again, uuid: () => crypto.randomUUID() };
  const signer = new Signer(["server secret"]);
  const other = await new ApiKeyStore(kv, { runtime, signer }).create(THEIRS, INPUT);
  assert(other.secret !== secret);
  assertEquals((await first.store.verify(secret))?.tenant, OURS);
  assertEquals((await first.store.verify(other.secret))?.tenant, THEIRS);
});

Deno.test("ApiKeyStore: a rotated key has two secrets under one id until the overlap ends", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, store } = open(kv);
  const { apiKey, secret: old } = await store.create(OURS, INPUT);
  const rotated = await store.rotate(OURS, apiKey.id, { overlapMs: 60_000 });
  assert("secret" in rotated);
  const ids = async () => {
    const found = await Promise.all([old, rotated.secret].map((text) => store.verify(text)));
    return found.map((one) => one?.id);
  };
  assertEquals(await ids(), [apiKey.id, apiKey.id]);
  const until = new Date(runtime.now() + 60_000).toISOString();
  const again = await store.rotate(OURS, apiKey.id, { overlapMs: 0 });
  assertEquals(again, { rejected: "overlap", until });
  await runtime.advance(60_000);
  assertEquals(await ids(), [undefined, apiKey.id]);
  const third = await store.rotate(OURS, apiKey.id, { overlapMs: 60_000 });
  assert("secret" in third);
  assertEquals(third.apiKey.secrets.length, 2);
  assertEquals(await ids(), [undefined, apiKey.id]);
});

Deno.test("ApiKeyStore: an overlap can be omitted or ended early", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store } = open(kv);
  const { apiKey, secret: first } = await store.create(OURS, INPUT);
  const second = await store.rotate(OURS, apiKey.id, { overlapMs: 0 });
  assert("secret" in second);
  assertEquals(await store.verify(first), undefined);
  const third = await store.rotate(OURS, apiKey.id, { overlapMs: 60_000 });
  assert("secret" in third);
  await store.endOverlap(OURS, apiKey.id);
  assertEquals(await store.verify(second.secret), undefined);
  assertEquals((await store.verify(third.secret))?.id, apiKey.id);
  assertEquals((await store.list(OURS))[0]?.secrets.length, 1);
});

Deno.test("ApiKeyStore: rotating another tenant's key or a revoked one is rejected", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store } = open(kv);
  const { apiKey } = await store.create(OURS, INPUT);
  const rotate = (tenant: string) => store.rotate(tenant, apiKey.id, { overlapMs: 0 });
  assertEquals(await rotate(THEIRS), { rejected: "not_found" });
  await store.revoke(OURS, apiKey.id);
  assertEquals(await rotate(OURS), { rejected: "not_active" });
});

const AGENT = fakeUuid(900);

Deno.test("ApiKeyStore: a key says who created it, what it is for, and where it was last used", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store } = open(kv);
  const create = (name: string) => store.create(OURS, { ...INPUT, name, purpose: "Nightly job" });
  const user = { kind: "user" as const, id: fakeUuid(1), name: "ada@example.com" };
  const { apiKey } = await runAs(user, () => create("of a user"));
  await runAs({ kind: "command_line" }, () => create("of the command line"));
  await runAs({ kind: "service" }, () => create("of the service"));
  const all = [Date.UTC(2030, 0, 1, 0, 1)];
  const window = { v: 1, all, from: "203.0.113.0/24" };
  await kv.set(keys.apiKeyWindow(OURS, apiKey.id), window);
  const listed = new Map((await store.list(OURS)).map((key) => [key.name, key]));
  const { createdBy, purpose, lastUsedFrom } = listed.get("of a user")!;
  assertEquals(createdBy, { kind: "user", id: fakeUuid(1) });
  assertEquals([purpose, lastUsedFrom], ["Nightly job", "203.0.113.0/24"]);
  assertEquals(listed.get("of the command line")?.createdBy, { kind: "command_line" });
  assertEquals(listed.get("of the service")?.createdBy, undefined);
});

Deno.test("ApiKeyStore: restrictions are part of the identity, and change at once", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, store } = open(kv);
  const expiresAt = "2030-01-01T00:10:00.000Z";
  const restrictions = { agents: [AGENT], addresses: ["10.0.0.0/8"] };
  const { apiKey, secret } = await store.create(OURS, { ...INPUT, expiresAt, ...restrictions });
  const identity = { id: apiKey.id, tenant: OURS, name: "Backend", scopes: INPUT.scopes };
  assertEquals(await store.verify(secret), { ...identity, ...restrictions });
  const rotated = await store.rotate(OURS, apiKey.id, { overlapMs: 60_000 });
  assert("secret" in rotated);
  assertEquals(await store.verify(rotated.secret), { ...identity, ...restrictions });
  await store.endOverlap(OURS, apiKey.id);
  await store.restrict(OURS, apiKey.id, { addresses: undefined });
  assertEquals(await store.verify(rotated.secret), { ...identity, agents: [AGENT] });
  const lifted = await store.restrict(OURS, apiKey.id, { agents: undefined });
  assertEquals([lifted?.agents, lifted?.expiresAt], [undefined, expiresAt]);
  assertEquals(await store.verify(rotated.secret), identity);
  await runtime.advance(600_000);
  assertEquals(await store.restrict(OURS, apiKey.id, restrictions), null, "it has expired");
  assertEquals(await store.verify(rotated.secret), undefined);
});

/** What a process of the previous release reads of a record. */
const PREVIOUS_RECORD = apiKeyRecordSchema.omit({
  ...{ purpose: true, createdBy: true, restrictions: true },
});

Deno.test("ApiKeyStore: for the previous release a restricted key is expired, and stays so when it is rewritten", async () => {
  using kv = await Deno.openKv(":memory:");
  const { runtime, store } = open(kv);
  const { apiKey, secret } = await store.create(OURS, { ...INPUT, agents: [AGENT] });
  const key = keys.apiKey(OURS, apiKey.id);
  const read = PREVIOUS_RECORD.parse((await kv.get(key)).value);
  assert(read.expiresAt !== undefined && read.expiresAt <= runtime.now());
  // As it stores a record that it has changed.
  await kv.set(key, { ...read, secrets: read.secrets.slice(-1) });
  assertEquals(await store.verify(secret), undefined);
  assertEquals((await store.list(OURS))[0]?.state, "expired");
});

Deno.test("ApiKeyStore: listPart and get return what list does, also the last uses", async () => {
  using kv = await Deno.openKv(":memory:");
  const { store } = open(kv);
  for (let n = 0; n < 6; n++) {
    await store.create(OURS, { name: `key ${n}`, scopes: ["agents:read"] });
  }
  const ids = (await store.list(OURS)).map(({ id }) => id);
  const at = (minutes: number) => ({ v: 1, all: [Date.UTC(2031, 0, 1, 0, minutes)] });
  await kv.set(keys.apiKeyWindow(OURS, ids[1]!), at(3));
  await kv.set(keys.apiKeyWindow(OURS, ids[2]!), at(1));
  await kv.set(keys.apiKeyWindow(OURS, ids[2]!, 7), at(9));
  await kv.set(keys.apiKeyWindow(OURS, ids[5]!, 2), at(4));
  const all = await store.list(OURS);
  assertEquals(all.filter(({ lastUsedAt }) => lastUsedAt !== undefined).length, 3);
  for (const [offset, limit] of [[0, 2], [1, 2], [2, 1], [3, 9], [6, 2], [0, 6]] as const) {
    assertEquals(await store.listPart(OURS, { offset, limit }), all.slice(offset, offset + limit));
  }
  for (const one of all) assertEquals(await store.get(OURS, one.id), one);
  assertEquals(await store.get(THEIRS, ids[0]!), undefined);
});
