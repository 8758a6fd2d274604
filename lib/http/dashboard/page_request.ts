import { validationError } from "../../errors.ts";
import { invalidCursor, type PageRequest } from "../../storage/page.ts";

const DEFAULT_LIMIT = 20;

/** `?limit&cursor` of a list: limit 1-100, 20 unless told. */
export function pageRequestParams(url: URL): PageRequest {
  const limit = url.searchParams.get("limit");
  const cursor = url.searchParams.get("cursor") ?? undefined;
  const n = limit === null ? DEFAULT_LIMIT : /^\d{1,3}$/.test(limit) ? Number(limit) : 0;
  if (n < 1 || n > 100) {
    throw validationError([{ path: "limit", code: "out_of_range", message: "must be 1-100" }]);
  }
  if (cursor !== undefined && !/^[\w+/=-]{1,512}$/.test(cursor)) throw invalidCursor();
  return { limit: n, cursor };
}
