/**
 * What pages and islands may import. Bundles for the browser get `client/runtime.ts` in its place.
 * @module
 */
import { assetWithId } from "./asset.ts";
import { buildId } from "./build_id.ts";
import { type Unsupported, unsupported } from "./unsupported.ts";

export { HttpError } from "./http_error.ts";
export { Head, type HeadProps } from "./head.ts";

/** True in browsers. */
export const IS_BROWSER: boolean = typeof document !== "undefined";

/** The path with the build id, so that it can be cached for a year. */
export function asset(path: string): string {
  return assetWithId(path, buildId());
}

export const assetSrcSet: Unsupported = unsupported("assetSrcSet()");
export const Partial: Unsupported = unsupported("<Partial>");
