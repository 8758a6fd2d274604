import { deleteCookie, getCookies, setCookie } from "@std/http";
import { KNOWN_BROWSER_MS } from "../../services/known_browser_tokens.ts";

/** Longer than any sign-in (7 days), for a message in the browser that it was signed out. */
const COOKIE_MAX_AGE_S = 30 * 24 * 3600;

export type CookieConfig = { publicUrl?: string | undefined };

export function readSignInCookie(headers: Headers, config: CookieConfig): string | undefined {
  return readCookie(headers, cookieName("dashboard", config));
}

export function setSignInCookie(headers: Headers, token: string, config: CookieConfig): void {
  setPrivateCookie(headers, { name: "dashboard", value: token, maxAge: COOKIE_MAX_AGE_S }, config);
}

/** Identifies a browser that has signed in before; it does not authenticate. */
export function readKnownBrowserCookie(headers: Headers, config: CookieConfig): string | undefined {
  return readCookie(headers, cookieName("known_browser", config));
}

export function setSignInCookies(
  headers: Headers,
  { cookieToken, browserToken }: { cookieToken: string; browserToken?: string | undefined },
  config: CookieConfig,
): void {
  setSignInCookie(headers, cookieToken, config);
  if (browserToken === undefined) return;
  const cookie = { name: "known_browser", value: browserToken, maxAge: KNOWN_BROWSER_MS / 1000 };
  setPrivateCookie(headers, cookie, config);
}

export function clearSignInCookie(headers: Headers, config: CookieConfig): void {
  const name = cookieName("dashboard", config);
  deleteCookie(headers, name, { path: "/", httpOnly: true, secure: isHttps(config) });
}

/** `__Host-` stops sibling subdomains from setting the cookie; it requires https. */
function cookieName(name: string, config: CookieConfig): string {
  return isHttps(config) ? `__Host-${name}` : name;
}

function readCookie(headers: Headers, name: string): string | undefined {
  try {
    return getCookies(headers)[name] || undefined;
  } catch {
    return undefined; // The Cookie header is malformed.
  }
}

function setPrivateCookie(
  headers: Headers,
  { name, value, maxAge }: { name: string; value: string; maxAge: number },
  config: CookieConfig,
): void {
  setCookie(headers, {
    name: cookieName(name, config),
    value,
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    secure: isHttps(config),
    maxAge,
  });
}

function isHttps(config: CookieConfig): boolean {
  return config.publicUrl?.startsWith("https:") ?? false;
}
