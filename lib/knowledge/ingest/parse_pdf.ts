import type { Block } from "./block.ts";
import { isPdf } from "./detect_media_type.ts";
import { PdfBlockBuilder } from "./pdf_block_builder.ts";
import { DocumentParseError } from "./document_parse_error.ts";

const MAX_PAGES = 10_000;
/** More than ten thousand passages hold. */
const MAX_CHARACTERS = 40_000_000;

/** Joins lines to paragraphs and takes larger letters for headings. */
export async function parsePdf(bytes: Uint8Array): Promise<Block[]> {
  if (!isPdf(bytes)) {
    throw new DocumentParseError("damaged", "it was sent as a PDF, but its content is not a PDF");
  }
  const { getResolvedPDFJS } = await import("unpdf");
  const { getDocument } = await getResolvedPDFJS();
  const loading = getDocument({
    data: bytes,
    disableFontFace: true,
    useSystemFonts: false,
    verbosity: 0,
  });
  try {
    return await readPages(await loading.promise);
  } catch (error) {
    throw toParseError(error);
  } finally {
    await loading.destroy().catch(() => {});
  }
}

interface PdfDocument {
  numPages: number;
  getPage(
    n: number,
  ): Promise<{ getTextContent(): Promise<{ items: unknown[] }>; cleanup(): unknown }>;
}

async function readPages(pdf: PdfDocument): Promise<Block[]> {
  if (pdf.numPages > MAX_PAGES) {
    throw new DocumentParseError("too_long", `it has more than ${MAX_PAGES} pages`);
  }
  const lines = new PdfBlockBuilder();
  let failed = 0;
  for (let n = 1; n <= pdf.numPages; n++) {
    try {
      const page = await pdf.getPage(n);
      lines.addPage((await page.getTextContent()).items);
      page.cleanup();
    } catch (error) {
      // The other pages may be readable.
      if (++failed === pdf.numPages) throw error;
    }
    if (lines.characters > MAX_CHARACTERS) {
      throw new DocumentParseError("too_long", "it holds more text than a knowledge base takes");
    }
  }
  const blocks = lines.toBlocks();
  if (blocks.length > 0) return blocks;
  throw new DocumentParseError(
    "no_text",
    "there is no text in it; if its pages are scanned images, run text recognition (OCR) first",
  );
}

function toParseError(error: unknown): unknown {
  if (error instanceof DocumentParseError) return error;
  const name = error instanceof Error ? error.name : "";
  if (name === "PasswordException") {
    return new DocumentParseError("encrypted", "it is protected by a password; remove that first");
  }
  return new DocumentParseError("damaged", "it is damaged, or not a valid PDF");
}
