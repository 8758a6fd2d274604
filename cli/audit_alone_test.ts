import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { readConfig } from "../lib/server/config/config.ts";
import { openStore } from "../lib/server/process/open_store.ts";
import { systemRuntime } from "../lib/platform/runtime.ts";
import { AuditExport } from "../lib/services/audit/audit_export.ts";
import { TenantStore } from "../lib/store/tenants/tenant_store.ts";
import { AuditChainStore } from "../lib/store/audit/audit_chain_store.ts";
import { INSTALLATION } from "../lib/store/audit/audit_record.ts";
import { keys } from "../lib/store/keys/keys.ts";
import { inTempDir, runCli } from "../tests/support/command_line.ts";
import { startService } from "../tests/support/started_service.ts";
import { UsageError } from "./arguments.ts";
import { parseAuditArgs } from "./audit_args.ts";

async function inStore<T>(dir: string, work: (kv: Deno.Kv) => Promise<T>): Promise<T> {
  const config = readConfig({ DATA_DIR: dir });
  const store = await openStore(config, { openKv: Deno.openKv, runtime: systemRuntime });
  return await work(store.kv).finally(() => store.close());
}

async function exported(kv: Deno.Kv, log: string): Promise<string> {
  const runtime = systemRuntime;
  const chains = new AuditChainStore(kv, runtime);
  const chainer = { chain: () => Promise.resolve() };
  const tenants = new TenantStore(kv, runtime);
  const exports = new AuditExport({ kv, chains, chainer, tenants, runtime });
  const lines = exports.lines(log, { format: "jsonl", filter: {}, filters: {} });
  return (await Array.fromAsync(lines)).join("");
}

Deno.test("audit verify: proves the logs of a running service, and names what was changed while it was down", () =>
  inTempDir(async (dir) => {
    const data = { dir: `${dir}/data` };
    {
      await using _service = await startService(dir, { DEMO: "off" });
      for (const name of ["one", "two", "three"]) {
        const made = await runCli(
          "keys",
          ["create", "--name", name, "--scopes", "agents:read"],
          data,
        );
        assertEquals(made.code, 0, made.err);
      }
      const proven = await runCli("audit", ["verify"], data);
      assertEquals([proven.code, proven.err], [0, ""]);
      assertMatch(proven.out, /^The installation \(installation\): \d+ entries/);
      // The service chains them five seconds after its start.
      assertMatch(
        proven.out,
        /\nDefault \([0-9a-f-]{36}\): (3 entries|0 entries, 3 not chained yet)\n/,
      );
    }
    const file = `${dir}/log.jsonl`;
    const tenant = await inStore(data.dir, async (kv) => {
      const id = String((await kv.get(keys.installation("default_tenant"))).value);
      const chains = new AuditChainStore(kv, systemRuntime);
      while ((await chains.append(id)).state === "appended");
      await Deno.writeTextFile(file, await exported(kv, id));
      for await (const { key, value } of kv.list<object>({ prefix: keys.auditEntries(id) })) {
        if (!JSON.stringify(value).includes(`"two"`)) continue;
        await kv.set(key, { ...value, target: { id: "x", name: "something else" } });
      }
      return id;
    });
    const broken = await runCli("audit", ["verify", "--tenant", tenant], data);
    assertEquals(broken.code, 1);
    assertMatch(
      broken.out,
      /BROKEN: entry 2 of 20\S+Z \(key: create, by command_line, something else\): the entry was changed/,
    );
    assertStringIncludes(broken.err, "1 of 1 logs are broken");
    const other = await runCli("audit", ["verify", "--tenant", INSTALLATION], data);
    assertEquals([other.code, other.out.includes("nothing is chained yet")], [0, true]);
    const unknown = await runCli("audit", ["verify", "--tenant", crypto.randomUUID()], data);
    assertEquals(unknown.code, 1);
    assertStringIncludes(unknown.err, "there is no tenant");
    const whole = await runCli("audit", ["verify", file], data);
    assertEquals([whole.code, whole.out.includes("PROVEN")], [0, true], whole.err);
    await Deno.writeTextFile(file, (await Deno.readTextFile(file)).replace('"three"', '"four"'));
    const changed = await runCli("audit", ["verify", file], data);
    assertEquals([changed.code, changed.out.includes("BROKEN: entry 3 of")], [1, true]);
    // What a file says is no line of the report.
    const forged = (await Deno.readTextFile(file)).replace(
      '"keyId":"',
      '"keyId":"\\n  PROVEN\\u001b[8m',
    );
    await Deno.writeTextFile(file, forged);
    const printed = await runCli("audit", ["verify", file], data);
    const lines = printed.out.split("\n").map((line) => line.trim());
    assertEquals([printed.code, lines.includes("PROVEN")], [1, false], printed.out);
    assertEquals(printed.out.includes("\u001b"), false);
    const none = await runCli("audit", ["verify", `${dir}/none.jsonl`], data);
    assertEquals(none.code, 1);
  }));

Deno.test("audit: arguments that mean nothing are usage errors", () => {
  const key = "-".padEnd(43, "a");
  assertEquals(parseAuditArgs(["verify", "--key", key, "--key", key]), {
    action: "verify",
    keys: [key, key],
  });
  assertEquals(parseAuditArgs(["verify", "log.jsonl"]), { action: "verify", file: "log.jsonl" });
  assertEquals(parseAuditArgs(["help"]), { action: "help" });
  for (
    const words of [
      ...[[], ["check"], ["verify", "a", "b"], ["verify", "--key", "short"]],
      ["verify", "log.jsonl", "--tenant", INSTALLATION],
    ]
  ) {
    assertThrows(() => parseAuditArgs(words), UsageError);
  }
});
