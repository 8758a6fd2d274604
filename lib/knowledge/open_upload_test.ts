import { assert, assertEquals } from "@std/assert";
import { openUpload } from "./open_upload.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const json = (value: unknown) => openUpload(bytes(JSON.stringify(value)), "application/json");

/** A form as it is sent. */
async function form(file: File, title?: string) {
  const data = new FormData();
  data.set("file", file);
  if (title !== undefined) data.set("title", title);
  const sent = new Response(data);
  return await openUpload(await sent.bytes(), sent.headers.get("content-type")!);
}

Deno.test("openUpload: JSON and a form make the same document", async () => {
  const mediaType = "text/markdown" as const;
  const wanted = { upload: { title: "T", bytes: bytes("# ä"), mediaType } };
  assertEquals(await json({ title: "T", content: "# ä", mediaType }), wanted);
  assertEquals(await form(new File(["# ä"], "a.md"), "T"), wanted);
});

Deno.test("openUpload: a file's name becomes a title that is one short line", async () => {
  const titleOf = async (name: string, title?: string) => {
    const opened = await form(new File(["x"], name), title);
    assert("upload" in opened);
    return opened.upload.title;
  };
  assertEquals(await titleOf("a\tb.txt"), "a b.txt");
  assertEquals(await titleOf("a.txt", "  "), "a.txt");
  assertEquals(await titleOf("", " "), "Untitled");
  assertEquals((await titleOf(`${"👩".repeat(200)}.txt`)).length, 256);
});

Deno.test("openUpload: every fault of JSON is named", async () => {
  const paths = async (text: string) => {
    const opened = await openUpload(bytes(text), "application/json");
    assert("faults" in opened);
    return opened.faults.map(({ path }) => path);
  };
  assertEquals(await paths(""), [""]);
  assertEquals(await paths("null"), [""]);
  assertEquals(await paths('{"a":1,"b":2}'), ["title", "content", "a", "b"]);
  assertEquals(await paths('{"title":"T","content":"x","__proto__":{}}'), ["__proto__"]);
});
