import { asObject, type JsonObject } from "./stream_json.ts";

/** What need not be looked at twice: no end of its string, no escape, no control character. */
// deno-lint-ignore no-control-regex
const UNESCAPED = /^[^"\\\u0000-\u001f]*$/;
/** A vendor whose events are never alike is not learnt from again and again. */
const MAX_UNUSED = 4;
/** What follows a string that is a key. */
const KEY_SEPARATOR = /^"\s*:/;

/**
 * Most events of an answer differ from the one before in their text alone. Once one has been read in
 * full, the text of the next is what lies between the same characters, and nothing need be parsed:
 * parsing was a twentieth of a chat's CPU. It is no guess: another text is put in the same place and
 * that event is read, so the place is the text's own, and any JSON string may stand there.
 */
export class DeltaFastPath {
  readonly #readText: (event: JsonObject) => string | undefined;
  #head = "";
  #tail = "";
  #unused = 0;

  /** `readText` answers the text of an event that says nothing else. */
  constructor(readText: (event: JsonObject) => string | undefined) {
    this.#readText = readText;
  }

  /** The text of an event that is else like the one learnt from; nothing for any other. */
  extract(data: string): string | undefined {
    const head = this.#head;
    const tailAt = data.length - this.#tail.length;
    if (head === "" || tailAt < head.length) return undefined;
    // `startsWith` would take longer than parsing does.
    if (data.slice(0, head.length) !== head || data.slice(tailAt) !== this.#tail) return undefined;
    this.#unused = 0;
    const literal = data.slice(head.length, tailAt);
    return UNESCAPED.test(literal)
      ? detachedCopy(literal)
      : parseJson(`"${literal}"`) as string | undefined;
  }

  /** Learns from an event that was read in full. */
  learn(data: string, event: JsonObject): void {
    if (this.#unused === MAX_UNUSED) return;
    const text = this.#readText(event);
    if (text === undefined || text === "") return;
    const literal = JSON.stringify(text);
    const at = data.indexOf(literal);
    // Spelled with other escapes; the next one may not be.
    if (at === -1) return;
    this.#unused++;
    const head = data.slice(0, at + 1);
    const tail = data.slice(at + literal.length - 1);
    if (KEY_SEPARATOR.test(tail)) return;
    const other = text === "a" ? "b" : "a";
    // A text such as `,` is also what stands between two strings: there the other one is no JSON.
    const trial = asObject(parseJson(head + other + tail));
    if (trial === undefined || this.#readText(trial) !== other) return;
    this.#head = head;
    this.#tail = tail;
  }
}

/** A slice keeps all that it was cut from, here a whole piece of the stream, as long as it is kept. */
function detachedCopy(slice: string): string {
  return (slice + " ").slice(0, -1);
}

/** Nothing for what is no JSON. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
