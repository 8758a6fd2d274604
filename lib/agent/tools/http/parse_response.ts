import { isTooDeep } from "../../../schemas/json_depth.ts";
import { ToolError } from "../tool_error.ts";

const MAX_EXCERPT_LENGTH = 1_000;
const TEXTUAL =
  /^(text\/|application\/([\w.+-]+\+)?(json|xml|javascript|x-ndjson)\b|application\/x-www-form)/i;

/** An answer as it came. */
export interface RawResponse {
  status: number;
  contentType: string;
  body: Uint8Array;
  truncated: boolean;
}

/**
 * What the model gets: JSON parsed, text as text, anything else by its type and size. A type may spell
 * out what its server was sent: `clean` takes the secrets out before it is cut.
 */
export function parseResponse(
  answer: RawResponse,
  clean: (text: string) => string,
): { status: number; body: unknown } {
  const { status, contentType, body } = answer;
  if (contentType !== "" && !TEXTUAL.test(contentType)) {
    return { status, body: `(${clean(contentType).slice(0, 100)}, ${body.length} bytes)` };
  }
  const text = decode(answer);
  return { status, body: /\bjson\b/i.test(contentType) ? parseJson(text) : text };
}

/**
 * An answer that is not 2xx, as a failure with an excerpt of what it says. `clean` takes the secrets
 * out before the cut; what a cut body ends with may be a piece of one, so that much is left off.
 */
export function httpError(
  answer: RawResponse,
  { clean, longestSecret }: { clean: (text: string) => string; longestSecret: number },
): ToolError {
  const { body } = parseResponse({ ...answer, contentType: asText(answer.contentType) }, clean);
  const text = typeof body === "string" ? body : "";
  const whole = answer.truncated ? text.slice(0, Math.max(0, text.length - longestSecret)) : text;
  const excerpt = clean(whole).replace(/\s+/g, " ").trim().slice(0, MAX_EXCERPT_LENGTH)
    .toWellFormed();
  const says = excerpt === "" ? "" : `: ${excerpt}`;
  return new ToolError("tool_http_error", `the server answered ${answer.status}${says}`);
}

/** JSON is quoted as it was sent. */
function asText(contentType: string): string {
  return /\bjson\b/i.test(contentType) ? "text/plain" : contentType;
}

function decode({ contentType, body }: RawResponse): string {
  const charset = /charset="?([\w.:-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

/** What claims to be JSON and is not, or is too deep, stays text. */
function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? text : value;
  } catch {
    return text;
  }
}
