import type { ErrorCode } from "../schemas/error_codes.ts";
import type { Scope } from "../schemas/scopes.ts";
import type { ParameterObject } from "./openapi_types.ts";
import type { HeaderName } from "./headers.ts";
import type { ParameterName } from "./parameters.ts";
import type { SchemaName } from "./schemas.ts";

/** Groups of operations, in the order they are read in. */
export const TAGS = {
  Agents: "What answers: a prompt, a model, tools, a budget and the pages that may embed it.",
  Sessions: "Short-lived tokens that are safe in a browser, each for one agent on one origin.",
  Chat: "Messages in, frames out.",
  Conversations: "What was said, and what it cost.",
  "Knowledge bases": "Documents that agents answer from, and the passages found in them.",
  Usage: "What was used and what it cost, against the limits of the plan.",
  Widget: "The script that puts a chat on a page.",
  Service: "Health, and this document.",
} as const;
export type TagName = keyof typeof TAGS;

/** One method of one address: the single entry that documents a route. */
export interface Operation {
  /** `operationId`, and the anchor at /docs. */
  id: string;
  method: "GET" | "POST" | "PATCH" | "DELETE";
  /** With parameters in braces, as OpenAPI writes them. */
  path: string;
  tag: TagName;
  summary: string;
  description?: string;
  auth: Auth;
  /** Counts towards the limit per address. Every /v1 address does unless its entry says otherwise. */
  rateLimited: boolean;
  /** By name where several operations share one. */
  parameters?: (ParameterName | ParameterObject)[];
  body?: RequestBody;
  /** Takes an `Idempotency-Key`. */
  idempotent?: boolean;
  /** Pages of any site may call it: every answer of it carries CORS headers. */
  browser?: boolean;
  /** What it answers when it does what was asked. */
  responses: SuccessResponse[];
  /** Refusals besides those that follow from the fields above. */
  errors?: ErrorCode[];
}

/** None, an API key with a scope, or for chat a session or any key that may do more than read. */
export type Auth = "none" | "key or session" | { scope: Scope };

export interface RequestBody {
  schema: SchemaName;
  /** Passes the schema; a test holds it to that. */
  example: unknown;
  optional?: boolean;
  /** The same as `multipart/form-data`. */
  form?: SchemaName;
}

export interface SuccessResponse {
  status: number;
  description: string;
  headers?: HeaderName[];
  /** One or, where the answer comes in several shapes, more; absent where it has no body. */
  content?: ResponseContent | ResponseContent[];
}

export type ResponseContent =
  | { type: "application/json"; schema: SchemaName; example: unknown }
  /** Frames; their examples are those of `FRAME_DOCS`. */
  | { type: "text/event-stream"; schema: "Frame" }
  /** A body that no schema of ours describes. */
  | {
    type:
      | "text/javascript"
      | "application/typescript"
      | "text/html"
      | "text/plain"
      | "application/json";
    schema?: undefined;
  };
