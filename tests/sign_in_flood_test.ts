/** A flood of sign-in attempts from one address affects nobody else. Addresses come from the proxy's header. */
import { assert, assertEquals } from "@std/assert";
import { Dashboard, PASSWORD, SETUP_TOKEN } from "./support/dashboard.ts";
import { TestService } from "./support/service.ts";
import { openTestKv } from "./support/open_kv.ts";

const OWNER = { email: "operator@example.com", password: PASSWORD };
const CONNECTIONS = 40;

const ENV = { SETUP_TOKEN, TRUSTED_PROXY_HOPS: "1", DEMO: "off" };

async function signIn(
  service: TestService,
  fields: { email: string; password: string },
  headers: Record<string, string>,
): Promise<number> {
  const body = new URLSearchParams(fields);
  const answer = await service.fetch("/sign-in", { method: "POST", body, headers });
  await answer.body?.cancel();
  return answer.status;
}

/** Tries random accounts from one address until disposed; counts each status. */
function flood(service: TestService, address: string) {
  const statuses = new Map<number, number>();
  let answered = Promise.withResolvers<void>();
  let going = true;
  const connection = async () => {
    while (going) {
      const email = `${crypto.randomUUID()}@example.com`;
      const headers = { "x-forwarded-for": address };
      const status = await signIn(service, { email, password: "a wrong password" }, headers);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      answered.resolve();
      answered = Promise.withResolvers<void>();
    }
  };
  const connections = Array.from({ length: CONNECTIONS }, connection);
  const stop = async () => {
    going = false;
    await Promise.all(connections);
  };
  /** Waits until the flood has received a status that many times. */
  const until = async (status: number, times: number) => {
    while ((statuses.get(status) ?? 0) < times) await answered.promise;
  };
  return { statuses, stop, until, [Symbol.asyncDispose]: stop };
}

Deno.test("POST /sign-in: during a flood of 40 connections from one address, every sign-in of the owner from another succeeds", async () => {
  // A sixth of the production cost, so that the flood fills its queue and the test takes seconds.
  const passwordCost = { N: 2 ** 14, r: 8, p: 1 };
  await using service = await TestService.start({ env: ENV, passwordCost });
  await Dashboard.setUp(service);
  await using flooding = flood(service, "198.51.100.1");
  await flooding.until(503, 1);
  for (let n = 1; n <= 5; n++) {
    const status = await signIn(service, OWNER, { "x-forwarded-for": `203.0.113.${n}` });
    assertEquals(status, 303, `try ${n}`);
  }
  await flooding.stop();
  const seen = [...flooding.statuses.keys()];
  assertEquals(seen.filter((status) => ![401, 429, 503].includes(status)), []);
  assert(flooding.statuses.get(401)! <= 30, `${flooding.statuses.get(401)} passwords checked`);
});

Deno.test("POST /sign-in: a flood gets 429 after 30 passwords, and leaves one row for each and a handful of audit entries", async () => {
  const kv = await openTestKv();
  await using service = await TestService.start({ kv, env: ENV });
  await Dashboard.setUp(service);
  await using flooding = flood(service, "198.51.100.1");
  await flooding.until(401, 30);
  await flooding.until(429, CONNECTIONS);
  assertEquals(await signIn(service, OWNER, { "x-forwarded-for": "203.0.113.1" }), 303);
  await flooding.stop();
  assertEquals(flooding.statuses.get(401), 30);
  const rows = await Array.fromAsync(kv.list({ prefix: ["sign_in_failures"] }));
  assertEquals(rows.length, 30);
  await service.service.securityLog.flush();
  const query = { limit: 100, kind: "sign-in" } as const;
  const { data } = await service.service.audit.list("installation", query);
  assert(data.length >= 2 && data.length <= 8, `${data.length} entries`);
  const failed = data.filter(({ action }) => action === "failed");
  const times = failed.map(({ changes }) => changes.find(({ field }) => field === "times")?.after);
  assertEquals(times.reduce((sum, n) => sum + Number(n), 0), 30);
  assert(!JSON.stringify(data).includes("@example.com"), "an unknown account's e-mail");
  const lines = service.logged.filter((line) => /sign-in: (failed|refused)/.test(line));
  assertEquals(lines.length, data.length);
});

Deno.test("POST /sign-in: the owner's known browser signs in from the flooding address", async () => {
  await using service = await TestService.start({ env: ENV });
  await Dashboard.setUp(service);
  const first = await service.fetch("/sign-in", {
    method: "POST",
    body: new URLSearchParams(OWNER),
    headers: { "x-forwarded-for": "203.0.113.1" },
  });
  await first.body?.cancel();
  const cookies = first.headers.getSetCookie().map((cookie) => cookie.split(";")[0]!);
  const cookie = cookies.find((cookie) => cookie.startsWith("known_browser="))!;
  await using flooding = flood(service, "198.51.100.1");
  await flooding.until(429, 1);
  const flooded = { "x-forwarded-for": "198.51.100.1" };
  assertEquals(await signIn(service, OWNER, flooded), 429);
  assertEquals(await signIn(service, OWNER, { ...flooded, cookie }), 303);
});
