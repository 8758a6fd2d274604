/** A retry after `Retry-After` succeeds if nobody else calls; one a second earlier does not. */
import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { instantRuntime } from "@/tests/support/instant_runtime.ts";
import { fakeUuid } from "@/tests/support/fake_runtime.ts";
import { seeded } from "@/tests/support/flaky_kv.ts";
import { OPEN_LIMITS, RUN_END, runFacts, runRequest } from "@/tests/support/run_requests.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { sha256 } from "../platform/crypto/signer.ts";
import { SessionStore } from "../store/credentials/session_store.ts";
import { systemRuntime } from "../platform/runtime.ts";
import { Admission } from "./admission.ts";
import type { RunRequest } from "./decide_run.ts";
import { LimitError } from "./limit_error.ts";

const TENANT = fakeUuid(801);

/** The result of one attempt: the limit that rejected it and the wait. */
interface Attempt {
  outcome: string;
  waitSeconds?: number;
}

/** An admission with a clock that the test advances; the seed determines its start. */
async function start(seed: number) {
  const kv = await Deno.openKv(":memory:");
  const random = seeded(seed);
  const { runtime: time, advance } = instantRuntime(
    Date.UTC(2026, 0, 2) + Math.floor(random() * 86_000_000),
  );
  const runtime = { ...systemRuntime, ...time };
  const admission = new Admission(new GroupCommitter(kv, { runtime }), { runtime });
  let tries = 0;
  const attempt = async (admitted: Promise<unknown>): Promise<Attempt> => {
    try {
      return { outcome: (await admitted as { kind?: string }).kind ?? "admitted" };
    } catch (error) {
      assert(error instanceof LimitError, String(error));
      const waitSeconds = Number(error.headers["retry-after"]);
      return { outcome: error.rejection.scope, waitSeconds };
    }
  };
  const admit = (change: Partial<RunRequest> = {}) =>
    attempt(admission.admit(runRequest(++tries, change)));
  /** A message of a visitor, whose address counts. */
  const visit = (change: Partial<RunRequest>) => {
    const source = { kind: "session" as const, id: fakeUuid(600) };
    return admit({ ...change, run: runFacts(tries + 1, { source }) });
  };
  const count = (change: Partial<RunRequest> = {}) =>
    attempt(admission.requests.countRequest(runRequest(++tries, change)));
  const settle = (cost: number) =>
    admission.settle(`run-${tries}`, { end: RUN_END, cost, ceiling: 1e9 });
  const newSession = async () => {
    const { sessionToken } = await new SessionStore(kv, runtime)
      .mint(TENANT, { agentId: fakeUuid(901) });
    return await sha256(sessionToken);
  };
  const close = () => {
    admission.close();
    kv.close();
  };
  return { random, advance, admit, visit, count, settle, newSession, [Symbol.dispose]: close };
}

type TestAdmission = Awaited<ReturnType<typeof start>>;

/** Repeats until rejected, then checks that a retry succeeds after the wait and no second earlier. */
async function checkRetryAfter(
  tested: TestAdmission,
  ask: () => Promise<Attempt>,
  then = "admitted",
) {
  let attempt = await ask();
  for (let n = 0; attempt.outcome === "admitted" && n < 1_000; n++) attempt = await ask();
  const { outcome, waitSeconds } = attempt;
  assert(waitSeconds !== undefined && waitSeconds >= 1, outcome);
  tested.advance((waitSeconds - 1) * 1_000);
  assertEquals(await ask(), { outcome, waitSeconds: 1 });
  tested.advance(1_000);
  assertEquals((await ask()).outcome, then);
  return outcome;
}

for (const seed of [1, 2, 3, 4, 5]) {
  describe(`Retry-After (seed ${seed})`, () => {
    /** Windows that were repeatedly filled at irregular times. */
    const window = async (tested: TestAdmission, ask: () => Promise<Attempt>) => {
      const outcomes = new Set<string>();
      for (let round = 0; round < 10; round++) {
        for (let n = 0; n < 20; n++) {
          await ask();
          tested.advance(Math.floor(tested.random() * 4_000));
        }
        outcomes.add(await checkRetryAfter(tested, ask));
      }
      return [...outcomes];
    };

    it("of an address's requests", async () => {
      using tested = await start(seed);
      const limits = { ...OPEN_LIMITS, ipRequests: 7 };
      assertEquals(await window(tested, () => tested.count({ limits })), ["ip"]);
    });

    it("of an API key's requests", async () => {
      using tested = await start(seed);
      const limits = { ...OPEN_LIMITS, keyRequests: 7 };
      const caller = { address: "address-1", apiKey: { tenant: TENANT, id: "key-1" } };
      assertEquals(await window(tested, () => tested.count({ limits, caller })), ["key"]);
    });

    it("of an address's messages", async () => {
      using tested = await start(seed);
      const limits = { ...OPEN_LIMITS, ipMessages: 7, streams: 1_000 };
      assertEquals(await window(tested, () => tested.admit({ limits })), ["ip_chat"]);
    });

    it("of a tenant's day, and of an address's", async () => {
      using tested = await start(seed);
      const day = { ...OPEN_LIMITS, hardDailyCost: 100 };
      await tested.admit({ limits: day, hold: 100 });
      await tested.settle(100);
      const spent = await checkRetryAfter(tested, () => tested.admit({ limits: day, hold: 1 }));
      assertEquals(spent, "tenant_daily_cost");
      const address = { ...OPEN_LIMITS, ipDailyCost: 100 };
      const caller = { address: "address-2" };
      const visit = (hold: number) => tested.visit({ limits: address, caller, hold });
      await visit(100);
      await tested.settle(100);
      const ask = () => visit(1);
      assertEquals(await checkRetryAfter(tested, ask), "ip_daily_cost");
    });

    it("of a session's messages and cost is the session's end", async () => {
      using tested = await start(seed);
      const limits = { ...OPEN_LIMITS, streams: 1_000 };
      const sessionHash = await tested.newSession();
      tested.advance(Math.floor(tested.random() * 600_000));
      const ask = () => tested.admit({ limits, sessionHash });
      assertEquals(await checkRetryAfter(tested, ask, "gone"), "session_messages");
      const next = await tested.newSession();
      assertEquals((await tested.admit({ limits, sessionHash: next })).outcome, "admitted");
      const capped = { ...limits, sessionCost: 100 };
      await tested.admit({ limits: capped, sessionHash: next, hold: 100 });
      await tested.settle(100);
      const buy = () => tested.admit({ limits: capped, sessionHash: next, hold: 1 });
      assertEquals(await checkRetryAfter(tested, buy, "gone"), "session_cost");
    });
  });
}
