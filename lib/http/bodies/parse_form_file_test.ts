import { assertEquals } from "@std/assert";
import { parseFormFile } from "./parse_form_file.ts";

const TYPE = "multipart/form-data; boundary=x";

function parse(text: string, type = TYPE) {
  const found = parseFormFile(new TextEncoder().encode(text), type);
  return "issue" in found ? found.issue : [found.name, new TextDecoder().decode(found.bytes)];
}

function form(name: string, content: string): string {
  return `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n` +
    `Content-Type: image/png\r\n\r\n${content}\r\n--x--\r\n`;
}

Deno.test("parseFormFile: reads what a browser sends", async () => {
  const body = new FormData();
  body.set("file", new File(["a\r\n--y\r\nb"], 'C:\\x\\Ü "1".png'));
  const sent = new Request("http://localhost", { method: "POST", body });
  const bytes = await sent.clone().bytes();
  const found = parseFormFile(bytes, sent.headers.get("content-type")!);
  if ("issue" in found) throw new Error(found.issue);
  assertEquals(new TextDecoder().decode(found.bytes), "a\r\n--y\r\nb");
  assertEquals(found.name, 'Ü "1".png');
});

Deno.test("parseFormFile: a file name loses folders, control characters and excess length", () => {
  assertEquals(parse(form("../../etc/passwd", "")), ["passwd", ""]);
  assertEquals(parse(form("a\tb\u202egnp.exe", "")), ["a b gnp.exe", ""]);
  assertEquals(parse(form("", "1")), [undefined, "1"]);
  assertEquals(parse(form("n".repeat(300), "1"))[0]!.length, 128);
});

Deno.test("parseFormFile: rejects everything but one whole file", () => {
  const malformed = "is not valid multipart/form-data";
  assertEquals(parse(""), malformed);
  assertEquals(parse("--x\r\n"), malformed);
  assertEquals(parse(form("a", "1").replace("--x--", "--x")), "send one file and nothing else");
  assertEquals(parse(`preamble\r\n${form("a", "1")}`), malformed);
  assertEquals(parse(`${form("a", "1")}epilogue`), malformed);
  assertEquals(parse(form("a", "1").slice(0, -8)), malformed);
  assertEquals(parse(form("a", "1"), "multipart/form-data"), "the content type has no boundary");
  const field = form("a", "1").replace('name="file"', 'name="other"');
  assertEquals(parse(field), "send a file in the field `file`");
  const text = form("a", "1").replace('; filename="a"', "");
  assertEquals(parse(text), "send a file in the field `file`");
  assertEquals(parse(form("a", "1").replace("image/png", "x".repeat(5_000))), malformed);
});
