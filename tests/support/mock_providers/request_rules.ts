import type { Protocol } from "@/lib/schemas/connection_config.ts";

// deno-lint-ignore no-explicit-any -- a rule looks into whatever was sent
type Body = any;

/** A rule of a provider's documentation, and the words in which it rejects what breaks it. */
type Rule = (body: Body, model: string) => string | false | undefined;

const MAX_BREAKPOINTS = 4;
const MIN_THINKING_TOKENS = 1_024;

const ANTHROPIC_RULES: readonly Rule[] = [
  (body) => {
    const found = countKeys(body, "cache_control");
    return found > MAX_BREAKPOINTS &&
      `A maximum of 4 blocks with cache_control may be provided. Found ${found}.`;
  },
  (body) =>
    blocksOf(body).some(({ type, text, cache_control }) =>
      cache_control !== undefined && (text === "" || type === "thinking")
    ) && "cache_control cannot be set for empty text blocks",
  ({ thinking, max_tokens }) =>
    thinking?.type === "enabled" && thinking.budget_tokens >= max_tokens &&
    "`max_tokens` must be greater than `thinking.budget_tokens`.",
  ({ thinking }) =>
    thinking?.type === "enabled" && !(thinking.budget_tokens >= MIN_THINKING_TOKENS) &&
    "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
  ({ thinking, temperature = 1 }) =>
    thinking !== undefined && temperature !== 1 &&
    "`temperature` may only be set to 1 when thinking is enabled.",
  ({ thinking, top_p = 1 }) =>
    thinking !== undefined && top_p < 0.95 &&
    "`top_p` must be greater than or equal to 0.95 or unset when thinking is enabled.",
  ({ temperature, top_p }) =>
    temperature !== undefined && top_p !== undefined &&
    "`temperature` and `top_p` cannot both be specified for this model.",
  ({ temperature = 0 }) => temperature > 1 && "temperature: range: 0..1",
  ({ stop_sequences = [] }) =>
    stop_sequences.some((text: string) => text.trim() === "") &&
    "stop_sequences: each stop sequence must contain non-whitespace",
  ({ output_config }) =>
    output_config?.format !== undefined && !isClosed(output_config.format.schema) &&
    "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
  ({ thinking, messages }) =>
    thinking?.type === "enabled" && beganWithoutThinking(messages) &&
    "Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
  ({ messages = [] }) =>
    messages.some(({ role, content }: Body, n: number) => {
      const results = idsOf(messages[n + 1]?.content, "tool_result", "tool_use_id");
      return role === "assistant" &&
        idsOf(content, "tool_use", "id").some((id) => !results.includes(id));
    }) && "`tool_use` ids were found without `tool_result` blocks immediately after",
];

const OPENAI_RULES: readonly Rule[] = [
  ({ stop = [] }) => stop.length > 4 && "Invalid 'stop': array too long.",
  ({ top_p = 1 }) => (top_p < 0 || top_p > 1) && "Invalid 'top_p': must be between 0 and 1.",
  ({ temperature = 1 }) => temperature > 2 && "Invalid 'temperature': must be at most 2.",
  ({ reasoning_effort: effort = "low" }) =>
    !["none", "minimal", "low", "medium", "high"].includes(effort) &&
    "Unsupported value: 'reasoning_effort'.",
  ({ response_format: format }) =>
    format?.json_schema?.strict === true && !isClosed(format.json_schema.schema, "required") &&
    "Invalid schema for response_format 'answer': 'additionalProperties' is required to be supplied and to be false.",
  ({ response_format: format }) =>
    format?.json_schema?.strict === true && hasUntyped(format.json_schema.schema) &&
    "Invalid schema for response_format 'answer': schema must have a 'type' key.",
  ({ response_format: format }) =>
    format?.json_schema?.strict === true && countKeys(format.json_schema.schema, "default") > 0 &&
    "Invalid schema for response_format 'answer': 'default' is not permitted.",
  ({ messages = [] }) =>
    messages.some(({ tool_calls = [] }: Body, n: number) => {
      const after = messages.slice(n + 1);
      const end = after.findIndex(({ role }: Body) => role !== "tool");
      const answered = after.slice(0, end < 0 ? undefined : end)
        .map(({ tool_call_id }: Body) => tool_call_id);
      return tool_calls.some(({ id }: Body) => !answered.includes(id));
    }) && "An assistant message with 'tool_calls' must be followed by tool messages.",
];

