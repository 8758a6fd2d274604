import { isJsonObject, tryParseJson } from "../platform/json.ts";
import { ProviderError } from "./provider_error.ts";

/** A JSON object of a stream; none of its fields is trusted. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Parses the data of an event. Throws a `ProviderError` if it is not a JSON object; its `errorBody` is
 * logged, so it quotes nothing of the event, which may contain the model's output.
 */
export function parseEvent(data: string): JsonObject {
  const value = tryParseJson(data);
  if (isJsonObject(value)) return value;
  throw new ProviderError("provider_error", "the model provider's answer cannot be read", {
    errorBody: `an event of ${data.length} characters is ${describeType(value)}`,
  });
}

function describeType(value: unknown): string {
  if (value === undefined) return "not JSON";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

export function asObject(value: unknown): JsonObject | undefined {
  return isJsonObject(value) ? value : undefined;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** The error message of a JSON text after a colon, or an empty string. Quotes nothing else. */
export function describeJsonError(text: string): string {
  const error = asObject(tryParseJson(text))?.error;
  return error === undefined ? "" : `: ${errorMessage(error)}`;
}

function errorMessage(error: unknown): string {
  return asText(error) || asText(asObject(error)?.message);
}

/**
 * Creates the error for an error event of type `kind`. Only its message is logged, because the rest of
 * the event may contain the model's output.
 */
export function streamError(kind: string, error: unknown): ProviderError {
  const errorBody = `error ${kind}: ${errorMessage(error)}`.slice(0, 4096);
  const isQuota = /insufficient_quota/i.test(kind);
  if (isQuota || /rate_?limit|resource_exhausted|too_many|\b429\b/i.test(kind)) {
    return new ProviderError("provider_rate_limited", "the model provider is over its rate limit", {
      errorBody,
      reportedByProvider: true,
      retry: isQuota ? "no" : "later",
    });
  }
  if (/time_?out|deadline|\b(408|504)\b/i.test(kind)) {
    return new ProviderError("provider_timeout", "the model provider timed out", {
      errorBody,
      reportedByProvider: true,
      retry: "later",
    });
  }
  const isTemporary = /overloaded|unavailable|internal|server_error|api_error|\b5\d\d\b/i;
  return new ProviderError("provider_error", "the model provider answered with an error", {
    errorBody,
    reportedByProvider: true,
    retry: isTemporary.test(kind) ? "later" : "no",
  });
}
