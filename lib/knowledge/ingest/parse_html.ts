import { Parser } from "htmlparser2";
import type { Block } from "./block.ts";
import { decodeText } from "./decode_text.ts";
import { HtmlBlockBuilder } from "./html_block_builder.ts";
import { DocumentParseError } from "./document_parse_error.ts";

/** Pages declare their encoding within this many bytes. */
const CHARSET_WITHIN_BYTES = 4096;
/** Deeper pages are hostile: browsers stop at 512. */
const MAX_DEPTH = 10_000;

/** `charset` is what the response of a web server names; it precedes what the page declares. */
export function decodeHtml(bytes: Uint8Array, charset?: string): string {
  return decodeText(bytes, charset ?? findCharset(bytes.subarray(0, CHARSET_WITHIN_BYTES)));
}

/** Skips scripts, navigation and hidden elements. */
export function parseHtml(html: string): Block[] {
  const blocks = new HtmlBlockBuilder();
  let depth = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      if (++depth > MAX_DEPTH) {
        throw new DocumentParseError("too_complex", "its elements are nested too deeply");
      }
      blocks.openElement(name, attributes);
    },
    ontext: (text) => blocks.addText(text),
    onclosetag(name) {
      depth--;
      blocks.closeElement(name);
    },
  });
  parser.write(html);
  parser.end();
  return blocks.finish();
}

function findCharset(head: Uint8Array): string | undefined {
  let charset: string | undefined;
  const parser = new Parser({
    onopentag(name, { charset: named, "http-equiv": equiv, content = "" }) {
      if (name !== "meta") return;
      if (named !== undefined) charset ??= named;
      if (equiv?.toLowerCase() === "content-type") charset ??= content.split("charset=")[1];
    },
  });
  parser.write(new TextDecoder("latin1").decode(head));
  parser.end();
  return charset?.trim();
}
