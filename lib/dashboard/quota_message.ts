import { ApiError } from "../schemas/api_error.ts";
import { t } from "./texts/translate.ts";
import { translateMessage } from "./texts/service_message.ts";

interface QuotaMessageOptions {
  /** The form comes back without the value of the secret that was entered. */
  withoutValue?: boolean;
}

/** The form message for a `quota_exceeded` error; `undefined` for any other error. */
export function quotaMessage(
  error: unknown,
  { withoutValue = false }: QuotaMessageOptions = {},
): string | undefined {
  if (!(error instanceof ApiError) || error.code !== "quota_exceeded") return undefined;
  const text = translateMessage(error.message);
  const message = text[0]!.toUpperCase() + text.slice(1);
  return withoutValue
    ? t(
      "{message}. Delete something, or ask an operator to raise the quota. Your input has been kept, apart from the value.",
      { message },
    )
    : t(
      "{message}. Delete something, or ask an operator to raise the quota. Your input has been kept.",
      { message },
    );
}

/** What `work` returns, or the form message if a quota does not allow it. */
export async function unlessOverQuota<T>(
  work: () => Promise<T>,
  options: QuotaMessageOptions = {},
): Promise<T | { full: string }> {
  try {
    return await work();
  } catch (error) {
    const full = quotaMessage(error, options);
    if (full === undefined) throw error;
    return { full };
  }
}
