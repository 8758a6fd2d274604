/** The widget's settings: the `data-*` attributes of its script tag, checked once. */

export type Theme = "auto" | "light" | "dark";
/** Of the screen, in either writing direction: the specification says bottom right. */
export type Side = "left" | "right";

export interface WidgetConfig {
  /** Without a trailing slash, so that paths are simply appended. */
  readonly apiBase: string;
  readonly agentId: string;
  /** May be "": a page can load the widget first and hand over a token with `setSessionToken`. */
  readonly sessionToken: string;
  readonly theme: Theme;
  readonly side: Side;
  /** `#rrggbb` in lower case. */
  readonly accent?: string;
  readonly title?: string;
  readonly greeting?: string;
}

export type ConfigResult =
  | { readonly ok: true; readonly config: WidgetConfig }
  | { readonly ok: false; readonly problems: readonly string[] };

/** Reads one attribute by its full name; null when it is absent, as `Element.getAttribute` does. */
export type ReadAttribute = (name: string) => string | null;

const UUID = /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/** Reads every setting and reports all problems at once. `pageUrl` resolves a relative base. */
export function readConfig(read: ReadAttribute, pageUrl: string): ConfigResult {
  const text = (name: string) => read(`data-${name}`)?.trim() ?? "";
  const apiBase = parseBase(text("api-base"), pageUrl);
  const agentId = text("agent-id");
  const problems: string[] = [];
  if (!apiBase) problems.push("data-api-base must be the http(s) address of the service");
  if (!UUID.test(agentId)) problems.push("data-agent-id must be the agent's UUID");
  if (!apiBase || problems.length > 0) return { ok: false, problems };
  const accent = parseAccent(text("accent"));
  return {
    ok: true,
    config: {
      apiBase,
      agentId,
      sessionToken: text("session-token"),
      theme: parseTheme(text("theme")),
      side: text("position") === "left" ? "left" : "right",
      ...(accent && { accent }),
      ...(text("title") && { title: text("title") }),
      ...(text("greeting") && { greeting: text("greeting") }),
    },
  };
}

function parseBase(value: string, pageUrl: string): string | undefined {
  if (!value || !URL.canParse(value, pageUrl)) return undefined;
  const url = new URL(value, pageUrl);
  if (!/^https?:$/.test(url.protocol)) return undefined;
  return (url.origin + url.pathname).replace(/\/+$/, "");
}

export function parseTheme(value: string): Theme {
  return value === "light" || value === "dark" ? value : "auto";
}

/** Hex colours only: the widget computes a readable text colour for them, and no CSS gets in. */
function parseAccent(value: string): string | undefined {
  if (/^#[0-9a-f]{3}$/i.test(value)) value = value.replace(/[0-9a-f]/gi, "$&$&");
  return /^#[0-9a-f]{6}$/i.test(value) ? value.toLowerCase() : undefined;
}

/** White or near-black, whichever is easier to read on the accent (WCAG relative luminance). */
export function textOn(accent: string): string {
  const channel = (at: number) => {
    const value = parseInt(accent.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  const luminance = 0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5);
  return luminance > 0.19 ? "#10201d" : "#ffffff";
}
