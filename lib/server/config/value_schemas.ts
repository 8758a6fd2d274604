import { z } from "zod";
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

export const egressTarget = text
  .refine((value) => parseEgressAllowEntry(value) !== undefined, {
    error: "entries must be host, host:port or a network such as 10.0.0.0/8, alone or after " +
      "<tenant id>=",
  })
  .toLowerCase();
