import { z } from "zod";
import { type RunDetails, runDetailsSchema, type RunFacts } from "./run_record.ts";
import {
  type ContentCipher,
  contentContexts,
  UnreadableContentError,
} from "../encryption/content_cipher.ts";

const sealedSchema = runDetailsSchema.pick({ egress: true, notes: true });
type Details = Pick<RunDetails, "egress" | "notes" | "sealed">;
type RunName = Pick<RunFacts, "tenant" | "runId">;

/**
 * The details of a run as they are stored: a model may choose the hosts that its tools ask, their
 * servers where that leads and what their tools are called, so that is encrypted like what was said.
 */
export function sealRunDetails<T extends Details>(
  details: T,
  { tenant, runId, content }: RunName & { content: ContentCipher },
): T {
  const { egress, notes, ...rest } = details;
  if (egress === undefined && notes === undefined) return details;
  const bytes = new TextEncoder().encode(JSON.stringify({ egress, notes }));
  const sealed = content.sealSync(bytes, contentContexts.details(tenant, runId));
  return { ...rest, sealed } as T;
}

/** The details as they were; without those that do not decrypt, unless it is to throw then. */
export async function unsealRunDetails<T extends Details & RunName>(
  stored: T,
  { content, orThrow = false }: { content: ContentCipher; orThrow?: boolean },
): Promise<T> {
  const { sealed, ...rest } = stored;
  if (sealed === undefined) return stored;
  try {
    const place = contentContexts.details(stored.tenant, stored.runId);
    const text = new TextDecoder().decode(await content.unseal(sealed, place));
    return { ...rest, ...sealedSchema.parse(JSON.parse(text)) } as T;
  } catch (error) {
    const isUnreadable = error instanceof UnreadableContentError || error instanceof z.ZodError;
    if (isUnreadable && !orThrow) return rest as T;
    throw error;
  }
}
