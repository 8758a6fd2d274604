import { msg } from "../texts/translate.ts";

/** A tool while it is being edited; the schemas validate it when it is saved. */
export interface ToolDraft {
  type: "http" | "mcp" | "client" | "agent";
  name?: unknown;
  description?: unknown;
  parameters?: unknown;
  request?: Record<string, unknown>;
  url?: unknown;
  headers?: unknown;
  allow?: unknown;
  timeoutMs?: unknown;
  maxResponseBytes?: unknown;
  progress?: unknown;
  title?: unknown;
  approval?: unknown;
  idempotent?: unknown;
  parallel?: unknown;
  output?: unknown;
  resources?: unknown;
  agentId?: unknown;
}

/** An agent that a tool may ask. */
export interface AgentChoice {
  id: string;
  name: string;
}

export type ParameterRow = { name: string; type: string; description: string; required: boolean };

export const ROW_TYPES = ["string", "number", "integer", "boolean"] as const;

export const NEW_HTTP_TOOL: ToolDraft = {
  type: "http",
  name: "new_tool",
  description: msg("What it does, and when to use it."),
  parameters: { type: "object", properties: {} },
  request: { method: "GET", url: "https://api.example.com/" },
};

const MCP_URL = "https://mcp.example.com/mcp";
export const NEW_MCP_SERVER: ToolDraft = { type: "mcp", name: "server", url: MCP_URL };

export const NEW_AGENT_TOOL: ToolDraft = {
  type: "agent",
  name: "ask_agent",
  description: msg("What it knows, and when to ask it."),
  agentId: "",
};

export const NEW_PAGE_TOOL: ToolDraft = {
  type: "client",
  name: "new_tool",
  description: msg("What it does, and when to use it."),
  parameters: { type: "object", properties: {} },
};

/** Parses tools from JSON; `undefined` if the form cannot show them. */
export function parseTools(text: string): ToolDraft[] | undefined {
  const value = parseJsonOrUndefined(text.trim() === "" ? "[]" : text);
  return Array.isArray(value) && value.every(isTool) ? value : undefined;
}

function isTool(value: unknown): value is ToolDraft {
  if (!isRecord(value)) return false;
  if (value.type === "mcp" || value.type === "client" || value.type === "agent") return true;
  return value.type === "http" && isRecord(value.request);
}

export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Converts a simple JSON Schema to rows; `undefined` if rows cannot represent it. */
export function toParameterRows(schema: unknown): ParameterRow[] | undefined {
  if (!isRecord(schema) || schema.type !== "object") return undefined;
  const { type: _, properties = {}, required = [], ...more } = schema;
  if (Object.keys(more).length > 0 || !isRecord(properties)) return undefined;
  if (!Array.isArray(required) || !required.every((name) => Object.hasOwn(properties, name))) {
    return undefined;
  }
  const rows = Object.entries(properties)
    .map(([name, property]) => toRow(name, property, required.includes(name)));
  return rows.every((row) => row !== undefined) ? rows : undefined;
}

function toRow(name: string, property: unknown, required: boolean): ParameterRow | undefined {
  if (!isRecord(property)) return undefined;
  const { type, description = "", ...more } = property;
  if (Object.keys(more).length > 0 || typeof description !== "string") return undefined;
  const known = ROW_TYPES.find((known) => known === type);
  return known && { name, type: known, description, required };
}

export function toParameterSchema(rows: readonly ParameterRow[]): Record<string, unknown> {
  const required = rows.filter((row) => row.required).map(({ name }) => name);
  const properties = rows.map(({ name, type, description }) =>
    [name, description === "" ? { type } : { type, description }] as const
  );
  return {
    type: "object",
    properties: Object.fromEntries(properties),
    ...(required.length === 0 ? {} : { required }),
  };
}

export function formatPairs(map: unknown): string {
  if (!isRecord(map)) return "";
  return Object.entries(map).map(([name, value]) => `${name}: ${value}`).join("\n");
}

/** Parses lines of `name: value`; `undefined` if there are none. */
export function parsePairs(text: string): Record<string, string> | undefined {
  const pairs = text.split("\n").filter((line) => line.trim() !== "").map((line) => {
    const [name = "", ...value] = line.split(":");
    return [name.trim(), value.join(":").trim()];
  });
  return pairs.length === 0 ? undefined : Object.fromEntries(pairs);
}

export function sampleArguments(schema: unknown): Record<string, unknown> {
  const empty: Record<string, unknown> = { string: "", number: 0, integer: 0, boolean: false };
  const rows = toParameterRows(schema) ?? [];
  return Object.fromEntries(rows.map(({ name, type }) => [name, empty[type]]));
}

/** Merges a change into a record; fields that become `undefined` are removed. */
export function withChange<T extends object>(record: T, change: object): T {
  const entries = Object.entries({ ...record, ...change });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as T;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
