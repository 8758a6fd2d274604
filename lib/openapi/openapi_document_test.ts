import { Validator } from "@/tests/support/openapi_validator.ts";
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import type { z } from "zod";
import { ERROR_STATUS } from "../schemas/error_codes.ts";
import { errorEnvelopeSchema } from "../schemas/error_envelope.ts";
import { frameSchema } from "../schemas/frames.ts";
import { FRAME_DOCS } from "./frame_docs.ts";
import { openapiDocument, OPERATIONS } from "./openapi_document.ts";
import { exampleEnvelope } from "./render_responses.ts";
import { refName } from "./describe_constraints.ts";
import { frameSchemaName, type SchemaName, SCHEMAS } from "./schemas.ts";
import { TAGS } from "./operation.ts";

const baseUrl = "https://chat.example";
const document = openapiDocument({ baseUrl });

Deno.test("openapiDocument: is valid OpenAPI 3.1 to a public validator", async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(JSON.parse(JSON.stringify(document)));
  assertEquals({ valid, errors, version: validator.version }, {
    valid: true,
    errors: undefined,
    version: "3.1",
  });
});

Deno.test("openapiDocument: the same input gives the same bytes", () => {
  assertEquals(JSON.stringify(openapiDocument({ baseUrl })), JSON.stringify(document));
  assertEquals(document.servers, [{ url: baseUrl }]);
});

Deno.test("openapiDocument: operation ids are unique and every tag has operations", () => {
  assertEquals(new Set(OPERATIONS.map(({ id }) => id)).size, OPERATIONS.length);
  assertEquals(new Set(OPERATIONS.map(({ tag }) => tag)), new Set(Object.keys(TAGS)));
});

Deno.test("openapiDocument: every reference resolves, and every component is used", () => {
  const refs = new Set(referencesIn(document));
  for (const ref of refs) assertNotEquals(at(document, ref), undefined, ref);
  const { schemas, headers } = document.components;
  const components = [
    ...Object.keys(schemas).map((name) => `#/components/schemas/${name}`),
    ...Object.keys(headers).map((name) => `#/components/headers/${name}`),
  ];
  assertEquals(components.filter((ref) => !refs.has(ref)), []);
});

Deno.test("openapiDocument: no schema is recursive, for client generators", () => {
  const { schemas } = document.components;
  const reached = (name: string, path: string[] = []): string[] | undefined => {
    if (path.includes(name)) return [...path, name];
    for (const ref of referencesIn(schemas[name])) {
      const cycle = reached(refName(ref), [...path, name]);
      if (cycle !== undefined) return cycle;
    }
    return undefined;
  };
  for (const name of Object.keys(schemas)) assertEquals(reached(name), undefined, name);
  assertEquals(schemas.JsonValue, { description: "Any JSON value." });
});

Deno.test("openapiDocument: the error envelope references ValidationIssue", () => {
  const { schemas } = document.components;
  assertEquals(schemas.ErrorEnvelope?.properties?.details?.properties?.issues?.items, {
    $ref: "#/components/schemas/ValidationIssue",
  });
});

Deno.test("openapiDocument: has a license and an error response for every operation, as linters require", () => {
  assertEquals(document.info.license, { name: "MIT", identifier: "MIT" });
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { operationId, summary, responses }] of Object.entries(methods)) {
      const name = `${method} ${path}`;
      assert(/^[a-z][a-zA-Z]+$/.test(operationId) && summary.length > 0, name);
      const statuses = Object.keys(responses);
      assert(statuses.some((status) => status.startsWith("2")), name);
      assert(statuses.some((status) => status.startsWith("4")), name);
    }
  }
});

Deno.test("openapiDocument: every example body is valid", () => {
  const checked = OPERATIONS.flatMap(({ id, body, responses }) => [
    ...(body?.schema === undefined ? [] : [check(id, body)]),
    ...responses.flatMap(({ content = [] }) =>
      [content].flat().flatMap((one) => "example" in one ? [check(id, one)] : [])
    ),
  ]);
  assert(checked.length > 15);
});

Deno.test("openapiDocument: every frame type has a valid example", () => {
  const types = frameSchema.options.map((option) => option.shape.type.value);
  assertEquals(Object.keys(FRAME_DOCS).sort(), [...types].sort());
  for (const [type, { example }] of Object.entries(FRAME_DOCS)) {
    assertEquals(frameSchema.parse(example).type, type);
    assert(frameSchemaName(type) in document.components.schemas);
  }
  const stream = document.paths["/v1/chat/stream"]?.post?.responses["200"]?.content;
  const examples = stream?.["text/event-stream"]?.examples ?? {};
  assertEquals(Object.keys(examples).sort(), [...types].sort());
});

Deno.test("openapiDocument: every error example is an envelope with the code's status", () => {
  for (const code of Object.keys(ERROR_STATUS) as (keyof typeof ERROR_STATUS)[]) {
    const envelope = errorEnvelopeSchema.parse(exampleEnvelope(code));
    assertEquals([envelope.code, envelope.http], [code, ERROR_STATUS[code]]);
  }
});

Deno.test("openapiDocument: every operation with a 201 accepts Idempotency-Key and can be replayed", () => {
  for (const { idempotent, responses: answers, id } of OPERATIONS) {
    if (answers.some(({ status }) => status === 201)) assert(idempotent, id);
  }
  const { parameters = [], responses } = document.paths["/v1/agents"]!.post!;
  assert(
    parameters.some(({ name, in: place }) => name === "Idempotency-Key" && place === "header"),
  );
  assert("Idempotency-Replayed" in responses["201"]!.headers!);
  assert("idempotency_key_reused" in responses["422"]!.content!["application/json"]!.examples!);
});

function check(id: string, { schema, example }: { schema: SchemaName; example: unknown }): string {
  const { error } = (SCHEMAS[schema] as z.ZodType).safeParse(example);
  assertEquals(error?.issues, undefined, `${id}: the example of ${schema}`);
  return id;
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = "$ref" in value && typeof value.$ref === "string" ? [value.$ref] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}

/** What a `#/a/b` reference names. */
function at(root: unknown, ref: string): unknown {
  return ref.slice(2).split("/").reduce<unknown>(
    (value, part) => (value as Record<string, unknown> | undefined)?.[part],
    root,
  );
}
