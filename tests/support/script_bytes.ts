import { brotliCompressSync } from "node:zlib";
import type { TestService } from "./service.ts";

/** Maximum compressed size of all scripts of a dashboard page. */
export const MAX_SCRIPT_BYTES = 60 * 1024;

/** Brotli size of every module that a page loads, including imports. */
export async function scriptBytes(service: TestService, html: string): Promise<number> {
  const entries = html.matchAll(/from "(\/_fresh\/js\/[^"]+)"/g);
  const modules = new Set([...entries].map(([, href]) => href!));
  let bytes = 0;
  for (const href of modules) {
    const script = await (await service.fetch(href)).bytes();
    bytes += brotliCompressSync(script).byteLength;
    const imports = new TextDecoder().decode(script).matchAll(/(?:from|import)\s*"(\.[^"]+)"/g);
    for (const [, path] of imports) modules.add(new URL(path!, service.url + href).pathname);
  }
  return bytes;
}
