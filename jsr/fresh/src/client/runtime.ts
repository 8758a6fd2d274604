/**
 * `fresh/runtime` as browser bundles see it.
 * @module
 */
import { assetWithId } from "../asset.ts";
import { type LeftOut, leftOut } from "../not_in_this_build.ts";

export { HttpError } from "../http_error.ts";

/** Replaced by the bundler. */
declare const FRESH_BUILD_ID: string;

export const IS_BROWSER = true;

export function asset(path: string): string {
  return assetWithId(path, FRESH_BUILD_ID);
}

export const assetSrcSet: LeftOut = leftOut("assetSrcSet()");
export const Head: LeftOut = leftOut("<Head> in an island");
export const Partial: LeftOut = leftOut("<Partial>");
