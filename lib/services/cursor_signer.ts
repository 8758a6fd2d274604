import type { Signer } from "../platform/crypto/signer.ts";
import { validationError } from "../schemas/api_error.ts";
import type { Page, PageRequest } from "../store/values/page.ts";

/** Characters of a SHA-256 HMAC in base64url. */
const SIGNATURE_LENGTH = 43;

/**
 * Signs the store's cursors for one list each: callers can neither forge a cursor nor use it with
 * another list.
 */
export class CursorSigner {
  #signer: Signer;

  constructor(signer: Signer) {
    this.#signer = signer;
  }

  /** Loads a page of `list`, given and returning signed cursors. Throws `ApiError` 400. */
  async page<T>(
    request: PageRequest,
    options: { list: string; load: (opened: PageRequest) => Promise<Page<T>> },
  ): Promise<Page<T>> {
    const { cursor: signed, ...rest } = request;
    const cursor = signed === undefined ? undefined : await this.#verify(options.list, signed);
    const page = await options.load({ ...rest, cursor });
    if (page.nextCursor === undefined) return page;
    return { ...page, nextCursor: await this.#sign(options.list, page.nextCursor) };
  }

  async #sign(list: string, cursor: string): Promise<string> {
    return await this.#signer.sign(signedText(list, cursor)) + cursor;
  }

  async #verify(list: string, signed: string): Promise<string> {
    const cursor = signed.slice(SIGNATURE_LENGTH);
    const signature = signed.slice(0, SIGNATURE_LENGTH);
    if (cursor !== "" && await this.#signer.verify(signedText(list, cursor), signature)) {
      return cursor;
    }
    throw validationError([
      { path: "cursor", code: "invalid_cursor", message: "is not one of ours" },
    ]);
  }
}

/** The prefix keeps a cursor's signature from ever being valid as an API key's. */
function signedText(list: string, cursor: string): string {
  return `cursor ${list} ${cursor}`;
}
