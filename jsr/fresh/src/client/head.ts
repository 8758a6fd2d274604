import { cloneElement, type ComponentChildren, h, render, toChildArray } from "preact";
import { useEffect, useRef } from "preact/hooks";

export interface HeadProps {
  children?: ComponentChildren;
}

/** Keeps the document's `<head>` up to date with its children. They render aside and are copied. */
export function Head({ children }: HeadProps): ComponentChildren {
  const aside = useRef<HTMLElement>(null);
  useEffect(() => {
    aside.current ??= document.createElement("div");
    render(h("div", null, withDataKeys(children)), aside.current);
    for (const tag of aside.current.firstElementChild?.children ?? []) copyToHead(tag);
  });
  return null;
}

/** The server's tags carry their keys in the same attribute. */
function withDataKeys(children: ComponentChildren): ComponentChildren {
  return toChildArray(children).map((child) =>
    typeof child !== "object" || child.key === undefined || child.key === null
      ? child
      : cloneElement(child, { "data-key": String(child.key) } as object)
  );
}

function copyToHead(tag: Element): void {
  if (tag.localName === "title") {
    document.title = tag.textContent;
    return;
  }
  const selector = selectorOf(tag);
  const present = selector === null ? null : document.head.querySelector(selector);
  if ([...document.head.children].some((each) => each.isEqualNode(tag))) return;
  if (present === null) document.head.append(tag.cloneNode(true));
  else present.replaceWith(tag.cloneNode(true));
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
