/** The chain of an audit log: what is removed, changed, swapped or added by hand is found and named. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { AuditVerifier } from "@/lib/services/audit/audit_verifier.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { openTestKv } from "./support/open_kv.ts";
import { ANN, type AuditChainFixture, DAY, openAuditChain } from "./support/audit_chain.ts";

const NAMES = ["a", "b", "c", "d", "e", "f"];

/** A chained log of six entries, changed by `tamper`; returns the first issue. */
async function brokenBy(tamper: (log: AuditChainFixture) => Promise<unknown>) {
  using log = await openAuditChain();
  await log.record(NAMES);
  await log.chainer.sweep();
  assertEquals((await log.verify()).issues, [], "it is whole before");
  await tamper(log);
  const { issues } = await log.verify();
  assert(issues.length > 0, "the change is found");
  return issues[0]!;
}

Deno.test("verify: a log as the service writes it is proven, up to its head", async () => {
  using log = await openAuditChain();
  await log.record(NAMES);
  assertEquals((await log.verify()).waiting, 6);
  await log.chainer.sweep();
  const report = await log.verify();
  assertEquals([report.entries, report.waiting, report.late, report.issues], [6, 0, 0, []]);
  assertEquals([report.first?.sequence, report.last?.sequence], [1, 6]);
  assertEquals(report.last?.chain, (await log.chains.head(log.tenant))?.chain);
  assertEquals([report.signedHeads, report.keyIds], [1, [log.signing.signer.jwk.kid]]);
});

Deno.test("verify: names a removed entry, with what the link knows about it", async () => {
  const issue = await brokenBy(async ({ kv, entry }) => kv.delete((await entry("c")).key));
  assertEquals(issue, {
    sequence: 3,
    at: "2030-01-01T00:00:03.000Z",
    kind: "agent",
    action: "change",
    actor: ANN.id,
    reason: "the entry was removed",
  });
});

Deno.test("verify: names a changed entry, whatever was changed", async () => {
  const changes = [
    { actor: { kind: "user", id: ANN.id, name: "bob@example.com" } },
    { action: "delete" },
    { changes: [{ field: "name", after: "x" }] },
    { note: "a field that the release does not know" },
  ];
  for (const change of changes) {
    const issue = await brokenBy(async ({ kv, entry }) => {
      const { key, value } = await entry("d");
      await kv.set(key, { ...value, ...change });
    });
    assertEquals([issue.sequence, issue.target, issue.reason], [4, "d", "the entry was changed"]);
  }
});

Deno.test("verify: names the first of two swapped entries, and of two swapped links", async () => {
  const entries = await brokenBy(async ({ kv, entry }) => {
    const [b, e] = [await entry("b"), await entry("e")];
    await kv.set(b.key, e.value);
    await kv.set(e.key, b.value);
  });
  assertEquals([entries.sequence, entries.reason], [2, "another entry is stored in its place"]);
  const links = await brokenBy(async (log) => {
    const [, b, , , e] = await log.links();
    await log.kv.set(b!.key, e!.value);
    await log.kv.set(e!.key, b!.value);
  });
  assertEquals(links.sequence, 2);
});

Deno.test("verify: names a link that was removed or changed", async () => {
  const removed = await brokenBy(async (log) => log.kv.delete((await log.links())[2]!.key));
  assertEquals([removed.sequence, removed.reason], [3, "its link is missing before 4"]);
  const entry = await brokenBy(async (log) => {
    // An expiry that is over would hide the removed entry.
    const { key, value } = (await log.links())[2]!;
    await log.kv.delete((await log.entry("c")).key);
    await log.kv.set(key, { ...value, expiresAt: 1 });
  });
  assertEquals([entry.sequence, entry.reason], [3, "its link was changed, or a link before it"]);
  const last = await brokenBy(async (log) => log.kv.delete((await log.links())[5]!.key));
  assertEquals([last.sequence, last.reason], [6, "its link is missing"]);
});

