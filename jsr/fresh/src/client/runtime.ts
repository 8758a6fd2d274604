/**
 * `fresh/runtime` as browser bundles see it.
 * @module
 */
import { assetWithId } from "../asset.ts";
import { type Unsupported, unsupported } from "../unsupported.ts";

export { HttpError } from "../http_error.ts";

/** Replaced by the bundler. */
declare const FRESH_BUILD_ID: string;

export const IS_BROWSER = true;

export function asset(path: string): string {
  return assetWithId(path, FRESH_BUILD_ID);
}

export const assetSrcSet: Unsupported = unsupported("assetSrcSet()");
export const Head: Unsupported = unsupported("<Head> in an island");
export const Partial: Unsupported = unsupported("<Partial>");
