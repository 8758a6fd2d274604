import type { Context } from "fresh";
import type { State } from "@/utils.ts";
import { idempotencyScope } from "../http/idempotency_key.ts";
import { sha256 } from "../platform/crypto/hashing.ts";
import { OWN_PASSWORD } from "./sign_in/reauthenticate.ts";
import { signedIn } from "./permissions.ts";

/** The field of a form that tells one showing of it from the next. */
export const SUBMISSION_FIELD = "once";

/** For a form whose answer shows what is shown once. */
export function newSubmissionId({ service }: State): string {
  return service.runtime.uuid();
}

/**
 * Makes what a form asks for, unless the same form has made it before: a browser sends it again to
 * reload the page with the key or link, and that must not quietly make a second one. What `make` has
 * refused, or failed at, may be sent again. A form without its mark is not looked up.
 */
export async function submitOnce<T extends object>(
  ctx: Context<State>,
  form: URLSearchParams,
  make: () => Promise<T>,
): Promise<T | { refused: "sent_before" }> {
  if (!form.has(SUBMISSION_FIELD)) return await make();
  const { idempotencyRecords } = ctx.state.service;
  const scope = await submissionScope(ctx, form);
  if (!await idempotencyRecords.claim(scope)) return { refused: "sent_before" };
  let made: T | undefined;
  try {
    made = await make();
    return made;
  } finally {
    if (made === undefined || "refused" in made) await idempotencyRecords.release(scope);
  }
}

/** The fields count: somebody who goes back to the form and changes it wants another one. */
async function submissionScope(
  { url, state }: Context<State>,
  form: URLSearchParams,
): Promise<string> {
  const fields = [...form].filter(([name]) => name !== OWN_PASSWORD);
  const key = await sha256(JSON.stringify(fields));
  return await idempotencyScope({ route: url.pathname, caller: ["user", signedIn(state).id], key });
}