const GOOGLE_RULES: readonly Rule[] = [
  ({ generationConfig: { stopSequences = [] } }) =>
    stopSequences.length > 5 && "stopSequences: at most 5.",
  ({ generationConfig: { thinkingConfig: { thinkingBudget, thinkingLevel } = {} as Body } }) =>
    thinkingBudget !== undefined && thinkingLevel !== undefined &&
    "You can only set only one of thinking budget and thinking level.",
  ({ generationConfig: { thinkingConfig } }, model) =>
    /gemini-2/.test(model) && thinkingConfig?.thinkingLevel !== undefined &&
    "Thinking level is not supported for this model.",
  ({ generationConfig: { thinkingConfig } }) =>
    thinkingConfig?.thinkingBudget > 32_768 && "The thinking budget is invalid.",
  ({ generationConfig: { responseJsonSchema, responseMimeType } }) =>
    responseJsonSchema !== undefined && responseMimeType !== "application/json" &&
    "responseJsonSchema needs the response mime type application/json.",
  ({ generationConfig: { responseMimeType }, tools = [] }, model) =>
    /gemini-2/.test(model) && responseMimeType === "application/json" && tools.length > 0 &&
    "Function calling with a response mime type: 'application/json' is unsupported",
  ({ contents = [] }) =>
    contents.some(({ parts }: Body, n: number) => {
      const calls = partsWith(parts, "functionCall");
      return calls > 0 && calls !== partsWith(contents[n + 1]?.parts, "functionResponse");
    }) && "The number of function response parts must equal the number of function call parts.",
];

const RULES: Readonly<Record<Protocol, readonly Rule[]>> = {
  openai: OPENAI_RULES,
  anthropic: ANTHROPIC_RULES,
  google: GOOGLE_RULES,
};

/** The body of the 400 with which the real provider rejects a request; `undefined` if it accepts it. */
export function brokenRule(
  { protocol, model, body }: { protocol: Protocol; model: string; body: Body },
): string | undefined {
  if (body?.generationConfig === undefined && protocol === "google") return undefined;
  for (const rule of RULES[protocol]) {
    const message = rule(body, model);
    if (message) return JSON.stringify({ error: { type: "invalid_request_error", message } });
  }
  return undefined;
}

function blocksOf({ system, tools = [], messages = [] }: Body): Body[] {
  const all = [...Array.isArray(system) ? system : [], ...tools];
  return [...all, ...messages.flatMap(({ content }: Body) => content)];
}

function idsOf(content: Body, type: string, field: string): unknown[] {
  if (!Array.isArray(content)) return [];
  return content.filter((block) => block.type === type).map((block) => block[field]);
}

function partsWith(parts: Body[] = [], name: string): number {
  return parts.filter((part) => part[name] !== undefined).length;
}

function countKeys(value: unknown, key: string): number {
  if (typeof value !== "object" || value === null) return 0;
  const own = !Array.isArray(value) && Object.hasOwn(value, key) ? 1 : 0;
  return Object.values(value).reduce<number>((sum, one) => sum + countKeys(one, key), own);
}

/** Whether every object of a schema is closed and, if asked for, has no optional property. */
function isClosed(schema: Body, properties: "any" | "required" = "any"): boolean {
  if (typeof schema !== "object" || schema === null) return true;
  const isObject = schema.type === "object";
  const optional = Object.keys(schema.properties ?? {})
    .filter((name) => !schema.required?.includes(name));
  if (isObject && schema.additionalProperties !== false) return false;
  if (isObject && properties === "required" && optional.length > 0) return false;
  return Object.values(schema).every((inner) => isClosed(inner, properties));
}

/** Whether a property has a schema without a type. */
function hasUntyped({ properties = {} }: Body): boolean {
  return Object.values(properties as Body[]).some((inner) =>
    inner.type === undefined && inner.anyOf === undefined && inner.$ref === undefined ||
    hasUntyped(inner)
  );
}

/** Whether a turn that waits for results began without thinking. */
function beganWithoutThinking(messages: Body[] = []): boolean {
  const question = messages.findLastIndex(({ role, content }) =>
    role === "user" && content.some(({ type }: Body) => type !== "tool_result")
  );
  const first = messages.slice(question + 1).find(({ role }) => role === "assistant");
  return first !== undefined && !/thinking$/.test(first.content[0]?.type);
}
