import { KNOWLEDGE_BOUNDS } from "../../schemas/limits.ts";
import type { DocumentType } from "../../schemas/media_types.ts";
import type { ParsedDocument } from "../../store/knowledge/document_task_queue.ts";
import { encodePassages, type Passage } from "../passage.ts";
import type { Block } from "./block.ts";
import { buildPassages } from "./build_passages.ts";
import { decodeText } from "./decode_text.ts";
import { DocumentParseError } from "./document_parse_error.ts";
import type { ArchiveLimits } from "./office/open_archive.ts";
import { parseDocx } from "./office/parse_docx.ts";
import { parseEpub } from "./office/parse_epub.ts";
import { parseOdt } from "./office/parse_odt.ts";
import { parsePptx } from "./office/parse_pptx.ts";
import { parseXlsx } from "./office/parse_xlsx.ts";
import { parseCsv } from "./parse_csv.ts";
import { decodeHtml, parseHtml } from "./parse_html.ts";
import { parseMarkdown } from "./parse_markdown.ts";
import { parsePdf } from "./parse_pdf.ts";
import { parseText } from "./parse_text.ts";

export interface ParseOptions {
  /** Of Word documents and OpenDocument texts; other archives have the usual ones. */
  archiveLimits?: ArchiveLimits | undefined;
}

/**
 * Parses a document and encodes its passages. The author of the document decides how long that takes
 * and how much memory, so run it only where both are bounded. Throws `DocumentParseError`.
 */
export async function parseDocument(
  bytes: Uint8Array,
  type: DocumentType,
  options: ParseOptions = {},
): Promise<ParsedDocument> {
  try {
    return toParsedDocument(await parseBlocks(bytes, { ...options, type }));
  } catch (error) {
    if (error instanceof DocumentParseError) throw error;
    // Thousands of nested quotations overflow the stack.
    if (error instanceof RangeError && error.message.includes("call stack")) {
      throw new DocumentParseError("too_complex", "its parts are nested too deeply");
    }
    throw new DocumentParseError("damaged", "it is damaged and cannot be read");
  }
}

function parseBlocks(
  bytes: Uint8Array,
  { type, archiveLimits }: ParseOptions & { type: DocumentType },
): Block[] | Promise<Block[]> {
  switch (type) {
    case "text/plain":
      return parseText(decodeText(bytes));
    case "text/markdown":
      return parseMarkdown(decodeText(bytes));
    case "text/html":
      return parseHtml(decodeHtml(bytes));
    case "text/csv":
      return parseCsv(decodeText(bytes));
    case "application/pdf":
      return parsePdf(bytes);
    case "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
      return parseDocx(bytes, archiveLimits);
    case "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":
      return parseXlsx(bytes);
    case "application/vnd.openxmlformats-officedocument.presentationml.presentation":
      return parsePptx(bytes);
    case "application/vnd.oasis.opendocument.text":
      return parseOdt(bytes, archiveLimits);
    case "application/epub+zip":
      return parseEpub(bytes);
    default:
      return type satisfies never;
  }
}

/** Throws `DocumentParseError` if there is no text, or too much. */
export function toParsedDocument(blocks: Block[]): ParsedDocument {
  const document = encodePassages(limitPassages(buildPassages(blocks)));
  if (document.passages > 0) return document;
  throw new DocumentParseError("no_text", "there is no text in it");
}

function* limitPassages(passages: Iterable<Passage>): Generator<Passage> {
  const max = KNOWLEDGE_BOUNDS.chunksPerBase;
  let count = 0;
  for (const passage of passages) {
    if (++count > max) {
      const message = `it has more than ${max.toLocaleString("en")} passages; split it up`;
      throw new DocumentParseError("too_long", message);
    }
    yield passage;
  }
}
