import { assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { HEARTBEAT_MS, LEASE_MS } from "./ledger.ts";
import { FailureDetector, SILENCE_TIMEOUT_MS } from "./failure_detector.ts";

const NOON = Date.UTC(2026, 0, 2, 12);

/** A detector whose clock is `ahead` of the one that writes leases. */
function createDetector(ahead: number) {
  let now = NOON;
  let set = ahead;
  const clock = { now: () => now + set };
  const detector = new FailureDetector(clock, { elapsed: () => now - NOON });
  return {
    detector,
    setClock: (ms: number) => set += ms,
    advance: (ms: number) => now += ms,
    lease: () => ({ until: now + LEASE_MS, hold: 0 }),
  };
}

describe("FailureDetector", () => {
  for (const ahead of [0, 60_000, -60_000]) {
    it(`considers only renewed runs alive (clock ${ahead} ms ahead)`, () => {
      const { detector, advance, lease } = createDetector(ahead);
      for (let beats = 0; beats < 20; beats++) {
        assertEquals(detector.isDead("run-1", lease()), false);
        advance(HEARTBEAT_MS);
      }
      const last = lease();
      assertEquals(detector.isDead("run-1", last), false);
      advance(SILENCE_TIMEOUT_MS - 1);
      assertEquals(detector.isDead("run-1", last), false);
      advance(1);
      assertEquals(detector.isDead("run-1", last), true);
    });
  }

  for (const step of [SILENCE_TIMEOUT_MS, 3_600_000, -3_600_000]) {
    it(`measures 20 s even if its clock is set meanwhile (by ${step} ms)`, () => {
      const { detector, advance, lease, setClock } = createDetector(0);
      const last = lease();
      assertEquals(detector.isDead("run-1", last), false);
      advance(1);
      setClock(step);
      assertEquals(detector.isDead("run-1", last), false);
      advance(SILENCE_TIMEOUT_MS - 2);
      assertEquals(detector.isDead("run-1", last), false);
      advance(1);
      assertEquals(detector.isDead("run-1", last), true);
    });
  }

  it("considers others' runs alive after its clock is set back to theirs", () => {
    const { detector, advance, lease, setClock } = createDetector(3_600_000);
    setClock(-3_600_000);
    for (let beats = 0; beats < 5; beats++) {
      assertEquals(detector.isDead("run-1", lease()), false);
      advance(HEARTBEAT_MS);
    }
  });

  it("considers a run dead at once if its lease lapsed minutes ago", () => {
    const { detector, advance, lease } = createDetector(0);
    const last = lease();
    advance(LEASE_MS + 5 * 60_000);
    assertEquals(detector.isDead("run-1", last), true);
  });

  it("treats a run without a lease as settled", () => {
    assertEquals(createDetector(0).detector.isDead("run-1", undefined), true);
  });

  it("starts over with a run that it has forgotten", () => {
    const { detector, advance, lease } = createDetector(0);
    const last = lease();
    detector.isDead("run-1", last);
    advance(SILENCE_TIMEOUT_MS);
    detector.retainOnly(new Set(["run-2"]));
    assertEquals(detector.isDead("run-1", last), false);
  });
});
