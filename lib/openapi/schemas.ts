import { z } from "zod";
import { AGENT_SCHEMAS } from "../schemas/agent.ts";
import {
  attachmentFormSchema,
  attachmentSchema,
  messageAttachmentSchema,
} from "../schemas/attachment.ts";
import { chatBodySchema, chatMessageSchema } from "../schemas/chat.ts";
import { CONFIGURATION_SCHEMAS } from "../schemas/configuration.ts";
import { CONVERSATION_SCHEMAS } from "../schemas/conversation.ts";
import { OWN_CONVERSATION_SCHEMAS } from "../schemas/own_conversation.ts";
import * as doctor from "../schemas/doctor.ts";
import { errorEnvelopeSchema, validationIssueSchema } from "../schemas/error_envelope.ts";
import { FEEDBACK_SCHEMAS } from "../schemas/feedback.ts";
import { mcpMessageSchema } from "../schemas/mcp.ts";
import { frameSchema } from "../schemas/frames.ts";
import { jsonValueSchema } from "../schemas/value_schemas.ts";
import { healthSchema, readinessSchema, widgetInfoSchema } from "../schemas/public_info.ts";
import { GUARDRAIL_SCHEMAS } from "../schemas/guardrails.ts";
import { feedFrameSchema, HANDOFF_SCHEMAS } from "../schemas/handoff.ts";
import { WEB_SOURCE_SCHEMAS } from "../schemas/web_source.ts";
import { KNOWLEDGE_SCHEMAS } from "../schemas/knowledge.ts";
import * as session from "../schemas/session.ts";
import {
  clientToolSchema,
  httpToolSchema,
  mcpToolSchema,
  toolDefinitionSchema,
} from "../schemas/tool_definition.ts";
import { WAITING_CALL_SCHEMAS } from "../schemas/waiting_call.ts";
import { agUiInputSchema } from "../schemas/ag_ui.ts";
import { openAiChatSchema } from "../schemas/openai_chat.ts";
import { openAiErrorSchema } from "../schemas/openai_error.ts";
import { openAiModelListSchema, openAiModelSchema } from "../schemas/openai_models.ts";
import { openAiResponsesSchema } from "../schemas/openai_responses.ts";
import { PUBLICATION_SCHEMAS } from "../schemas/publication.ts";
import { REHEARSAL_SCHEMAS } from "../schemas/rehearsal.ts";
import { TEST_CASE_SCHEMAS } from "../schemas/test_case.ts";
import { TEST_RUN_SCHEMAS } from "../schemas/test_run.ts";
import { TEST_SET_SCHEMAS } from "../schemas/test_set.ts";
import { UNANSWERED_SCHEMAS } from "../schemas/unanswered.ts";
import { SEAL_SCHEMAS } from "../schemas/run_seal.ts";
import { SEALED_EXPORT_SCHEMAS } from "../schemas/sealed_export.ts";
import { usageReportSchema } from "../schemas/usage.ts";
import { erasureSchema, visitorProgressSchema } from "../schemas/visitor_erasure.ts";
import { VISITOR_SCHEMAS } from "../schemas/visitor.ts";
import type { JsonSchema } from "./openapi_types.ts";

/** Bodies of other formats. */
const FORMAT_SCHEMAS = {
  OpenAiChatBody: openAiChatSchema,
  OpenAiResponsesBody: openAiResponsesSchema,
  OpenAiModel: openAiModelSchema,
  OpenAiModelList: openAiModelListSchema,
  OpenAiErrorEnvelope: openAiErrorSchema,
  AgUiInput: agUiInputSchema,
};

