import { z } from "zod";

/**
 * What the library looks at of a server's results; the rest is taken apart here. Its own schemas write
 * down a fault for each wrong item, and one answer of 1 MiB with a list of numbers took 16 s (measured).
 */
export const looseResultSchema = z.looseObject({});

/** A tool as the server lists it. */
export interface ListedTool {
  name: string;
  description?: string | undefined;
  inputSchema: Record<string, unknown>;
}

/** More of one list are not looked at: 64 of them may be told to a model. */
const MAX_LISTED_TOOLS = 1_024;

/** The tools of one page of a list; what is no tool is passed over. */
export function parseToolList(tools: unknown): ListedTool[] {
  if (!Array.isArray(tools)) return [];
  return tools.slice(0, MAX_LISTED_TOOLS).flatMap((item: unknown) => {
    if (!isObject(item) || typeof item.name !== "string") return [];
    const { name, description, inputSchema } = item;
    if (!isObject(inputSchema) || inputSchema.type !== "object") return [];
    return [{ name, inputSchema, ...(typeof description === "string" ? { description } : {}) }];
  });
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A request of ours that waits for its answer. */
export interface PendingRequest {
  id: number | string;
  method: string;
}

/** What an MCP server said that concerns us, in our own words. */
export interface ParsedMessage {
  isAnswer: boolean;
  message: Record<string, unknown>;
}

/** The request in a body that the library sends; nothing for a notification or an answer of ours. */
export function parseRequest(body: unknown): PendingRequest | undefined {
  if (typeof body !== "string") return undefined;
  const { id, method } = asObject(JSON.parse(body));
  return typeof method === "string" && isId(id) ? { id, method } : undefined;
}

/**
 * The answer to `asked` or a request of the server's, said anew with nothing but what the library
 * needs: it drops a message that has anything more or is wrong in a part that nobody reads, and
 * then waits for the answer until its time is up. Notifications are of no use to a run.
 */
export function parseMessage(said: unknown, asked: PendingRequest): ParsedMessage | undefined {
  const { jsonrpc, id, method, result, error } = asObject(said);
  if (jsonrpc !== "2.0" || !isId(id)) return undefined;
  // We have nothing to offer but an answer to a ping, whatever its parameters.
  if (typeof method === "string") return { isAnswer: false, message: { jsonrpc, id, method } };
  if (`${id}` !== `${asked.id}`) return undefined;
  const answer = { jsonrpc, id: asked.id };
  if (isObject(result)) {
    const { _meta, ...rest } = result;
    return { isAnswer: true, message: { ...answer, result: rest } };
  }
  const { code, message } = asObject(error);
  if (!Number.isSafeInteger(code) || typeof message !== "string") return undefined;
  return { isAnswer: true, message: { ...answer, error: { code, message } } };
}

function isId(id: unknown): id is number | string {
  return typeof id === "string" || Number.isSafeInteger(id);
}

function asObject(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {};
}
