import { isJsonObject } from "../platform/json.ts";
import type { JsonSchema } from "./model.ts";

const MAX_DEPTH = 8;

/**
 * A small value for a schema of the usual keywords, with `text` wherever a text may be. It need not be
 * valid for a schema with patterns, formats or conditions.
 */
export function exampleOfSchema(schema: JsonSchema, text: string, depth = 0): unknown {
  if (schema.const !== undefined) return schema.const;
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const [choice] = [schema.anyOf, schema.oneOf].filter(Array.isArray).flat();
  if (isJsonObject(choice) && depth < MAX_DEPTH) return exampleOfSchema(choice, text, depth + 1);
  switch (typeOf(schema)) {
    case "object":
      return exampleObject(schema, text, depth);
    case "array":
      return exampleList(schema, text, depth);
    case "string":
      return exampleText(schema, text);
    case "integer":
    case "number":
      return Number(schema.minimum ?? 0);
    case "boolean":
      return true;
    default:
      return null;
  }
}

function typeOf({ type, properties }: JsonSchema): unknown {
  if (Array.isArray(type)) return type[0];
  return type ?? (properties === undefined ? "string" : "object");
}

function exampleObject({ properties, required }: JsonSchema, text: string, depth: number): unknown {
  if (!isJsonObject(properties) || depth >= MAX_DEPTH) return {};
  const names = Array.isArray(required) ? required.map(String) : Object.keys(properties);
  return Object.fromEntries(names.map((name) => {
    const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return [name, isJsonObject(inner) ? exampleOfSchema(inner, text, depth + 1) : text];
  }));
}

function exampleList({ items, minItems }: JsonSchema, text: string, depth: number): unknown[] {
  const length = Math.min(Number(minItems ?? 1), 10);
  if (!isJsonObject(items) || depth >= MAX_DEPTH) return [];
  return Array.from({ length }, () => exampleOfSchema(items, text, depth + 1));
}

function exampleText({ minLength, maxLength }: JsonSchema, text: string): string {
  const padded = text.padEnd(Math.min(Number(minLength ?? 0), 1_000), ".");
  return padded.slice(0, Number(maxLength ?? Infinity));
}
