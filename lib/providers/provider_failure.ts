import { redact } from "../platform/log.ts";
import type { ProviderId } from "../schemas/provider_id.ts";
import type { ModelError } from "./model.ts";
import type { ProviderError } from "./provider_error.ts";

/** A provider's failure for the operator's log, whose fields have these names; without secrets. */
export interface ProviderFailure {
  vendor: ProviderId;
  model: string;
  code: ModelError["code"];
  message: string;
  /** Number of the failed attempt, from 1; absent if the response broke off after it began. */
  attempt?: number;
  status?: number;
  /** Number of the connection's API key, if it has several. */
  key?: number;
  /** The provider's error body, at most 2 KiB. */
  words?: string;
  /** Error code of the connection, such as `ECONNRESET`. */
  cause?: string;
}

const MAX_BODY_BYTES = 2048;

const CREDENTIALS: readonly [RegExp, string][] = [
  [/\b(sk|pk|rk|xai|gsk)-[\w*.-]{8,}/g, "[secret]"],
  [/\bAIza[\w-]{8,}/g, "[secret]"],
  [/((?:api[_-]?key|access[_-]?token|[?&]key)["']?\s*[=:]\s*["']?)[^\s"'&,}]+/gi, "$1[secret]"],
];

/** Describes an error; the API keys are redacted in the provider's error body. */
export function describeFailure(
  { code, message, status, errorBody, cause }: ProviderError,
  { provider, model, attempt, key, apiKeys }: {
    provider: ProviderId;
    model: string;
    attempt?: number | undefined;
    key?: number | undefined;
    apiKeys: readonly string[];
  },
): ProviderFailure {
  return {
    vendor: provider,
    model,
    code,
    message,
    ...(attempt === undefined ? {} : { attempt }),
    ...(key === undefined ? {} : { key }),
    ...(status === undefined ? {} : { status }),
    ...(errorBody ? { words: redactErrorBody(errorBody, apiKeys) } : {}),
    ...(cause instanceof Error ? { cause: errorCode(cause) } : {}),
  };
}

/** Only the code, because the message of a socket error may contain a secret. */
function errorCode(cause: Error): string {
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}

/** A longer body may have been truncated when it was read. */
const MAX_UNTRUNCATED_LENGTH = 2048;

/** Redacts the API keys and anything that looks like a credential, and limits the length. */
export function redactErrorBody(errorBody: string, apiKeys: readonly string[]): string {
  // The longest first: one key may begin like another.
  const secrets = apiKeys.filter((key) => key !== "").sort((a, b) => b.length - a.length);
  const redacted = secrets.reduce((text, key) => text.replaceAll(key, "[secret]"), errorBody);
  // A truncated body may end with an unrecognizable part of an API key.
  const whole = errorBody.length > MAX_UNTRUNCATED_LENGTH
    ? redacted.slice(0, -(secrets[0]?.length ?? 0) || undefined)
    : redacted;
  const safe = redact(CREDENTIALS.reduce((rest, [form, text]) => rest.replace(form, text), whole));
  // Unlike a slice of bytes, this never splits a character.
  const { read } = new TextEncoder().encodeInto(safe, new Uint8Array(MAX_BODY_BYTES));
  return safe.slice(0, read);
}
