import { z } from "zod";
import type { Passage } from "./chunk_blocks.ts";

/** A value of the store may be 64 KiB; this leaves room. */
const PART_BYTES = 48 * 1024;

const packedSchema = z.array(z.tuple([z.array(z.string()), z.string(), z.int()]));

/** Passages as values that the store takes, in their order; each can be read without the others. */
export class PassagePacker {
  readonly parts: Uint8Array<ArrayBuffer>[] = [];
  count = 0;
  #rows: string[] = [];
  #size = 0;

  add({ headingPath, text, tokens }: Passage): void {
    const row = JSON.stringify([headingPath, text, tokens]);
    // At most three bytes a UTF-16 unit.
    const size = row.length * 3 + 1;
    if (this.#size + size > PART_BYTES) this.#end();
    this.#rows.push(row);
    this.#size += size;
    this.count++;
  }

  /** All parts, when nothing more is to be added. */
  end(): Uint8Array<ArrayBuffer>[] {
    this.#end();
    return this.parts;
  }

  #end(): void {
    if (this.#rows.length === 0) return;
    this.parts.push(new TextEncoder().encode(`[${this.#rows.join(",")}]`));
    this.#rows = [];
    this.#size = 0;
  }
}

/** The passages of one part. */
export function unpackPassages(part: Uint8Array): Passage[] {
  const rows = packedSchema.parse(JSON.parse(new TextDecoder().decode(part)));
  return rows.map(([headingPath, text, tokens]) => ({ headingPath, text, tokens }));
}
