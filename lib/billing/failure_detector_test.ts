import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { HEARTBEAT_MS, LEASE_MS } from "./ledger.ts";
import { FailureDetector, SILENCE_TIMEOUT_MS } from "./failure_detector.ts";

const NOON = Date.UTC(2026, 0, 2, 12);

/** A watch whose clock is `ahead` of the one by which leases are written. */
function watching(ahead: number) {
  let now = NOON;
  let set = ahead;
  const clock = { now: () => now + set };
  const watch = new FailureDetector(clock, { elapsed: () => now - NOON });
  return {
    watch,
    setClock: (ms: number) => set += ms,
    advance: (ms: number) => now += ms,
    lease: () => ({ until: now + LEASE_MS, hold: 0 }),
  };
}

describe("LeaseWatch", () => {
  for (const ahead of [0, 60_000, -60_000]) {
    it(`lets a run live that is renewed, and none that is not (clock ${ahead} ms ahead)`, () => {
      const { watch, advance, lease } = watching(ahead);
      for (let beats = 0; beats < 20; beats++) {
        assertEquals(watch.isDead("run-1", lease()), false);
        advance(HEARTBEAT_MS);
      }
      const last = lease();
      assertEquals(watch.isDead("run-1", last), false);
      advance(SILENCE_TIMEOUT_MS - 1);
      assertEquals(watch.isDead("run-1", last), false);
      advance(1);
      assertEquals(watch.isDead("run-1", last), true);
    });
  }

  for (const step of [SILENCE_TIMEOUT_MS, 3_600_000, -3_600_000]) {
    it(`sees 20 s pass though its clock is set meanwhile (by ${step} ms)`, () => {
      const { watch, advance, lease, setClock } = watching(0);
      const last = lease();
      assertEquals(watch.isDead("run-1", last), false);
      advance(1);
      setClock(step);
      assertEquals(watch.isDead("run-1", last), false);
      advance(SILENCE_TIMEOUT_MS - 2);
      assertEquals(watch.isDead("run-1", last), false);
      advance(1);
      assertEquals(watch.isDead("run-1", last), true);
    });
  }

  it("lets others' runs live when its clock is set back to the time that they go by", () => {
    const { watch, advance, lease, setClock } = watching(3_600_000);
    setClock(-3_600_000);
    for (let beats = 0; beats < 5; beats++) {
      assertEquals(watch.isDead("run-1", lease()), false);
      advance(HEARTBEAT_MS);
    }
  });

  it("is told by the clock alone of a lease that lapsed minutes ago", () => {
    const { watch, advance, lease } = watching(0);
    const last = lease();
    advance(LEASE_MS + 5 * 60_000);
    assertEquals(watch.isDead("run-1", last), true);
  });

  it("takes a run without a lease for settled", () => {
    assertEquals(watching(0).watch.isDead("run-1", undefined), true);
  });

  it("begins anew with a run that it was told to forget", () => {
    const { watch, advance, lease } = watching(0);
    const last = lease();
    watch.isDead("run-1", last);
    advance(SILENCE_TIMEOUT_MS);
    watch.retainOnly(new Set(["run-2"]));
    assertEquals(watch.isDead("run-1", last), false);
  });
});
