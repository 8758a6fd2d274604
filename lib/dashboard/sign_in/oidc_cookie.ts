import { deleteCookie, getCookies, setCookie } from "@std/http";
import { OIDC_ATTEMPT_MS } from "../../store/oidc/oidc_attempt_store.ts";
import type { CookieConfig } from "./sign_in_cookie.ts";

/** Binds a sign-in in progress to the browser that began it. */
export function setOidcCookie(headers: Headers, value: string, config: CookieConfig): void {
  setCookie(headers, { ...attributes(config), value, maxAge: OIDC_ATTEMPT_MS / 1_000 });
}

export function readOidcCookie(headers: Headers, config: CookieConfig): string | undefined {
  try {
    return getCookies(headers)[attributes(config).name] || undefined;
  } catch {
    return undefined; // The Cookie header is malformed.
  }
}

export function clearOidcCookie(headers: Headers, config: CookieConfig): void {
  const { name, ...rest } = attributes(config);
  deleteCookie(headers, name, { path: rest.path, httpOnly: true, secure: rest.secure });
}

/** `Lax`, because the provider's page leads back here. */
function attributes({ publicUrl }: CookieConfig) {
  const secure = publicUrl?.startsWith("https:") ?? false;
  const name = secure ? "__Host-oidc" : "oidc";
  return { name, path: "/", httpOnly: true, sameSite: "Lax", secure } as const;
}
