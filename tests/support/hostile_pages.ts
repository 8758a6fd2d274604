import type { HostileFile } from "./hostile_files.ts";
import { bytes, times } from "./hostile_texts.ts";

const page = (body: string) => `<!doctype html><html><body>${body}`;

/** Malformed and hostile HTML pages. */
export const HOSTILE_PAGES: HostileFile[] = [
  { name: "divisions.html", make: () => page("<div>".repeat(100_000)), ends: "too_complex" },
  { name: "bold.html", make: () => page("<b>x".repeat(100_000)), ends: "too_complex" },
  { name: "cut tag.html", make: () => page("<p>Words</p><a href='"), ends: "ready" },
  { name: "script only.html", make: () => page("<script>let a = 1;</script>"), ends: "no_text" },
  { name: "open script.html", make: () => page("<p>Words<script>".repeat(9)), ends: "ready" },
  {
    name: "entities.html",
    make: () => page("&amp;&#x1F600;&nosuch;".repeat(100_000)),
    ends: "ready",
  },
  {
    name: "a large attribute.html",
    make: () => page(`<p title="${"x".repeat(5_000_000)}">Words`),
    ends: "ready",
  },
  {
    name: "many attributes.html",
    make: () => page(`<p ${times(50_000, (n) => `a${n}=1`).join(" ")}>Words`),
    ends: "ready",
  },
  { name: "open comment.html", make: () => page(`Words<!--${"-".repeat(500_000)}`), ends: "ready" },
  {
    name: "tables in tables.html",
    make: () => page("<table><tr><td>Words".repeat(1_500)),
    ends: "ready",
  },
  {
    name: "a huge table.html",
    make: () => page(`<table>${"<tr><td>one</td><td>two</td></tr>".repeat(40_000)}</table>`),
    ends: "ready",
  },
  { name: "lists.html", make: () => page("<ul><li>Words".repeat(3_000)), ends: "ready" },
  {
    name: "laughs.html",
    make: () =>
      '<!DOCTYPE html [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><html><p>Words &b;&b;</html>',
    ends: "ready",
  },
  {
    name: "Shift JIS.html",
    make: () =>
      Uint8Array.from([
        ...bytes('<!doctype html><meta charset="shift_jis"><p>'),
        ...[0x93, 0xfa, 0x96, 0x7b, 0x8c, 0xea],
      ]),
    ends: "ready",
  },
  { name: "no such charset.html", make: () => page("<meta charset='x'><p>Words"), ends: "ready" },
  { name: "noughts.html", make: () => page("<p\0>Wo\0rds</p\0>"), ends: "ready" },
  { name: "hidden.html", make: () => page("<p hidden>Nobody sees this"), ends: "no_text" },
  { name: "closing only.html", make: () => page("</p></div></table></ul>Words"), ends: "ready" },
];
