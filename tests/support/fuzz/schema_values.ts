import type { JsonSchema } from "@/lib/openapi/openapi_types.ts";
import type { SeededRandom } from "./seeded_random.ts";

/** Values that a schema cannot describe, by field name. */
export type Hints = Record<string, (dice: SeededRandom) => unknown>;

export interface ValueOptions {
  dice: SeededRandom;
  /** `components.schemas` of the document. */
  schemas: Record<string, JsonSchema>;
  hints: Hints;
}

/** Longer strings and lists rarely find anything new, so they are rare. */
const USUAL_LENGTH = 24;
const USUAL_ITEMS = 3;

/** Values that match the document's patterns. */
const BY_PATTERN: Record<string, (dice: SeededRandom) => string> = {
  "^[a-zA-Z][a-zA-Z0-9_]{0,63}$": (dice) => `variable_${dice.int(0, 1_000_000)}`,
  "^[a-zA-Z][a-zA-Z0-9_-]{0,63}$": (dice) => `tool_${dice.int(0, 1_000_000)}`,
  "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$": (dice) => `x-${dice.int(0, 99)}`,
  "^#[0-9a-fA-F]{6}$": (dice) => `#${dice.int(100_000, 999_999)}`,
  "^(?:(?:[01]\\d|2[0-3]):[0-5]\\d|24:00)$": (dice) => `1${dice.int(0, 9)}:${dice.int(10, 59)}`,
  "^[A-Za-z0-9_-]{43}$": (dice) => `${dice.int(1_000_000, 9_999_999)}`.repeat(7).slice(0, 43),
  "^[^\\r\\n]*$": (dice) => `v ${dice.int(0, 99)}`,
};

/** A valid value; half of the bounded ones are exactly at a bound. */
export function validValue(schema: JsonSchema, options: ValueOptions): unknown {
  const { dice, schemas } = options;
  const resolved = resolve(schema, schemas);
  const choices = resolved.oneOf ?? resolved.anyOf;
  if (choices !== undefined) return validValue(dice.pick(choices), options);
  if (resolved.const !== undefined) return resolved.const;
  if (resolved.enum !== undefined) return dice.pick(resolved.enum);
  switch (resolved.type) {
    case "object":
      return validObject(resolved, options);
    case "array":
      return validArray(resolved, options);
    case "string":
      return validString(resolved, dice);
    case "integer":
      return validNumber(resolved, dice, (min, max) => dice.int(min, max));
    case "number":
      return validNumber(resolved, dice, (min, max) => dice.number(min, max));
    case "boolean":
      return dice.chance(0.5);
    default:
      return null;
  }
}

/** The schema behind a reference. */
export function resolve(schema: JsonSchema, schemas: Record<string, JsonSchema>): JsonSchema {
  if (schema.$ref === undefined) return schema;
  const named = schemas[schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1)];
  if (named === undefined) throw new Error(`no schema at ${schema.$ref}`);
  return named;
}

function validObject(schema: JsonSchema, options: ValueOptions): Record<string, unknown> {
  const { dice, hints } = options;
  const value: Record<string, unknown> = {};
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (!schema.required?.includes(name) && dice.chance(0.5)) continue;
    const hint = hints[name];
    const chosen = hint === undefined ? validValue(field, options) : hint(dice);
    if (chosen !== undefined) value[name] = chosen;
  }
  const { propertyNames, additionalProperties: extra } = schema;
  if (propertyNames === undefined || typeof extra !== "object") return value;
  for (let n = dice.int(0, 2); n > 0; n--) {
    value[String(validValue({ maxLength: 8, ...propertyNames }, options))] = null;
  }
  for (const name of Object.keys(value)) value[name] ??= validValue(extra, options);
  return value;
}

function validArray(schema: JsonSchema, options: ValueOptions): unknown[] {
  const { dice } = options;
  const min = schema.minItems ?? 0;
  const most = Math.min(schema.maxItems ?? USUAL_ITEMS, USUAL_ITEMS);
  const length = dice.chance(0.02) ? schema.maxItems ?? most : dice.int(min, Math.max(min, most));
  return Array.from({ length }, () => validValue(schema.items ?? {}, options));
}

function validString(schema: JsonSchema, dice: SeededRandom): string {
  if (schema.format === "uuid") return uuid(dice);
  if (schema.format === "email") return `visitor${dice.int(0, 99)}@example.com`;
  if (schema.pattern !== undefined) {
    const make = BY_PATTERN[schema.pattern];
    if (make === undefined) throw new Error(`no value is known for the pattern ${schema.pattern}`);
    return make(dice);
  }
  const min = schema.minLength ?? 0;
  const max = schema.maxLength ?? USUAL_LENGTH;
  const length = dice.chance(0.02)
    ? dice.pick([min, max])
    : dice.int(min, Math.max(min, Math.min(max, USUAL_LENGTH)));
  const letters = dice.pick(["abc ", "äöü", "日本語", "0123", "\n\t\"'\\", "<b>&{}"]);
  return Array.from({ length }, () => dice.pick([...letters])).join("");
}

function validNumber(
  schema: JsonSchema,
  dice: SeededRandom,
  draw: (min: number, max: number) => number,
): number {
  const min = schema.minimum ?? (schema.exclusiveMinimum ?? -1) + 1;
  const max = schema.maximum ?? min + 1_000;
  return dice.chance(0.2) ? dice.pick([min, max]) : draw(min, max);
}

function uuid(dice: SeededRandom): string {
  const hex = Array.from({ length: 30 }, () => dice.int(0, 15).toString(16)).join("");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(12, 15)}-a${hex.slice(15, 18)}-` +
    hex.slice(18, 30);
}
