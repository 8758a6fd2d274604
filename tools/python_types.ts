import type { JsonSchema } from "@/lib/openapi/openapi_types.ts";

/**
 * The schemas of the API document as types of Python: a `TypedDict` for each object, a union or literals
 * for the rest. Inline objects get names of their own, from their place.
 */
export function pythonTypes(schemas: Readonly<Record<string, JsonSchema>>): string {
  const writer = new TypeWriter();
  for (const [name, schema] of Object.entries(schemas)) writer.define(name, schema);
  return HEADER + writer.text;
}

const HEADER = `"""Types of the service's requests and responses, written from its API document."""

from __future__ import annotations

from typing import Any, Literal, TypedDict, Union

from typing_extensions import NotRequired

`;

/** Words that cannot be fields of a class; such objects use the functional syntax. */
const IDENTIFIER =
  /^(?!(?:class|from|import|global|None|True|False|is|in|not|and|or|if|for|def|return|pass)$)[A-Za-z_]\w*$/;

class TypeWriter {
  readonly #definitions: string[] = [];

  get text(): string {
    return this.#definitions.join("\n\n") + "\n";
  }

  define(name: string, schema: JsonSchema): void {
    if (isObject(schema)) this.#defineObject(name, schema);
    else this.#definitions.push(`${name} = ${this.#typeOf(schema, name)}`);
  }

  #defineObject(name: string, schema: JsonSchema): void {
    const required = new Set(schema.required as string[] ?? []);
    const fields = Object.entries(schema.properties as Record<string, JsonSchema> ?? {});
    const lines = fields.map(([field, of]) => {
      const type = this.#typeOf(of, name + capitalize(field));
      const value = required.has(field) ? type : `NotRequired[${type}]`;
      return { field, value, text: described(of) };
    });
    const about = described(schema);
    if (lines.every(({ field }) => IDENTIFIER.test(field))) {
      const body = lines.map(({ field, value, text }) => comment(text) + `    ${field}: ${value}`);
      const doc = about === undefined ? [] : [`    """${about.replaceAll('"""', '"')}"""`];
      this.#definitions.push(
        [`class ${name}(TypedDict):`, ...doc, ...body.length > 0 ? body : ["    pass"]]
          .join("\n"),
      );
      return;
    }
    const entries = lines.map(({ field, value }) => `    ${JSON.stringify(field)}: ${value},`);
    this.#definitions.push(
      `${name} = TypedDict(${JSON.stringify(name)}, {\n${entries.join("\n")}\n})`,
    );
  }

  #typeOf(schema: JsonSchema, place: string): string {
    if (typeof schema.$ref === "string") return `"${schema.$ref.split("/").at(-1)}"`;
    if (schema.const !== undefined) return `Literal[${literal(schema.const)}]`;
    if (Array.isArray(schema.enum)) return `Literal[${schema.enum.map(literal).join(", ")}]`;
    const choices = (schema.anyOf ?? schema.oneOf) as JsonSchema[] | undefined;
    if (choices !== undefined) {
      const types = choices.map((one, n) => this.#typeOf(one, `${place}${n + 1}`));
      return `Union[${[...new Set(types)].join(", ")}]`;
    }
    if (schema.type === "array") {
      return `list[${this.#typeOf(schema.items as JsonSchema ?? {}, `${place}Item`)}]`;
    }
    if (isObject(schema)) {
      this.#defineObject(place, schema);
      return `"${place}"`;
    }
    if (schema.type === "object") {
      const values = schema.additionalProperties;
      const of = typeof values === "object"
        ? this.#typeOf(values as JsonSchema, `${place}Value`)
        : "Any";
      return `dict[str, ${of}]`;
    }
    return PLAIN_TYPES[String(schema.type)] ?? "Any";
  }
}

const PLAIN_TYPES: Readonly<Record<string, string>> = {
  string: "str",
  integer: "int",
  number: "float",
  boolean: "bool",
  null: "None",
};

function isObject(schema: JsonSchema): boolean {
  return schema.type === "object" && schema.properties !== undefined;
}

function literal(value: unknown): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return JSON.stringify(value);
}

function described({ description }: JsonSchema): string | undefined {
  return typeof description === "string" ? description.replace(/\s+/g, " ").trim() : undefined;
}

function comment(text: string | undefined): string {
  return text === undefined ? "" : `    # ${text}\n`;
}

function capitalize(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1).replace(/\W/g, "_");
}
