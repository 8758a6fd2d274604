/** The nodes that Markdown becomes. */

/** Every element that an answer can contain. */
export type Tag =
  | ("p" | "h3" | "h4" | "h5" | "ul" | "ol" | "li" | "pre" | "blockquote" | "hr")
  | ("table" | "tr" | "th" | "td" | "strong" | "em" | "del" | "code" | "a" | "img" | "br");

export interface Node {
  readonly tag: Tag;
  readonly kids: Inline[];
  /** An absolute http, https or mailto address for a link, http or https for an image. */
  readonly href?: string;
  /** First number of an ordered list. */
  readonly start?: number;
}

export type Inline = string | Node;
