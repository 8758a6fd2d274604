import { z } from "zod";
import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../encryption/content_cipher.ts";
import { keepsNothing, type RunDetails, runDetailsSchema, type RunFacts } from "./run_record.ts";

const sealedSchema = runDetailsSchema.pick({ egress: true, notes: true, asked: true });
type Details = Pick<RunDetails, "egress" | "notes" | "asked" | "sealed">;
type RunName = Pick<RunFacts, "tenant" | "runId">;

/**
 * Seals the hosts that tools called, the agents that were asked, and the notes about tools. A model may choose them, so they are
 * encrypted like the content, and left out if the run keeps nothing.
 */
export function sealRunDetails<T extends Details>(
  details: T,
  { tenant, runId, content, ...facts }: RunName & Pick<RunFacts, "retentionDays"> & {
    content: ContentCipher;
  },
): T {
  const { egress, notes, asked, ...rest } = details;
  if (egress === undefined && notes === undefined && asked === undefined) return details;
  if (keepsNothing(facts)) return rest as T;
  const bytes = new TextEncoder().encode(JSON.stringify({ egress, notes, asked }));
  const sealed = content.sealSync(bytes, contentContexts.details(tenant, runId));
  return { ...rest, sealed } as T;
}

/** Omits details that cannot be decrypted, or throws `UnreadableContentError` with `orThrow`. */
export async function unsealRunDetails<T extends Details & RunName>(
  stored: T,
  { content, orThrow = false }: { content: ContentCipher; orThrow?: boolean },
): Promise<T> {
  const { sealed, ...rest } = stored;
  if (sealed === undefined) return stored;
  try {
    const context = contentContexts.details(stored.tenant, stored.runId);
    const text = new TextDecoder().decode(await content.unseal(sealed, context));
    return { ...rest, ...sealedSchema.parse(JSON.parse(text)) } as T;
  } catch (error) {
    const isUnreadable = error instanceof UnreadableContentError || error instanceof z.ZodError;
    if (isUnreadable && !orThrow) return rest as T;
    throw error;
  }
}
