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
