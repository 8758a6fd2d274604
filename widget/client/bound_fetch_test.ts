import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { buildSync } from "esbuild";
import { gzipSync } from "node:zlib";
import { verifyDpopProof } from "../../lib/platform/crypto/dpop_proof.ts";
import { keyThumbprint } from "../../packages/client/src/bind.ts";
import { boundFetch } from "./bound_fetch.ts";

const MAX_GZIP_BYTES = 900;
const URL = "https://chat.example/v1/chat/stream";
const TOKEN = "cs_token";
const POST = { method: "POST", headers: { "X-Service-Session": TOKEN }, body: "{}" };

/** Answers in order, then 200, each with its nonce. */
function setUp(...answers: { status?: number; nonce?: string }[]) {
  const sent: { url: string; init: RequestInit; proof: string | null }[] = [];
  const bound = boundFetch((input, init = {}) => {
    const { status = 200, nonce } = answers.shift() ?? {};
    const proof = new Headers(init.headers).get("dpop");
    sent.push({ url: String(input), init, proof });
    const headers = nonce === undefined ? {} : { "dpop-nonce": nonce };
    return Promise.resolve(new Response("", { status, headers }));
  });
  const verify = (n: number, path = "/v1/chat/stream", method = "POST") =>
    verifyDpopProof(sent[n]!.proof!, { method, path, token: TOKEN });
  return { bound, sent, verify };
}

Deno.test("boundFetch: a call of a session has a valid proof, and is otherwise unchanged", async () => {
  const { bound, sent, verify } = setUp();
  const { signal } = new AbortController();
  await bound(`${URL}?wait=1#x`, { ...POST, signal });
  const { url, init } = sent[0]!;
  assertEquals([url, init.method, init.body], [`${URL}?wait=1#x`, "POST", "{}"]);
  assertEquals(init.signal, signal);
  assertEquals(new Headers(init.headers).get("x-service-session"), TOKEN);
  const proof = await verify(0);
  assertEquals(proof?.jkt, await keyThumbprint());
  assertEquals(proof?.nonce, undefined);
  await bound("https://chat.example/v1/chat/limits", { headers: POST.headers });
  assertEquals((await verify(1, "/v1/chat/limits", "GET"))?.jkt, proof?.jkt);
});

Deno.test("boundFetch: a call without a session passes as it is", async () => {
  const { bound, sent } = setUp({ status: 401, nonce: "n" });
  const init = { method: "POST", cache: "no-store" as const };
  assertEquals((await bound("https://shop.example/mint", init)).status, 401);
  assertEquals(sent, [{ url: "https://shop.example/mint", init, proof: null }]);
});

Deno.test("boundFetch: a missing nonce is added in one repetition, with a new proof, and kept", async () => {
  const { bound, sent, verify } = setUp({ status: 401, nonce: "one" }, { nonce: "one" });
  assertEquals((await bound(URL, POST)).status, 200);
  await bound(URL, POST);
  assertEquals(sent.map(({ init }) => init.body), ["{}", "{}", "{}"]);
  const proofs = await Promise.all([0, 1, 2].map((n) => verify(n)));
  assertEquals(proofs.map((proof) => proof?.nonce), [undefined, "one", "one"]);
  assertEquals(new Set(proofs.map((proof) => proof?.jti)).size, 3);
});

Deno.test("boundFetch: a 401 is passed on if its nonce was used, or after one repetition", async () => {
  const rejected = { status: 401, nonce: "one" };
  const { bound, sent } = setUp({ nonce: "one" }, rejected, { status: 401, nonce: "two" }, {
    ...{ status: 401, nonce: "three" },
  });
  await bound(URL, POST);
  assertEquals((await bound(URL, POST)).status, 401);
  assertEquals(sent.length, 2);
  assertEquals((await bound(URL, POST)).status, 401);
  assertEquals(sent.length, 4);
});

Deno.test("boundFetch: calls at the same time use one key", async () => {
  const { bound, verify } = setUp();
  const other = setUp();
  await Promise.all([bound(URL, POST), bound(URL, POST), other.bound(URL, POST)]);
  const all = await Promise.all([verify(0), verify(1), other.verify(0)]);
  assertEquals(new Set(all.map((proof) => proof?.jkt)).size, 1);
  assertNotEquals(all[0], undefined);
});

Deno.test(`boundFetch: the module has at most ${MAX_GZIP_BYTES} bytes of gzip`, () => {
  const { outputFiles: [file] } = buildSync({
    stdin: {
      contents: 'export { boundFetch } from "./bound_fetch.ts"',
      resolveDir: new globalThis.URL(".", import.meta.url).pathname,
      loader: "ts",
    },
    ...{ bundle: true, write: false, minify: true, format: "esm", target: "es2022" },
    tsconfigRaw: {},
  });
  const bytes = gzipSync(file!.contents).length;
  assert(bytes <= MAX_GZIP_BYTES, String(bytes));
});

Deno.test("bind.d.ts: declares what bind.ts exports", async () => {
  const declared: typeof import("../../packages/client/src/bind.d.ts") = await import(
    "../../packages/client/src/bind.ts"
  );
  assertEquals(Object.keys(declared).toSorted(), ["boundFetch", "keyThumbprint"]);
});
