import type { ParsedDocument } from "../../store/knowledge/document_task_queue.ts";
import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";
import type { DocumentType } from "../../schemas/media_types.ts";
import type { Block } from "./block.ts";
import { buildPassages } from "./build_passages.ts";
import { decodeText } from "./decode_text.ts";
import { PassageEncoder } from "../passage.ts";
import { decodeHtml, parseHtml } from "./parse_html.ts";
import { parseMarkdown } from "./parse_markdown.ts";
import { parsePdf } from "./parse_pdf.ts";
import { parseText } from "./parse_text.ts";
import { DocumentParseError } from "./document_parse_error.ts";

/**
 * Reads a document and cuts it into passages, at one go unless it is a PDF. It takes as long, and as much
 * memory, as whoever wrote the document likes: only ever run it where both are bounded. Throws
 * `DocumentParseError`.
 */
export function parseDocument(
  bytes: Uint8Array,
  type: DocumentType,
): ParsedDocument | Promise<ParsedDocument> {
  try {
    const blocks = parseBlocks(bytes, type);
    if (!(blocks instanceof Promise)) return encodePassages(blocks);
    return blocks.then(encodePassages).catch((error) => {
      throw toUnreadable(error);
    });
  } catch (error) {
    throw toUnreadable(error);
  }
}

function parseBlocks(bytes: Uint8Array, type: DocumentType): Block[] | Promise<Block[]> {
  switch (type) {
    case "text/plain":
      return parseText(decodeText(bytes));
    case "text/markdown":
      return parseMarkdown(decodeText(bytes));
    case "text/html":
      return parseHtml(decodeHtml(bytes));
    case "application/pdf":
      return parsePdf(bytes);
    default:
      return type satisfies never;
  }
}

/** Cuts blocks into passages. Throws `DocumentParseError` when there is no text, or too much. */
export function encodePassages(blocks: Block[]): ParsedDocument {
  const packer = new PassageEncoder();
  for (const passage of buildPassages(blocks)) {
    packer.add(passage);
    if (packer.count > KNOWLEDGE_BOUNDS.chunksPerBase) throw tooLongError();
  }
  if (packer.count === 0) throw new DocumentParseError("no_text", "there is no text in it");
  return { parts: packer.finish(), chunks: packer.count };
}

function toUnreadable(error: unknown): DocumentParseError {
  if (error instanceof DocumentParseError) return error;
  // What overflows the stack: thousands of quotations in each other.
  if (error instanceof RangeError && error.message.includes("call stack")) {
    return new DocumentParseError("too_complex", "its parts are nested too deeply");
  }
  return new DocumentParseError("damaged", "it is damaged and cannot be read");
}

function tooLongError(): DocumentParseError {
  const most = KNOWLEDGE_BOUNDS.chunksPerBase.toLocaleString("en");
  return new DocumentParseError("too_long", `it has more than ${most} passages; split it up`);
}
