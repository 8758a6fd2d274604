import { assertEquals, assertRejects } from "@std/assert";
import { FakeRuntime, fakeUuid } from "@/tests/support/fake_runtime.ts";
import { type Actor, runAs } from "./actor.ts";
import { ApiError } from "../../schemas/api_error.ts";
import type { AuditKind } from "./audit_entry.ts";
import { recordChange } from "./audit_record.ts";
import { AuditStore } from "./audit_store.ts";

const [OURS, THEIRS] = [fakeUuid(801), fakeUuid(802)];
const ANN: Actor = { kind: "user", id: fakeUuid(901), name: "ann@example.com" };

/** Stores audit entries named by their targets, one second apart. */
async function fill(kv: Deno.Kv, changes: [name: string, kind: AuditKind, actor: Actor][]) {
  const runtime = new FakeRuntime(1_000_000);
  for (const [name, kind, actor] of changes) {
    await runtime.advance(1_000);
    const step = kv.atomic();
    runAs(actor, () => {
      const target = { id: name, name };
      recordChange(step, runtime, { tenant: OURS, kind, action: "create", target });
    });
    await step.commit();
  }
}

async function names(kv: Deno.Kv, query: Partial<Parameters<AuditStore["list"]>[1]> = {}) {
  const page = await new AuditStore(kv).list(OURS, { limit: 10, ...query });
  return page.data.map(({ target }) => target.name);
}

Deno.test("AuditStore: lists each entry once, newest first, in pages", async () => {
  using kv = await Deno.openKv(":memory:");
  await fill(kv, ["a", "b", "c", "d", "e"].map((name) => [name, "agent", ANN]));
  const store = new AuditStore(kv);
  const seen: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await store.list(OURS, { limit: 2, cursor });
    seen.push(...page.data.map(({ target }) => target.name));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  assertEquals(seen, ["e", "d", "c", "b", "a"]);
  assertEquals(await store.list(THEIRS, { limit: 2 }), { data: [] });
});

Deno.test("AuditStore: filters by kind, actor, both, and days", async () => {
  using kv = await Deno.openKv(":memory:");
  await fill(kv, [
    ["a", "agent", ANN],
    ["b", "key", ANN],
    ["c", "key", { kind: "command_line" }],
    ["d", "agent", { kind: "api_key", id: fakeUuid(7) }],
  ]);
  assertEquals(await names(kv, { kind: "key" }), ["c", "b"]);
  assertEquals(await names(kv, { actor: fakeUuid(901) }), ["b", "a"]);
  assertEquals(await names(kv, { actor: "command_line" }), ["c"]);
  assertEquals(await names(kv, { kind: "key", actor: fakeUuid(901) }), ["b"]);
  assertEquals(await names(kv, { from: 1_002_000, before: 1_004_000 }), ["c", "b"]);
});

Deno.test("AuditStore: an invalid cursor is rejected", async () => {
  using kv = await Deno.openKv(":memory:");
  for (const cursor of ["", "x", "1.", `9e9.${fakeUuid(1)}`]) {
    await assertRejects(() => new AuditStore(kv).list(OURS, { limit: 2, cursor }), ApiError);
  }
});

Deno.test("recordChange: a failed step stores no entry", async () => {
  using kv = await Deno.openKv(":memory:");
  await kv.set(["taken"], 1);
  const step = kv.atomic().check({ key: ["taken"], versionstamp: null });
  const target = { id: "a", name: "a" };
  recordChange(step, new FakeRuntime(), { tenant: OURS, kind: "agent", action: "create", target });
  assertEquals((await step.commit()).ok, false);
  assertEquals(await names(kv), []);
});