/** Every named schema of the document. Requests are validated with the same schemas. */
export const SCHEMAS = {
  ...AGENT_SCHEMAS,
  ToolDefinition: toolDefinitionSchema,
  HttpTool: httpToolSchema,
  McpTool: mcpToolSchema,
  ClientTool: clientToolSchema,
  MintBody: session.mintBodySchema,
  BoundKey: session.boundKeySchema,
  ...VISITOR_SCHEMAS,
  PlaygroundBody: session.playgroundBodySchema,
  RevokeBody: session.revokeBodySchema,
  DoctorBody: doctor.doctorBodySchema,
  DoctorReport: doctor.doctorReportSchema,
  MintedSession: session.mintedSessionSchema,
  ChatBody: chatBodySchema,
  ChatMessage: chatMessageSchema,
  Attachment: attachmentSchema,
  AttachmentForm: attachmentFormSchema,
  MessageAttachment: messageAttachmentSchema,
  Frame: frameSchema,
  ...HANDOFF_SCHEMAS,
  ...GUARDRAIL_SCHEMAS,
  ...FORMAT_SCHEMAS,
  ErrorEnvelope: errorEnvelopeSchema,
  ValidationIssue: validationIssueSchema,
  Health: healthSchema,
  Readiness: readinessSchema,
  WidgetInfo: widgetInfoSchema,
  ...CONVERSATION_SCHEMAS,
  ...FEEDBACK_SCHEMAS,
  ...PUBLICATION_SCHEMAS,
  ...REHEARSAL_SCHEMAS,
  ...TEST_SET_SCHEMAS,
  ...TEST_CASE_SCHEMAS,
  ...TEST_RUN_SCHEMAS,
  ...UNANSWERED_SCHEMAS,
  ...SEAL_SCHEMAS,
  ...SEALED_EXPORT_SCHEMAS,
  ...WAITING_CALL_SCHEMAS,
  ...OWN_CONVERSATION_SCHEMAS,
  VisitorErasure: erasureSchema,
  VisitorProgress: visitorProgressSchema,
  ...KNOWLEDGE_SCHEMAS,
  ...WEB_SOURCE_SCHEMAS,
  ...CONFIGURATION_SCHEMAS,
  McpMessage: mcpMessageSchema,
  UsageReport: usageReportSchema,
  JsonValue: jsonValueSchema,
} satisfies Record<string, z.ZodType>;
export type SchemaName = keyof typeof SCHEMAS;

export function schemaRef(name: SchemaName): JsonSchema {
  return { $ref: schemaUri(name) };
}

function schemaUri(name: string): string {
  return `#/components/schemas/${name}`;
}

/** The name of a frame's schema: `ToolCallFrame` for `tool_call`. */
export function frameSchemaName(type: string): string {
  return type.split("_").map((word) => word[0]?.toUpperCase() + word.slice(1)).join("") + "Frame";
}

/**
 * All schemas, frames included, as JSON Schema 2020-12 of the input, before it is normalized. Rules that
 * JSON Schema cannot express, such as a tool's host being in `allowedDomains`, are in the descriptions.
 */
export function componentSchemas(): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(SCHEMAS)) registry.add(schema, { id });
  const frames: Set<unknown> = new Set([...frameSchema.options, ...feedFrameSchema.options]);
  for (const option of frameSchema.options) {
    registry.add(option, { id: frameSchemaName(option.shape.type.value) });
  }
  for (const option of feedFrameSchema.options) {
    registry.add(option, { id: `Feed${frameSchemaName(option.shape.type.value)}` });
  }
  const { schemas } = z.toJSONSchema(registry, {
    target: "draft-2020-12",
    io: "input",
    uri: schemaUri,
    override({ zodSchema, jsonSchema }) {
      // The format is enough for people and generators.
      if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
      // Zod's default bound of integers.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
      // Later versions may add fields to a frame.
      if (frames.has(zodSchema)) delete jsonSchema.additionalProperties;
      // The recursive union breaks openapi-typescript and openapi-python-client (measured).
      if (zodSchema === jsonValueSchema) {
        for (const keyword of Object.keys(jsonSchema)) delete jsonSchema[keyword];
        jsonSchema.description = "Any JSON value.";
      }
    },
  });
  // A component needs neither identity nor dialect.
  const components = Object.entries(schemas)
    .map(([name, { $id: _, $schema: __, ...schema }]) => [name, schema]);
  return Object.fromEntries(components);
}
