import { assert, assertEquals } from "@std/assert";
import { brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { describeScript } from "../store/script_bundle.ts";
import { encodeScript } from "./encode_script.ts";

const script = await describeScript(new TextEncoder().encode("const answer = 42;\n".repeat(100)));
const codingFor = async (accepted: string | null) =>
  (await encodeScript(script, accepted)).headers["content-encoding"];

Deno.test("encodeScript: brotli before gzip, and only what the client names and does not exclude", async () => {
  const cases: [string | null, string | undefined][] = [
    ["gzip, deflate, br, zstd", "br"],
    ["gzip;q=1.0, br;q=0", "gzip"],
    ["BR", "br"],
    ["gzip;q=0.000, br; q=0.0", undefined],
    ["brotli, gzip2, *", undefined],
    ["", undefined],
    [null, undefined],
  ];
  for (const [accepted, coding] of cases) {
    assertEquals(await codingFor(accepted), coding, `${accepted}`);
  }
});

Deno.test("encodeScript: each coding is the same script, smaller, with its own tag", async () => {
  const plain = await encodeScript(script, null);
  const [br, gzip] = [await encodeScript(script, "br"), await encodeScript(script, "gzip")];
  assertEquals(plain.body, script.body);
  assertEquals(new Uint8Array(brotliDecompressSync(br.body)), script.body);
  assertEquals(new Uint8Array(gunzipSync(gzip.body)), script.body);
  assert(Math.max(br.body.length, gzip.body.length) < script.bytes / 4);
  const all = [plain, br, gzip].map(({ headers }) => headers);
  assertEquals(new Set(all.map(({ etag }) => etag)).size, 3);
  assertEquals(all.map(({ vary }) => vary), Array(3).fill("accept-encoding"));
  assertEquals((await encodeScript(script, "br")).body === br.body, true, "compressed once");
});

Deno.test("encodeScript: what the build has compressed is sent as it is", async () => {
  const built = new Uint8Array(gzipSync(script.body));
  const compressed = await describeScript(script.body, built);
  assertEquals((await encodeScript(compressed, "gzip")).body, built);
  assertEquals(await encodeScript(compressed, null), await encodeScript(script, null));
});
