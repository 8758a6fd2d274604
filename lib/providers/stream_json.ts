import { ProviderError } from "./provider_error.ts";

/** A JSON object of a stream whose fields are looked at one by one: nothing in it is trusted. */
export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * One event's data. Throws a `ProviderError` for what is no JSON object, with nothing of it: it may be what
 * the model said or thought, and a fault's words are logged.
 */
export function parseEvent(data: string): JsonObject {
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    // Told below.
  }
  const object = asObject(value);
  if (object !== undefined) return object;
  const message = "the model vendor's answer cannot be read";
  const words = `an event of ${data.length} characters is ${describeType(value)}`;
  throw new ProviderError("provider_error", message, { errorBody: words });
}

/** What stands in the place of a JSON object. */
function describeType(value: unknown): string {
  if (value === undefined) return "no JSON";
  if (value === null) return "null";
  return Array.isArray(value) ? "a list" : `a ${typeof value}`;
}

export function asObject(value: unknown): JsonObject | undefined {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  return isObject ? value as JsonObject : undefined;
}

export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function asText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** What a JSON text says of an error, after a colon; nothing else in it is repeated. */
export function describeJsonError(text: string): string {
  try {
    const { error } = asObject(JSON.parse(text)) ?? {};
    return error === undefined ? "" : `: ${errorMessage(error)}`;
  } catch {
    return "";
  }
}

function errorMessage(error: unknown): string {
  return asText(error) || asText(asObject(error)?.message);
}

/**
 * An error inside a stream; `kind` is all the vendor calls it by, `error` what it says of it. Its event
 * may hold what the model said or thought as well, and words are logged.
 */
export function streamError(kind: string, error: unknown): ProviderError {
  const words = `error ${kind}: ${errorMessage(error)}`.slice(0, 4096);
  const more = { errorBody: words, reportedByProvider: true } as const;
  if (/insufficient_quota/i.test(kind)) {
    const message = "the model vendor is over its rate limit";
    return new ProviderError("provider_rate_limited", message, more);
  }
  if (/rate_?limit|resource_exhausted|too_many|\b429\b/i.test(kind)) {
    const message = "the model vendor is over its rate limit";
    return new ProviderError("provider_rate_limited", message, { ...more, retry: "later" });
  }
  if (/time_?out|deadline|\b(408|504)\b/i.test(kind)) {
    const message = "the model vendor timed out";
    return new ProviderError("provider_timeout", message, { ...more, retry: "later" });
  }
  const passes = /overloaded|unavailable|internal|server_error|api_error|\b5\d\d\b/i.test(kind);
  return new ProviderError("provider_error", "the model vendor answered with an error", {
    ...more,
    retry: passes ? "later" : "no",
  });
}
