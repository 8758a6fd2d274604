import { unzipSync } from "fflate";
import { DocumentParseError } from "../document_parse_error.ts";

const MIB = 1024 * 1024;

/** What one archive may cost. Sizes are unpacked, as it declares them; no entry is unpacked beyond its own. */
export interface ArchiveLimits {
  /** An office document has some hundred. */
  entries: number;
  entryBytes: number;
  totalBytes: number;
  /** Each goes through the names of all entries. */
  reads: number;
}

const DEFAULT_LIMITS: ArchiveLimits = {
  entries: 10_000,
  entryBytes: 96 * MIB,
  totalBytes: 192 * MIB,
  reads: Infinity,
};

/** The entries of a ZIP archive, unpacked one at a time. */
export class Archive {
  readonly names: ReadonlySet<string>;
  readonly #bytes: Uint8Array;
  readonly #limits: ArchiveLimits;
  #unpacked = 0;
  #reads = 0;

  /** Throws `DocumentParseError` if it is no archive, or too large. */
  constructor(bytes: Uint8Array, limits = DEFAULT_LIMITS) {
    this.#bytes = bytes;
    this.#limits = limits;
    const names = new Set<string>();
    let count = 0;
    unzipped(bytes, ({ name }) => {
      if (++count > limits.entries) {
        throw new DocumentParseError("too_complex", "it has too many parts");
      }
      names.add(name);
      return false;
    });
    this.names = names;
  }

  /** The content of an entry; `undefined` without one. Throws `DocumentParseError` if it is too large. */
  read(name: string, { maxBytes = this.#limits.entryBytes } = {}): Uint8Array | undefined {
    if (!this.names.has(name)) return undefined;
    if (++this.#reads > this.#limits.reads) {
      throw new DocumentParseError("too_complex", "it has too many parts");
    }
    let isFirst = true;
    const entries = unzipped(this.#bytes, (entry) => {
      // A second entry of the same name could cost as much again.
      if (entry.name !== name || !isFirst) return false;
      isFirst = false;
      this.#unpacked += entry.originalSize;
      if (entry.originalSize > maxBytes || this.#unpacked > this.#limits.totalBytes) {
        throw new DocumentParseError("too_long", "its content is too large; split it up");
      }
      return true;
    });
    return entries[name];
  }
}

type Filter = NonNullable<Parameters<typeof unzipSync>[1]>["filter"];

function unzipped(bytes: Uint8Array, filter: NonNullable<Filter>): Record<string, Uint8Array> {
  try {
    return unzipSync(bytes, { filter });
  } catch (error) {
    if (error instanceof DocumentParseError) throw error;
    throw new DocumentParseError("damaged", "it is damaged and cannot be read");
  }
}

/** The path that a reference in an entry means; `undefined` if it leaves the archive. */
export function resolvePath(from: string, reference: string): string | undefined {
  const [path = ""] = reference.split(/[?#]/);
  if (/^[a-z][a-z0-9+.-]*:/i.test(path)) return undefined;
  const parts = path.startsWith("/") ? [] : from.split("/").slice(0, -1);
  for (const part of decodePath(path).split("/")) {
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== "" && part !== ".") parts.push(part);
  }
  return parts.join("/");
}

function decodePath(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
