import { validationError } from "../schemas/api_error.ts";

/** Methods that Fresh's router knows; any other makes it throw, outside all middleware. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** What an unknown method becomes; `hasUnknownMethod` tells it from a real one. */
const UNSUPPORTED_METHOD = "PUT";
/** Captures the path of a URL, even if its host is invalid. */
const URL_PATH = /^[a-z]+:\/\/[^/]*(\/[^#]*)/i;

const withoutHost = new WeakSet<Request>();
const withUnknownMethod = new WeakSet<Request>();

/**
 * Fresh's router would throw on these, a bare 500. An unknown method becomes one that the router
 * knows, for the route's own 405. An invalid host is a 400; under /v1 `requireValidHost` sends
 * it, after rate limiting.
 */
export function normalizeRequest(request: Request): Request | Response {
  const isApi = isApiPath(URL_PATH.exec(request.url)?.[1] ?? "");
  if (!URL.canParse(request.url)) {
    if (isApi) return withPlaceholderHost(request);
    const headers = { "x-content-type-options": "nosniff" };
    return new Response("the Host header names no host", { status: 400, headers });
  }
  if (isRoutableMethod(request.method)) return withDecodablePath(request);
  const { url, headers } = request;
  const routed = withDecodablePath(new Request(url, { method: UNSUPPORTED_METHOD, headers }));
  withUnknownMethod.add(routed);
  return routed;
}

/** True for a request whose method the router does not know; no route accepts it. */
export function hasUnknownMethod(request: Request): boolean {
  return withUnknownMethod.has(request);
}

export function requireValidHost(request: Request): void {
  if (!withoutHost.has(request)) return;
  throw validationError([{ path: "Host", code: "invalid_header", message: "names no host" }]);
}

export function isApiPath(path: string): boolean {
  return /^\/v1(?:[/?]|$)/.test(path);
}

/** Case-insensitive, like Fresh. */
export function isRoutableMethod(method: string): boolean {
  return METHODS.includes(method.toUpperCase());
}

function withPlaceholderHost({ url, method, headers }: Request): Request {
  const path = URL_PATH.exec(url)?.[1] ?? "/";
  const isKnown = isRoutableMethod(method);
  const routable = isKnown ? method : UNSUPPORTED_METHOD;
  const request = new Request(`http://localhost${path}`, { method: routable, headers });
  const routed = withDecodablePath(request);
  withoutHost.add(routed);
  if (!isKnown) withUnknownMethod.add(routed);
  return routed;
}

/** Escapes the `%` of an undecodable path such as `/agents/%zz`, so that it becomes an unknown id. */
function withDecodablePath(request: Request): Request {
  if (!request.url.includes("%")) return request;
  const url = new URL(request.url);
  if (isDecodable(url.pathname)) return request;
  url.pathname = url.pathname.replaceAll("%", "%25");
  const { method, headers, body } = request;
  return new Request(url, { method, headers, body });
}

/** Others are not looked up: Fresh's in-memory build throws on names the file system rejects. */
export function isStaticFilePath(path: string): boolean {
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
