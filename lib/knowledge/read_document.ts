import { KNOWLEDGE_BOUNDS } from "../schemas/limits.ts";
import type { DocumentType } from "../schemas/media_types.ts";
import type { Block } from "./block.ts";
import { chunkBlocks } from "./chunk_blocks.ts";
import { decodeText } from "./decode_text.ts";
import { PassagePacker } from "./pack_passages.ts";
import { decodeHtml, parseHtml } from "./parse_html.ts";
import { parseMarkdown } from "./parse_markdown.ts";
import { parsePdf } from "./parse_pdf.ts";
import { parseText } from "./parse_text.ts";
import { UnreadableError } from "./unreadable.ts";

/** The passages of a document as they are stored. */
export interface ReadDocument {
  parts: Uint8Array<ArrayBuffer>[];
  /** How many passages the parts hold. */
  chunks: number;
}

/**
 * Reads a document and cuts it into passages, at one go unless it is a PDF. It takes as long, and as much
 * memory, as whoever wrote the document likes: only ever run it where both are bounded. Throws
 * `UnreadableError`.
 */
export function readDocument(
  bytes: Uint8Array,
  type: DocumentType,
): ReadDocument | Promise<ReadDocument> {
  try {
    const blocks = parse(bytes, type);
    if (!(blocks instanceof Promise)) return toPassages(blocks);
    return blocks.then(toPassages).catch((error) => {
      throw toUnreadable(error);
    });
  } catch (error) {
    throw toUnreadable(error);
  }
}

function parse(bytes: Uint8Array, type: DocumentType): Block[] | Promise<Block[]> {
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

/** Cuts blocks into passages. Throws `UnreadableError` when there is no text, or too much. */
export function toPassages(blocks: Block[]): ReadDocument {
  const packer = new PassagePacker();
  for (const passage of chunkBlocks(blocks)) {
    packer.add(passage);
    if (packer.count > KNOWLEDGE_BOUNDS.chunksPerBase) throw tooLong();
  }
  if (packer.count === 0) throw new UnreadableError("no_text", "there is no text in it");
  return { parts: packer.end(), chunks: packer.count };
}

function toUnreadable(error: unknown): UnreadableError {
  if (error instanceof UnreadableError) return error;
  // What overflows the stack: thousands of quotations in each other.
  if (error instanceof RangeError && error.message.includes("call stack")) {
    return new UnreadableError("too_complex", "its parts are nested too deeply");
  }
  return new UnreadableError("damaged", "it is damaged and cannot be read");
}

function tooLong(): UnreadableError {
  const most = KNOWLEDGE_BOUNDS.chunksPerBase.toLocaleString("en");
  return new UnreadableError("too_long", `it has more than ${most} passages; split it up`);
}
