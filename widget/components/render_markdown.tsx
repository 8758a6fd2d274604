/** Renders an answer. Complete blocks keep their elements while later ones arrive. */
import type { ComponentChild } from "preact";
import { parseBlock, splitBlocks } from "../markdown.ts";
import { safeUrl } from "../markdown_inline.ts";
import type { Inline, Node } from "../markdown_tree.ts";
import type { TranscriptMessage } from "../state.ts";
import type { MessageUi } from "../ui.ts";
import { CopyButton } from "./CopyButton.tsx";

interface RenderedBlock {
  readonly source: string;
  readonly node: ComponentChild;
  readonly elementCount: number;
}

const RENDERED = new WeakMap<TranscriptMessage, RenderedBlock[]>();
/** No well-meant answer needs more elements than this; the rest of the answer renders as text. */
let remainingElements: number;

export function renderMarkdown(
  message: TranscriptMessage,
  { ui, live }: { readonly ui: MessageUi; readonly live: boolean },
) {
  const before = RENDERED.get(message) ?? [];
  const blocks = splitBlocks(message.text, live);
  remainingElements = 500 + message.text.length / 12;
  const now = blocks.map((block, index): RenderedBlock => {
    const open = live && index === blocks.length - 1;
    const source = `${ui.locale.lang}${open}${block.kind}:${block.text}`;
    const old = before[index];
    if (old?.source === source) {
      remainingElements -= old.elementCount;
      return old;
    }
    const left = remainingElements;
    const node = renderNode(parseBlock(block, open), ui);
    return { source, node, elementCount: left - remainingElements };
  });
  RENDERED.set(message, now);
  return now.map(({ node }) => node);
}

function renderNode(node: Inline, ui: MessageUi): ComponentChild {
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
    default: {
      const Tag = tag as "ol";
      return <Tag start={start}>{inner}</Tag>;
    }
  }
}

/** Loading an image can leak data to its server, so only origins that the site allows are loaded. */
function renderImage({ href, kids }: Node, { config }: MessageUi): ComponentChild {
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

/** A link whose label is not its address shows the host as well. */
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
