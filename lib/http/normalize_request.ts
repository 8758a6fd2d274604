import { validationError } from "../schemas/api_error.ts";

/** The methods Fresh's router has a table for; another one makes it throw, outside all middleware. */
const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
/** A method that no route accepts. */
const UNSUPPORTED_METHOD = "PUT";
/** A URL whose host may be anything; its path. */
const URL_PATH = /^[a-z]+:\/\/[^/]*(\/[^#]*)/i;

const withoutHost = new WeakSet<Request>();

/**
 * The request as Fresh's router takes it, or the refusal of one that it throws on: unrefused, that is
 * a bare 500 and a stack trace in the log, which anybody could fill. A method that it does not know
 * becomes one that no address takes, so that each answers with its own `Allow`. Under /v1 nothing is
 * refused here: there every request passes the middleware, which counts it and answers in the envelope.
 */
export function normalizeRequest(request: Request): Request | Response {
  const isApi = isApiPath(URL_PATH.exec(request.url)?.[1] ?? "");
  if (!URL.canParse(request.url)) {
    return isApi ? withPlaceholderHost(request) : invalidHostResponse();
  }
  const isRoutable = isRoutableMethod(request.method);
  return withDecodablePath(isRoutable ? request : withUnsupportedMethod(request));
}

/** Throws 400 for a request whose `Host` made no URL. */
export function requireValidHost(request: Request): void {
  if (!withoutHost.has(request)) return;
  throw validationError([{ path: "Host", code: "invalid_header", message: "names no host" }]);
}

/** Whether a path, with its query or without, belongs to the API. */
export function isApiPath(path: string): boolean {
  return /^\/v1(?:[/?]|$)/.test(path);
}

/** In any case, as Fresh takes it. */
export function isRoutableMethod(method: string): boolean {
  return METHODS.includes(method.toUpperCase());
}

/** Every address answers it as it does what it does not take: 405 with its own `Allow`, or 404. */
function withUnsupportedMethod({ url, headers }: Request): Request {
  return new Request(url, { method: UNSUPPORTED_METHOD, headers });
}

/** As it would be with a host; what it asks for is not looked at. See `requireValidHost`. */
function withPlaceholderHost({ url, method, headers }: Request): Request {
  const path = URL_PATH.exec(url)?.[1] ?? "/";
  const routed = withDecodablePath(
    new Request(`http://localhost${path}`, {
      method: isRoutableMethod(method) ? method : UNSUPPORTED_METHOD,
      headers,
    }),
  );
  withoutHost.add(routed);
  return routed;
}

function invalidHostResponse(): Response {
  const headers = { "x-content-type-options": "nosniff" };
  return new Response("the Host header names no host", { status: 400, headers });
}

/**
 * The request with a path that can be decoded. Fresh's router throws on `%zz` in a parameter's place;
 * with its `%` taken literally it is an id that does not exist, so it is told like any other.
 */
function withDecodablePath(request: Request): Request {
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
