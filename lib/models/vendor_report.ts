import { redact } from "../log.ts";
import type { Vendor } from "../wire/vendors.ts";
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
