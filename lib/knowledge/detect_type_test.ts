import { assertEquals } from "@std/assert";
import { detectType } from "./detect_type.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("detectType: the bytes decide, whatever is claimed", () => {
  const pdf = { mediaType: "application/pdf", fileName: "a.pdf" };
  assertEquals(detectType(bytes("\n%PDF-1.4"), { mediaType: "text/plain" }), "application/pdf");
  assertEquals(detectType(bytes("<!-- x -->\n<HTML>"), pdf), "text/html");
  assertEquals(detectType(bytes("words"), pdf), "text/plain");
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
  assertEquals(of("image/png"), "text/plain");
});
