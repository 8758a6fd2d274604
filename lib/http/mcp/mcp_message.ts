// @ts-types="@modelcontextprotocol/sdk/types"
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  JSONRPCMessageSchema,
  ListToolsRequestSchema,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/sdk/types.js";
import { ApiError, parseOrThrow, validationError } from "../../schemas/api_error.ts";
import { type McpMessage, mcpMessageSchema } from "../../schemas/mcp.ts";
import { isUuid } from "../request_params.ts";

/** A body or header that is not of the protocol: a 400 with a JSON-RPC error. */
export class McpMessageError extends Error {
  override name = "McpMessageError";
  readonly #code: number;
  readonly #error: ApiError;

  constructor(code: number, error: ApiError) {
    super(error.message);
    this.#code = code;
    this.#error = error;
  }

  /** The envelope of all errors under /v1, with the members of a JSON-RPC error. */
  toResponse(): Response {
    const { code, message, status: http, details } = this.#error;
    const rpc = { jsonrpc: "2.0", id: null, error: { code: this.#code, message } };
    return Response.json({ ...rpc, code, message, http, ...(details && { details }) }, {
      status: http,
    });
  }
}

/** Parses a body. Throws `McpMessageError`. */
export function parseMcpMessage(text: string): McpMessage {
  const value = parseText(text);
  if (Array.isArray(value)) reject("batches are not supported: send each message by itself");
  try {
    const message = parseOrThrow(mcpMessageSchema, value);
    if (JSONRPCMessageSchema.safeParse(message).success) return message;
  } catch (error) {
    if (error instanceof ApiError) throw new McpMessageError(ErrorCode.InvalidRequest, error);
    throw error;
  }
  return reject("is not a JSON-RPC request or notification");
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const message = text === "" ? "a JSON body is required" : "is not valid JSON";
    const error = validationError([{ path: "", code: "invalid_json", message }]);
    throw new McpMessageError(ErrorCode.ParseError, error);
  }
}

/** Throws `McpMessageError` for a protocol version that the service does not speak. */
export function checkProtocolVersion(req: Request): void {
  const version = req.headers.get("mcp-protocol-version");
  if (version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return;
  reject(`must be one of ${SUPPORTED_PROTOCOL_VERSIONS.join(", ")}`, "MCP-Protocol-Version");
}

/** The session that `initialize` named; `undefined` if the client sends none. Throws 404. */
export function readSessionId(req: Request): string | undefined {
  const id = req.headers.get("mcp-session-id");
  if (id === null) return undefined;
  if (isUuid(id)) return id.toLowerCase();
  // The client then starts a new session, as the protocol says.
  throw new ApiError("not_found", "there is no such session; send initialize again");
}

const PARAMS = {
  initialize: InitializeRequestSchema,
  "tools/list": ListToolsRequestSchema,
  "tools/call": CallToolRequestSchema,
};

/** Whether a known method has the parameters that the protocol demands. */
export function hasValidParams(message: McpMessage): boolean {
  if (!Object.hasOwn(PARAMS, message.method)) return true;
  return PARAMS[message.method as keyof typeof PARAMS].safeParse(message).success;
}

function reject(message: string, path = ""): never {
  const error = validationError([{ path, code: "invalid_request", message }]);
  throw new McpMessageError(ErrorCode.InvalidRequest, error);
}
