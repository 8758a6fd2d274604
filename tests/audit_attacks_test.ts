/** What somebody who can write the store, or edit a file, must not get past the verification. */
import { assert, assertEquals } from "@std/assert";
import { hashEntry } from "@/lib/store/audit/audit_chain.ts";
import { toQueued } from "@/lib/store/audit/audit_record.ts";
import type { AuditEntry } from "@/lib/store/audit/audit_entry.ts";
import { keys } from "@/lib/store/keys/keys.ts";
import { verifyAuditFile } from "@/lib/services/audit/verify_audit_file.ts";
import {
  exportedLines,
  keyOf,
  rechain,
  removeEntries,
  signedHeadRows,
} from "./support/audit_forgeries.ts";
import { type AuditChainFixture, DAY, openAuditChain } from "./support/audit_chain.ts";

const HOUR = DAY / 24;

/** The reasons that a verification with the service's own key gives. */
async function reasons(log: AuditChainFixture): Promise<string[]> {
  return (await log.verify([keyOf(log)])).issues.map(({ reason }) => reason);
}

Deno.test("audit: the signed head of a day is no checkpoint", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b", "c", "d"]);
  await log.chainer.sweep();
  await log.runtime.advance(DAY);
  await log.record(["e"]);
  await log.chainer.sweep();
  assertEquals(await reasons(log), []);
  const [first] = await signedHeadRows(log);
  await log.kv.set(keys.auditCheckpoint(log.tenant), first!.value);
  await removeEntries(log, 4);
  assertEquals(await reasons(log), ["the checkpoint here has a wrong signature"]);
});

Deno.test("audit: the service signs no checkpoint over links that differ from a signed head", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b", "c", "d"]);
  await log.chainer.sweep();
  await log.runtime.advance(DAY / 2 - 60_000);
  await log.record(["e", "f"]);
  await log.chainer.sweep();
  await rechain(log, (link, n) => n <= 4 ? { ...link, expiresAt: 1 } : link);
  for (const name of ["a", "b", "c", "d"]) await log.kv.delete((await log.entry(name)).key);
  for (let n = 0; n < 3; n++) {
    assert((await reasons(log)).length > 0, `after ${n} days`);
    await log.runtime.advance(DAY + HOUR);
    await log.chainer.sweep();
  }
});

Deno.test("audit: the service deletes nothing on top of a checkpoint that it has not signed", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b"]);
  await log.record(["c"], { kind: "access", action: "role not allowed" });
  await log.chainer.sweep();
  await log.runtime.advance(125 * DAY);
  await log.kv.delete((await log.entry("c")).key);
  await log.record(["d"]);
  await log.chainer.sweep();
  assertEquals(await reasons(log), []);
  const [, two] = await log.links();
  await removeEntries(log, 2);
  const forged = { v: 1, sequence: 2, chain: two!.value.chain, at: 0, keyId: "", signature: "" };
  await log.kv.set(keys.auditCheckpoint(log.tenant), forged);
  for (let n = 0; n < 3; n++) {
    assert((await reasons(log)).length > 0, `after ${n} days`);
    await log.runtime.advance(DAY + HOUR);
    await log.chainer.sweep();
  }
  assert(log.logged.some((line) => line.includes("has not signed the checkpoint")));
});

Deno.test("audit: a log that was written again without its signed heads is not proven with a named key", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b", "c"]);
  await log.chainer.sweep();
  await log.runtime.advance(10 * DAY);
  for (const { key } of await signedHeadRows(log)) await log.kv.delete(key);
  const { key, value } = await log.entry("b");
  const forged = { ...value, action: "delete" };
  await log.kv.set(key, forged);
  const hash = hashEntry(forged);
  await rechain(log, (link) => link.id === value.id ? { ...link, action: "delete", hash } : link);
  assertEquals(await reasons(log), ["no key that you named has signed this log"]);
  const report = await log.verify();
  assertEquals([report.issues, report.unsigned], [[], 3], "without a key it is pointed out");
  assertEquals(report.firstUnsigned?.sequence, 1);
});

Deno.test("audit: the service signs no head that its links do not lead to", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b", "c"]);
  await log.chainer.sweep();
  await log.runtime.advance(DAY);
  await log.record(["d"]);
  await log.kv.set(keys.auditHead(log.tenant), { v: 1, sequence: 9, chain: "anything at all" });
  await log.chainer.sweep();
  assertEquals((await signedHeadRows(log)).length, 1);
  assert(log.logged.some((line) => line.includes("do not lead to the head")));
});

Deno.test("audit: an entry of the past is pointed out, whether or not it was put in the queue too", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b"]);
  await log.chainer.sweep();
  await log.runtime.advance(100 * DAY);
  await log.record(["c"]);
  await log.chainer.sweep();
  const { value } = await log.entry("a");
  const [at, id] = [Number(value.at) + 1, crypto.randomUUID()];
  const forged = { ...value, at, id } as unknown as AuditEntry;
  await log.kv.set(keys.auditEntry(log.tenant, at, id), forged);
  await log.kv.set(keys.auditQueued(log.tenant, at, id), toQueued(forged, forged.exp!));
  await log.runtime.advance(DAY);
  await log.chainer.sweep();
  const report = await log.verify();
  assertEquals([report.late, report.backdated, report.firstBackdated?.sequence], [0, 1, 4]);
});

