/** Who waits as long as `Retry-After` says gets through if nobody else calls; a second less does not. */
import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { instantRuntime } from "@/tests/support/instant_runtime.ts";
import { fakeUuid } from "@/tests/support/fake_runtime.ts";
import { seeded } from "@/tests/support/flaky_kv.ts";
import { OPEN_LIMITS, RUN_END, runFacts, runRequest } from "@/tests/support/run_requests.ts";
import { GroupCommitter } from "../store/tx/group_committer.ts";
import { sha256 } from "../platform/crypto/hashing.ts";
import { SessionStore } from "../store/credentials/session_store.ts";
import { systemRuntime } from "../platform/runtime.ts";
import { Admission } from "./admission.ts";
import type { RunRequest } from "./decide_run.ts";
import { LimitError } from "./limit_error.ts";

const TENANT = fakeUuid(801);

/** What came of one try: the limit that refused and the wait it told. */
interface Told {
  outcome: string;
  waitSeconds?: number;
}

/** An admission whose clock a test moves, begun at a moment that follows from the seed. */
async function start(seed: number) {
  const kv = await Deno.openKv(":memory:");
  const random = seeded(seed);
  const { runtime: time, advance } = instantRuntime(
    Date.UTC(2026, 0, 2) + Math.floor(random() * 86_000_000),
  );
  const runtime = { ...systemRuntime, ...time };
  const admission = new Admission(new GroupCommitter(kv, { runtime }), { runtime });
  let tries = 0;
  const told = async (admitted: Promise<unknown>): Promise<Told> => {
    try {
      return { outcome: (await admitted as { kind?: string }).kind ?? "admitted" };
    } catch (error) {
      assert(error instanceof LimitError, String(error));
      const waitSeconds = Number(error.headers["retry-after"]);
      return { outcome: error.rejection.scope, waitSeconds };
    }
  };
  const admit = (change: Partial<RunRequest> = {}) =>
    told(admission.admit(runRequest(++tries, change)));
  /** A message of a visitor, whose address counts. */
  const visit = (change: Partial<RunRequest>) => {
    const source = { kind: "session" as const, id: fakeUuid(600) };
    return admit({ ...change, run: runFacts(tries + 1, { source }) });
  };
  const count = (change: Partial<RunRequest> = {}) =>
    told(admission.requests.countRequest(runRequest(++tries, change)));
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

type World = Awaited<ReturnType<typeof start>>;

/** Tries until it is refused, then waits as told, but looks a second before. */
async function holdsItsWord(world: World, ask: () => Promise<Told>, then = "admitted") {
  let told = await ask();
  for (let n = 0; told.outcome === "admitted" && n < 1_000; n++) told = await ask();
  const { outcome, waitSeconds } = told;
  assert(waitSeconds !== undefined && waitSeconds >= 1, outcome);
  world.advance((waitSeconds - 1) * 1_000);
  assertEquals(await ask(), { outcome, waitSeconds: 1 });
  world.advance(1_000);
  assertEquals((await ask()).outcome, then);
  return outcome;
}

for (const seed of [1, 2, 3, 4, 5]) {
  describe(`Retry-After (seed ${seed})`, () => {
    /** Windows that have been filled at uneven times, time and again. */
    const window = async (world: World, ask: () => Promise<Told>) => {
      const outcomes = new Set<string>();
      for (let round = 0; round < 10; round++) {
        for (let n = 0; n < 20; n++) {
          await ask();
          world.advance(Math.floor(world.random() * 4_000));
        }
        outcomes.add(await holdsItsWord(world, ask));
      }
      return [...outcomes];
    };

    it("of an address's requests", async () => {
      using world = await start(seed);
      const limits = { ...OPEN_LIMITS, ipRequests: 7 };
      assertEquals(await window(world, () => world.count({ limits })), ["ip"]);
    });

    it("of an API key's requests", async () => {
      using world = await start(seed);
      const limits = { ...OPEN_LIMITS, keyRequests: 7 };
      const caller = { address: "address-1", apiKey: { tenant: TENANT, id: "key-1" } };
      assertEquals(await window(world, () => world.count({ limits, caller })), ["key"]);
    });

    it("of an address's messages", async () => {
      using world = await start(seed);
      const limits = { ...OPEN_LIMITS, ipMessages: 7, streams: 1_000 };
      assertEquals(await window(world, () => world.admit({ limits })), ["ip_chat"]);
    });

    it("of a tenant's day, and of an address's", async () => {
      using world = await start(seed);
      const day = { ...OPEN_LIMITS, hardDailyCost: 100 };
      await world.admit({ limits: day, hold: 100 });
      await world.settle(100);
      const spent = await holdsItsWord(world, () => world.admit({ limits: day, hold: 1 }));
      assertEquals(spent, "tenant_daily_cost");
      const address = { ...OPEN_LIMITS, ipDailyCost: 100 };
      const caller = { address: "address-2" };
      const visit = (hold: number) => world.visit({ limits: address, caller, hold });
      await visit(100);
      await world.settle(100);
      const ask = () => visit(1);
      assertEquals(await holdsItsWord(world, ask), "ip_daily_cost");
    });

    it("of a session's messages, and of its money, is the session's end", async () => {
      using world = await start(seed);
      const limits = { ...OPEN_LIMITS, streams: 1_000 };
      const sessionHash = await world.newSession();
      world.advance(Math.floor(world.random() * 600_000));
      const ask = () => world.admit({ limits, sessionHash });
      assertEquals(await holdsItsWord(world, ask, "gone"), "session_messages");
      const next = await world.newSession();
      assertEquals((await world.admit({ limits, sessionHash: next })).outcome, "admitted");
      const capped = { ...limits, sessionCost: 100 };
      await world.admit({ limits: capped, sessionHash: next, hold: 100 });
      await world.settle(100);
      const buy = () => world.admit({ limits: capped, sessionHash: next, hold: 1 });
      assertEquals(await holdsItsWord(world, buy, "gone"), "session_cost");
    });
  });
}
