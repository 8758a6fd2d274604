import { assert, assertEquals } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { createLogger } from "../platform/log.ts";
import { AuditStore } from "../store/audit/audit_store.ts";
import { UserStore } from "../store/users/user_store.ts";
import { SecurityLog } from "./security_log.ts";

Deno.test("SecurityLog: a thousand addresses a minute become a few entries with their counts", async () => {
  using kv = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const lines: string[] = [];
  const log = createLogger({ json: true, write: (line) => lines.push(line) });
  const security = new SecurityLog({ kv, users: new UserStore(kv, runtime), runtime, log });
  for (let minute = 0; minute < 3; minute++) {
    for (let n = 0; n < 1_000; n++) security.rejected({ address: `2001:db8:${n}::1` }, "address");
    await runtime.advance(60_000);
  }
  await security.flush();
  const { data } = await new AuditStore(kv).list("installation", { limit: 100 });
  const times = data.map(({ changes }) => changes.find(({ field }) => field === "times")?.after);
  assertEquals(times.reduce((sum, n) => sum + Number(n), 0), 3_000);
  assert(data.length <= 3 * 21, `${data.length} entries`);
  assertEquals(lines.length, data.length);
});

Deno.test("SecurityLog: an IPv6 /64 with many addresses does not crowd out other events", async () => {
  using kv = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const log = createLogger({ write: () => {} });
  const security = new SecurityLog({ kv, users: new UserStore(kv, runtime), runtime, log });
  for (let n = 0; n < 40; n++) security.rejected({ address: `2001:db8:1:1::${n}` }, "address");
  security.rejected({ address: "2001:db8:1:2::1" }, "address");
  await security.flush();
  const { data } = await new AuditStore(kv).list("installation", { limit: 100 });
  const facts = data.map(({ changes }) => changes.map(({ after }) => after).join(" "));
  assertEquals(facts.toSorted(), [
    "2001:db8:1:1::0 1 too many failures before",
    "2001:db8:1:1::0 39 too many failures before",
    "2001:db8:1:2::1 1 too many failures before",
  ]);
});

Deno.test("SecurityLog: a failing store does not fail the rejection", async () => {
  const kv = await Deno.openKv(":memory:");
  const runtime = new FakeRuntime();
  const lines: string[] = [];
  const log = createLogger({ json: true, write: (line) => lines.push(line) });
  const security = new SecurityLog({ kv, users: new UserStore(kv, runtime), runtime, log });
  kv.close();
  security.failed({ email: "a@example.com", address: "192.0.2.1" }, {
    locked: false,
    slowed: false,
  });
  security.rejected({ address: "192.0.2.1" }, "busy");
  await security.flush();
  assert(lines.some((line) => line.includes("cannot store a security event")));
});
