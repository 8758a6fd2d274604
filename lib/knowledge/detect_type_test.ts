import { assertEquals } from "@std/assert";
import { UNKNOWN_TYPE } from "../schemas/media_types.ts";
import { seeded } from "@/tests/support/flaky_kv.ts";
import { detectType } from "./detect_type.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("detectType: the bytes decide, whatever is claimed", () => {
  assertEquals(detectType(bytes("\n%PDF-1.4"), { mediaType: "text/plain" }), "application/pdf");
  assertEquals(detectType(bytes("<!-- x -->\n<HTML>"), {}), "text/html");
  assertEquals(detectType(bytes("PK\x03\x04"), { fileName: "a.txt" }), "application/octet-stream");
  assertEquals(detectType(bytes("\0".repeat(9)), {}), "application/octet-stream");
});

Deno.test("detectType: a claim chooses between texts, the media type before the file's name", () => {
  const of = (mediaType: string, fileName = "") =>
    detectType(bytes("# a"), { mediaType, fileName });
  assertEquals(of("Text/Markdown; charset=utf-8"), "text/markdown");
  assertEquals(of("text/html", "a.md"), "text/html");
  assertEquals(of("application/octet-stream", "README.MD"), "text/markdown");
  assertEquals(of("", "page.htm"), "text/html");
  assertEquals(of("image/svg+xml"), "text/plain");
});

Deno.test("detectType: what was sent as a PDF or a picture is never text", () => {
  for (const content of ["words", "<!doctype html><p>Not found", "\u00e4".repeat(9)]) {
    assertEquals(detectType(bytes(content), { fileName: "a.PDF" }), "application/pdf");
    assertEquals(detectType(bytes(content), { mediaType: "application/pdf" }), "application/pdf");
    assertEquals(detectType(bytes(content), { mediaType: "image/png" }), UNKNOWN_TYPE);
  }
});

Deno.test("detectType: random bytes are no text under any name", () => {
  const random = seeded(17);
  for (let n = 0; n < 500; n++) {
    const noise = Uint8Array.from({ length: 256 + n }, () => Math.floor(random() * 256));
    const type = detectType(noise, { fileName: n % 2 ? "a.txt" : "a.md" });
    assertEquals(type, UNKNOWN_TYPE);
  }
});

Deno.test("detectType: comments before a page are skipped in one pass", () => {
  const comments = "<!---->".repeat(9_000);
  assertEquals(detectType(bytes(`${comments}x`), {}), "text/plain");
  assertEquals(detectType(bytes(`${comments}<html>`), {}), "text/html");
});
