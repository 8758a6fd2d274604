import { redact } from "../platform/log.ts";
import type { ProviderId } from "../schemas/provider_id.ts";
import type { ProviderError } from "./provider_error.ts";
import type { ModelError } from "./model.ts";

/** A vendor's failure as the operator may read it: no secret, at most 2 KiB of its own words. */
export interface ProviderFailure {
  vendor: ProviderId;
  model: string;
  code: ModelError["code"];
  message: string;
  /** The attempt that failed, from 1; absent when an answer broke off after it had begun. */
  attempt?: number;
  status?: number;
  /** What the vendor wrote. */
  words?: string;
  /** What the connection said, such as `ECONNRESET`. */
  cause?: string;
}

const MAX_BODY_BYTES = 2048;

const CREDENTIALS: readonly [RegExp, string][] = [
  [/\b(sk|pk|rk|xai|gsk)-[\w*.-]{8,}/g, "[secret]"],
  [/\bAIza[\w-]{8,}/g, "[secret]"],
  [/((?:api[_-]?key|access[_-]?token|[?&]key)["']?\s*[=:]\s*["']?)[^\s"'&,}]+/gi, "$1[secret]"],
];

/** A failure as it is told; the credential of the slot is taken out of the vendor's words. */
export function describeFailure(
  { code, message, status, errorBody, cause }: ProviderError,
  { vendor, model, attempt, apiKey }: {
    vendor: ProviderId;
    model: string;
    attempt?: number | undefined;
    apiKey: string;
  },
): ProviderFailure {
  return {
    vendor,
    model,
    code,
    message,
    ...(attempt === undefined ? {} : { attempt }),
    ...(status === undefined ? {} : { status }),
    ...(errorBody === undefined || errorBody === ""
      ? {}
      : { words: redactErrorBody(errorBody, apiKey) }),
    ...(cause instanceof Error ? { cause: errorCode(cause) } : {}),
  };
}

/** The code alone: the message of a socket's error may name what must not be logged. */
function errorCode(cause: Error): string {
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}

/** Words longer than this may have been cut where they were read. */
const MAX_UNTRUNCATED_LENGTH = 2048;

/** A vendor's words without the slot's credential or anything that looks like one, and bounded. */
export function redactErrorBody(words: string, apiKey: string): string {
  const own = apiKey === "" ? words : words.replaceAll(apiKey, "[secret]");
  // What cut words end with may be a piece of the credential, which nothing would recognise.
  const whole = words.length > MAX_UNTRUNCATED_LENGTH
    ? own.slice(0, -apiKey.length || undefined)
    : own;
  const safe = CREDENTIALS.reduce((rest, [form, instead]) => rest.replace(form, instead), whole);
  return firstBytes(redact(safe), MAX_BODY_BYTES);
}

/** As much of the text as fits, without half a character at the end. */
function firstBytes(text: string, limit: number): string {
  const bytes = new Uint8Array(limit);
  const { read } = new TextEncoder().encodeInto(text, bytes);
  return text.slice(0, read);
}
