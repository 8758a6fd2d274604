import { ApiError } from "../schemas/api_error.ts";
import { t } from "./texts/translate.ts";
import { translateMessage } from "./texts/service_message.ts";

/** The form message for a `quota_exceeded` error; `undefined` for any other error. */
export function quotaMessage(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.code !== "quota_exceeded") return undefined;
  const message = translateMessage(error.message);
  return t(
    "{message}. Delete something, or ask an operator to raise the quota. Your input has been kept.",
    { message: message[0]!.toUpperCase() + message.slice(1) },
  );
}
