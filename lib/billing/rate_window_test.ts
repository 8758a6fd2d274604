import { assert, assertEquals } from "@std/assert";
import { describe, it } from "@std/testing/bdd";
import { seeded } from "../../tests/support/flaky_kv.ts";
import {
  takeFromWindow,
  toRetryAfterSeconds,
  windowStatus,
  type WindowTimes,
} from "./rate_window.ts";

const RULE = { limit: 60, windowMs: 60_000 };
/** How far a clock is set, milliseconds. */
const CLOCK_STEPS = [-10_800_000, -301_000, -299_000, -120_000, -500, 20_000, 120_000, 3_600_000];
const MAX_SHUT_MS = 5 * 60_000 + RULE.windowMs + 1;

describe("takeFromWindow", () => {
  for (const seed of [1, 2, 3, 4, 5, 6, 7, 8]) {
    it(`never admits more than the limit in any window, and uses all of it (seed ${seed})`, () => {
      const random = seeded(seed);
      let times: WindowTimes = { stamps: [] };
      const admitted: number[] = [];
      let now = 1_000_000;
      for (let i = 0; i < 5_000; i++) {
        now += Math.floor(random() * 400);
        const result = takeFromWindow(times, { now, rule: RULE });
        if (!result.admitted) continue;
        times = result.times;
        admitted.push(now);
      }
      for (let i = RULE.limit; i < admitted.length; i++) {
        assert(admitted[i]! - admitted[i - RULE.limit]! > RULE.windowMs);
      }
      const windows = Math.floor((now - 1_000_000) / RULE.windowMs);
      assert(admitted.length >= windows * RULE.limit, `${admitted.length} of ${windows} windows`);
    });

    it(`returns the exact wait until the next admission (seed ${seed})`, () => {
      const random = seeded(seed);
      let times: WindowTimes = { stamps: [] };
      let now = 0;
      for (let i = 0; i < 500; i++) {
        now += Math.floor(random() * 500);
        const result = takeFromWindow(times, { now, rule: RULE });
        if (result.admitted) times = result.times;
        else {
          const { retryAfterMs } = result;
          assert(takeFromWindow(times, { now: now + retryAfterMs, rule: RULE }).admitted);
          assert(!takeFromWindow(times, { now: now + retryAfterMs - 1, rule: RULE }).admitted);
        }
      }
    });
  }

  it("keeps no more stamps than the limit, whatever was stored", () => {
    let times: WindowTimes = { stamps: [] };
    for (let now = 0; now < 10_000; now++) {
      const result = takeFromWindow(times, { now, rule: { limit: 3, windowMs: 10 } });
      if (result.admitted) times = result.times;
      assert(times.stamps.length <= 3);
    }
  });

  for (const seed of [1, 2, 3, 4]) {
    it(`never stays full longer than its length plus the maximum clock skew (seed ${seed})`, () => {
      const random = seeded(seed);
      let times: WindowTimes = { stamps: [] };
      let [now, shutFor, longest] = [1_000_000_000, 0, 0];
      for (let i = 0; i < 6_000; i++) {
        if (random() < 0.004) {
          now += CLOCK_STEPS[Math.floor(random() * CLOCK_STEPS.length)]!;
          shutFor = 0;
        }
        const passed = Math.floor(random() * 1_000);
        now += passed;
        const result = takeFromWindow(times, { now, rule: RULE });
        if (result.admitted) [times, shutFor] = [result.times, 0];
        else {
          shutFor += passed;
          longest = Math.max(longest, shutFor);
          assert(result.retryAfterMs <= MAX_SHUT_MS, `asked to wait ${result.retryAfterMs} ms`);
          const waited = now + result.retryAfterMs;
          assert(takeFromWindow(times, { now: waited, rule: RULE }).admitted);
        }
        assert(shutFor <= MAX_SHUT_MS, `shut for ${shutFor} ms`);
      }
      assert(longest > RULE.windowMs, "a clock that was set back keeps it full for a while");
    });
  }

  it("admits at once when the clock was set back by more than the maximum skew", () => {
    const times = { stamps: Array.from({ length: 60 }, (_, n) => 3_600_000 + n) };
    const result = takeFromWindow(times, { now: 0, rule: RULE });
    assert(result.admitted);
    assertEquals(result.times.stamps, [0]);
    assertEquals(windowStatus(times, { now: 0, rule: RULE }).remaining, 60);
  });

  it("counts a stamp slightly ahead, and stores it as now", () => {
    const options = { now: 0, rule: { limit: 1, windowMs: 60_000 } };
    const full = takeFromWindow({ stamps: [120_000] }, options);
    assertEquals(full, { admitted: false, retryAfterMs: 180_001 });
    const open = takeFromWindow(
      { stamps: [120_000] },
      { now: 0, rule: { limit: 2, windowMs: 60_000 } },
    );
    assert(open.admitted);
    assertEquals(open.times.stamps, [0, 0]);
  });

  it("applies a lowered limit immediately", () => {
    const times = { stamps: Array.from({ length: 60 }, (_, i) => i) };
    const result = takeFromWindow(times, { now: 100, rule: { limit: 10, windowMs: 60_000 } });
    assert(!result.admitted);
    assertEquals(result.retryAfterMs, 50 + 60_001 - 100);
    assertEquals(windowStatus(times, { now: 100, rule: RULE }).remaining, 0);
  });
});

