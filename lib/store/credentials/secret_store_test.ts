import { assert, assertEquals, assertFalse, assertRejects, assertThrows } from "@std/assert";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { storedKeys, storedText } from "@/tests/support/store.ts";
import { Sealer, UnsealError } from "../../platform/crypto/sealing.ts";
import { systemRuntime } from "../../platform/runtime.ts";
import { newToolSecretSchema } from "../../schemas/tool_secret.ts";
import { keys } from "../keys/keys.ts";
import { SECRETS_PURPOSE, SecretStore } from "./secret_store.ts";

const [OURS, THEIRS] = [fakeUuid(801), fakeUuid(802)];
const VALUE = "crm-value-0123456789 äöü 東京";
const CRM = newToolSecretSchema.parse({
  name: "CRM_KEY",
  value: VALUE,
  domains: ["CRM.Example.com", "*.bücher.example:8443", "crm.example.com"],
});

function open(kv: Deno.Kv, encryptionKey = new Uint8Array(32).fill(7).toBase64()) {
  const runtime = new FakeRuntime();
  const { randomBytes } = systemRuntime;
  const sealer = new Sealer([encryptionKey], { purpose: SECRETS_PURPOSE, randomBytes });
  return { runtime, secrets: new SecretStore(kv, { runtime, sealer }) };
}

Deno.test("SecretStore: only its tenant finds a secret, with its value and normalized domains", async () => {
  using kv = await Deno.openKv(":memory:");
  const { secrets } = open(kv);
  await secrets.set(OURS, CRM);
  const domains = ["crm.example.com", "*.xn--bcher-kva.example:8443"];
  assertEquals(await secrets.find(OURS, "CRM_KEY"), { value: VALUE, domains });
  assertEquals(await secrets.find(THEIRS, "CRM_KEY"), undefined);
  assertEquals(await secrets.find(OURS, "CRM_KEY2"), undefined);
  assertEquals(await secrets.list(THEIRS), []);
});

Deno.test("SecretStore: a listed secret has a name, domains and an age, never a value", async () => {
  using kv = await Deno.openKv(":memory:");
  const { secrets, runtime } = open(kv);
  const info = await secrets.set(OURS, CRM);
  assertEquals(info, {
    name: "CRM_KEY",
    domains: ["crm.example.com", "*.xn--bcher-kva.example:8443"],
    updatedAt: "2030-01-01T00:00:00.000Z",
  });
  await runtime.advance(1_000);
  await secrets.set(OURS, { ...CRM, name: "A_KEY" });
  assertEquals((await secrets.list(OURS)).map(({ name, updatedAt }) => [name, updatedAt]), [
    ["A_KEY", "2030-01-01T00:00:01.000Z"],
    ["CRM_KEY", "2030-01-01T00:00:00.000Z"],
  ]);
  assertFalse(JSON.stringify([info, await secrets.list(OURS)]).includes("crm-value"));
});

Deno.test("SecretStore: no value is stored in clear", async () => {
  using kv = await Deno.openKv(":memory:");
  const { secrets } = open(kv);
  await secrets.set(OURS, CRM);
  await secrets.find(OURS, "CRM_KEY");
  const dump = await storedText(kv);
  assert(dump.includes("CRM_KEY"));
  for (const part of ["crm-value", "0123456789", btoa("crm-value")]) {
    assertFalse(dump.includes(part), part);
  }
});

Deno.test("SecretStore: setting a name again replaces the secret for the next call, deleting removes it", async () => {
  using kv = await Deno.openKv(":memory:");
  const { secrets } = open(kv);
  const elsewhere = open(kv).secrets;
  await secrets.set(OURS, CRM);
  assertEquals((await secrets.find(OURS, "CRM_KEY"))?.value, VALUE);
  await elsewhere.set(OURS, { ...CRM, value: "another one", domains: ["b.example"] });
  const replaced = { value: "another one", domains: ["b.example"] };
  assertEquals(await secrets.find(OURS, "CRM_KEY"), replaced);
  assertEquals((await elsewhere.delete(OURS, "CRM_KEY"))?.domains, ["b.example"]);
  assertEquals(await secrets.find(OURS, "CRM_KEY"), undefined);
  assertEquals(await secrets.delete(OURS, "CRM_KEY"), undefined);
  const left = (await storedKeys(kv)).filter((key) => !key.startsWith("quota_additions/"));
  assertEquals(left, []);
});

