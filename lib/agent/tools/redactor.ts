import { encodeCdata, encodeForm, encodeJsonString, encodeUrl, encodeXml } from "./encodings.ts";

const REPLACEMENT = "[secret]";

/** Removes the secrets of a run from tool outputs, also in the encodings in which servers echo them. */
export class Redactor {
  /** Every encoding of every secret, longest first, so that none hides the rest of a longer one. */
  #encodings: string[] = [];

  add(secret: string): void {
    const all = new Set([...this.#encodings, ...encodingsOf(secret)]);
    this.#encodings = [...all].sort((a, b) => b.length - a.length);
  }

  /** Length of the longest encoding: an excerpt cut inside one would reveal a part of it. */
  get longestLength(): number {
    return this.#encodings[0]?.length ?? 0;
  }

  containsSecret(text: string): boolean {
    return this.#encodings.some((encoding) => text.includes(encoding));
  }

  redactText(text: string): string {
    return this.#encodings.reduce((clean, one) => clean.replaceAll(one, REPLACEMENT), text);
  }

  /** Redacts a JSON value, including its keys and numbers. */
  redactValue(value: unknown): unknown {
    if (this.#encodings.length === 0) return value;
    if (typeof value === "string") return this.redactText(value);
    if (typeof value === "number") return this.containsSecret(`${value}`) ? REPLACEMENT : value;
    if (Array.isArray(value)) return value.map((item) => this.redactValue(item));
    if (typeof value !== "object" || value === null) return value;
    const entries = Object.entries(value)
      .map(([key, item]) => [this.redactText(key), this.redactValue(item)]);
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
  // Objects in a query or form field are sent as JSON.
  const percent = [secret, json].flatMap((text) => {
    const url = encodeUrl(text);
    return [url, url.replaceAll("%20", "+"), encodeForm(text)];
  });
  const encoded = [...percent, hex, hex.toUpperCase()];
  const lower = encoded.map((text) => text.replace(/%[0-9A-F]{2}/g, (one) => one.toLowerCase()));
  return [...new Set([...plain, ...inXml, ...encoded, ...lower, ...base64Encodings(bytes)])];
}

/**
 * Within longer base64 (`Basic dXNlcjpwYXNz`) a text has three encodings, one for each offset of its
 * first byte. Characters that depend on adjacent bytes are omitted. Shorter results match too much.
 */
function base64Encodings(bytes: Uint8Array): string[] {
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
