import type { AttachmentType } from "../schemas/attachment.ts";
import type { ErrorCode } from "../schemas/error_codes.ts";
import type { Scope } from "../schemas/scopes.ts";
import type { ParameterObject } from "./openapi_types.ts";
import type { HeaderName } from "./headers.ts";
import type { ParameterName } from "./parameters.ts";
import type { SchemaName } from "./schemas.ts";

/** Groups of operations, in display order. */
export const TAGS = {
  Agents: "A prompt, a model, tools, a budget and the pages that may embed the agent.",
  Sessions: "Short-lived tokens for browsers, each for one agent on one origin.",
  Chat: "Messages in, frames out.",
  "Hand-off": "Conversations that people answer.",
  "Other clients": "The same agents for clients of other formats: OpenAI's, and AG-UI.",
  Visitors: "What one visitor may use, and has used.",
  Configuration: "Agents, knowledge bases and test sets by keys of your own, as in files.",
  "Test sets": "Questions with what their answers must fulfil, and runs on versions of agents.",
  Conversations: "Stored messages and their cost.",
  "Knowledge bases": "Documents that agents answer from, and search in them.",
  MCP: "Agents and knowledge as tools of the Model Context Protocol.",
  Usage: "Usage and cost, with the limits of the plan.",
  Widget: "The script that adds a chat to a page.",
  Service: "Health, and this document.",
} as const;

export interface Operation {
  /** `operationId`, and the anchor at /docs. */
  id: string;
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: string;
  tag: keyof typeof TAGS;
  summary: string;
  description?: string;
  auth: Auth;
  rateLimited: boolean;
  /** A name refers to a shared parameter. */
  parameters?: (ParameterName | ParameterObject)[];
  body?: JsonBody | { schema?: undefined; form: SchemaName };
  idempotent?: boolean;
  /** Pages of any site may call it: every response has CORS headers. */
  browser?: boolean;
  /** Errors are in OpenAI's envelope. */
  openAi?: boolean;
  responses: SuccessResponse[];
  /** Error codes besides those that follow from the other fields. */
  errors?: ErrorCode[];
}

interface JsonBody {
  schema: SchemaName;
  /** A test validates it against the schema. */
  example: unknown;
  optional?: boolean;
  /** The schema of the body as `multipart/form-data`. */
  form?: SchemaName;
  /** The schema of each line, if the body may also be `application/x-ndjson`. */
  lines?: SchemaName;
}

/** None, any API key, one with a scope, or any key that may chat, with or without sessions. */
export type Auth = "none" | "key" | "chat key" | "key or session" | "session" | { scope: Scope };

export interface SuccessResponse {
  status: number;
  description: string;
  headers?: HeaderName[];
  /** Several for alternatives; absent without a body. */
  content?: ResponseContent | ResponseContent[];
}

export type ResponseContent =
  | { type: "application/json"; schema: SchemaName; example: unknown }
  /** The examples are in `FRAME_DOCS` and `FEED_FRAME_DOCS`. */
  | { type: "text/event-stream"; schema: "Frame" | "FeedFrame" }
  /** Lines of JSON; each matches the schema in `lines`. */
  | { type: "application/x-ndjson"; lines?: SchemaName; schema?: undefined }
  /** A body without a schema. */
  | {
    type:
      | "text/javascript"
      | "application/typescript"
      | "text/html"
      | "text/plain"
      | "text/csv"
      | "application/octet-stream"
      | AttachmentType
      | "text/event-stream"
      | "application/json";
    schema?: undefined;
  };

export function takesSession({ auth }: Pick<Operation, "auth">): boolean {
  return auth === "key or session" || auth === "session";
}

/** The operations of routes, by method and path, with the fields that they share. */
export function operations<Shared extends Partial<Operation>>(
  shared: Shared,
  byRoute: Record<string, Omit<Operation, keyof Shared | "method" | "path">>,
): Operation[] {
  return Object.entries(byRoute).map(([route, operation]) => {
    const [method, path] = route.split(" ");
    return { ...shared, ...operation, method, path } as unknown as Operation;
  });
}

export function json(schema: SchemaName, example: unknown): ResponseContent {
  return { type: "application/json", schema, example };
}

export function ok(
  description: string,
  content: ResponseContent,
  headers?: HeaderName[],
): SuccessResponse {
  return { status: 200, description, content, ...(headers && { headers }) };
}

export function created(
  description: string,
  content: ResponseContent,
  headers: HeaderName[] = ["Location"],
): SuccessResponse {
  return { status: 201, description, headers, content };
}

export function noContent(description: string): SuccessResponse {
  return { status: 204, description };
}
