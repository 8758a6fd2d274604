import { assertEquals } from "@std/assert";
import { UNKNOWN_TYPE } from "../../schemas/media_types.ts";
import { seeded } from "@/tests/support/flaky_kv.ts";
import { detectMediaType } from "./detect_media_type.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("detectMediaType: the bytes decide, whatever is declared", () => {
  assertEquals(
    detectMediaType(bytes("\n%PDF-1.4"), { mediaType: "text/plain" }),
    "application/pdf",
  );
  assertEquals(detectMediaType(bytes("<!-- x -->\n<HTML>"), {}), "text/html");
  assertEquals(
    detectMediaType(bytes("PK\x03\x04"), { fileName: "a.txt" }),
    "application/octet-stream",
  );
  assertEquals(detectMediaType(bytes("\0".repeat(9)), {}), "application/octet-stream");
});

Deno.test("detectMediaType: the declared type, then the file name, choose between kinds of text", () => {
  const of = (mediaType: string, fileName = "") =>
    detectMediaType(bytes("# a"), { mediaType, fileName });
  assertEquals(of("Text/Markdown; charset=utf-8"), "text/markdown");
  assertEquals(of("text/html", "a.md"), "text/html");
  assertEquals(of("application/octet-stream", "README.MD"), "text/markdown");
  assertEquals(of("", "page.htm"), "text/html");
  assertEquals(of("image/svg+xml"), "text/plain");
});

Deno.test("detectMediaType: what was declared as PDF or image is never text", () => {
  for (const content of ["words", "<!doctype html><p>Not found", "\u00e4".repeat(9)]) {
    assertEquals(detectMediaType(bytes(content), { fileName: "a.PDF" }), "application/pdf");
    assertEquals(
      detectMediaType(bytes(content), { mediaType: "application/pdf" }),
      "application/pdf",
    );
    assertEquals(detectMediaType(bytes(content), { mediaType: "image/png" }), UNKNOWN_TYPE);
  }
});

Deno.test("detectMediaType: random bytes are not text under any name", () => {
  const random = seeded(17);
  for (let n = 0; n < 500; n++) {
    const noise = Uint8Array.from({ length: 256 + n }, () => Math.floor(random() * 256));
    const type = detectMediaType(noise, { fileName: n % 2 ? "a.txt" : "a.md" });
    assertEquals(type, UNKNOWN_TYPE);
  }
});

Deno.test("detectMediaType: comments before a page are skipped in one pass", () => {
  const comments = "<!---->".repeat(9_000);
  assertEquals(detectMediaType(bytes(`${comments}x`), {}), "text/plain");
  assertEquals(detectMediaType(bytes(`${comments}<html>`), {}), "text/html");
});
