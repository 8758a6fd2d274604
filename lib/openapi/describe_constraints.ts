import type { JsonSchema } from "./openapi_types.ts";

/** Describes the constraints of a schema besides its type: `1-128 characters`. */
export function describeConstraints(schema: JsonSchema): string[] {
  const { exclusiveMinimum, format, pattern } = schema;
  const constraints = [
    range(schema.minLength, schema.maxLength, "characters"),
    range(schema.minItems, schema.maxItems, "items"),
    range(schema.minimum, schema.maximum),
    exclusiveMinimum === undefined ? undefined : `more than ${exclusiveMinimum}`,
    format,
    pattern === undefined ? undefined : `matches ${pattern}`,
    schema.default === undefined ? undefined : `${JSON.stringify(schema.default)} by default`,
  ];
  return constraints.filter((constraint) => constraint !== undefined);
}

function range(min: number | undefined, max: number | undefined, unit = ""): string | undefined {
  const tail = unit === "" ? "" : ` ${unit}`;
  if (min !== undefined && max !== undefined) return `${min}-${max}${tail}`;
  if (min !== undefined) return `at least ${min}${tail}`;
  return max === undefined ? undefined : `at most ${max}${tail}`;
}

/** The name in a reference: `Agent` for `#/components/schemas/Agent`. */
export function refName(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}