Deno.test("SecretStore: a value so short that any answer may contain it is rejected", async () => {
  using kv = await Deno.openKv(":memory:");
  const { secrets } = open(kv);
  await assertRejects(() => secrets.set(OURS, { ...CRM, value: "1234567" }), RangeError, "short");
  assertEquals(await storedKeys(kv), []);
  await secrets.set(OURS, { ...CRM, value: "12345678" });
});

Deno.test("SecretStore: a value that was moved or given other domains cannot be unsealed", async () => {
  using kv = await Deno.openKv(":memory:");
  const { secrets } = open(kv);
  await secrets.set(OURS, CRM);
  const key = keys.toolSecret(OURS, "CRM_KEY");
  const { value: record } = await kv.get<Record<string, unknown>>(key);
  await kv.set(keys.toolSecret(THEIRS, "CRM_KEY"), record);
  await kv.set(keys.toolSecret(OURS, "OTHER"), record);
  await kv.set(key, { ...record, domains: ["evil.example"] });
  for (const [tenant, name] of [[THEIRS, "CRM_KEY"], [OURS, "OTHER"], [OURS, "CRM_KEY"]] as const) {
    const error = await assertRejects(() => secrets.find(tenant, name), UnsealError);
    assertFalse(error.message.includes("crm-value"));
  }
});

Deno.test("SecretStore: a secret of one agent cannot be given to another by writing to the store", async () => {
  using kv = await Deno.openKv(":memory:");
  const { secrets } = open(kv);
  const [shop, other] = [fakeUuid(901), fakeUuid(902)];
  assertEquals((await secrets.set(OURS, { ...CRM, agentId: shop })).agentId, shop);
  assertEquals((await secrets.find(OURS, "CRM_KEY"))?.agentId, shop);
  assertEquals((await secrets.list(OURS))[0]?.agentId, shop);
  assertEquals(await secrets.agentOf(OURS, "CRM_KEY"), shop);
  assertEquals(await secrets.agentOf(THEIRS, "CRM_KEY"), undefined);
  const key = keys.toolSecret(OURS, "CRM_KEY");
  const { value: record } = await kv.get<Record<string, unknown>>(key);
  const { agentId: _, ...unbound } = record!;
  const domains = [...CRM.domains, `agent ${shop}`];
  const changes = [unbound, { ...unbound, domains }, { ...record, agentId: other }];
  for (const change of changes) {
    await kv.set(key, change);
    await assertRejects(() => secrets.find(OURS, "CRM_KEY"), UnsealError);
  }
});

Deno.test("SecretStore: with another encryption key nothing can be unsealed, but secrets are still listed", async () => {
  using kv = await Deno.openKv(":memory:");
  await open(kv).secrets.set(OURS, CRM);
  const { secrets } = open(kv, new Uint8Array(32).fill(8).toBase64());
  await assertRejects(() => secrets.find(OURS, "CRM_KEY"), UnsealError);
  assertEquals((await secrets.list(OURS)).length, 1);
});

Deno.test("SecretStore: a custom commit can add to the step, or prevent it", async () => {
  using kv = await Deno.openKv(":memory:");
  const { secrets } = open(kv);
  const refuse = () => Promise.resolve(false);
  await assertRejects(() => secrets.set(OURS, CRM, { commit: refuse }));
  assertEquals(await storedKeys(kv), []);
  await secrets.set(OURS, CRM, {
    commit: async (change, { name }) => (await change.set(["log"], `set ${name}`).commit()).ok,
  });
  assertEquals((await kv.get(["log"])).value, "set CRM_KEY");
});

Deno.test("newToolSecretSchema: limits names, values and domains", () => {
  const accepts = (change: Record<string, unknown>) =>
    newToolSecretSchema.parse({ name: "A", value: "12345678", domains: ["a.example"], ...change });
  accepts({ name: `A${"_9Z".repeat(21)}` });
  accepts({ value: "x".repeat(8_192) });
  accepts({ domains: Array.from({ length: 16 }, (_, n) => `h${n}.example`) });
  const wrong: Record<string, unknown>[] = [
    ...["", "a", "9A", "_A", "A-B", "A B", `A${"B".repeat(64)}`, "__proto__"].map((name) => ({
      name,
    })),
    ...["", "v", "1234567", "x".repeat(8_193), "\ud800", "a\0b", 5].map((value) => ({ value })),
    ...[[], ["https://a.example"], ["*"], ["a b"], Array(17).fill("a.example")].map((domains) => ({
      domains,
    })),
    { more: 1 },
  ];
  for (const change of wrong) assertThrows(() => accepts(change), JSON.stringify(change));
});
