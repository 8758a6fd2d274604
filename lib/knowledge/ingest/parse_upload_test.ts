import { assert, assertEquals } from "@std/assert";
import { parseUpload } from "./parse_upload.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const open = (body: Uint8Array<ArrayBuffer>, contentType = "application/json") =>
  parseUpload(body, { contentType, several: false });
const json = (value: unknown) => open(bytes(JSON.stringify(value)));

/** The encoded body of a form. */
async function form(files: File | File[], { title, several = false }: Form = {}) {
  const data = new FormData();
  for (const file of [files].flat()) data.append("file", file);
  if (title !== undefined) data.set("title", title);
  const sent = new Response(data);
  const contentType = sent.headers.get("content-type")!;
  return await parseUpload(await sent.bytes(), { contentType, several });
}

interface Form {
  title?: string | undefined;
  several?: boolean;
}

Deno.test("parseUpload: JSON and a form give the same document", async () => {
  const mediaType = "text/markdown" as const;
  const wanted = { uploads: [{ title: "T", bytes: bytes("# ä"), mediaType }] };
  assertEquals(await json({ title: "T", content: "# ä", mediaType }), wanted);
  assertEquals(await form(new File(["# ä"], "a.md"), { title: "T" }), wanted);
});

Deno.test("parseUpload: a file name becomes a title of one short line", async () => {
  const titleOf = async (name: string, title?: string) => {
    const opened = await form(new File(["x"], name), { title });
    assert("uploads" in opened);
    return opened.uploads[0]!.title;
  };
  assertEquals(await titleOf("a\tb.txt"), "a b.txt");
  assertEquals(await titleOf("a.txt", "  "), "a.txt");
  assertEquals(await titleOf("", " "), "Untitled");
  assertEquals((await titleOf(`${"👩".repeat(200)}.txt`)).length, 256);
});

Deno.test("parseUpload: every issue of a JSON body is reported", async () => {
  const paths = async (text: string) => {
    const opened = await open(bytes(text));
    assert("issues" in opened);
    return opened.issues.map(({ path }) => path);
  };
  assertEquals(await paths(""), [""]);
  assertEquals(await paths("null"), [""]);
  assertEquals(await paths('{"a":1,"b":2}'), ["title", "content", "a", "b"]);
  assertEquals(await paths('{"title":"T","content":"x","__proto__":{}}'), ["__proto__"]);
});

Deno.test("parseUpload: several files are accepted only if expected, and empty ones never", async () => {
  const [a, b] = [new File(["a"], "a.txt"), new File(["b"], "b.txt")];
  const opened = await form([a, b], { several: true });
  assert("uploads" in opened);
  assertEquals(opened.uploads.map(({ title }) => title), ["a.txt", "b.txt"]);
  const issues = [{ path: "file", code: "too_many", message: "one file a request" }];
  assertEquals(await form([a, b]), { issues });
  const empty = await form([a, new File([], "c.txt")], { several: true });
  assertEquals(empty, {
    issues: [{ path: "file", code: "too_small", message: "“c.txt” is empty" }],
  });
});
