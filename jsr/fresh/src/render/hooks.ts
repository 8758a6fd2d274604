/**
 * Preact asks its `options` hooks about every node. Their short names are stable within the pinned
 * versions of preact and its renderer only: `__b` runs before a node, `diffed` after it.
 * @module
 */
import { type ComponentType, h, options, type VNode } from "preact";
import { assetWithId, srcSetWithId } from "../asset.ts";
import { Head, type HeadProps } from "../head.ts";
import { notInThisBuild } from "../not_in_this_build.ts";
import { activeLinkProps } from "./active_link.ts";
import { CollectedHead, collectHead, HEAD_TAGS, takeReplacement } from "./head_tags.ts";
import { markIsland } from "./islands.ts";
import { Scripts } from "./scripts.ts";
import { type RenderState, renderState } from "./state.ts";

interface Hooks {
  __b?: (vnode: VNode) => void;
  diffed?: (vnode: VNode) => void;
}

const hooks = options as Hooks;
const { __b: before, diffed: after } = hooks;

hooks.__b = (vnode) => {
  const state = renderState();
  if (state !== null) prepare(vnode, state);
  before?.(vnode);
};

hooks.diffed = (vnode) => {
  const state = renderState();
  if (state !== null && vnode.type === "head") state.insideHead = false;
  after?.(vnode);
};

function prepare(vnode: VNode, state: RenderState): void {
  if (vnode.type === Head) {
    collectHead(state, (vnode.props as HeadProps).children);
  } else if (typeof vnode.type === "function") {
    const island = state.buildCache.islands.get(vnode.type as ComponentType);
    if (island !== undefined) markIsland(vnode, island);
  } else if (typeof vnode.type === "string") {
    prepareElement(vnode, state);
  }
}

const PARTIAL_ATTRIBUTES = ["f-client-nav", "f-partial", "f-view-transition"];

/** A node may be a constant that every request renders: each starts from what the author wrote. */
const written = new WeakMap<VNode, Pick<VNode, "type" | "props">>();

function prepareElement(vnode: VNode, state: RenderState): void {
  let { type, props } = written.get(vnode) ?? vnode;
  written.set(vnode, { type, props });
  if (state.insideHead && HEAD_TAGS.has(type as string)) {
    ({ type, props } = takeReplacement(state, { ...vnode, type, props }) ??
      { type, props });
  }
  for (const name of PARTIAL_ATTRIBUTES) {
    if (name in props) notInThisBuild(`The attribute ${name}`);
  }
  const added = addedProps(
    type as string,
    props as Record<string, unknown>,
    state,
  );
  vnode.type = type;
  vnode.props = added === null ? props : { ...props, ...added };
}

function addedProps(
  type: string,
  props: Record<string, unknown>,
  state: RenderState,
): Record<string, unknown> | null {
  switch (type) {
    case "html":
      state.seen.add(type);
      return null;
    case "head":
      state.seen.add(type);
      state.insideHead = true;
      return { children: [props.children, h(CollectedHead, null)] };
    case "body":
      state.seen.add(type);
      return { children: [props.children, h(Scripts, null)] };
    case "script":
    case "style":
      return props.nonce ? null : { nonce: state.nonce };
    case "a":
      return activeLinkProps(props, state.url);
    case "img":
    case "source":
      return lockedSources(props, state.buildCache.buildId);
    default:
      return null;
  }
}

function lockedSources(
  props: Record<string, unknown>,
  id: string,
): Record<string, unknown> | null {
  if (props["data-fresh-disable-lock"]) return null;
  const added: Record<string, unknown> = {};
  for (const name of ["srcset", "srcSet"]) {
    const value = props[name];
    if (typeof value === "string") added[name] = srcSetWithId(value, id);
  }
  if (typeof props.src === "string") added.src = assetWithId(props.src, id);
  return added;
}
