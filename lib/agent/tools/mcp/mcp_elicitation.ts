import { isJsonObject } from "../../../platform/json.ts";
import { INVISIBLE } from "../../../schemas/plain_text.ts";

/** Shown to a person beside two buttons. */
const MAX_MESSAGE_LENGTH = 1_000;

/** A question of a server that a visitor can answer with yes or no. */
export interface YesNoQuestion {
  message: string;
  /** The boolean field that a yes sets, if the server's form has one. */
  field?: string;
}

/**
 * The parameters of a server's `elicitation/create`, as the library accepts them. Only a question for
 * yes or no is kept: a form without fields, or with one boolean. Anything else, such as a form that asks
 * for text or a link to open, has no message and is declined.
 */
export function parseElicitation(params: unknown): Record<string, unknown> {
  const question = toQuestion(params);
  const properties = question?.field === undefined ? {} : { [question.field]: { type: "boolean" } };
  return {
    message: question?.message ?? "",
    requestedSchema: { type: "object", properties },
  };
}

/** Reads what `parseElicitation` kept; `undefined` if it is to be declined. */
export function readQuestion(
  { message, requestedSchema }: { message: string; requestedSchema?: unknown },
): YesNoQuestion | undefined {
  if (message === "") return undefined;
  const properties = isJsonObject(requestedSchema) ? requestedSchema.properties : undefined;
  const [field] = isJsonObject(properties) ? Object.keys(properties) : [];
  return { message, ...field !== undefined && { field } };
}

/** The server's form, filled in with a yes or declined. */
export function toElicitResult(
  { field }: YesNoQuestion,
  isYes: boolean,
): { action: "accept" | "decline"; content?: Record<string, boolean> } {
  if (!isYes) return { action: "decline" };
  return { action: "accept", content: field === undefined ? {} : { [field]: true } };
}

function toQuestion(params: unknown): YesNoQuestion | undefined {
  if (!isJsonObject(params)) return undefined;
  const { mode = "form", message, requestedSchema = { type: "object", properties: {} } } = params;
  if (mode !== "form" || typeof message !== "string") return undefined;
  const visible = message.toWellFormed().replace(INVISIBLE, "\ufffd");
  const text = visible.replace(/[\s\p{Cc}]+/gu, " ").trim();
  if (text === "" || text.length > MAX_MESSAGE_LENGTH || !isJsonObject(requestedSchema)) {
    return undefined;
  }
  const { properties = {} } = requestedSchema;
  if (!isJsonObject(properties)) return undefined;
  const [first, ...others] = Object.entries(properties);
  if (first === undefined) return { message: text };
  const [field, schema] = first;
  const isBoolean = isJsonObject(schema) && schema.type === "boolean";
  return isBoolean && others.length === 0 ? { message: text, field } : undefined;
}
