import type { DocumentParseErrorCode } from "@/lib/knowledge/ingest/document_parse_error.ts";
import { HOSTILE_OFFICE } from "./hostile_office.ts";
import { HOSTILE_PAGES } from "./hostile_pages.ts";
import { HOSTILE_PDFS } from "./hostile_pdfs.ts";
import { bytes, HOSTILE_TEXTS } from "./hostile_texts.ts";

type Content = string | Uint8Array<ArrayBuffer>;

/** An uploaded file. */
export interface HostileFile {
  name: string;
  make: () => Content | Promise<Content>;
  /** The expected result: ready, a failure code, or `either` if both are valid. */
  ends: "ready" | "either" | DocumentParseErrorCode;
}

/** All hostile files, generated instead of stored. */
export const HOSTILE_FILES: readonly HostileFile[] = [
  ...HOSTILE_TEXTS,
  ...HOSTILE_PAGES,
  ...HOSTILE_PDFS,
  ...HOSTILE_OFFICE,
];

/** The file's content. */
export async function contentOf({ make }: HostileFile): Promise<Uint8Array<ArrayBuffer>> {
  const content = await make();
  return typeof content === "string" ? bytes(content) : content;
}
