import { createHash } from "node:crypto";
import { join } from "node:path";
import { KNOWLEDGE_BOUNDS } from "../../lib/schemas/limits.ts";
import { type FolderIssue, MAX_SOURCE_BYTES } from "./parse_source.ts";

const MAX_FILES = 2_000;
const MAX_DEPTH = 16;
const SOURCE_NAME = /\.(?:ya?ml|json)$/i;

/** A file of a documents folder, with its hash instead of its bytes. */
export interface DocumentFile {
  /** Relative to the documents folder, with `/`. */
  path: string;
  /** Where to read it. */
  full: string;
  bytes: number;
  sha256: string;
}

/** Reads the files of a folder, none outside of it. */
export class FolderReader {
  readonly root: string;
  readonly issues: FolderIssue[] = [];

  /** `root` is a real path. */
  constructor(root: string) {
    this.root = root;
  }

  /** The sources directly in a folder, by name; none if it does not exist. */
  async *sources(folder: string): AsyncGenerator<{ file: string; bytes: Uint8Array }> {
    if (!await this.#isFolder(folder)) return;
    const names = (await this.#names(folder)).filter((name) => SOURCE_NAME.test(name));
    if (names.length > MAX_FILES) {
      return this.#reject(folder, `has more than ${MAX_FILES} files`);
    }
    for (const name of names) {
      const file = `${folder}/${name}`;
      if (await this.#check(file, { max: MAX_SOURCE_BYTES, what: "1 MiB" }) === undefined) continue;
      yield { file, bytes: await Deno.readFile(join(this.root, file)) };
    }
  }

  /** All files below a documents folder, by path. */
  async documents(folder: string): Promise<DocumentFile[]> {
    if (folder.startsWith("/") || folder.split("/").includes("..")) {
      this.#reject(folder, "must be a folder below this one");
      return [];
    }
    if (!await this.#isFolder(folder)) {
      this.#reject(folder, "is not a folder");
      return [];
    }
    const found: DocumentFile[] = [];
    await this.#walk(folder, { prefix: "", found, depth: 1 });
    const total = found.reduce((sum, { bytes }) => sum + bytes, 0);
    if (total > KNOWLEDGE_BOUNDS.sourceBytesPerBase) {
      this.#reject(folder, "has more than 512 MiB, which is the most a knowledge base takes");
    }
    return found;
  }

  async #walk(
    folder: string,
    { prefix, found, depth }: { prefix: string; found: DocumentFile[]; depth: number },
  ): Promise<void> {
    if (depth > MAX_DEPTH) return this.#reject(folder, `is deeper than ${MAX_DEPTH} folders`);
    for (const name of await this.#names(folder)) {
      const file = `${folder}/${name}`;
      const path = `${prefix}${name}`.normalize("NFC");
      const info = await Deno.lstat(join(this.root, file));
      if (info.isDirectory) {
        await this.#walk(file, { prefix: `${path}/`, found, depth: depth + 1 });
        continue;
      }
      if (found.length >= KNOWLEDGE_BOUNDS.documentsPerBase) {
        return this.#reject(folder, "has more than 1,000 documents");
      }
      const max = KNOWLEDGE_BOUNDS.documentBytes;
      const full = await this.#check(file, { max, what: "20 MiB" });
      if (full === undefined) continue;
      const bytes = await Deno.readFile(full);
      if (bytes.length === 0) this.#reject(file, "is empty");
      if (path.trim() === "") this.#reject(file, "has no name that can be a title");
      if (path.length > KNOWLEDGE_BOUNDS.titleLength) {
        this.#reject(file, "has a path of more than 256 characters, which is its title");
      }
      found.push({ path, full, bytes: bytes.length, sha256: sha256(bytes) });
    }
  }

  /** Without hidden files, which editors and systems leave behind. */
  async #names(folder: string): Promise<string[]> {
    const entries = await Array.fromAsync(Deno.readDir(join(this.root, folder)));
    return entries.map(({ name }) => name).filter((name) => !name.startsWith(".")).sort();
  }

  async #isFolder(folder: string): Promise<boolean> {
    const info = await Deno.lstat(join(this.root, folder)).catch(() => undefined);
    if (info?.isSymlink) this.#reject(folder, "is a link; a folder must be one itself");
    return info?.isDirectory ?? false;
  }

  /** The real path of a regular file inside the folder, of at most `max` bytes. */
  async #check(
    file: string,
    { max, what }: { max: number; what: string },
  ): Promise<string | undefined> {
    const full = await Deno.realPath(join(this.root, file)).catch(() => undefined);
    if (full === undefined) return this.#reject(file, "is a link to nothing");
    if (!full.startsWith(`${this.root}/`)) {
      return this.#reject(file, "is a link to a file outside of the folder");
    }
    const { isFile, size } = await Deno.stat(full);
    if (!isFile) return this.#reject(file, "is not a regular file");
    if (size > max) return this.#reject(file, `is larger than ${what}`);
    return full;
  }

  #reject(file: string, message: string): undefined {
    this.issues.push({ file, field: "", message });
  }
}

export function sha256(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("hex");
}
