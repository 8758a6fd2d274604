import { getCookies, setCookie } from "@std/http";

/** The colours of the dashboard: those of the system, unless a user chooses. */
export const THEMES = ["system", "light", "dark"] as const;
export type Theme = typeof THEMES[number];

const COOKIE = "theme";
const MAX_AGE_S = 365 * 24 * 3600;

/** The theme that this browser has chosen. */
export function readTheme(headers: Headers): Theme {
  try {
    return parseTheme(getCookies(headers)[COOKIE]) ?? "system";
  } catch {
    return "system"; // The Cookie header is malformed.
  }
}

export function parseTheme(text: string | null | undefined): Theme | undefined {
  return THEMES.find((theme) => theme === text);
}

/** Remembers a theme for a year, so that the server renders the next page in it. */
export function setTheme(headers: Headers, theme: Theme): void {
  setCookie(headers, {
    name: COOKIE,
    value: theme,
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    maxAge: MAX_AGE_S,
  });
}
