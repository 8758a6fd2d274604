import { assertEquals, assertThrows } from "@std/assert";
import {
  HttpResponseParser,
  InvalidResponseError,
  type ResponseHead,
} from "./http_response_parser.ts";

const bytesOf = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

/** Feeds the parts one after the other, and then the end of the connection if `closes`. */
function parse(parts: readonly string[], { closes = false } = {}) {
  const heads: ResponseHead[] = [];
  const body: string[] = [];
  let ended = 0;
  const parser = new HttpResponseParser({
    onHead: (head) => heads.push({ ...head, headers: { ...head.headers } }),
    onBody: (bytes) => body.push(new TextDecoder("latin1").decode(bytes)),
    onEnd: () => ended++,
  });
  for (const part of parts) parser.feed(bytesOf(part));
  if (closes) parser.feedEnd();
  return { heads, body, ended, isReusable: parser.isReusable };
}

const CHUNKED =
  "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nX-Twice: a\r\nx-twice: b\r\n\r\n" +
  "3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: t\r\n\r\n";

Deno.test("HttpResponseParser: joins the chunks of one read to one body", () => {
  assertEquals(parse([CHUNKED]), {
    heads: [{ status: 200, headers: { "transfer-encoding": "chunked", "x-twice": "a, b" } }],
    body: ["abc0123456789"],
    ended: 1,
    isReusable: true,
  });
});

Deno.test("HttpResponseParser: reads the same wherever the bytes are cut", () => {
  const whole = parse([CHUNKED]);
  for (let first = 1; first < CHUNKED.length - 1; first++) {
    const parts = [
      CHUNKED.slice(0, first),
      CHUNKED.slice(first, first + 1),
      CHUNKED.slice(first + 1),
    ];
    const cut = parse(parts);
    assertEquals({ ...cut, body: [cut.body.join("")] }, whole);
  }
  const single = parse([...CHUNKED]);
  assertEquals({ ...single, body: [single.body.join("")] }, whole);
});

Deno.test("HttpResponseParser: a body with a length, without one, and none at all", () => {
  const read = (text: string, closes = false) => {
    const { body, ended, isReusable } = parse([text], { closes });
    return [body.join(""), ended, isReusable];
  };
  assertEquals(read("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nabc"), ["abc", 1, true]);
  assertEquals(read("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"), ["", 1, true]);
  assertEquals(read("HTTP/1.1 204 No Content\r\n\r\n"), ["", 1, true]);
  assertEquals(read("HTTP/1.1 304\r\ncontent-length: 9\r\n\r\n"), ["", 1, true]);
  assertEquals(read("HTTP/1.1 200 OK\r\n\r\nabc"), ["abc", 0, false]);
  assertEquals(read("HTTP/1.1 200 OK\r\n\r\nabc", true), ["abc", 1, false]);
});

Deno.test("HttpResponseParser: informational responses precede the real one", () => {
  const early = "HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n";
  const { heads, ended } = parse([`${early}HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n`]);
  assertEquals(heads, [{ status: 200, headers: { "content-length": "0" } }]);
  assertEquals(ended, 1);
});

Deno.test("HttpResponseParser: a connection is not used again if anything speaks against it", () => {
  const answers = [
    "HTTP/1.0 200 OK\r\ncontent-length: 1\r\n\r\na",
    "HTTP/1.1 200 OK\r\ncontent-length: 1\r\nconnection: Close\r\n\r\na",
    "HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab",
  ];
  for (const answer of answers) {
    const { body, ended, isReusable } = parse([answer]);
    assertEquals([body, ended, isReusable], [["a"], 1, false], answer);
  }
});

Deno.test("HttpResponseParser: rejects what two readers could understand differently", () => {
  const head = "HTTP/1.1 200 OK\r\n";
  const chunked = `${head}transfer-encoding: chunked\r\n\r\n`;
  const wrong = [
    "nonsense\r\n\r\n",
    "HTTP/2 200 OK\r\n\r\n",
    "HTTP/1.1 20 OK\r\n\r\n",
    "HTTP/1.1 600 OK\r\n\r\n",
    "HTTP/1.1 101 Switching\r\n\r\n",
    "HTTP/1.1 200 OK\n\n",
    `${head}no colon\r\n\r\n`,
    `${head}space : a\r\n\r\n`,
    `${head}a: b\r\n folded\r\n\r\n`,
    `${head}a: b\rc\r\n\r\n`,
    `${head}a: b\0c\r\n\r\n`,
    `${head}content-length: 1\r\ncontent-length: 1\r\n\r\na`,
    `${head}content-length: 1\r\ntransfer-encoding: chunked\r\n\r\na`,
    `${head}content-length: -1\r\n\r\n`,
    `${head}content-length: 0x10\r\n\r\n`,
    `${head}content-length: 1, 1\r\n\r\n`,
    `${head}transfer-encoding: gzip, chunked\r\n\r\n`,
    `${chunked}g\r\n`,
    `${chunked}\r\n`,
    `${chunked}-1\r\n`,
    `${chunked}fffffffff\r\n`,
    `${chunked}1\nab`,
    `${chunked}1\r\nab\r\n`,
    `${chunked}0\r\nno trailer\r\n\r\n`,
    `${chunked}1;${"x".repeat(2_000)}`,
    `${head}a: ${"x".repeat(70_000)}`,
    `${chunked}0\r\na: ${"x".repeat(70_000)}`,
  ];
  for (const text of wrong) {
    assertThrows(() => parse([text]), InvalidResponseError, "not valid", text.slice(0, 80));
  }
});

Deno.test("HttpResponseParser: the body before a mistake is delivered", () => {
  const body: string[] = [];
  const parser = new HttpResponseParser({
    onHead: () => {},
    onBody: (bytes) => body.push(new TextDecoder().decode(bytes)),
    onEnd: () => {},
  });
  const text = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\nxyz\r\n";
  assertThrows(() => parser.feed(bytesOf(text)), InvalidResponseError);
  assertEquals(body, ["abc"]);
});

Deno.test("HttpResponseParser: an end within a response is an error", () => {
  for (const text of ["", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\na"]) {
    assertThrows(() => parse([text], { closes: true }), InvalidResponseError, "incomplete");
  }
});
