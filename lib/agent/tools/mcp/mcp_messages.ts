import { z } from "zod";
import { isJsonObject } from "../../../platform/json.ts";
import { parseElicitation } from "./mcp_elicitation.ts";

/**
 * Accepts any result. The library's own schemas collect an issue for each wrong item: a 1 MiB result
 * with a list of numbers took 16 s (measured).
 */
export const looseResultSchema = z.looseObject({});

export interface ListedTool {
  name: string;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
}

/** Listed tools that are read at all; a model is offered at most 64 of them. */
const MAX_LISTED_TOOLS = 1_024;

/** Parses one page of a server's list; skips items that are not valid tools. */
export function parseToolList(tools: unknown): ListedTool[] {
  if (!Array.isArray(tools)) return [];
  return tools.slice(0, MAX_LISTED_TOOLS).flatMap((item: unknown) => {
    if (!isJsonObject(item) || typeof item.name !== "string") return [];
    const { name, description, inputSchema } = item;
    if (!isJsonObject(inputSchema) || inputSchema.type !== "object") return [];
    return [{ name, inputSchema, ...(typeof description === "string" ? { description } : {}) }];
  });
}

/** A request that waits for its response. */
export type PendingRequest = { id: number | string; method: string };

/** A server's message, reduced to what the library needs. */
type ParsedMessage = { isResponse: boolean; message: Record<string, unknown> };

/** Parses a body that the library sends; `undefined` for a notification or a response. */
export function parseRequest(body: unknown): PendingRequest | undefined {
  if (typeof body !== "string") return undefined;
  const { id, method } = asObject(JSON.parse(body));
  return typeof method === "string" && isId(id) ? { id, method } : undefined;
}

/**
 * Parses the response to `request` or a request of the server, and keeps only what the library needs:
 * it would drop a message with any unexpected or invalid part and wait for the response until it times
 * out. Notifications are dropped.
 */
export function parseMessage(value: unknown, request: PendingRequest): ParsedMessage | undefined {
  const { jsonrpc, id, method, params, result, error } = asObject(value);
  if (jsonrpc !== "2.0" || !isId(id)) return undefined;
  if (method === "elicitation/create") {
    return {
      isResponse: false,
      message: { jsonrpc, id, method, params: parseElicitation(params) },
    };
  }
  // The client only answers pings otherwise, which need no parameters.
  if (typeof method === "string") return { isResponse: false, message: { jsonrpc, id, method } };
  if (`${id}` !== `${request.id}`) return undefined;
  const response = { jsonrpc, id: request.id };
  if (isJsonObject(result)) {
    const { _meta, ...rest } = result;
    return { isResponse: true, message: { ...response, result: rest } };
  }
  const { code, message } = asObject(error);
  if (!Number.isSafeInteger(code) || typeof message !== "string") return undefined;
  return { isResponse: true, message: { ...response, error: { code, message } } };
}

function isId(id: unknown): id is number | string {
  return typeof id === "string" || Number.isSafeInteger(id);
}

function asObject(value: unknown): Record<string, unknown> {
  return isJsonObject(value) ? value : {};
}
