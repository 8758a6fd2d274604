import { assertEquals } from "@std/assert";
import { type CanaryLimits, canaryLimitsSchema } from "../../schemas/publication.ts";
import type { CanaryCounts } from "../../store/agents/canary_counts.ts";
import { NO_RATINGS } from "../../store/feedback/feedback_counts.ts";
import { NO_ANSWERS } from "../../store/runs/canary_sums.ts";
import { canaryVerdict } from "./canary_verdict.ts";

const NONE = { ...NO_ANSWERS, ...NO_RATINGS };

function verdict(
  canary: Partial<CanaryCounts["canary"]>,
  { limits = {}, published = {} }: {
    limits?: Partial<CanaryLimits>;
    published?: Partial<CanaryCounts["published"]>;
  } = {},
) {
  const counts = { canary: { ...NONE, ...canary }, published: { ...NONE, ...published } };
  return canaryVerdict(counts, canaryLimitsSchema.parse(limits));
}

Deno.test("canaryVerdict: errors count from the twentieth answer on, and only past the limit", () => {
  assertEquals(verdict({ answers: 19, errors: 19 }), undefined);
  assertEquals(verdict({ answers: 20, errors: 2 }), undefined);
  assertEquals(verdict({ answers: 20, errors: 3 }), "errors");
  assertEquals(verdict({ answers: 1, errors: 1 }, { limits: { minAnswers: 1 } }), "errors");
  assertEquals(verdict({ answers: 500, errors: 1 }, { limits: { errorPercent: 0 } }), "errors");
  assertEquals(verdict({ answers: 20, errors: 20 }, { limits: { errorPercent: 100 } }), undefined);
});

Deno.test("canaryVerdict: ratings count from the fifth on, if they have a limit", () => {
  const limits = { downPercent: 40 };
  assertEquals(verdict({ answers: 9, up: 0, down: 9 }), undefined);
  assertEquals(verdict({ answers: 9, up: 0, down: 4 }, { limits }), undefined);
  assertEquals(verdict({ answers: 9, up: 3, down: 2 }, { limits }), undefined);
  assertEquals(verdict({ answers: 9, up: 2, down: 3 }, { limits }), "ratings");
});

Deno.test("canaryVerdict: costs are compared by answer, once both versions have answered enough", () => {
  const limits = { costPercent: 150, minAnswers: 10 };
  const published = { answers: 100, cost: 100_000 };
  const of = (answers: number, cost: number, beside = published) =>
    verdict({ answers, cost }, { limits, published: beside });
  assertEquals(of(10, 15_000), undefined);
  assertEquals(of(10, 15_001), "cost");
  assertEquals(of(9, 90_000), undefined);
  assertEquals(of(10, 90_000, { answers: 9, cost: 1 }), undefined);
  assertEquals(of(10, 90_000, { answers: 100, cost: 0 }), undefined);
});
