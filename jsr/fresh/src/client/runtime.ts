/**
 * `fresh/runtime` as browser bundles see it.
 * @module
 */
import { assetWithId, srcSetWithId } from "../asset.ts";
import { notInThisBuild } from "../not_in_this_build.ts";

export { HttpError } from "../http_error.ts";
export { Head, type HeadProps } from "./head.ts";

/** Replaced by the bundler. */
declare const FRESH_BUILD_ID: string;

export const IS_BROWSER = true;

export function asset(path: string): string {
  return assetWithId(path, FRESH_BUILD_ID);
}

export function assetSrcSet(srcset: string): string {
  return srcSetWithId(srcset, FRESH_BUILD_ID);
}

export function Partial(): never {
  notInThisBuild("<Partial>");
}
