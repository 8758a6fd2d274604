/** Upload slots and memory are shared fairly: slow bodies of one caller do not starve others. */
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import { BODY_BUDGET } from "@/lib/http/bodies/byte_budget.ts";
import { Dashboard, SETUP_TOKEN } from "./support/dashboard.ts";
import { expectError, expectJson } from "./support/expect_response.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { TestService } from "./support/service.ts";

/** Grace period before a body's average rate is enforced, and how long a caller waits for a slot. */
const GRACE_MS = 20_000;
const MIB = 1_048_576;
const TEXT = { title: "Returns", content: "You may return any book within 30 days." };

async function start() {
  const clock = new ManualClock();
  const env = { TRUSTED_PROXY_HOPS: "1", SETUP_TOKEN };
  const service = await TestService.start({ runtime: clock.runtime, env });
  const owner = async (tenant: string) => {
    const key = await service.key(["knowledge:write"], tenant);
    const json = { name: "Shop" };
    const made = await service.fetch("/v1/knowledge-bases", { method: "POST", key, json });
    const { id } = await expectJson(made, 201);
    return { tenant, key, base: id as string, path: `/v1/knowledge-bases/${id}/documents` };
  };
  return {
    ...{ clock, service },
    flooder: await owner((await service.service.tenants.create("Flooder")).id),
    other: await owner(await service.tenant()),
  };
}

/** Sends `first` and then nothing more until `ends` is disposed. */
function trickle(
  service: TestService,
  path: string,
  { ends, ...init }: RequestInit & { first: Uint8Array; ends: DisposableStack },
) {
  const { first, ...rest } = init;
  const stalled = Promise.withResolvers<void>();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(first),
    pull: async (controller) => {
      await stalled.promise;
      controller.close();
    },
  }, { highWaterMark: 0 });
  const answer = service.fetch(path, { method: "POST", ...rest, body });
  ends.defer(stalled.resolve);
  return answer;
}

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("POST …/documents: 24 slow bodies of one tenant take no slot from another", async () => {
  const { clock, service, flooder, other } = await start();
  await using _ = service;
  const headers = { "content-type": "application/json", authorization: `Bearer ${flooder.key}` };
  using ends = new DisposableStack();
  const answers = [];
  for (let n = 0; n < 24; n++) {
    answers.push(trickle(service, flooder.path, { headers, first: bytes("{"), ends }));
    await clock.asleepUntil(GRACE_MS + n);
    await clock.advance(1);
  }

  const { key } = other;
  const byKey = await service.fetch(other.path, { method: "POST", key, json: TEXT });
  await expectJson(byKey, 201);
  const dashboard = await Dashboard.join(service, "owner", { tenant: other.tenant });
  const form = new FormData();
  form.append("file", new File(["Parcels travel by train."], "a.md"));
  const byForm = await service.fetch(`/knowledge/${other.base}/documents`, {
    method: "POST",
    body: form,
    headers: { cookie: dashboard.cookie, origin: service.url },
  });
  assertEquals(byForm.status, 303);

  // The flooder's own queue is full; its bodies are aborted after their grace period.
  const more = { method: "POST", key: flooder.key, json: TEXT };
  const rejected = await service.fetch(flooder.path, more);
  assertEquals(rejected.headers.get("retry-after"), "5");
  await expectError(rejected, "service_unavailable");
  await clock.advance(GRACE_MS);
  await clock.advance(GRACE_MS);
  const codes = await Promise.all(
    answers.map(async (answer) => (await (await answer).json()).code),
  );
  assertEquals(
    Object.fromEntries([...Map.groupBy(codes, String)].map(([c, of]) => [c, of.length])),
    {
      schema_validation_failed: 16,
      service_unavailable: 8,
    },
  );
  await expectJson(await service.fetch(flooder.path, more), 201);
});

Deno.test("POST /sign-in: an address that holds large forms open leaves memory for others", async () => {
  const { service } = await start();
  await using _ = service;
  const from = (address: string) => ({
    "content-type": "application/x-www-form-urlencoded",
    "x-forwarded-for": address,
  });
  const before = BODY_BUDGET.available;
  const first = new Uint8Array(MIB).fill(97);
  using ends = new DisposableStack();
  const forms = Array.from({ length: 40 }, () => {
    return trickle(service, "/sign-in", { headers: from("192.0.2.1"), first, ends });
  });
  const statuses: number[] = [];
  for (const answer of forms) void answer.then(({ status }) => statuses.push(status));
  // An address may buffer 32 MiB, so at least eight of its forty forms are rejected.
  while (statuses.length < 8) await turn();
  assertEquals(statuses.filter((status) => status !== 503), []);
  assert(before - BODY_BUDGET.available <= 32 * MIB);
  const body = new URLSearchParams({ email: "a@b.example", password: "x".repeat(200_000) });
  const send = (address: string) =>
    service.fetch("/sign-in", { method: "POST", body, headers: from(address) });
  const answer = await send("192.0.2.2");
  assertEquals(answer.status === 503, false);
  await answer.body?.cancel();
  ends.dispose();
  for (const answer of forms) await (await answer).body?.cancel();
});

Deno.test("POST /sign-in: the number of concurrent forms from one address is limited", async () => {
  const limits = { ipRequests: 3 };
  await using service = await TestService.start({ limits, env: { TRUSTED_PROXY_HOPS: "1" } });
  const from = (address: string) => ({
    "content-type": "application/x-www-form-urlencoded",
    "x-forwarded-for": address,
  });
  const first = bytes("email=");
  using ends = new DisposableStack();
  const forms = Array.from({ length: 4 }, () => {
    return trickle(service, "/sign-in", { headers: from("192.0.2.1"), first, ends });
  });
  const rejected = await Promise.any(forms.map(async (answer) => {
    const response = await answer;
    return { status: response.status, text: await response.text(), headers: response.headers };
  }));
  assertEquals([rejected.status, rejected.headers.get("retry-after")], [429, "60"]);
  const other = await service.fetch("/sign-in", {
    method: "POST",
    body: new URLSearchParams({ email: "" }),
    headers: from("192.0.2.2"),
  });
  assertEquals(other.status === 429, false);
  await other.body?.cancel();
  ends.dispose();
  await Promise.all(forms.map(async (answer) => {
    const { bodyUsed, body } = await answer;
    if (!bodyUsed) await body?.cancel();
  }));
});

/** Yields to the server's event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
