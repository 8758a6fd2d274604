import { ApiError } from "../errors.ts";
import { addCorsHeaders, isBrowserPath } from "./cors.ts";
import { errorResponse } from "./error_response.ts";

/** The methods Fresh's router has a table for; another one makes it throw, outside all middleware. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** In any case, as Fresh takes it. */
export function isRoutableMethod(method: string): boolean {
  return METHODS.includes(method.toUpperCase());
}

/**
 * What any other method is told. Unrefused it is a bare 500 and a stack trace in the log, which
 * anybody could fill.
 */
export function methodRefusal(request: Request, requestId: string): Response {
  const headers = { allow: METHODS.join(", "), "x-content-type-options": "nosniff" };
  const message = "this service does not know that method";
  const { pathname } = new URL(request.url);
  if (pathname !== "/v1" && !pathname.startsWith("/v1/")) {
    return new Response(message, { status: 405, headers });
  }
  const response = errorResponse(
    new ApiError("method_not_allowed", message, {
      headers: { ...headers, "x-request-id": requestId },
    }),
  );
  if (isBrowserPath(pathname)) addCorsHeaders(response.headers);
  return response;
}

/** What a request is told whose `Host` makes no URL, which cannot even be asked for its path. */
export function addressRefusal(): Response {
  const headers = { "x-content-type-options": "nosniff" };
  return new Response("the Host header names no host", { status: 400, headers });
}

/**
 * The request with a path that can be decoded. Fresh's router throws on `%zz` in a parameter's place;
 * with its `%` taken literally it is an id that does not exist, so it is told like any other.
 */
export function withDecodablePath(request: Request): Request {
  if (!request.url.includes("%")) return request;
  const url = new URL(request.url);
  if (isDecodable(url.pathname)) return request;
  url.pathname = url.pathname.replaceAll("%", "%25");
  const { method, headers, body } = request;
  return new Request(url, { method, headers, body });
}

/**
 * Whether a path may be that of a file of ours. Any other is not looked up: Fresh's build in memory
 * asks the file system, and throws on names that no file system takes.
 */
export function isFilePath(path: string): boolean {
  return path.length <= 255 && /^(?:\/+[\w.-]+)+$/.test(path);
}

function isDecodable(path: string): boolean {
  try {
    decodeURI(path);
    return true;
  } catch {
    return false;
  }
}
