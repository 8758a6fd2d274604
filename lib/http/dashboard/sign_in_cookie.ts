import { deleteCookie, getCookies, setCookie } from "@std/http";

/**
 * How long browsers keep the cookie, in seconds. The server's 12 h sliding window ends a sign-in
 * long before; this only outlives a closed browser.
 */
const KEPT_S = 30 * 24 * 3600;

/** What decides the cookie's form: the public address of the service. */
export interface CookieConfig {
  publicUrl?: string | undefined;
}

export function readSignInCookie(headers: Headers, config: CookieConfig): string | undefined {
  try {
    return getCookies(headers)[cookieName(config)] || undefined;
  } catch {
    return undefined; // A malformed Cookie header is a visitor without one.
  }
}

export function setSignInCookie(headers: Headers, token: string, config: CookieConfig): void {
  setCookie(headers, {
    name: cookieName(config),
    value: token,
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    secure: isHttps(config),
    maxAge: KEPT_S,
  });
}

export function clearSignInCookie(headers: Headers, config: CookieConfig): void {
  const name = cookieName(config);
  deleteCookie(headers, name, { path: "/", httpOnly: true, secure: isHttps(config) });
}

/** `__Host-` keeps a neighbouring subdomain from planting the cookie; browsers want https for it. */
function cookieName(config: CookieConfig): string {
  return isHttps(config) ? "__Host-dashboard" : "dashboard";
}

function isHttps(config: CookieConfig): boolean {
  return config.publicUrl?.startsWith("https:") ?? false;
}
