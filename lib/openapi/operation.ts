import type { ErrorCode } from "../wire/error_codes.ts";
import type { Scope } from "../wire/scopes.ts";
import type { ParameterObject } from "./document.ts";
import type { HeaderName } from "./headers.ts";
import type { ParameterName } from "./parameters.ts";
import type { SchemaName } from "./schemas.ts";
import type { TagName } from "./tags.ts";

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
