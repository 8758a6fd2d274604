import { z } from "zod";
import type { ParsedDocument } from "../store/knowledge/document_task_queue.ts";

/** Text of a document that is indexed, found and shown to a model as one. */
export interface Passage {
  /** The headings above it, outermost first. */
  headingPath: string[];
  text: string;
  tokens: number;
}

export interface DocumentPassage extends Passage {
  documentId: string;
  /** 0-based in the document. */
  position: number;
  title: string;
  /** Of a web page. */
  url?: string | undefined;
}

/** A value of the store holds at most 64 KiB; this leaves slack. */
const CHUNK_BYTES = 48 * 1024;

const encodedPassagesSchema = z.array(z.tuple([z.array(z.string()), z.string(), z.int()]));

/** Encodes passages as values of the store, each of which can be decoded by itself. */
export function encodePassages(passages: Iterable<Passage>): ParsedDocument {
  const chunks: Uint8Array<ArrayBuffer>[] = [];
  let count = 0;
  let rows: string[] = [];
  let bytes = 0;
  const endChunk = () => {
    if (rows.length > 0) chunks.push(new TextEncoder().encode(`[${rows.join(",")}]`));
    [rows, bytes] = [[], 0];
  };
  for (const { headingPath, text, tokens } of passages) {
    const row = JSON.stringify([headingPath, text, tokens]);
    // At most three bytes per UTF-16 unit, and a comma.
    const rowBytes = row.length * 3 + 1;
    if (bytes + rowBytes > CHUNK_BYTES) endChunk();
    rows.push(row);
    bytes += rowBytes;
    count++;
  }
  endChunk();
  return { chunks, passages: count };
}

export function decodePassages(chunk: Uint8Array): Passage[] {
  const rows = encodedPassagesSchema.parse(JSON.parse(new TextDecoder().decode(chunk)));
  return rows.map(([headingPath, text, tokens]) => ({ headingPath, text, tokens }));
}
