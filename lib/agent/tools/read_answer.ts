import { isTooDeep } from "../../nesting.ts";
import { ToolFailure } from "./tool_failure.ts";

const EXCERPT = 1_000;
const TEXTUAL =
  /^(text\/|application\/([\w.+-]+\+)?(json|xml|javascript|x-ndjson)\b|application\/x-www-form)/i;

/** An answer as it came. */
export interface RawAnswer {
  status: number;
  contentType: string;
  body: Uint8Array;
  truncated: boolean;
}

/**
 * What the model gets: JSON parsed, text as text, anything else by its type and size. A type may spell
 * out what its server was sent: `clean` takes the secrets out before it is cut.
 */
export function readAnswer(
  answer: RawAnswer,
  clean: (text: string) => string,
): { status: number; body: unknown } {
  const { status, contentType, body } = answer;
  if (contentType !== "" && !TEXTUAL.test(contentType)) {
    return { status, body: `(${clean(contentType).slice(0, 100)}, ${body.length} bytes)` };
  }
  const text = decode(answer);
  return { status, body: /\bjson\b/i.test(contentType) ? parsed(text) : text };
}

/**
 * An answer that is not 2xx, as a failure with an excerpt of what it says. `clean` takes the secrets
 * out before the cut; what a cut body ends with may be a piece of one, so that much is left off.
 */
export function httpFailure(
  answer: RawAnswer,
  { clean, longestSecret }: { clean: (text: string) => string; longestSecret: number },
): ToolFailure {
  const { body } = readAnswer({ ...answer, contentType: asText(answer.contentType) }, clean);
  const text = typeof body === "string" ? body : "";
  const whole = answer.truncated ? text.slice(0, Math.max(0, text.length - longestSecret)) : text;
  const excerpt = clean(whole).replace(/\s+/g, " ").trim().slice(0, EXCERPT).toWellFormed();
  const says = excerpt === "" ? "" : `: ${excerpt}`;
  return new ToolFailure("tool_http_error", `the server answered ${answer.status}${says}`);
}

/** JSON is quoted as it was sent. */
function asText(contentType: string): string {
  return /\bjson\b/i.test(contentType) ? "text/plain" : contentType;
}

function decode({ contentType, body }: RawAnswer): string {
  const charset = /charset="?([\w.:-]+)/i.exec(contentType)?.[1] ?? "utf-8";
  try {
    return new TextDecoder(charset).decode(body);
  } catch {
    return new TextDecoder().decode(body);
  }
}

/** What claims to be JSON and is not, or is too deep, stays text. */
function parsed(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isTooDeep(value) ? text : value;
  } catch {
    return text;
  }
}
