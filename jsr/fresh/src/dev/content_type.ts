import { extname } from "node:path";
// @ts-types="@types/mime-types"
import { charset, lookup } from "mime-types";

/** The `Content-Type` for a file name; plain text if the extension is unknown. */
export function contentTypeOf(path: string): string {
  const type = lookup(extname(path));
  if (type === false) return "text/plain";
  const encoding = charset(type);
  return encoding === false ? type : `${type}; charset=${encoding}`;
}
