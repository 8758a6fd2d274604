import type { Page, PageRequest } from "../../store/values/page.ts";
import { exportLine, undefinedIfDeleted } from "../conversation_lines.ts";

const PAGE_SIZE = 20;

/** The rows of all pages; ends if what they belong to is deleted meanwhile. */
export async function* allPages<T>(
  load: (page: PageRequest) => Promise<Page<T>>,
): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const page = await load({ limit: PAGE_SIZE, cursor }).catch(undefinedIfDeleted);
    if (page === undefined) return;
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

/** A file in pieces of about 48 KiB: decoded and joined in their order they are the file. */
export async function* fileLines(
  chunks: AsyncIterable<Uint8Array>,
  name: { of: "document" | "attachment"; id: string },
): AsyncGenerator<string> {
  let n = 0;
  for await (const chunk of chunks) {
    yield exportLine({ type: "file_part", ...name, ...{ n: n++, base64: chunk.toBase64() } });
  }
}