Deno.test("verify: a log whose end was cut off is not what was signed", async () => {
  const issue = await brokenBy(async (log) => {
    await cutAfter(log, 4);
  });
  assertEquals(issue.sequence, 5);
  assertEquals(
    issue.reason,
    "the log ends before this entry, but it had 6 when it was signed on 2030-01-01",
  );
});

Deno.test("verify: a head that was set back, or removed, is found", async () => {
  const back = await brokenBy(async (log) => {
    const { chain } = (await log.links())[3]!.value;
    await log.kv.set(keys.auditHead(log.tenant), { v: 1, sequence: 4, chain });
    for (const { key } of await signedRows(log)) await log.kv.delete(key);
  });
  assertEquals(
    [back.sequence, back.reason],
    [5, "the head of the chain was set back before this entry"],
  );
  const removed = await brokenBy(async (log) => {
    await log.kv.delete(keys.auditHead(log.tenant));
    for (const { key } of await signedRows(log)) await log.kv.delete(key);
  });
  assertEquals(removed.sequence, 1);
});

Deno.test("verify: a chain that was cut and written again does not match its signed head", async () => {
  using log = await openAuditChain();
  await log.record(NAMES);
  await log.chainer.sweep();
  await cutAfter(log, 4);
  await log.record(["g", "h", "i"]);
  await log.chainer.sweep();
  const { issues } = await log.verify();
  assertEquals(issues[0]?.sequence, 6);
  assertStringIncludes(issues[0]!.reason, "not the one that was signed");
});

Deno.test("verify: heads signed with another key, or with a wrong signature, are not accepted", async () => {
  const wrong = await brokenBy(async (log) => {
    const [{ key, value }] = await signedRows(log);
    await log.kv.set(key, { ...value, at: value.at + 1 });
  });
  assertEquals([wrong.sequence, wrong.reason], [6, "the head here has a wrong signature"]);
  using log = await openAuditChain();
  await log.record(NAMES);
  await log.chainer.sweep();
  const { kid } = log.signing.signer.jwk;
  assertEquals((await log.verify([kid])).issues, []);
  const [issue] = (await log.verify(["another"])).issues;
  assertEquals(
    issue?.reason,
    `the head here is signed with the key ${kid}, which you did not name`,
  );
});

Deno.test("verify: an entry that the service did not write is found, once it is too old to wait", async () => {
  const issue = await brokenBy(async (log) => {
    await log.runtime.advance(DAY);
    await log.chainer.sweep();
    const { value } = await log.entry("c");
    const [at, id] = [Number(value.at) + 1, crypto.randomUUID()];
    const forged = { ...value, at, id, target: { id: "forged", name: "forged" } };
    await log.kv.set(keys.auditEntry(log.tenant, at, id), forged);
  });
  assertEquals(
    [issue.sequence, issue.target, issue.reason],
    [undefined, "forged", "the entry has no link: the service did not write it"],
  );
});

Deno.test("verify: what was changed or removed before it was chained is found too", async () => {
  for (const isChained of [false, true]) {
    using log = await openAuditChain();
    await log.record(NAMES);
    const [c, d] = [await log.entry("c"), await log.entry("d")];
    await log.kv.delete(c.key);
    await log.kv.set(d.key, { ...d.value, action: "create" });
    if (isChained) await log.chainer.sweep();
    const { issues } = await log.verify();
    assertEquals(issues.length, 2);
    assertStringIncludes(issues[0]!.reason, "the entry was removed");
    assertStringIncludes(issues[1]!.reason, "the entry was changed");
  }
});

