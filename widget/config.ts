/** The widget's settings: the `data-*` attributes of its script tag. */

export interface WidgetConfig {
  /** Without a trailing slash, so that paths can be appended. */
  readonly apiBase: string;
  readonly agentId: string;
  /** "" if the page sets a token later with `setSessionToken`. */
  readonly sessionToken: string;
  /** Absolute address of the backend that mints tokens, or "". */
  readonly sessionEndpoint: string;
  readonly theme: "auto" | "light" | "dark";
  /** A side of the screen; `rtl` is the left one. */
  readonly side: "left" | "right";
  /** `#rrggbb`, or "". */
  readonly accent: string;
  readonly title: string;
  /** A letter or emoji, a `data:` address of an image, or "". */
  readonly avatar: string;
  /** A line below the message field, or "". */
  readonly privacyText: string;
  /** Where that line leads, or "". */
  readonly privacyUrl: string;
  /** A BCP 47 tag, or "". */
  readonly lang: string;
  /** False if the page opens the panel with its own button. */
  readonly launcher: boolean;
  readonly open: boolean;
  /** The panel fills the page, always open. */
  readonly page: boolean;
  /** Origins from which images in answers may be loaded. */
  readonly imageOrigins: readonly string[];
}

/** Reads an attribute by its full name; null if it is absent, like `Element.getAttribute`. */
export type ReadAttribute = (name: string) => string | null;

const UUID = /^[0-9a-f-]{36}$/i;

/** Reads all settings, or returns all problems. `pageUrl` resolves relative addresses. */
export function readConfig(read: ReadAttribute, pageUrl: string): WidgetConfig | string[] {
  const text = (name: string) => read(`data-${name}`)?.trim() ?? "";
  const [apiBase] = /^[^?#]*[^?#/]|/.exec(httpUrl(text("api-base"), pageUrl))!;
  const agentId = text("agent-id");
  const problems = [];
  if (!apiBase) problems.push("data-api-base must be http(s)");
  if (!UUID.test(agentId)) problems.push("data-agent-id must be a UUID");
  if (problems.length) return problems;
  return {
    apiBase,
    agentId,
    sessionToken: text("session-token"),
    sessionEndpoint: httpUrl(text("session-endpoint"), pageUrl),
    theme: (/light|dark/.exec(text("theme"))?.[0] ?? "auto") as WidgetConfig["theme"],
    side: /left|rtl/.test(text("position")) ? "left" : "right",
    // Hex only: a readable text color is computed from it, and no other CSS can get in.
    accent: /^#[0-9a-f]{6}$|/i.exec(text("accent"))![0],
    title: text("title"),
    avatar: text("avatar"),
    privacyText: text("privacy-text"),
    privacyUrl: httpUrl(text("privacy-url"), pageUrl),
    lang: text("lang"),
    launcher: text("launcher") !== "hidden",
    open: read("data-open") !== null && text("open") !== "false",
    page: text("layout") === "page",
    imageOrigins: text("image-origins").split(/[\s,]+/),
  };
}

/**
 * Whether `data-bind` makes the browser sign its calls. Not a part of `WidgetConfig`: only the tag decides,
 * never the appearance. Any value but `off` is on, so that a typing error protects.
 */
export function isBound(read: ReadAttribute): boolean {
  return (read("data-bind") ?? "off").trim() !== "off";
}

function httpUrl(value: string, pageUrl: string): string {
  if (!value || !URL.canParse(value, pageUrl)) return "";
  const { href, protocol } = new URL(value, pageUrl);
  return /^https?:$/.test(protocol) ? href : "";
}

/** White or black, whichever has more contrast on the accent (by WCAG's relative luminance). */
export function readableTextColor(accent: string): string {
  const part = (at: number) => (parseInt(accent.slice(at, at + 2), 16) / 255) ** 2.2;
  return 0.21 * part(1) + 0.72 * part(3) + 0.07 * part(5) > 0.18 ? "#000" : "#fff";
}
