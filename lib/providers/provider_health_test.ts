import { assertEquals } from "@std/assert";
import { HEALTH_WINDOW_MS, ProviderHealth } from "./provider_health.ts";

/** A health whose clock the test moves, and a short way to record outcomes: `.` works, `x` fails, `b` breaks off. */
function open() {
  let now = 1_000_000;
  const health = new ProviderHealth(() => now);
  const record = (outcomes: string, model = "large") => {
    const failure = { vendor: "vendor_a", model, code: "provider_error", message: "" } as const;
    for (const outcome of outcomes) {
      now += 1_000;
      if (outcome !== "x") health.recordSuccess("vendor_a", model);
      if (outcome === "x") health.recordFailure({ ...failure, attempt: 1 });
      if (outcome === "b") health.recordFailure(failure);
    }
    return health.recent("vendor_a", model);
  };
  return { health, record, advance: (ms: number) => now += ms };
}

Deno.test("ProviderHealth: a model fails by the share of its recent requests", () => {
  const cases: [outcomes: string, isFailing: boolean][] = [
    ["x", true],
    ["xx", true],
    ["xx.", false],
    [".x", false],
    [".xx", false],
    [".xxx", true],
    ["....x", true],
    [".........x", false],
    ["xxxxxxxx.", true],
    ["xxxxxxxx..", true],
    ["xxxxxxxx...", false],
    ["bbb", true],
    [".b.", false],
  ];
  for (const [outcomes, isFailing] of cases) {
    assertEquals(open().record(outcomes)?.isFailing, isFailing, outcomes);
  }
});

Deno.test("ProviderHealth: what is older than five minutes does not count, and models are apart", () => {
  const { health, record, advance } = open();
  assertEquals(record("xxx"), { attempts: 3, failures: 3, isFailing: true });
  assertEquals(record(".", "small"), { attempts: 1, failures: 0, isFailing: false });
  advance(HEALTH_WINDOW_MS);
  assertEquals(health.recent("vendor_a", "large"), undefined);
  assertEquals(record(".")?.isFailing, false);
});

Deno.test("ProviderHealth: an answer that breaks off is one request that failed", () => {
  assertEquals(open().record("..b"), { attempts: 3, failures: 1, isFailing: false });
});

Deno.test("ProviderHealth: a busy model keeps its latest 200 outcomes", () => {
  const { record } = open();
  assertEquals(record("x".repeat(150) + ".".repeat(190))?.attempts, 200);
});
