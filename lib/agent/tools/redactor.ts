import { encodeCdata, encodeForm, encodeJsonString, encodeUrl, encodeXml } from "./encodings.ts";

const REPLACEMENT = "[secret]";

/**
 * Keeps the secrets of a run out of what its tools answer: each is looked for as it is and in the
 * encodings in which servers echo what they were sent.
 */
export class Redactor {
  #spellings: string[] = [];

  add(secret: string): void {
    const all = new Set([...this.#spellings, ...encodingsOf(secret)]);
    // Longest first, so that no spelling hides the rest of a longer one.
    this.#spellings = [...all].sort((a, b) => b.length - a.length);
  }

  /** Length of the longest spelling: an excerpt cut inside one would show a part of it. */
  get longestLength(): number {
    return this.#spellings[0]?.length ?? 0;
  }

  containsSecret(text: string): boolean {
    return this.#spellings.some((spelling) => text.includes(spelling));
  }

  redactText(text: string): string {
    return this.#spellings.reduce(
      (clean, spelling) => clean.replaceAll(spelling, REPLACEMENT),
      text,
    );
  }

  /** A JSON value, its keys and numbers included. */
  redactValue(value: unknown): unknown {
    if (this.#spellings.length === 0) return value;
    if (typeof value === "string") return this.redactText(value);
    if (typeof value === "number") return this.containsSecret(`${value}`) ? REPLACEMENT : value;
    if (Array.isArray(value)) return value.map((item) => this.redactValue(item));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value).map((
      [key, item],
    ) => [this.redactText(key), this.redactValue(item)]);
    return Object.fromEntries(entries);
  }
}

function encodingsOf(secret: string): string[] {
  if (secret === "") return [];
  const bytes = new TextEncoder().encode(secret);
  const hex = bytes.toHex();
  const json = encodeJsonString(secret);
  const plain = [secret, json, json.replaceAll("/", "\\/"), encodeHtml(secret)];
  const inXml = [encodeXml(secret), encodeCdata(secret)];
  // An object in a query or in a field of a form is JSON there.
  const percent = [secret, json].flatMap((text) => {
    const url = encodeUrl(text);
    return [url, url.replaceAll("%20", "+"), encodeForm(text)];
  });
  const encoded = [...percent, hex, hex.toUpperCase()];
  const lower = encoded.map((text) => text.replace(/%[0-9A-F]{2}/g, (one) => one.toLowerCase()));
  return [...new Set([...plain, ...inXml, ...encoded, ...lower, ...base64Spellings(bytes)])];
}

/**
 * Inside longer base64 (`Basic dXNlcjpwYXNz`) a text has three spellings, by where its first byte
 * falls; characters that also depend on its neighbours are left off. Too short, it would match
 * anything.
 */
function base64Spellings(bytes: Uint8Array): string[] {
  const found: string[] = [];
  for (let offset = 0; offset < 3; offset++) {
    const padded = new Uint8Array(offset + bytes.length);
    padded.set(bytes, offset);
    const text = padded.toBase64({ omitPadding: true });
    const whole = text.slice(Math.ceil(offset * 8 / 6), Math.floor(padded.length * 8 / 6));
    if (whole.length < 6) continue;
    found.push(whole, whole.replaceAll("+", "-").replaceAll("/", "_"));
  }
  return found;
}

function encodeHtml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
