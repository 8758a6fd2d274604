import { z } from "zod";
import { FILE_SCHEMAS, type FileSchemaName } from "../schemas/agent_files.ts";
import { jsonValueSchema } from "../schemas/value_schemas.ts";
import type { JsonSchema } from "./openapi_types.ts";

const TITLES: Record<FileSchemaName, string> = {
  agent: "An agent",
  "knowledge-base": "A knowledge base",
  "test-set": "A test set",
};

/**
 * What `deno task agents` takes, as a JSON Schema for editors. Rules that JSON Schema cannot express are in
 * the descriptions.
 */
export function fileSchema(name: FileSchemaName, baseUrl: string): JsonSchema {
  const schema = z.toJSONSchema(FILE_SCHEMAS[name], {
    target: "draft-2020-12",
    io: "input",
    override({ zodSchema, jsonSchema }) {
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      if (zodSchema !== jsonValueSchema) return;
      for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword];
      jsonSchema.description = "Any JSON value.";
    },
  });
  return { $id: `${baseUrl}/schemas/${name}.json`, title: TITLES[name], ...schema } as JsonSchema;
}

/** Public: it says nothing of this installation but its address. */
export function fileSchemaResponse(name: FileSchemaName, baseUrl: string): Response {
  const headers = { "cache-control": "public, max-age=3600", "access-control-allow-origin": "*" };
  return Response.json(fileSchema(name, baseUrl), { headers });
}
