import type { FileType } from "../../schemas/attachment.ts";
import type { Block } from "./block.ts";
import { cleanText, decodeText } from "./decode_text.ts";
import { DocumentParseError } from "./document_parse_error.ts";
import { parsePdf } from "./parse_pdf.ts";

/** The beginning of a document's text, UTF-8. */
export interface DocumentText {
  bytes: Uint8Array<ArrayBuffer>;
  /** The end is missing, because the text is longer than the limit. */
  cut: boolean;
}

/**
 * Reads a document as plain text, for a model that gets all of it; at most `maxBytes`. The author of the
 * document decides how long that takes, so run it only where time and memory are bounded. Throws
 * `DocumentParseError`.
 */
export async function readText(
  bytes: Uint8Array,
  { type, maxBytes }: { type: FileType; maxBytes: number },
): Promise<DocumentText> {
  const text = type === "application/pdf" ? await readPdf(bytes) : decodeText(bytes);
  const clean = cleanText(text).trim();
  if (clean === "") throw new DocumentParseError("no_text", "there is no text in it");
  const room = new Uint8Array(Math.min(maxBytes, clean.length * 3));
  // Unlike a slice of bytes, this never splits a character.
  const { read, written } = new TextEncoder().encodeInto(clean, room);
  return { bytes: room.slice(0, written), cut: read < clean.length };
}

async function readPdf(bytes: Uint8Array): Promise<string> {
  try {
    return (await parsePdf(bytes)).map(blockText).join("\n\n");
  } catch (error) {
    if (error instanceof DocumentParseError) throw error;
    throw new DocumentParseError("damaged", "it is damaged and cannot be read");
  }
}

function blockText(block: Block): string {
  switch (block.type) {
    case "heading":
    case "paragraph":
    case "code":
      return block.text;
    case "list":
      return block.items.map((item) => `- ${item}`).join("\n");
    case "table":
      return block.rows.join("\n");
    default:
      return block satisfies never;
  }
}
