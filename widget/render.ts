/**
 * Draws the components: functions without state, which are typed as Preact's and called from the top
 * at each change. See docs/decisions/2026-11-25-widget-renderer.md.
 */
import type { ComponentChildren, h as createElement } from "preact";

interface VNode {
  readonly type: string | ((props: Props) => unknown);
  readonly props: Props;
}

type Props = Readonly<Record<string, unknown>>;
type Drawn = VNode | string;

/** What was drawn inside a node, by its place. */
const INSIDE = new WeakMap<Node, Map<string, { readonly drawn: Drawn; readonly dom: ChildNode }>>();
const LISTENERS = new WeakMap<EventTarget, Record<string, unknown>>();
const SVG = "http://www.w3.org/2000/svg";

/** Refs that get their elements at the end, when these are in the document. */
let refs: (() => void)[] = [];

/** For JSX. */
export const h = ((type: VNode["type"], props: Props | null, ...children: unknown[]): VNode => ({
  type,
  props: { ...props, children },
})) as unknown as typeof createElement;

/**
 * Draws `child` as all that is in `root`. Elements that stand there already, as the launcher's, are
 * taken over, so that a focused field stays focused. The same element as before is not drawn again.
 */
export function render(child: ComponentChildren, root: ShadowRoot): void {
  refs = [];
  drawInside(root, child);
  for (const give of refs) give();
}

function drawInside(parent: ParentNode & Node, child: unknown): void {
  const before = INSIDE.get(parent);
  const now: NonNullable<typeof before> = new Map();
  const unused = new Set(parent.childNodes);
  const places = new Map<string, Drawn>();
  expand(child, "", places);
  for (const [place, drawn] of places) {
    const name = typeof drawn === "string" ? "#text" : drawn.type;
    const isSame = (dom: ChildNode | undefined) => dom?.nodeName.toLowerCase() === name;
    const old = before?.get(place)?.dom;
    const found = before ? isSame(old) && old : [...unused].find(isSame);
    const dom = found || create(name as string, parent);
    unused.delete(dom);
    now.set(place, { drawn, dom });
  }
  for (const dom of unused) dom.remove();
  let next = parent.firstChild;
  for (const [place, { drawn, dom }] of now) {
    const old = before?.get(place);
    if (old?.dom !== dom || old.drawn !== drawn) update(dom, drawn, old?.dom === dom && old.drawn);
    if (dom === next) next = dom.nextSibling;
    else parent.insertBefore(dom, next);
  }
  INSIDE.set(parent, now);
}

/** Lists the elements and texts that a child comes to, by their places. What is not drawn keeps its place free. */
function expand(child: unknown, place: string, found: Map<string, Drawn>): void {
  if (child == null || typeof child === "boolean") return;
  if (Array.isArray(child)) {
    child.forEach((one, at) => expand(one, `${place} ${one?.props?.key ?? at}`, found));
    return;
  }
  const { type, props } = child as VNode;
  if (typeof type === "function") expand(type(props), place, found);
  else found.set(place, type ? child as VNode : `${child}`);
}

function create(name: string, parent: Node): ChildNode {
  if (name === "#text") return document.createTextNode("");
  const isSvg = name === "svg" || (parent as Element).namespaceURI === SVG;
  return isSvg ? document.createElementNS(SVG, name) : document.createElement(name);
}

/** `old` is what was drawn there before; without, the element is new or was taken over. */
function update(dom: ChildNode, drawn: Drawn, old: Drawn | false): void {
  if (typeof drawn === "string") {
    if (drawn !== old) (dom as Text).data = drawn;
    return;
  }
  const element = dom as HTMLElement;
  const { props, type } = drawn;
  const before = old ? (old as VNode).props : attributesOf(element);
  for (const name in { ...before, ...props }) {
    if (props[name] !== before[name]) set(element, name, props[name]);
  }
  // The text inside is its default value.
  if (type !== "textarea") drawInside(element, props.children);
}

function attributesOf({ attributes }: Element): Props {
  return Object.fromEntries([...attributes].map(({ name, value }) => [name, value]));
}

function set(element: HTMLElement, name: string, value: unknown): void {
  if (name === "ref") refs.push(() => give(value, element));
  else if (name === "defaultValue") (element as HTMLInputElement).defaultValue = `${value}`;
  else if (name === "style" && value) {
    // The attribute would need the permission of the page's policy.
    for (const [key, one] of Object.entries(value as Props)) {
      element.style.setProperty(key, `${one}`);
    }
  } else if (/^on/.test(name)) listen(element, name.slice(2).toLowerCase(), value);
  else if (value == null || value === false && !/^aria/.test(name)) element.removeAttribute(name);
  else if (!/^(key|children)$/.test(name)) element.setAttribute(name, `${value}`);
}

function give(ref: unknown, element: Element): void {
  if (typeof ref === "function") ref(element);
  else if (ref) (ref as { current: Element }).current = element;
}

/** One listener for each event, which calls what was drawn last. */
function listen(element: Element, type: string, listener: unknown): void {
  const listeners = LISTENERS.get(element) ?? {};
  if (!(type in listeners)) {
    element.addEventListener(
      type,
      (event) => (listeners[type] as EventListener | undefined)?.(event),
    );
  }
  listeners[type] = listener;
  LISTENERS.set(element, listeners);
}
