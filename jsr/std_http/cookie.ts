/** A cookie as a server sets it. */
export interface Cookie {
  name: string;
  value: string;
  /** A date, or milliseconds since 1970; without it the cookie ends with the browser session. */
  expires?: Date | number;
  /** Seconds, 0 or more; 0 removes the cookie. */
  maxAge?: number;
  domain?: string;
  path?: string;
  secure?: boolean;
  httpOnly?: boolean;
  partitioned?: boolean;
  sameSite?: "Strict" | "Lax" | "None";
  /** Further attributes as they are to be written, for example `Priority=High`. */
  unparsed?: string[];
}

/** RFC 9110 token: visible ASCII without separators. */
const NAME = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
/** RFC 6265 cookie-octet: no space, quote, comma, semicolon or backslash. */
const VALUE = /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/;
const PATH = /^[\x20-\x3a\x3c-\x7e]*$/;

/**
 * The cookies of a request by name; values are as sent, not decoded. The record has no prototype, so
 * a cookie named `__proto__` is only a key.
 *
 * @throws {SyntaxError} when a pair has no name
 */
export function getCookies(headers: Headers): Partial<Record<string, string>> {
  const cookies: Partial<Record<string, string>> = Object.create(null);
  const header = headers.get("Cookie");
  if (header === null) return cookies;
  for (const pair of header.split(";")) {
    const [name = "", ...value] = pair.split("=");
    if (name === "") throw new SyntaxError("Cookie cannot start with '='");
    cookies[name.trim()] = value.join("=");
  }
  return cookies;
}

/**
 * Appends a `Set-Cookie` header. The prefixes `__Secure` and `__Host` bring the attributes that
 * browsers demand of them. A cookie without a name is ignored.
 *
 * @throws {SyntaxError} when a part could not be written without changing its meaning
 * @throws {RangeError} for a negative `maxAge`
 */
export function setCookie(headers: Headers, cookie: Cookie): void {
  if (cookie.name) {
    headers.append("Set-Cookie", serialize(withPrefixRules(cookie)));
  }
}

/** Appends the `Set-Cookie` that removes a cookie; path and domain must be those it was set with. */
export function deleteCookie(
  headers: Headers,
  name: string,
  attributes?: Pick<
    Cookie,
    "path" | "domain" | "secure" | "httpOnly" | "partitioned"
  >,
): void {
  setCookie(headers, { name, value: "", expires: new Date(0), ...attributes });
}

function withPrefixRules(cookie: Cookie): Cookie {
  const { domain: _, ...hostOnly } = cookie;
  if (cookie.name.startsWith("__Host")) {
    return { ...hostOnly, path: "/", secure: true };
  }
  if (cookie.name.startsWith("__Secure")) return { ...cookie, secure: true };
  return cookie;
}

function serialize(cookie: Cookie): string {
  validate(cookie);
  const {
    name,
    value,
    maxAge,
    domain,
    sameSite,
    path,
    expires,
    unparsed = [],
  } = cookie;
  const parts = [`${name}=${value}`];
  if (cookie.secure) parts.push("Secure");
  if (cookie.httpOnly) parts.push("HttpOnly");
  if (cookie.partitioned) parts.push("Partitioned");
  if (Number.isInteger(maxAge)) parts.push(`Max-Age=${maxAge}`);
  if (domain) parts.push(`Domain=${domain}`);
  if (sameSite) parts.push(`SameSite=${sameSite}`);
  if (path) parts.push(`Path=${path}`);
  if (expires) parts.push(`Expires=${new Date(expires).toUTCString()}`);
  return [...parts, ...unparsed].join("; ");
}

function validate(
  { name, value, maxAge, domain = "", path = "" }: Cookie,
): void {
  if (!NAME.test(name)) throw new SyntaxError(`Invalid cookie name: "${name}"`);
  if (!VALUE.test(value)) {
    throw new SyntaxError(
      `Cookie "${name}" has a value with invalid characters`,
    );
  }
  if (!PATH.test(path)) {
    throw new SyntaxError(`Cookie path "${path}" contains invalid characters`);
  }
  if (/^-|[.-]$/.test(domain)) {
    throw new SyntaxError(
      `Invalid first/last char in cookie domain: ${domain}`,
    );
  }
  if (maxAge !== undefined && maxAge < 0) {
    throw new RangeError(
      `Cannot serialize cookie as Max-Age must be >= 0: received ${maxAge}`,
    );
  }
}
