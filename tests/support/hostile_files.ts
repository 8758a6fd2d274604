import type { DocumentParseErrorCode } from "@/lib/knowledge/ingest/document_parse_error.ts";
import { HOSTILE_PAGES } from "./hostile_pages.ts";
import { HOSTILE_PDFS } from "./hostile_pdfs.ts";
import { bytes, HOSTILE_TEXTS } from "./hostile_texts.ts";

type Content = string | Uint8Array<ArrayBuffer>;

/** A file that somebody drops on a knowledge base. */
export interface HostileFile {
  name: string;
  make: () => Content | Promise<Content>;
  /** As what it ends: with the code of its failure, or `either` where both are right. */
  ends: "ready" | "either" | DocumentParseErrorCode;
}

/** All of them; made by their own code, so that none needs to be kept. */
export const HOSTILE_FILES: readonly HostileFile[] = [
  ...HOSTILE_TEXTS,
  ...HOSTILE_PAGES,
  ...HOSTILE_PDFS,
];

/** The file as it is sent. */
export async function contentOf({ make }: HostileFile): Promise<Uint8Array<ArrayBuffer>> {
  const content = await make();
  return typeof content === "string" ? bytes(content) : content;
}
