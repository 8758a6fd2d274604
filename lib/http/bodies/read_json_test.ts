import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeRuntime } from "@/tests/support/fake_runtime.ts";
import { ApiError } from "../../schemas/api_error.ts";
import { parseJson, readJsonText } from "./read_json.ts";

const MIB = 1_048_576;
const JSON_TYPE = { "content-type": "application/json" };

function post(body: BodyInit | null, headers: Record<string, string> = JSON_TYPE): Request {
  return new Request("http://127.0.0.1/", { method: "POST", body, headers });
}

function streamOf(...chunks: Uint8Array<ArrayBuffer>[]): ReadableStream<Uint8Array<ArrayBuffer>> {
  return ReadableStream.from(chunks);
}

/** The rejection of a body; fails if it is accepted. */
async function refusal(req: Request, runtime = new FakeRuntime()): Promise<ApiError> {
  return await assertRejects(() => readJsonText(req, runtime), ApiError);
}

function issueCode(error: ApiError): unknown {
  return (error.details?.issues as { code: string }[])[0]?.code;
}

Deno.test("readJsonText: returns the text, whatever the parameters of the content type", async () => {
  const runtime = new FakeRuntime();
  assertEquals(await readJsonText(post('{"a":"é"}'), runtime), '{"a":"é"}');
  const headers = { "content-type": "Application/JSON ; charset=utf-8" };
  assertEquals(await readJsonText(post("[]", headers), runtime), "[]");
  assertEquals(runtime.sleeping, 0);
});

Deno.test("readJsonText: joins chunks that split a character", async () => {
  const bytes = new TextEncoder().encode('"é"');
  const req = post(streamOf(bytes.slice(0, 2), bytes.slice(2)));
  assertEquals(await readJsonText(req, new FakeRuntime()), '"é"');
});

Deno.test("readJsonText: a missing or empty body is empty, whatever its type", async () => {
  const runtime = new FakeRuntime();
  assertEquals(await readJsonText(post(null, {}), runtime), "");
  assertEquals(await readJsonText(post("", { "content-type": "text/plain" }), runtime), "");
  assertEquals(await readJsonText(post(streamOf(), { "content-type": "text/plain" }), runtime), "");
});

Deno.test("readJsonText: another content type is 415, with or without a declared length", async () => {
  for (const type of ["text/plain", "application/jsonp", "multipart/form-data; boundary=x"]) {
    const headers = { "content-type": type };
    assertEquals((await refusal(post("{}", headers))).status, 415);
    assertEquals((await refusal(post("{}", { ...headers, "content-length": "2" }))).status, 415);
    const chunk = new TextEncoder().encode("{}");
    assertEquals((await refusal(post(streamOf(chunk), headers))).status, 415);
  }
  assertEquals((await refusal(post(streamOf(new Uint8Array([123])), {}))).status, 415);
});

Deno.test("readJsonText: accepts exactly 1 MiB; a larger declared length is 413", async () => {
  const text = await readJsonText(post("x".repeat(MIB)), new FakeRuntime());
  assertEquals(text.length, MIB);
  const headers = { ...JSON_TYPE, "content-length": String(MIB + 1) };
  assertEquals((await refusal(post("{}", headers))).status, 413);
});

Deno.test("readJsonText: stops reading at 1 MiB with 413", async () => {
  let drawn = 0;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: (controller) => {
      drawn++;
      controller.enqueue(new Uint8Array(MIB / 4));
    },
    cancel: () => {
      cancelled = true;
    },
  }, { highWaterMark: 0 });
  const runtime = new FakeRuntime();
  assertEquals((await refusal(post(body), runtime)).status, 413);
  assertEquals([drawn, cancelled, runtime.sleeping], [5, true, 0]);
});

Deno.test("readJsonText: rejects and cancels a body that stalls for 10 s", async () => {
  let cancelled = false;
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => controller.enqueue(new Uint8Array([123])),
    cancel: () => {
      cancelled = true;
    },
  });
  const runtime = new FakeRuntime();
  const refused = refusal(post(body), runtime);
  await runtime.advance(10_000);
  assertEquals(issueCode(await refused), "body_timeout");
  assertEquals(cancelled, true);
});

Deno.test("readJsonText: invalid UTF-8 is 400", async () => {
  const error = await refusal(post(new Uint8Array([34, 0xff, 34])));
  assertEquals([error.status, issueCode(error)], [400, "invalid_encoding"]);
});

Deno.test("parseJson: invalid JSON is 400, with its own message for a missing body", () => {
  assertEquals(parseJson('{"a":1}'), { a: 1 });
  const broken = assertThrows(() => parseJson("{"), ApiError);
  assertEquals([broken.status, issueCode(broken)], [400, "invalid_json"]);
  assertThrows(() => parseJson(""), ApiError, "a JSON body is required");
});

Deno.test("readJsonText: a compressed body is 415; identity is accepted", async () => {
  for (const coding of ["gzip", "br", "gzip, identity"]) {
    const error = await refusal(post("{}", { ...JSON_TYPE, "content-encoding": coding }));
    assertEquals([error.status, error.message], [415, "send the body without content-encoding"]);
  }
  const plain = post("{}", { ...JSON_TYPE, "content-encoding": "Identity" });
  assertEquals(await readJsonText(plain, new FakeRuntime()), "{}");
});
