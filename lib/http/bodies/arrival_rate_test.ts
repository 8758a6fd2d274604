import { assertEquals } from "@std/assert";
import { FakeRuntime } from "../../../tests/support/fake_runtime.ts";
import { ArrivalRateMonitor, BODY_RATE, UPLOAD_RATE } from "./arrival_rate.ts";

const KIB = 1024;

/** A body under the rule; `send` lets time pass and some of it arrive each second. */
function arriving(rule = UPLOAD_RATE) {
  const runtime = new FakeRuntime();
  const rate = new ArrivalRateMonitor(runtime, rule);
  let refusedAt: number | undefined;
  const start = runtime.now();
  void rate.tooSlow.then(() => refusedAt = (runtime.now() - start) / 1000);
  const send = async ({ seconds, perSecond }: { seconds: number; perSecond: number }) => {
    for (let n = 0; n < seconds && refusedAt === undefined; n++) {
      rate.addBytes(perSecond);
      await runtime.advance(1_000);
    }
    return refusedAt;
  };
  return { runtime, rate, send };
}

Deno.test("ArrivalRateMonitor: rejects a byte per second after the grace period", async () => {
  assertEquals(await arriving().send({ seconds: 60, perSecond: 1 }), 20);
  assertEquals(await arriving(BODY_RATE).send({ seconds: 60, perSecond: 1 }), 10);
});

Deno.test("ArrivalRateMonitor: a plan throttled to 64 kbit/s passes, one of 24 kbit/s does not", async () => {
  assertEquals(await arriving().send({ seconds: 600, perSecond: 7_500 }), undefined);
  assertEquals(await arriving().send({ seconds: 600, perSecond: 3_000 }), 20);
});

Deno.test("ArrivalRateMonitor: an uplink that stalls for 14 s in a handover passes, at 128 kbit/s", async () => {
  const { send } = arriving();
  await send({ seconds: 40, perSecond: 15_000 });
  await send({ seconds: 14, perSecond: 0 });
  assertEquals(await send({ seconds: 40, perSecond: 15_000 }), undefined);
});

Deno.test("ArrivalRateMonitor: a fast start does not compensate for a stall", async () => {
  const { send } = arriving();
  await send({ seconds: 1, perSecond: 19 * 1024 * KIB });
  const refusedAt = await send({ seconds: 100, perSecond: 1 });
  assertEquals(refusedAt, 25);
});

Deno.test("ArrivalRateMonitor: limits the total time of a steady body", async () => {
  assertEquals(await arriving(BODY_RATE).send({ seconds: 100, perSecond: 5 * KIB }), 60);
  assertEquals(await arriving().send({ seconds: 2_000, perSecond: 5 * KIB }), 1_800);
});

Deno.test("ArrivalRateMonitor: stop leaves no timer", async () => {
  const { runtime, rate, send } = arriving();
  await send({ seconds: 30, perSecond: 10 * KIB });
  rate.stop();
  assertEquals(runtime.sleeping, 0);
});
