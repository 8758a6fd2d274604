import { Parser } from "htmlparser2";
import { decodeText } from "../decode_text.ts";
import { DocumentParseError } from "../document_parse_error.ts";

/** Documents of people have some dozens. */
const MAX_DEPTH = 2_000;

export type Attributes = Readonly<Record<string, string>>;

/** Names and attributes are without their namespace's prefix, which documents may choose. */
export interface XmlHandler {
  open?(name: string, attributes: Attributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

/**
 * Reads XML in one pass. The parser knows no document type definitions, so it expands no entities but the
 * five of XML and characters by their numbers. Throws `DocumentParseError` if it is nested too deeply.
 */
export function readXml(bytes: Uint8Array, handler: XmlHandler): void {
  let depth = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (++depth > MAX_DEPTH) {
        throw new DocumentParseError("too_complex", "its parts are nested too deeply");
      }
      handler.open?.(localName(name), withLocalNames(attributes));
    },
    ontext: (text) => handler.text?.(text),
    onclosetag(name) {
      depth--;
      handler.close?.(localName(name));
    },
  }, { xmlMode: true });
  parser.write(decodeText(bytes));
  parser.end();
}

function localName(name: string): string {
  return name.slice(name.indexOf(":") + 1);
}

/** Of `id` and `r:id`, the one with a prefix counts. */
function withLocalNames(attributes: Attributes): Attributes {
  const local: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.includes(":") || local[name] === undefined) local[localName(name)] = value;
  }
  return local;
}
