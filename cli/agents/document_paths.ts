import type { Document } from "../../lib/schemas/knowledge.ts";
import { slug } from "./to_keys.ts";

const MAX_PATH = 180;
const EXTENSIONS: Record<string, readonly string[]> = {
  "text/plain": ["txt", "text", "log", "json", "yaml", "yml"],
  "text/markdown": ["md", "markdown"],
  "text/html": ["html", "htm"],
  "text/csv": ["csv"],
  "application/pdf": ["pdf"],
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": ["docx"],
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": ["xlsx"],
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": ["pptx"],
  "application/vnd.oasis.opendocument.text": ["odt"],
  "application/epub+zip": ["epub"],
};

/** A part of a path that every file system takes, and that leads nowhere else. */
// deno-lint-ignore no-control-regex -- file systems differ in what they take
const SAFE_PART = /^(?![.])[^\u0000-\u001f\u007f\\/:*?"<>|]{1,100}(?<![ .])$/;

/** A path for each document: its title if that can be one, else one like it. */
export function documentPaths(documents: readonly Document[]): [Document, string][] {
  const taken = new Set<string>();
  return documents.map((document) => {
    const wanted = isSafePath(document) ? document.title : undefined;
    const path = wanted !== undefined && isFree(wanted, taken) ? wanted : freePath(document, taken);
    for (const part of partsOf(path)) taken.add(part);
    return [document, path];
  });
}

function isSafePath({ title, mediaType }: Document): boolean {
  const parts = title.split("/");
  const extension = title.split(".").at(-1)!.toLowerCase();
  const known = EXTENSIONS[mediaType];
  const isTyped = known === undefined || known.includes(extension);
  return isTyped && title.length <= MAX_PATH && parts.length <= 8 &&
    title === title.normalize("NFC") && parts.every((part) => SAFE_PART.test(part));
}

function freePath({ title, mediaType }: Document, taken: ReadonlySet<string>): string {
  const [extension = "bin"] = EXTENSIONS[mediaType] ?? [];
  const name = slug(title.replace(/\.[a-z0-9]{1,5}$/i, "")) || "document";
  for (let n = 1;; n++) {
    const path = `${name}${n === 1 ? "" : `-${n}`}.${extension}`;
    if (isFree(path, taken)) return path;
  }
}

/** A path is taken by a file of the same name in another case, and by a folder. */
function isFree(path: string, taken: ReadonlySet<string>): boolean {
  const [file, ...folders] = partsOf(path);
  return !taken.has(file!) && !taken.has(folderOf(file!)) &&
    folders.every((folder) => !taken.has(folder.slice(0, -1)));
}

/** The file in lower case, then its folders, each with a slash at the end. */
function partsOf(path: string): string[] {
  const file = path.toLowerCase();
  const folders = file.split("/").slice(0, -1);
  return [file, ...folders.map((_, n) => `${folders.slice(0, n + 1).join("/")}/`)];
}

function folderOf(file: string): string {
  return `${file}/`;
}
