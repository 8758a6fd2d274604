import { z } from "zod";
import { toUsd } from "../../billing/micro_usd.ts";
import { canonicalJson } from "../../platform/canonical_json.ts";
import { base64url } from "../../platform/crypto/signer.ts";
import { isoTime } from "../../platform/runtime.ts";
import { type Frame, frameSchema } from "../../schemas/frames.ts";
import type { RunSeal, SealStatement } from "../../schemas/run_seal.ts";
import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../../store/encryption/content_cipher.ts";
import type { RunRecord } from "../../store/runs/run_record.ts";
import { packSeal, type SealParts, unpackSeal } from "./pack_seal.ts";

/** The part of a record that its statement names. */
export type SealedFacts = Omit<RunRecord, "seal" | "v">;
type Digests = Pick<SealParts, "frames" | "head" | "question" | "agentDigest">;

const endsSchema = z.array(frameSchema);

/** What is signed about a run. Built from the stored record, so a change of the record breaks the seal. */
export function toStatement(
  run: SealedFacts,
  { agentDigest, question, frames, head }: Digests,
): SealStatement {
  return {
    v: 1,
    runId: run.runId,
    conversationId: run.conversationId,
    ...run.n !== undefined && { number: run.n },
    agentId: run.agentId,
    agentVersion: run.agentVersion,
    ...agentDigest !== undefined && { agentDigest: base64url(agentDigest) },
    provider: run.provider,
    model: run.model,
    startedAt: isoTime(run.startedAt),
    endedAt: isoTime(run.endedAt),
    finishReason: run.finishReason,
    ...run.errorCode !== undefined && { errorCode: run.errorCode },
    inputTokens: run.inputTokens,
    outputTokens: run.outputTokens,
    costUsd: toUsd(run.cost),
    ...question !== undefined && { question: base64url(question) },
    frames,
    head: base64url(head),
  };
}

/** The stored form of a seal: of its last frames only what the record does not imply. */
export function encryptSeal(
  run: SealedFacts,
  { seal, ends, content }: {
    seal: Omit<SealParts, "ends">;
    ends: readonly Frame[];
    content: ContentCipher;
  },
): Uint8Array {
  const isUsual = canonicalJson(ends) === canonicalJson(usualEnds(run));
  const bytes = packSeal({ ...seal, ...!isUsual && { ends } });
  return content.sealSync(bytes, contentContexts.runSeal(run.tenant, run.runId));
}

/** The seal of a stored run with its last frames; `undefined` if it has none, or it cannot be decrypted. */
export async function readSeal(
  run: RunRecord,
  { content, keyIds }: { content: ContentCipher; keyIds: readonly string[] },
): Promise<{ seal: RunSeal; ends: Frame[] } | undefined> {
  if (run.seal === undefined) return undefined;
  try {
    const bytes = await content.unseal(run.seal, contentContexts.runSeal(run.tenant, run.runId));
    const { nonce, key, signature, ends, ...digests } = unpackSeal(bytes);
    return {
      seal: {
        statement: toStatement(run, digests),
        nonce: base64url(nonce),
        keyId: keyIds[key] ?? "",
        signature: base64url(signature),
      },
      ends: ends === undefined ? usualEnds(run) : endsSchema.parse(ends),
    };
  } catch (error) {
    if (error instanceof UnreadableContentError) return undefined;
    throw error;
  }
}

/** The last frames of a run that ended well. */
function usualEnds({ inputTokens, outputTokens, cost, finishReason }: SealedFacts): Frame[] {
  if (finishReason === "interrupted") return [];
  const usage = { type: "usage" as const, inputTokens, outputTokens, costUsd: toUsd(cost) };
  return [usage, { type: "done", finishReason }];
}
