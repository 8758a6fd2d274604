import { redact } from "../log.ts";
import type { Vendor } from "../wire/vendors.ts";
import type { VendorFault } from "./connection/vendor_fault.ts";
import type { ModelError } from "./model.ts";

/** A vendor's failure as the operator may read it: no secret, at most 2 KiB of its own words. */
export interface VendorReport {
  vendor: Vendor;
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

const MAX_WORDS_BYTES = 2048;

const CREDENTIALS: readonly [RegExp, string][] = [
  [/\b(sk|pk|rk|xai|gsk)-[\w*.-]{8,}/g, "[secret]"],
  [/\bAIza[\w-]{8,}/g, "[secret]"],
  [/((?:api[_-]?key|access[_-]?token|[?&]key)["']?\s*[=:]\s*["']?)[^\s"'&,}]+/gi, "$1[secret]"],
];

/** A failure as it is told; the credential of the slot is taken out of the vendor's words. */
export function describeFault(
  { code, message, status, words, cause }: VendorFault,
  { vendor, model, attempt, apiKey }: {
    vendor: Vendor;
    model: string;
    attempt?: number | undefined;
    apiKey: string;
  },
): VendorReport {
  return {
    vendor,
    model,
    code,
    message,
    ...(attempt === undefined ? {} : { attempt }),
    ...(status === undefined ? {} : { status }),
    ...(words === undefined || words === "" ? {} : { words: safeWords(words, apiKey) }),
    ...(cause instanceof Error ? { cause: causeOf(cause) } : {}),
  };
}

/** The code alone: the message of a socket's error may name what must not be logged. */
function causeOf(cause: Error): string {
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}

/** Words longer than this may have been cut where they were read. */
const WHOLE_LENGTH = 2048;

/** A vendor's words without the slot's credential or anything that looks like one, and bounded. */
export function safeWords(words: string, apiKey: string): string {
  const own = apiKey === "" ? words : words.replaceAll(apiKey, "[secret]");
  // What cut words end with may be a piece of the credential, which nothing would recognise.
  const whole = words.length > WHOLE_LENGTH ? own.slice(0, -apiKey.length || undefined) : own;
  const safe = CREDENTIALS.reduce((rest, [form, instead]) => rest.replace(form, instead), whole);
  return firstBytes(redact(safe), MAX_WORDS_BYTES);
}

/** As much of the text as fits, without half a character at the end. */
function firstBytes(text: string, limit: number): string {
  const bytes = new Uint8Array(limit);
  const { read } = new TextEncoder().encodeInto(text, bytes);
  return text.slice(0, read);
}
