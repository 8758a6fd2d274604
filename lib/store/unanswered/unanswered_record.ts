import { z } from "zod";
import { cutText } from "../../platform/cut_text.ts";
import type { Coverage } from "../../schemas/coverage.ts";
import type { Frame } from "../../schemas/frames.ts";
import { GAP_REASONS, type GapReason } from "../../schemas/gap_reasons.ts";
import { HAND_OFF } from "../../schemas/handoff.ts";
import { type ContentCipher, contentContexts } from "../encryption/content_cipher.ts";
import { keys } from "../keys/keys.ts";
import { conversationSource, type RunFacts } from "../runs/run_record.ts";
import type { Transaction } from "../tx/operation.ts";
import { bytesSchema } from "../values/chunks.ts";

/** Of a question, in UTF-16 units: enough to recognize and to group it. */
const MAX_QUESTION_LENGTH = 1_000;

/** A run whose question was not answered well. Times in milliseconds. */
export const unansweredRecordSchema = z.object({
  v: z.literal(1),
  agentId: z.string(),
  conversationId: z.string(),
  /** When the run ended. */
  at: z.int(),
  reasons: z.array(z.enum(GAP_REASONS)).min(1),
  /** The question, encrypted. */
  sealed: bytesSchema,
  exp: z.int(),
});
export type UnansweredRecord = z.infer<typeof unansweredRecordSchema>;

type UnansweredRun = Pick<RunFacts, "tenant" | "runId" | "agentId" | "conversationId" | "source">;

/** True for runs of people who try the agent. */
export function isTried({ source }: Pick<RunFacts, "source">): boolean {
  return conversationSource(source) === "playground";
}

/** What a run's end itself says. */
export function gapReasons(
  coverage: Coverage | undefined,
  frames: readonly Frame[],
): GapReason[] {
  const isHandedOff = frames.some((one) => one.type === "tool_call" && one.name === HAND_OFF);
  return [
    ...coverage === "nothing" ? ["nothing_found" as const] : [],
    ...coverage === "little" ? ["little_found" as const] : [],
    ...isHandedOff ? ["handed_off" as const] : [],
  ];
}

export function createUnanswered(
  { tenant, runId, agentId, conversationId }: UnansweredRun,
  { question, reasons, at, exp, content }: {
    question: string;
    reasons: readonly GapReason[];
    at: number;
    exp: number;
    content: ContentCipher;
  },
): UnansweredRecord {
  const bytes = new TextEncoder().encode(cutText(question, 0, MAX_QUESTION_LENGTH));
  const sealed = content.sealSync(bytes, contentContexts.unanswered(tenant, runId));
  return { v: 1, agentId, conversationId, at, reasons: [...reasons], sealed, exp };
}

/**
 * Records a run that ended without a good answer, in the commit of its settlement, and forgets the one that
 * it replaces: the same question must not count twice. Writes nothing for runs that searched nothing.
 */
export function recordUnanswered(
  tx: Pick<Transaction, "blindWrite">,
  run: UnansweredRun & Pick<RunFacts, "replaces">,
  { coverage, reasons, at, days, ...of }:
    & { coverage: Coverage | undefined; days: number }
    & Omit<Parameters<typeof createUnanswered>[1], "exp">,
): void {
  if (isTried(run)) return;
  const { tenant, replaces } = run;
  if (coverage === undefined && reasons.length === 0) return;
  if (replaces !== undefined) tx.blindWrite(keys.unanswered(tenant, replaces.runId), undefined);
  if (reasons.length === 0) return;
  const expireIn = days * 86_400_000;
  const record = createUnanswered(run, { ...of, reasons, at, exp: at + expireIn });
  tx.blindWrite(keys.unanswered(tenant, run.runId), record, { expireIn });
}
