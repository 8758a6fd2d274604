import { ApiError } from "../errors.ts";

/** What a dashboard form says of an error that refuses for a quota; `undefined` for any other error. */
export function quotaFault(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || error.code !== "quota_exceeded") return undefined;
  const { message } = error;
  return `${message[0]!.toUpperCase()}${message.slice(1)}. Delete something, or ask an operator ` +
    "to raise the quota. Your input has been kept.";
}
