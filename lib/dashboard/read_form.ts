import { HttpError } from "fresh";
import type { Runtime } from "../platform/runtime.ts";
import { BODY_BUDGET } from "../http/bodies/byte_budget.ts";
import { bodyArrived } from "../http/bodies/body_checks.ts";
import { mediaTypeOf, readBounded } from "../http/bodies/read_bounded.ts";
import { budgetHolders } from "../http/bodies/request_sender.ts";

/** Larger than any form of the dashboard; URL encoding triples some characters. */
const MAX_FORM_BYTES = 2 * 1_048_576;

/**
 * Line breaks become `\n`. Throws what the check of `checkAfterBody` throws, `HttpError` 415, 413 over 2 MiB and 408 if too slow, and
 * `ApiError` 503 while too many bytes are being received.
 */
export async function readForm(req: Request, runtime: Runtime): Promise<URLSearchParams> {
  if (mediaTypeOf(req) !== "application/x-www-form-urlencoded") {
    throw new HttpError(415, "Send the form as application/x-www-form-urlencoded.");
  }
  const body = req.body ?? new Blob().stream();
  const memory = { budget: BODY_BUDGET, holders: budgetHolders(req) };
  const bytes = await readBounded(body, { limit: MAX_FORM_BYTES, runtime, memory });
  if (bytes === "too_large") throw new HttpError(413, "The form is larger than 2 MiB.");
  if (bytes === "too_slow") throw new HttpError(408, "The form took too long to arrive.");
  const form = new URLSearchParams(new TextDecoder().decode(bytes));
  await bodyArrived(req, form);
  return new URLSearchParams([...form].map(([k, v]) => [k, v.replace(/\r\n?/g, "\n")]));
}
