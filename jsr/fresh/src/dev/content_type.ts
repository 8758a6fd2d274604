import { extname } from "node:path";

const TYPES: Record<string, string> = {
  css: "text/css; charset=UTF-8",
  html: "text/html; charset=UTF-8",
  ico: "image/vnd.microsoft.icon",
  jpg: "image/jpeg",
  js: "text/javascript; charset=UTF-8",
  json: "application/json; charset=UTF-8",
  png: "image/png",
  svg: "image/svg+xml",
  txt: "text/plain; charset=UTF-8",
  webp: "image/webp",
  woff2: "font/woff2",
};

/** Media type of a file by its extension; plain text for an unknown one. */
export function contentTypeOf(path: string): string {
  return TYPES[extname(path).slice(1).toLowerCase()] ?? "text/plain";
}
