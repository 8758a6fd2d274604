import { ApiError } from "../errors.ts";
import { addCorsHeaders, isBrowserPath } from "./cors.ts";
import { errorResponse } from "./error_response.ts";
import { isApiPath } from "./routable.ts";

const MESSAGE = "the service is starting or cannot reach its store; try again soon";

/**
 * The answer while there is no service behind the App: in the envelope for /v1, readable by browsers
 * where they may call, a sentence elsewhere. The reason is in the log of whoever opens the service.
 */
export function unavailableResponse(url: URL): Response {
  // A page that a browser kept would tell it of the outage long after that is over.
  const headers = { "retry-after": "2", "cache-control": "no-store" };
  if (!isApiPath(url.pathname)) return new Response(MESSAGE, { status: 503, headers });
  const response = errorResponse(new ApiError("service_unavailable", MESSAGE, { headers }));
  response.headers.set("x-request-id", crypto.randomUUID());
  if (isBrowserPath(url.pathname)) addCorsHeaders(response.headers);
  return response;
}
