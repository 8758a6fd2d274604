import { isJsonObject } from "../platform/json.ts";
import type { JsonSchema } from "./model.ts";

const MAX_DEPTH = 8;
const MAX_ITEMS = 10;
const MAX_TEXT_LENGTH = 1_000;
/** Lists within lists multiply. */
const MAX_VALUES = 1_000;

/**
 * A small value for a schema of the usual keywords, with `text` wherever a text may be. It need not be
 * valid for a schema with patterns, formats or conditions, or for one that asks for much.
 */
export function exampleOfSchema(schema: JsonSchema, text: string): unknown {
  return new Example(text).of(schema, 0);
}

class Example {
  readonly #text: string;
  #values = 0;

  constructor(text: string) {
    this.#text = text;
  }

  of(schema: JsonSchema, depth: number): unknown {
    if (depth > MAX_DEPTH || ++this.#values > MAX_VALUES) return null;
    if (schema.const !== undefined) return schema.const;
    if (Array.isArray(schema.enum)) return schema.enum[0];
    const [choice] = [schema.anyOf, schema.oneOf].filter(Array.isArray).flat();
    if (isJsonObject(choice)) return this.of(choice, depth + 1);
    switch (typeOf(schema)) {
      case "object":
        return this.#object(schema, depth);
      case "array":
        return this.#list(schema, depth);
      case "string":
        return sizedText(schema, this.#text);
      case "integer":
      case "number":
        return Number(schema.minimum ?? 0);
      case "boolean":
        return true;
      default:
        return null;
    }
  }

  #object({ properties, required }: JsonSchema, depth: number): unknown {
    if (!isJsonObject(properties) || depth >= MAX_DEPTH) return {};
    const names = Array.isArray(required) ? required.map(String) : Object.keys(properties);
    return Object.fromEntries(names.map((name) => {
      const inner = Object.hasOwn(properties, name) ? properties[name] : undefined;
      return [name, isJsonObject(inner) ? this.of(inner, depth + 1) : this.#text];
    }));
  }

  #list({ items, minItems }: JsonSchema, depth: number): unknown[] {
    const length = Math.min(Number(minItems ?? 1), MAX_ITEMS);
    if (!isJsonObject(items) || depth >= MAX_DEPTH) return [];
    return Array.from({ length }, () => this.of(items, depth + 1));
  }
}

function typeOf({ type, properties }: JsonSchema): unknown {
  if (Array.isArray(type)) return type[0];
  return type ?? (properties === undefined ? "string" : "object");
}

function sizedText({ minLength, maxLength }: JsonSchema, text: string): string {
  const padded = text.padEnd(Math.min(Number(minLength ?? 0), MAX_TEXT_LENGTH), ".");
  return padded.slice(0, Number(maxLength ?? Infinity));
}
