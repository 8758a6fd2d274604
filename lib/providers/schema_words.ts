import type { JsonSchema } from "./model.ts";

const INSTRUCTION = "Answer with one JSON text only: no Markdown, no code fence, no words around " +
  "it. It must be valid against this JSON Schema:";

/** The instruction for models without a field for a schema; prompts are measured with it. */
export function schemaInstruction(schema: JsonSchema): string {
  return `${INSTRUCTION}\n${JSON.stringify(schema)}`;
}

/** A schema as providers take it: none accepts `$schema` everywhere. */
export function withoutDialect({ $schema: _dialect, ...schema }: JsonSchema): JsonSchema {
  return schema;
}

/** The system prompt of a request, with its schema in words if the model takes no other form. */
export function systemWithSchema(
  { system, responseSchema, schemaInWords }: {
    system: string;
    responseSchema?: JsonSchema;
    schemaInWords: boolean;
  },
): string {
  if (!schemaInWords || responseSchema === undefined) return system;
  return `${system}\n\n${schemaInstruction(responseSchema)}`;
}
