import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { idempotencyScope } from "../http/idempotency_key.ts";
import { sha256 } from "../platform/crypto/signer.ts";
import { OWN_PASSKEY, OWN_PASSWORD } from "./sign_in/reauthenticate.ts";
import { signedIn } from "./authorization.ts";

export const SUBMISSION_FIELD = "once";

export function newSubmissionId({ service }: State): string {
  return service.runtime.uuid();
}

/**
 * Runs `create` unless the same form was already submitted: reloading the page that shows a new key or
 * link must not create a second one. A rejected or failed form may be submitted again. Forms without
 * the hidden field are not checked.
 */
export async function submitOnce<T extends object>(
  ctx: Context<State>,
  form: URLSearchParams,
  create: () => Promise<T>,
): Promise<T | { rejected: "sent_before" }> {
  if (!form.has(SUBMISSION_FIELD)) return await create();
  const { idempotencyRecords } = ctx.state.service;
  const scope = await submissionScope(ctx, form);
  if (!await idempotencyRecords.claim(scope)) return { rejected: "sent_before" };
  let created: T | undefined;
  try {
    created = await create();
    return created;
  } finally {
    if (created === undefined || "rejected" in created) await idempotencyRecords.release(scope);
  }
}

/** Includes the fields, so that going back and changing the form creates another resource. */
async function submissionScope(
  { url, state }: Context<State>,
  form: URLSearchParams,
): Promise<string> {
  const fields = [...form].filter(([name]) => name !== OWN_PASSWORD && name !== OWN_PASSKEY);
  const key = await sha256(JSON.stringify(fields));
  return await idempotencyScope({ route: url.pathname, caller: ["user", signedIn(state).id], key });
}