describe("takeFromWindow with packed times", () => {
  const LIMIT = 700;

  for (const seed of [1, 2, 3, 4]) {
    it(`decides as with a list, also after the clock or the limit was changed (seed ${seed})`, () => {
      const random = seeded(seed);
      let listed: WindowTimes = { stamps: [] };
      let packed: WindowTimes = { stamps: [] };
      let [now, limit, mostPacked, rejections] = [1_000_000_000, LIMIT, 0, 0];
      for (let i = 0; i < 6_000; i++) {
        now += Math.floor(random() * 130);
        if (random() < 0.003) now += CLOCK_STEPS[Math.floor(random() * CLOCK_STEPS.length)]!;
        if (random() < 0.003) limit = [0, 10, LIMIT, 2 * LIMIT][Math.floor(random() * 4)]!;
        const rule = { limit, windowMs: 60_000 };
        const expected = takeFromWindow(listed, { now, rule });
        // A plan that allows less than a list can have stores a list again.
        const isPacked = limit >= LIMIT;
        const result = takeFromWindow(packed, { now, rule: { ...rule, isPacked } });
        if (expected.admitted && result.admitted) {
          assertEquals(result.status, expected.status);
          [listed, packed] = [expected.times, result.times];
          assert(packed.stamps.length < 256 || !isPacked);
          mostPacked = Math.max(mostPacked, packed.packed?.count ?? 0);
        } else {
          assertEquals(result, expected);
          rejections++;
        }
      }
      assert(mostPacked > LIMIT / 2 && rejections > 100, `${mostPacked}, ${rejections}`);
    });
  }

  it("counts what a process of the previous release, whose clock is behind, has added to the list", () => {
    const rule = { limit: 700, windowMs: 60_000, isPacked: true };
    let times: WindowTimes = { stamps: [] };
    const take = (now: number) => {
      const result = takeFromWindow(times, { now, rule });
      if (result.admitted) times = result.times;
      return result;
    };
    for (let n = 0; n < 300; n++) assert(take(10_000 + n).admitted);
    const behind = takeFromWindow({ stamps: times.stamps }, { now: 5_000, rule });
    assert(behind.admitted);
    times = { ...times, stamps: behind.times.stamps };
    for (let n = 0; n < 399; n++) assert(take(11_000).admitted);
    assertEquals(take(11_000), { admitted: false, retryAfterMs: 54_001 });
    assert(take(65_001).admitted);
  });
});

describe("toRetryAfterSeconds", () => {
  it("is whole, never too early and at least 1", () => {
    assertEquals([0, 1, 999, 1000, 1001, 60_001].map(toRetryAfterSeconds), [1, 1, 1, 1, 2, 61]);
  });
});
