/** How long audit entries and their links are stored, and that an expired entry is not a removed one. */
import { assertEquals } from "@std/assert";
import { keys } from "@/lib/store/keys/keys.ts";
import { type AuditChainFixture, DAY, openAuditChain } from "./support/audit_chain.ts";

/** Deletes entries as the store does once they have expired. */
async function expire(log: AuditChainFixture): Promise<void> {
  for (const { value: { at, id, expiresAt } } of await log.links()) {
    if (expiresAt < log.runtime.now()) await log.kv.delete(keys.auditEntry(log.tenant, at, id));
  }
}

async function setAuditDays(log: AuditChainFixture, auditDays: number | undefined): Promise<void> {
  await log.tenants.changePlan(log.tenant, ({ auditDays: _, ...plan }) => ({
    ...plan,
    ...auditDays !== undefined && { auditDays },
  }));
}

/** The retention of the named entry in days, by its link, its record and its index rows. */
async function daysOf(log: AuditChainFixture, name: string): Promise<number[]> {
  const { value } = await log.entry(name);
  const link = (await log.links()).find(({ value: { id } }) => id === value.id)!;
  const index = keys.auditEntriesByTarget(log.tenant, name);
  const rows = await Array.fromAsync(log.kv.list<{ exp: number }>({ prefix: index }));
  const ends = [link.value.expiresAt, Number(value.exp), ...rows.map(({ value: { exp } }) => exp)];
  return ends.map((end) => (end - Number(value.at)) / DAY);
}

Deno.test("audit log: changes are stored for 400 days, security events for 90", async () => {
  using log = await openAuditChain();
  await log.record(["a"]);
  await log.record(["b"], { kind: "access", action: "role not allowed" });
  await log.record(["c"], { kind: "sign-in", action: "failed" });
  await log.record(["d"], { kind: "sign-in", action: "signed in" });
  await log.chainer.sweep();
  assertEquals(await daysOf(log, "a"), [400, 400, 400]);
  assertEquals(await daysOf(log, "b"), [90, 90, 90]);
  assertEquals(await daysOf(log, "c"), [90, 90, 90]);
  assertEquals(await daysOf(log, "d"), [400, 400, 400]);
});

Deno.test("audit log: the plan says how long changes are stored, and security events no longer than that", async () => {
  using log = await openAuditChain();
  for (const [days, ofEvents] of [[1_000, 90], [30, 30], [undefined, 90]] as const) {
    await setAuditDays(log, days);
    await log.record([`change ${days}`]);
    await log.record([`event ${days}`], { kind: "access", action: "role not allowed" });
    await log.chainer.sweep();
    const expected = days ?? 400;
    assertEquals(await daysOf(log, `change ${days}`), [expected, expected, expected]);
    assertEquals(await daysOf(log, `event ${days}`), [ofEvents, ofEvents, ofEvents]);
  }
  assertEquals((await log.verify()).issues, []);
});

Deno.test("audit log: an entry that was removed before it was chained does not come back with its expiry", async () => {
  using log = await openAuditChain();
  await setAuditDays(log, 1_000);
  await log.record(["a", "b"]);
  await log.kv.delete((await log.entry("a")).key);
  await log.chainer.sweep();
  const { issues } = await log.verify();
  assertEquals(issues.map(({ reason }) => reason), ["the entry was removed"]);
});

Deno.test("verify: expired entries are not reported, removed ones still are", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b"], { kind: "access", action: "role not allowed" });
  await log.record(["c", "d"]);
  await log.chainer.sweep();
  await log.runtime.advance(91 * DAY);
  await expire(log);
  const report = await log.verify();
  assertEquals([report.entries, report.expired, report.issues], [2, 2, []]);
  await log.kv.delete((await log.entry("c")).key);
  const { issues } = await log.verify();
  assertEquals(issues.map(({ sequence }) => sequence), [3]);
});

Deno.test("links: the oldest are deleted a month after their entries, up to a signed checkpoint", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b"], { kind: "access", action: "role not allowed" });
  await log.chainer.sweep();
  await log.runtime.advance(DAY);
  await log.record(["c"]);
  await log.record(["d"], { kind: "access", action: "role not allowed" });
  await log.chainer.sweep();
  await log.runtime.advance(125 * DAY);
  await expire(log);
  await log.chainer.sweep();
  assertEquals((await log.verify()).first?.sequence, 3, "after the checkpoint");
  assertEquals((await log.links()).length, 4, "readers that began before it");
  await log.runtime.advance(DAY);
  await log.chainer.sweep();
  assertEquals((await log.links()).map(({ key }) => key[2]), [3, 4], "d waits for c");
  const report = await log.verify();
  assertEquals([report.first?.sequence, report.entries, report.issues], [3, 1, []]);
  await log.record(["e"]);
  await log.chainer.sweep();
  assertEquals((await log.verify()).last?.sequence, 5);

  const checkpoint = await log.kv.get<object>(keys.auditCheckpoint(log.tenant));
  await log.kv.set(checkpoint.key, { ...checkpoint.value, sequence: 1 });
  assertEquals((await log.verify()).issues.map(({ reason }) => reason), [
    "its link is missing before 3",
    "the checkpoint here has a wrong signature",
  ]);
});

Deno.test("links: a broken link is not deleted, so that it is still found", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b", "c"], { kind: "access", action: "role not allowed" });
  await log.chainer.sweep();
  const [, { key, value }] = await log.links() as [never, Deno.KvEntry<object>];
  await log.kv.set(key, { ...value, actor: "somebody else" });
  await log.runtime.advance(200 * DAY);
  await expire(log);
  await log.chainer.sweep();
  await log.runtime.advance(DAY);
  await log.chainer.sweep();
  assertEquals((await log.links()).map(({ key }) => key[2]), [2, 3]);
  const { issues } = await log.verify();
  assertEquals(issues.map(({ sequence }) => sequence), [2]);
});

Deno.test("heads: are signed once a day while a log grows, and written to the log of the process", async () => {
  using log = await openAuditChain();
  const days = async () => {
    const rows = log.kv.list({ prefix: keys.signedAuditHeads(log.tenant) });
    return await Array.fromAsync(rows, ({ key }) => key[2]);
  };
  await log.record(["a"]);
  for (let hour = 0; hour < 30; hour++) {
    await log.chainer.sweep();
    await log.runtime.advance(DAY / 24);
  }
  assertEquals(await days(), ["2030-01-01"], "the second day had nothing new");
  await log.record(["b"]);
  for (let hour = 0; hour < 30; hour++) {
    await log.chainer.sweep();
    await log.runtime.advance(DAY / 24);
  }
  assertEquals(await days(), ["2030-01-01", "2030-01-02"]);
  assertEquals((await log.verify()).signedHeads, 2);
  const lines = log.logged.map((line) => JSON.parse(line));
  const signed = lines.filter(({ message }) => message === "signed the head of an audit log");
  assertEquals(signed.map(({ day, sequence }) => [day, sequence]), [["2030-01-01", 1], [
    "2030-01-02",
    2,
  ]]);
  const { value } = await log.kv.get<object>(keys.signedAuditHead(log.tenant, "2030-01-01"));
  assertEquals(pick(signed[0]), pick(value!));
});

function pick(head: object) {
  const { chain, signature, keyId } = head as Record<string, unknown>;
  return { chain, signature, keyId };
}
