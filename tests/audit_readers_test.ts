/** Verifications and downloads while the service chains, signs and deletes, and clocks that are set back. */
import { assertEquals } from "@std/assert";
import { keys } from "@/lib/store/keys/keys.ts";
import { AuditVerifier } from "@/lib/services/audit/audit_verifier.ts";
import { verifyAuditFile } from "@/lib/services/audit/verify_audit_file.ts";
import { download } from "./support/audit_forgeries.ts";
import { type AuditChainFixture, DAY, openAuditChain } from "./support/audit_chain.ts";

const HOUR = DAY / 24;

/** A store that runs `act` once, before the first list of these keys. */
function interrupted(kv: Deno.Kv, family: string, act: () => Promise<void>): Deno.Kv {
  let isDone = false;
  return new Proxy(kv, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (name !== "list") return typeof value === "function" ? value.bind(target) : value;
      return async function* (selector: Deno.KvListSelector, options?: Deno.KvListOptions) {
        const key = "prefix" in selector ? selector.prefix : selector.start;
        if (!isDone && key[0] === family) {
          isDone = true;
          await act();
        }
        yield* target.list(selector, options);
      };
    },
  });
}

/** Two entries that have expired long ago, whose links can be deleted, and one that has not. */
async function openPrunable(): Promise<AuditChainFixture> {
  const log = await openAuditChain();
  await log.record(["a", "b"], { kind: "access", action: "role not allowed" });
  await log.chainer.sweep();
  await log.runtime.advance(DAY);
  await log.record(["c"]);
  await log.chainer.sweep();
  await log.runtime.advance(125 * DAY);
  for (const { value: { at, id, expiresAt } } of await log.links()) {
    if (expiresAt < log.runtime.now()) await log.kv.delete(keys.auditEntry(log.tenant, at, id));
  }
  await log.record(["download"]);
  await log.chainer.chain(log.tenant);
  return log;
}

const reasonsOf = ({ issues }: { issues: readonly { reason: string }[] }) =>
  issues.map(({ reason }) => reason);

/** Reads `count` lines, runs `act`, and reads the rest. */
async function slowly(
  log: AuditChainFixture,
  count: number,
  act: () => Promise<unknown>,
): Promise<string> {
  const lines = download(log);
  let text = "";
  for (let n = 0; n < count; n++) text += (await lines.next()).value;
  await act();
  return text + (await Array.fromAsync(lines)).join("");
}

Deno.test("audit: a head that is signed during a verification or a download is no issue", async () => {
  using log = await openAuditChain();
  await log.record(["a", "b"]);
  await log.chainer.sweep();
  const sign = async () => {
    await log.runtime.advance(DAY);
    await log.record(["c"]);
    await log.chainer.sweep();
  };
  const kv = interrupted(log.kv, "audit_signed_heads", sign);
  assertEquals(reasonsOf(await new AuditVerifier(kv, log).verify(log.tenant)), []);
  for (const count of [1, 2, 3]) {
    assertEquals(reasonsOf(verifyAuditFile(await slowly(log, count, sign))), [], `${count}`);
  }
});

Deno.test("audit: links that are deleted during a verification or a download are no issue", async () => {
  for (const when of ["audit_links", "audit_entries", 1, 2]) {
    using log = await openPrunable();
    const prune = async () => {
      for (let n = 0; n < 23; n++) {
        await log.chainer.sweep();
        await log.runtime.advance(HOUR);
      }
    };
    const report = typeof when === "number"
      ? verifyAuditFile(await slowly(log, when, prune))
      : await new AuditVerifier(interrupted(log.kv, when, prune), log).verify(log.tenant);
    assertEquals(reasonsOf(report), [], `${when}`);
    await log.runtime.advance(DAY);
    await log.chainer.sweep();
    assertEquals((await log.links()).length, 2, "and they are deleted later");
    assertEquals(reasonsOf(await log.verify()), []);
  }
});

Deno.test("audit: an entry that expires during a download has expired", async () => {
  using log = await openAuditChain();
  await log.record(["a"]);
  await log.record(["b"], { kind: "access", action: "role not allowed" });
  await log.chainer.sweep();
  await log.runtime.advance(90 * DAY - 15 * 60_000);
  await log.record(["download"]);
  await log.chainer.chain(log.tenant);
  const text = await slowly(log, 1, async () => {
    await log.runtime.advance(30 * 60_000);
    await log.kv.delete((await log.entry("b")).key);
  });
  const report = verifyAuditFile(text);
  assertEquals([report.entries, report.expired, reasonsOf(report)], [2, 1, []]);
});

Deno.test("audit: a clock that is set back, and a restart: no entry is chained twice", async () => {
  using log = await openAuditChain();
  for (let n = 0; n < 5; n++) {
    await log.record([`a${n}`]);
    await log.chainer.sweep();
    await log.runtime.advance(HOUR);
  }
  await log.chainer.sweep();
  await log.runtime.advance(-3 * HOUR);
  const restarted = await openAuditChain({ kv: log.kv, runtime: log.runtime });
  for (let n = 0; n < 6; n++) {
    await restarted.chainer.sweep();
    await log.runtime.advance(HOUR + 1);
  }
  assertEquals((await log.links()).length, 5);
  assertEquals(reasonsOf(await log.verify()), []);
});

Deno.test("audit: after a clock that was ahead, heads are signed again within the hour", async () => {
  using log = await openAuditChain();
  await log.record(["a"]);
  await log.chainer.sweep();
  await log.runtime.advance(365 * DAY);
  await log.chainer.sweep();
  await log.runtime.advance(-364 * DAY);
  await log.record(["b"]);
  await log.chainer.sweep();
  const heads = await Array.fromAsync(log.kv.list({ prefix: keys.signedAuditHeads(log.tenant) }));
  assertEquals(heads.map(({ key }) => key[2]), ["2030-01-01", "2030-01-02"]);
});