Deno.test("chain: two processes chain at once, without a gap and without a double, while others verify", async () => {
  const path = await Deno.makeTempFile({ suffix: ".sqlite" });
  using kv = await openTestKv(path);
  using second = await openTestKv(path);
  const one = await openAuditChain({ kv });
  const two = await openAuditChain({ kv: second, runtime: one.runtime });
  const names = Array.from({ length: 150 }, (_, n) => String(n));
  // To this clock, every entry is too old to wait.
  const runtime = { now: () => one.runtime.now() + DAY };
  const verifier = new AuditVerifier(second, { runtime, tenants: two.tenants });
  await Promise.all([
    ...[1, 2].map(async () => {
      for (let n = 0; n < 30; n++) {
        assertEquals((await verifier.verify(one.tenant)).issues, [], "it is whole at any time");
      }
    }),
    one.record(names),
    two.record(names.map((name) => `other ${name}`)),
    ...[one, two, one, two].map(async ({ chainer }) => {
      for (let n = 0; n < 20; n++) await chainer.sweep();
    }),
  ]);
  await Promise.all([one.chainer.sweep(), two.chainer.sweep()]);
  const report = await one.verify();
  assertEquals([report.entries, report.waiting, report.issues], [300, 0, []]);
  const links = await one.links();
  assertEquals(links.map(({ key }) => key[2]), links.map((_, n) => n + 1));
  assertEquals(new Set(links.map(({ value }) => value.id)).size, 300);
});

Deno.test("chain: a head that was set back is put right, and said in the log", async () => {
  using log = await openAuditChain();
  await log.record(NAMES);
  await log.chainer.sweep();
  const { chain } = (await log.links())[3]!.value;
  await log.kv.set(keys.auditHead(log.tenant), { v: 1, sequence: 4, chain });
  await log.record(["g"]);
  await log.chainer.sweep();
  assertEquals((await log.links()).length, 7);
  assertEquals((await log.verify()).issues, []);
  assert(log.logged.some((line) => line.includes("somebody set it back")));
});

Deno.test("chain: entries of the previous release get their links within an hour, marked as late", async () => {
  using log = await openAuditChain();
  await log.record(NAMES);
  // That release writes no queue.
  const queue = log.kv.list({ prefix: keys.auditQueue(log.tenant) });
  for await (const { key } of queue) await log.kv.delete(key);
  await log.chainer.sweep();
  const first = await log.verify();
  assertEquals([first.entries, first.late, first.issues], [6, 6, []]);
  await log.record(["g", "h"]);
  const rows = await Array.fromAsync(log.kv.list({ prefix: keys.auditQueue(log.tenant) }));
  await log.kv.delete(rows[0]!.key);
  await log.chainer.sweep();
  assertEquals((await log.verify()).entries, 7, "the scan is due once an hour");
  await log.runtime.advance(DAY / 24);
  await log.chainer.sweep();
  const later = await log.verify();
  assertEquals([later.entries, later.late, later.waiting, later.issues], [8, 7, 0, []]);
  await log.runtime.advance(DAY / 24);
  await log.chainer.sweep();
  assertEquals((await log.links()).length, 8, "nothing is chained twice");
});

Deno.test("chain: of 5,000 entries, one changed is found", async () => {
  using log = await openAuditChain();
  const names = Array.from({ length: 100 }, (_, n) => String(n));
  for (let n = 0; n < 50; n++) await log.record(names);
  await log.chainer.sweep();
  assertEquals((await log.verify()).entries, 5_000);
  const { key, value } = (await log.links())[3_456]!;
  const stored = await log.kv.get<object>(keys.auditEntry(log.tenant, value.at, value.id));
  await log.kv.set(stored.key, { ...stored.value, action: "nothing" });
  const { issues } = await log.verify();
  assertEquals(issues.map(({ sequence }) => sequence), [key[2]]);
});

async function signedRows(log: AuditChainFixture) {
  const rows = log.kv.list<{ at: number }>({ prefix: keys.signedAuditHeads(log.tenant) });
  const [first, ...others] = await Array.fromAsync(rows);
  return [first!, ...others] as const;
}

/** Removes everything after a link, as somebody would who knows how it is stored. */
async function cutAfter(log: AuditChainFixture, sequence: number): Promise<void> {
  const links = await log.links();
  for (const { key, value: { at, id } } of links.slice(sequence)) {
    await log.kv.delete(key);
    await log.kv.delete(keys.auditEntry(log.tenant, at, id));
  }
  const { chain } = links[sequence - 1]!.value;
  await log.kv.set(keys.auditHead(log.tenant), { v: 1, sequence, chain });
}
