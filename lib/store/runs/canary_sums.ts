import { z } from "zod";
import type { CanaryArm } from "../../schemas/publication.ts";
import type { RunCanary, RunRecord } from "./run_record.ts";

/** A row of usage keeps this many canaries: each is started by hand. */
const MAX_CANARIES = 5;

const count = z.int().nonnegative();

/** Sums of settled runs; cost in micro-USD. */
const armSumsSchema = z.object({
  conversations: count,
  answers: count,
  errors: count,
  cost: count,
  durationMs: count,
});
export type ArmSums = z.infer<typeof armSumsSchema>;

/** The answers of a canary and of the version beside it, as a part of a row of usage. */
export const canarySumsSchema = z.object({
  id: z.string(),
  canary: armSumsSchema,
  published: armSumsSchema,
});
export type CanarySums = z.infer<typeof canarySumsSchema>;

export const NO_ANSWERS: ArmSums = {
  ...{ conversations: 0, answers: 0, errors: 0, cost: 0, durationMs: 0 },
};

export function sumArms(a: ArmSums, b: ArmSums): ArmSums {
  return {
    conversations: a.conversations + b.conversations,
    answers: a.answers + b.answers,
    errors: a.errors + b.errors,
    cost: a.cost + b.cost,
    durationMs: a.durationMs + b.durationMs,
  };
}

/** Adds a settled run to the sums of its canary. */
export function addCanaryRun(
  sums: readonly CanarySums[] = [],
  run: Pick<RunRecord, "cost" | "finishReason" | "startedAt" | "endedAt"> & { canary: RunCanary },
): CanarySums[] {
  const { id, arm, first } = run.canary;
  const before = sums.find((one) => one.id === id) ??
    { id, canary: NO_ANSWERS, published: NO_ANSWERS };
  const added: ArmSums = {
    conversations: first ? 1 : 0,
    answers: 1,
    // A process that ended says nothing about a version.
    errors: run.finishReason === "error" ? 1 : 0,
    cost: run.cost,
    durationMs: Math.max(0, Math.round(run.endedAt - run.startedAt)),
  };
  const next = { ...before, [arm satisfies CanaryArm]: sumArms(before[arm], added) };
  return [...sums.filter((one) => one.id !== id), next].slice(-MAX_CANARIES);
}
