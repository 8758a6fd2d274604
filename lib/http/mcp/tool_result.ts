import type { CallToolResult } from "@modelcontextprotocol/sdk/types";
import type { ApiError } from "../../schemas/api_error.ts";

/** A failure that the model may read and react to. */
export function toolErrorResult(message: string): CallToolResult {
  return { content: [{ type: "text", text: message }], isError: true };
}

/** With the seconds to wait, if the service names them. */
export function apiErrorResult({ code, message, headers }: ApiError): CallToolResult {
  const seconds = headers["retry-after"];
  const wait = seconds === undefined ? "" : `; try again in ${seconds} seconds`;
  return toolErrorResult(`${message}${wait} (${code})`);
}
