/**
 * Preact asks its `options` hooks about every node. Their short names are stable within the pinned
 * versions of preact and its renderer only: `__b` runs before a node.
 * @module
 */
import { type ComponentType, h, options, type VNode } from "preact";
import { assetWithId } from "../asset.ts";
import { Head, type HeadProps } from "../head.ts";
import { notInThisBuild } from "../unsupported.ts";
import { activeLinkProps } from "./active_link.ts";
import { CollectedHead, collectHead, keyAttribute, takeReplacement } from "./head_tags.ts";
import { isPartOfIsland, markIsland, markKey } from "./islands.ts";
import { Scripts } from "./scripts.ts";
import { type RenderState, renderState } from "./state.ts";

interface Hooks {
  __b?: (vnode: VNode) => void;
}

const hooks = options as Hooks;
const { __b: before } = hooks;

hooks.__b = (vnode) => {
  const state = renderState();
  if (state !== null) prepare(vnode, state);
  before?.(vnode);
};

function prepare(vnode: VNode, state: RenderState): void {
  if (vnode.type === Head) {
    if (isPartOfIsland(vnode)) notInThisBuild("<Head> in an island");
    collectHead(state, (vnode.props as HeadProps).children);
  } else if (typeof vnode.type === "function") {
    const island = state.buildCache.islands.get(vnode.type as ComponentType);
    if (island !== undefined) markIsland(vnode, island);
    else markKey(vnode);
  } else if (typeof vnode.type === "string") {
    prepareElement(vnode, state);
  }
}

const UNSUPPORTED_ATTRIBUTES = ["f-client-nav", "f-partial", "f-view-transition"];

/** The original type and props: a node may be a constant that every request renders. */
const written = new WeakMap<VNode, Pick<VNode, "type" | "props">>();

function prepareElement(vnode: VNode, state: RenderState): void {
  const own = written.get(vnode) ?? { type: vnode.type, props: vnode.props };
  written.set(vnode, own);
  const replacement = takeReplacement(state, { ...vnode, ...own });
  const { type, props } = replacement ?? own;
  for (const name of UNSUPPORTED_ATTRIBUTES) {
    if (name in props) notInThisBuild(`The attribute ${name}`);
  }
  vnode.type = type;
  const added = addedProps(type as string, { ...props }, state);
  vnode.props = { ...props, ...keyAttribute(replacement ?? { ...vnode, ...own }), ...added };
}

function addedProps(
  type: string,
  props: Record<string, unknown>,
  state: RenderState,
): Record<string, unknown> {
  if (type === "html" || type === "head" || type === "body") state.seen.add(type);
  switch (type) {
    case "head":
      return { children: [props.children, h(CollectedHead, null)] };
    case "body":
      return { children: [props.children, h(Scripts, null)] };
    case "script":
    case "style":
      return props.nonce ? {} : { nonce: state.nonce };
    case "a":
      return activeLinkProps(props, state.url);
    case "img":
    case "source":
      return lockedSource(props, state.buildCache.buildId);
    default:
      return {};
  }
}

function lockedSource(props: Record<string, unknown>, id: string): Record<string, unknown> {
  if (props["data-fresh-disable-lock"]) return {};
  if ("srcset" in props || "srcSet" in props) notInThisBuild("A locked srcset");
  return typeof props.src === "string" ? { src: assetWithId(props.src, id) } : {};
}
