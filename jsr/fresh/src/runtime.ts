/**
 * What pages and islands may import. Bundles for the browser get `client/runtime.ts` in its place.
 * @module
 */
import type { ComponentChildren, VNode } from "preact";
import { assetWithId, srcSetWithId } from "./asset.ts";
import { buildId } from "./build_id.ts";
import { notInThisBuild } from "./not_in_this_build.ts";

export { HttpError } from "./http_error.ts";
export { Head, type HeadProps } from "./head.ts";

/** True in browsers. */
export const IS_BROWSER: boolean = typeof document !== "undefined";

/** The path with the build id, so that it can be cached for a year. */
export function asset(path: string): string {
  return assetWithId(path, buildId());
}

/** `asset` for each URL of a `srcset`. */
export function assetSrcSet(srcset: string): string {
  return srcSetWithId(srcset, buildId());
}

export interface PartialProps {
  children?: ComponentChildren;
  name: string;
  mode?: "replace" | "prepend" | "append";
}

/** Partials are not in this build. */
export function Partial(_props: PartialProps): VNode {
  notInThisBuild("<Partial>");
}
