import { extname } from "node:path";

const TEXT_TYPES: Record<string, string> = {
  css: "text/css",
  csv: "text/csv",
  htm: "text/html",
  html: "text/html",
  js: "text/javascript",
  json: "application/json",
  map: "application/json",
  md: "text/markdown",
  mjs: "text/javascript",
  txt: "text/plain",
  webmanifest: "application/manifest+json",
  xml: "text/xml",
};

const BINARY_TYPES: Record<string, string> = {
  avif: "image/avif",
  gif: "image/gif",
  ico: "image/vnd.microsoft.icon",
  jpeg: "image/jpeg",
  jpg: "image/jpeg",
  mp3: "audio/mpeg",
  mp4: "video/mp4",
  otf: "font/otf",
  pdf: "application/pdf",
  png: "image/png",
  svg: "image/svg+xml",
  ttf: "font/ttf",
  wasm: "application/wasm",
  webm: "video/webm",
  webp: "image/webp",
  woff: "font/woff",
  woff2: "font/woff2",
  zip: "application/zip",
};

/** Media type of a file by its extension; plain text for an unknown one. */
export function contentTypeOf(path: string): string {
  const extension = extname(path).slice(1).toLowerCase();
  const text = TEXT_TYPES[extension];
  if (text !== undefined) return `${text}; charset=UTF-8`;
  return BINARY_TYPES[extension] ?? "text/plain";
}
