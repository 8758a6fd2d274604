import type { Signer } from "../platform/crypto/hashing.ts";
import { validationError } from "../schemas/api_error.ts";
import type { Page, PageRequest } from "../store/values/page.ts";

/** Of a SHA-256 HMAC in base64url. */
const SIGNATURE_LENGTH = 43;

/**
 * Cursors as callers hold them: the store's own with a signature over the list it belongs to. A
 * forged one is refused, and one list's cursor is worth nothing on another's.
 */
export class CursorSigner {
  #signer: Signer;

  constructor(signer: Signer) {
    this.#signer = signer;
  }

  /** Reads a page of `list`, its cursors opened before and sealed after. Throws `ApiError` 400. */
  async page<T>(
    request: PageRequest,
    options: { list: string; load: (opened: PageRequest) => Promise<Page<T>> },
  ): Promise<Page<T>> {
    const { cursor: sealed, ...rest } = request;
    const cursor = sealed === undefined ? undefined : await this.#open(options.list, sealed);
    const page = await options.load({ ...rest, cursor });
    if (page.nextCursor === undefined) return page;
    return { ...page, nextCursor: await this.#seal(options.list, page.nextCursor) };
  }

  async #seal(list: string, cursor: string): Promise<string> {
    return await this.#signer.sign(signed(list, cursor)) + cursor;
  }

  async #open(list: string, sealed: string): Promise<string> {
    const cursor = sealed.slice(SIGNATURE_LENGTH);
    const signature = sealed.slice(0, SIGNATURE_LENGTH);
    const genuine = cursor !== "" && await this.#signer.verify(signed(list, cursor), signature);
    if (genuine) return cursor;
    throw validationError([{
      path: "cursor",
      code: "invalid_cursor",
      message: "is not one of ours",
    }]);
  }
}

/** The word in front keeps a cursor's signature from ever passing for an API key's. */
function signed(list: string, cursor: string): string {
  return `cursor ${list} ${cursor}`;
}