Deno.test("audit: values that nobody can read are named, and stop neither verification nor chaining", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b", "c"], { after: { expiresAt: "2030-01-01T00:00:00.000Z" } });
  await log.chainer.sweep();
  await log.runtime.advance(DAY);
  const { key, value } = await log.entry("a");
  const name = [Number(value.at) + 1, crypto.randomUUID()] as const;
  const added = { ...value, at: name[0], id: name[1], actor: "x" };
  await log.kv.set(keys.auditEntry(log.tenant, ...name), added);
  await log.kv.set(["audit_entries", log.tenant, "x", "y"], value);
  const changes = [{ field: "expiresAt", after: new Date("2030-01-01T00:00:00.000Z") }];
  await log.kv.set(key, { ...value, changes });
  const noLink = "the entry has no link: the service did not write it";
  assertEquals(await reasons(log), [noLink, "the entry was changed", noLink]);

  await log.kv.set(keys.auditQueued(log.tenant, 1, crypto.randomUUID()), { v: 2 });
  await log.record(["d"]);
  await log.chainer.sweep();
  assertEquals((await log.links()).length, 4);
  await log.chainer.chain(log.tenant);
});

Deno.test("audit: the first that is wrong is named first, whatever kind of wrong it is", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b", "c"]);
  await log.chainer.sweep();
  await log.runtime.advance(DAY);
  const [head] = await signedHeadRows(log);
  await log.kv.set(head!.key, { ...head!.value as object, at: 5 });
  const { value } = await log.entry("a");
  const [at, id] = [Number(value.at) + 1, crypto.randomUUID()];
  await log.kv.set(keys.auditEntry(log.tenant, at, id), { ...value, at, id });
  await log.kv.delete((await log.entry("b")).key);
  await log.kv.delete((await log.entry("c")).key);
  assertEquals((await log.verify()).issues.map(({ sequence }) => sequence), [undefined, 2, 3, 3]);
});

Deno.test("audit: a file whose times were changed does not pass removed entries as expired", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b", "c"]);
  await log.chainer.sweep();
  const lines = await exportedLines(log);
  const { type: _, entry, ...link } = lines[2]!;
  const { at, id, kind, action, actor } = entry;
  lines[2] = { type: "link", ...link, at, id, kind, action, actor: actor.id };
  const verify = (change: Record<string, string>) => {
    const forged = lines.map((line, n) =>
      n === 0 || line.type === "end" ? { ...line, ...change } : line
    );
    const text = forged.map((line) => JSON.stringify(line)).join("\n");
    return verifyAuditFile(text, { trusted: [keyOf(log)] }).issues.map(({ reason }) => reason);
  };
  const late = "2040-01-01T00:00:00.000Z";
  assertEquals(verify({ exportedAt: late, finishedAt: late }), ["the entry was removed"]);
  for (const change of [{ exportedAt: "never" }, { finishedAt: "never" }]) {
    const message = await Promise.resolve().then(() => verify(change)).catch((error) =>
      error.message
    );
    assert(String(message).includes("is not a line of an exported audit log"), String(message));
  }
});

Deno.test("audit: a file without anything that a named key has signed is not proven", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b", "c"]);
  await log.chainer.sweep();
  await log.runtime.advance(3 * DAY);
  await log.record(["d"]);
  await log.chainer.chain(log.tenant);
  const lines = await exportedLines(log);
  const text = () => lines.map((line) => JSON.stringify(line)).join("\n");
  const verify = () =>
    verifyAuditFile(text(), { trusted: [keyOf(log)] }).issues.map(({ reason }) => reason);
  assertEquals(verify(), []);
  const end = lines.at(-1)!;
  end.signedHeads = [];
  assertEquals(verify(), ["no key that you named has signed this log"]);
  lines[1]!.entry.actor = null;
  assertEquals(verify().length, 3, "and what is no actor is an issue, not an error");
});

Deno.test("audit: a clock that was months ahead for an hour makes no checkpoint over entries that are there", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b", "c"]);
  await log.chainer.sweep();
  await log.runtime.advance(900 * DAY);
  await log.chainer.sweep();
  await log.runtime.advance(-899 * DAY);
  for (let n = 0; n < 3; n++) {
    await log.runtime.advance(DAY);
    await log.record([`d${n}`]);
    await log.chainer.sweep();
  }
  assertEquals([await reasons(log), (await log.links()).length], [[], 6]);
});

Deno.test("audit: rows that nobody can read do not stop a download, and the entry is missing in it", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b"]);
  await log.chainer.sweep();
  const { key, value } = await log.entry("a");
  await log.kv.set(key, { ...value, changes: new Date() });
  await log.kv.set(["audit_entries", log.tenant, "x", "y"], null);
  await log.kv.set(keys.auditEntry(log.tenant, 5, "z"), "text");
  const text = (await exportedLines(log)).map((line) => JSON.stringify(line)).join("\n");
  const { issues } = verifyAuditFile(text);
  assertEquals(issues.map(({ sequence, reason }) => [sequence, reason]), [
    [1, "the entry was removed"],
  ]);
});
