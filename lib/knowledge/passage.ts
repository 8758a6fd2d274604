import { z } from "zod";
import type { Passage } from "./ingest/build_passages.ts";

/** A passage of a document: what is indexed, found and shown to a model. */
export interface DocumentPassage {
  documentId: string;
  /** 0-based in the document. */
  position: number;
  /** The headings it stands under, outermost first. */
  headingPath: string[];
  /** Of the document. */
  title: string;
  text: string;
  /** Estimated; see `estimateTokens`. */
  tokens: number;
}

/** A value of the store may be 64 KiB; this leaves room. */
const VALUE_BYTES = 48 * 1024;

const encodedPassagesSchema = z.array(z.tuple([z.array(z.string()), z.string(), z.int()]));

/** Passages as values that the store takes, in their order; each can be read without the others. */
export class PassageEncoder {
  readonly values: Uint8Array<ArrayBuffer>[] = [];
  count = 0;
  #rows: string[] = [];
  #size = 0;

  add({ headingPath, text, tokens }: Passage): void {
    const row = JSON.stringify([headingPath, text, tokens]);
    // At most three bytes a UTF-16 unit.
    const size = row.length * 3 + 1;
    if (this.#size + size > VALUE_BYTES) this.#end();
    this.#rows.push(row);
    this.#size += size;
    this.count++;
  }

  /** All parts, when nothing more is to be added. */
  finish(): Uint8Array<ArrayBuffer>[] {
    this.#end();
    return this.values;
  }

  #end(): void {
    if (this.#rows.length === 0) return;
    this.values.push(new TextEncoder().encode(`[${this.#rows.join(",")}]`));
    this.#rows = [];
    this.#size = 0;
  }
}

/** The passages of one part. */
export function decodePassages(part: Uint8Array): Passage[] {
  const rows = encodedPassagesSchema.parse(JSON.parse(new TextDecoder().decode(part)));
  return rows.map(([headingPath, text, tokens]) => ({ headingPath, text, tokens }));
}
