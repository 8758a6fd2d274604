import { z } from "zod";
import { parseMailSender, parseSmtpUrl } from "../../schemas/smtp_url.ts";
import { parseEgressAllowEntry } from "../../egress/egress_allowlist.ts";

/** Schemas of variables' values. They take trimmed text; no message quotes it. */

export const text = z.string();

export function integerValue(min: number, max: number) {
  const error = `must be a whole number from ${min} to ${max}`;
  return text.regex(/^\d{1,15}$/, error).transform(Number)
    .refine((value) => value >= min && value <= max, error);
}

/** A whole number, or `auto`, which stays. */
export function integerOrAuto(min: number, max: number) {
  const error = `must be auto or a whole number from ${min} to ${max}`;
  return text.toLowerCase().transform((value) => value === "auto" ? value : Number(value))
    .refine((value) => value === "auto" || isIntegerIn(Number(value), { min, max }), error);
}

function isIntegerIn(value: number, { min, max }: { min: number; max: number }): boolean {
  return Number.isInteger(value) && value >= min && value <= max;
}

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** A time such as `30m`, `6h` or `1d`, in milliseconds. */
export function durationValue({ minMs, maxMs }: { minMs: number; maxMs: number }) {
  const error = "must be a time such as 30m, 6h or 1d, from " +
    `${minMs / 60_000} minutes to ${maxMs / 86_400_000} days`;
  return text.toLowerCase().regex(/^\d{1,6}[mhd]$/, error)
    .transform((value) => Number(value.slice(0, -1)) * UNIT_MS[value.slice(-1)]!)
    .refine((ms) => ms >= minMs && ms <= maxMs, error);
}

export function choiceValue<const T extends readonly string[]>(values: T) {
  return text.toLowerCase().pipe(z.enum(values, `must be one of ${values.join(", ")}`));
}

export const onOff = choiceValue(["on", "off"]).transform((value) => value === "on");

/** A comma list of `entry`; spaces around entries are ignored. */
export function listValue(entry: z.ZodType<string, string>) {
  return text
    .transform((value) => value.split(",").map((part) => part.trim()))
    .pipe(z.array(text.min(1, { error: "has an empty entry", abort: true }).pipe(entry)));
}

export function secretTextValue(minLength: number) {
  return text.min(minLength, `needs at least ${minLength} characters`);
}

/** The base64 (or base64url) of exactly `bytes` bytes. */
export function base64Key(bytes: number) {
  const error = `must be the base64 of exactly ${bytes} random bytes`;
  return text.transform((value) => value.replaceAll("-", "+").replaceAll("_", "/"))
    .refine((value) => base64Length(value) === bytes, error);
}

function base64Length(value: string): number | undefined {
  try {
    return Uint8Array.fromBase64(value).length;
  } catch {
    return undefined;
  }
}

export const smtpUrlValue = text.refine(
  (value) => parseSmtpUrl(value) !== undefined,
  "must be smtp://, or smtps:// and a host, with both user and password or neither",
);

export const mailFromValue = text.refine(
  (value) => parseMailSender(value) !== undefined,
  "must be an e-mail address, or Name <address>",
);

export const egressTarget = text
  .refine((value) => parseEgressAllowEntry(value) !== undefined, {
    error: "entries must be host, host:port or a network such as 10.0.0.0/8, alone or after " +
      "<tenant id>=",
  })
  .toLowerCase();
