/** The widget's settings: the `data-*` attributes of its script tag, checked once. */

export interface WidgetConfig {
  /** Without a trailing slash, so that paths are simply appended. */
  readonly apiBase: string;
  readonly agentId: string;
  /** May be "": a page can load the widget first and hand over a token with `setSessionToken`. */
  readonly sessionToken: string;
  /** Absolute address that mints tokens, or "". */
  readonly sessionEndpoint: string;
  readonly theme: "auto" | "light" | "dark";
  /** Of the screen, in either writing direction: the specification says bottom right. */
  readonly side: "left" | "right";
  /** `#rrggbb`, or "". */
  readonly accent: string;
  readonly title: string;
  readonly greeting: string;
  readonly suggestions: readonly string[];
  /** A BCP 47 tag, or "". */
  readonly lang: string;
  /** False when the page opens the panel with a button of its own. */
  readonly launcher: boolean;
  readonly open: boolean;
  /** Where images in answers may be loaded from. */
  readonly imageOrigins: readonly string[];
}

/** Reads one attribute by its full name; null when it is absent, as `Element.getAttribute` does. */
export type ReadAttribute = (name: string) => string | null;

const UUID = /^[0-9a-f-]{36}$/i;

/** Reads every setting, or tells all problems at once. `pageUrl` resolves relative addresses. */
export function readConfig(read: ReadAttribute, pageUrl: string): WidgetConfig | string[] {
  const text = (name: string) => read(`data-${name}`)?.trim() ?? "";
  const list = (name: string, by: RegExp) => text(name).split(by).filter((part) => part.trim());
  const one = <T extends string>(name: string, ...known: [T, ...T[]]) =>
    known.find((value) => text(name).includes(value)) ?? known[0];
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
    theme: one("theme", "auto", "light", "dark"),
    side: one("position", "right", "left"),
    // Hex only: a readable text colour is computed for it, and no CSS gets in.
    accent: /^#[0-9a-f]{6}$/i.test(text("accent")) ? text("accent") : "",
    title: text("title"),
    greeting: text("greeting"),
    suggestions: list("suggestions", /\|/),
    lang: text("lang"),
    launcher: text("launcher") !== "hidden",
    open: read("data-open") !== null && text("open") !== "false",
    imageOrigins: list("image-origins", /[\s,]+/),
  };
}

function httpUrl(value: string, pageUrl: string): string {
  if (!value || !URL.canParse(value, pageUrl)) return "";
  const { href, protocol } = new URL(value, pageUrl);
  return /^https?:$/.test(protocol) ? href : "";
}

/** White or near-black, whichever is easier to read on the accent (relative luminance, as WCAG has it). */
export function readableTextColor(accent: string): string {
  const part = (at: number) => (parseInt(accent.slice(at, at + 2), 16) / 255) ** 2.2;
  return 0.21 * part(1) + 0.72 * part(3) + 0.07 * part(5) > 0.18 ? "#000" : "#fff";
}
