import { type ComponentChildren, h, render } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface HeadProps {
  children?: ComponentChildren;
}

/** Keeps the document's `<head>` up to date with its children. They render aside and are copied. */
export function Head({ children }: HeadProps): ComponentChildren {
  const aside = useRef<HTMLElement>(null);
  useEffect(() => {
    aside.current ??= document.createElement("div");
    render(h("div", null, children), aside.current);
    for (const tag of aside.current.firstElementChild?.children ?? []) copyToHead(tag);
  });
  return null;
}

function copyToHead(tag: Element): void {
  if (tag.localName === "title") {
    document.title = tag.textContent;
    return;
  }
  const selector = selectorOf(tag);
  const present = selector === null ? null : document.head.querySelector(selector);
  if (present === null) document.head.append(tag.cloneNode(true));
  else if (!present.isEqualNode(tag)) present.replaceWith(tag.cloneNode(true));
}

/** Finds the tag that this one replaces: by key, id, or what it is about. Null: it is always added. */
function selectorOf(tag: Element): string | null {
  const name = tag.localName;
  const by = (attribute: string): string | null => {
    const value = tag.getAttribute(attribute);
    return value === null ? null : `${name}[${attribute}="${CSS.escape(value)}"]`;
  };
  return by("data-key") ?? by("id") ?? by("name") ?? by("property") ??
    (name === "link" ? by("rel") : null) ?? (name === "base" ? name : null);
}
