/** Draws an answer. Blocks that are complete keep their elements while the next ones arrive. */
import { type ComponentChild, h } from "preact";
import { type Inline, type Node, parseBlock, splitBlocks } from "../markdown.ts";
import { safeUrl } from "../markdown_inline.ts";
import type { Ui } from "../mount.tsx";
import type { TranscriptMessage } from "../state.ts";
import { CopyButton } from "./CopyButton.tsx";

interface RenderedBlock {
  readonly source: string;
  readonly child: ComponentChild;
  /** How many elements it took. */
  readonly weight: number;
}

const RENDERED = new WeakMap<TranscriptMessage, RenderedBlock[]>();
/** More elements than any honest answer of this length has: beyond them there are only words. */
let remainingElements: number;

export function renderMarkdown(
  turn: TranscriptMessage,
  { ui, live }: { readonly ui: Ui; readonly live: boolean },
) {
  const before = RENDERED.get(turn) ?? [];
  const blocks = splitBlocks(turn.text, live);
  remainingElements = 500 + turn.text.length / 12;
  const now = blocks.map((block, at): RenderedBlock => {
    const open = live && at === blocks.length - 1;
    const source = `${ui.locale.lang}${open}${block.kind}:${block.text}`;
    const old = before[at];
    const left = remainingElements;
    if (old?.source !== source) {
      return {
        source,
        child: renderNode(parseBlock(block, open), ui),
        weight: left - remainingElements,
      };
    }
    remainingElements -= old.weight;
    return old;
  });
  RENDERED.set(turn, now);
  return now.map(({ child }) => child);
}

function renderNode(node: Inline, ui: Ui): ComponentChild {
  if (typeof node === "string") return node;
  const { tag, kids, href, start } = node;
  const isOver = (remainingElements -= /li|pre/.test(tag) ? 3 : 1) < 0;
  const inner = kids.map((kid) => renderNode(kid, ui));
  if (isOver) return inner.join(" ");
  switch (tag) {
    case "pre":
      return (
        <div class="code" dir="ltr">
          <CopyButton ui={ui} text={kids.join("")} />
          <pre tabIndex={0}><code>{inner}</code></pre>
        </div>
      );
    case "table":
      return (
        <div class="wide" tabIndex={0}>
          <table>{inner}</table>
        </div>
      );
    case "img":
      return renderImage(node, ui);
    case "a":
      return <Link href={href!} label={kids.join("")}>{inner}</Link>;
    default:
      return h(tag, { start }, inner);
  }
}

/** Loading an image tells its server what the answer wanted it to know: only where the site says so. */
function renderImage({ href, kids }: Node, { config }: Ui): ComponentChild {
  const label = kids.join("");
  return config.imageOrigins.includes(new URL(href!).origin)
    ? <img src={href} alt={label} loading="lazy" referrerpolicy="no-referrer" />
    : <Link href={href!} label={label}>{label}</Link>;
}

interface LinkProps {
  readonly href: string;
  readonly label: string;
  readonly children: ComponentChild;
}

/** Where it goes is said whenever its words are anything else. */
export function Link({ href, label, children }: LinkProps) {
  const { host, pathname } = new URL(href);
  const to = host || pathname;
  const plain = label === to || safeUrl(label) === href;
  return (
    <a href={href} title={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
      {!plain && <bdi class="host">{to}</bdi>}
    </a>
  );
}
