import { trace, type Tracing } from "../platform/tracing.ts";
import { isJsonObject } from "../platform/json.ts";

/** Of the input or output of a tool in a span, in characters. */
const MAX_CONTENT_LENGTH = 16_384;

/**
 * Executes a tool within its span.
 *
 * @see https://opentelemetry.io/docs/specs/semconv/gen-ai/gen-ai-spans/#execute-tool-span
 */
export async function traceTool(
  tracing: Tracing,
  { name, args, id, work }: {
    name: string;
    args: Record<string, unknown>;
    id: string | undefined;
    work: () => Promise<unknown>;
  },
): Promise<unknown> {
  return await trace(tracing, {
    name: `execute_tool ${name}`,
    attributes: {
      "gen_ai.operation.name": "execute_tool",
      "gen_ai.tool.name": name,
      "gen_ai.tool.call.id": id,
      ...tracing.hasContent && { "gen_ai.tool.call.arguments": toContent(args) },
    },
    work: async (span) => {
      const output = await work();
      if (tracing.hasContent) span?.set({ "gen_ai.tool.call.result": toContent(output) });
      // A failing tool is a result for the model, and an error for people.
      const code = errorCode(output);
      if (code !== undefined) span?.end(code);
      return output;
    },
  });
}

function errorCode(output: unknown): string | undefined {
  if (!isJsonObject(output) || !isJsonObject(output.error)) return undefined;
  return typeof output.error.code === "string" ? output.error.code : undefined;
}

function toContent(value: unknown): string {
  return (JSON.stringify(value) ?? "").slice(0, MAX_CONTENT_LENGTH).toWellFormed();
}
