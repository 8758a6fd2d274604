/** Whatever is changed in the records of a chained log, the verification finds it and does not fail. */
import { assert, assertEquals } from "@std/assert";
import { keys } from "@/lib/store/keys/keys.ts";
import { SeededRandom } from "./support/fuzz/seeded_random.ts";
import { type AuditChainFixture, DAY, openAuditChain } from "./support/audit_chain.ts";

/** Signed heads are not here: one that is gone leaves no trace, so others must have left the store. */
const FAMILIES = ["audit_entries", "audit_links", "audit_heads", "audit_checkpoints"];
const VALUES = [null, 0, -1, 1e15, "", "x", [], {}, { v: 1 }, true, new Uint8Array(3), new Date(0)];

type Row = Deno.KvEntry<Record<string, unknown>>;

async function rowsOf({ kv, tenant }: AuditChainFixture): Promise<Row[]> {
  const found: Row[] = [];
  for (const family of FAMILIES) {
    const own = await kv.get<Row["value"]>([family, tenant]);
    if (own.versionstamp !== null) found.push(own);
    for await (const row of kv.list<Row["value"]>({ prefix: [family, tenant] })) found.push(row);
  }
  return found;
}

/** One change of one record; returns what it did. */
async function tamper(
  { kv }: AuditChainFixture,
  { rows, random }: { rows: readonly Row[]; random: SeededRandom },
): Promise<string> {
  const row = random.pick(rows);
  const name = `${row.key.slice(0, 1)} ${row.key.slice(2).join(" ")}`;
  const others = rows.filter(({ key }) => key[0] === row.key[0] && key !== row.key);
  const kind = random.pick(["delete", "replace", "field", "without", "swap"]);
  const field = random.pick(Object.keys(row.value));
  const isExpiry = row.key[0] === "audit_entries" && field === "exp";
  if (kind === "swap" && others.length > 0) {
    const other = random.pick(others);
    await kv.atomic().set(row.key, other.value).set(other.key, row.value).commit();
  } else if (kind === "replace") await kv.set(row.key, random.pick(VALUES));
  else if (kind === "field" && !isExpiry) {
    const value = random.pick(VALUES.filter((one) => one !== row.value[field]));
    await kv.set(row.key, { ...row.value, [field]: value });
  } else if (kind === "without" && !isExpiry) {
    const { [field]: _, ...rest } = row.value;
    await kv.set(row.key, rest);
  } else await kv.delete(row.key);
  return `${kind} ${field} of ${name}`;
}

Deno.test("verify: any single change of an entry, a link, the head or the checkpoint is found", async () => {
  using log = await openAuditChain();
  await log.record(["old", "older"], { kind: "access", action: "role not allowed" });
  await log.chainer.sweep();
  await log.runtime.advance(125 * DAY);
  for (const { value: { at, id } } of await log.links()) {
    await log.kv.delete(keys.auditEntry(log.tenant, at, id));
  }
  await log.record(["a", "b", "c", "d", "e"]);
  await log.chainer.sweep();
  await log.runtime.advance(DAY);
  await log.chainer.sweep();
  const report = await log.verify();
  assertEquals([report.first?.sequence, report.last?.sequence, report.issues], [3, 7, []]);

  const rows = await rowsOf(log);
  const random = new SeededRandom(20261127);
  for (let n = 0; n < 400; n++) {
    const change = await tamper(log, { rows, random });
    const { issues } = await log.verify();
    assert(issues.length > 0, `${change} is found (change ${n})`);
    for (const { key, value } of rows) await log.kv.set(key, value);
  }
  assertEquals((await log.verify()).issues, [], "everything is as it was");
});

Deno.test("verify: an entry that was chained hours after its time, without a place in the queue, is pointed out", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b"]);
  await log.chainer.sweep();
  await log.runtime.advance(DAY);
  await log.record(["c"]);
  await log.chainer.sweep();
  const { value } = await log.entry("a");
  const [at, id] = [Number(value.at) + 1, crypto.randomUUID()];
  await log.kv.set(keys.auditEntry(log.tenant, at, id), { ...value, at, id });
  // The service would not look for one of that time again.
  await log.kv.delete(keys.auditScan(log.tenant));
  await log.runtime.advance(DAY);
  await log.chainer.sweep();
  const report = await log.verify();
  assertEquals([report.late, report.backdated, report.issues], [1, 1, []]);
  assertEquals(report.firstBackdated?.sequence, 4);
});
