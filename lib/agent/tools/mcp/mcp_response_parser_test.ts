import { assertEquals, assertThrows } from "@std/assert";
import { EgressError } from "../../../egress/egress_error.ts";
import { McpResponseParser } from "./mcp_response_parser.ts";

const ASKED = { id: 7, method: "tools/call" };
const ANSWER = { jsonrpc: "2.0", id: 7, result: { content: [] } };
const PING = { jsonrpc: "2.0", id: "p", method: "ping" };
const NOTE = { jsonrpc: "2.0", method: "notifications/message", params: {} };

const bytes = (text: string) => new TextEncoder().encode(text);
const event = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;

/** The output for a stream in these chunks. */
function ofStream(...pieces: string[]): string[] {
  const reader = new McpResponseParser(ASKED, true);
  const out = pieces.map((piece) => reader.feed(bytes(piece)));
  return [...out, reader.end()].filter((text) => text !== "");
}

/** The output for a JSON text. */
function ofJson(value: unknown): unknown {
  const reader = new McpResponseParser(ASKED, false);
  assertEquals(reader.feed(bytes(JSON.stringify(value))), "");
  return JSON.parse(reader.end());
}

for (
  const [what, noise] of [
    ["unknown fields", "x\n"],
    ["unknown fields with values", "x:1\r"],
    ["empty lines", "\r"],
    ["comments", ": ping\n\n"],
    ["waits that are none", "retry:x\n"],
    ["ids without an event", "id: 1\n\n"],
    ["events of another kind", "event: y\ndata: 1\n\n"],
    ["notifications", event(NOTE)],
    ["answers to other requests", event({ ...ANSWER, id: 8 })],
    ["invalid JSON", "data: {\n\n"],
  ] as const
) {
  Deno.test(`McpResponseParser: a stream with ${what} yields only the response`, () => {
    const before = `${noise}`.repeat(500) + "\n\n";
    assertEquals(ofStream(before + event(ANSWER) + before), [event(ANSWER)]);
  });
}

Deno.test("McpResponseParser: events are complete, however small the chunks are", () => {
  const text = `: hello\r\nevent: message\r\n${event(PING)}id: e1\n${event(ANSWER)}`;
  const whole = event(PING) + "id: e1\ndata: \n\n" + event(ANSWER);
  assertEquals(ofStream(text), [whole]);
  const pieces = ofStream(...text);
  assertEquals([pieces.length, pieces.join("")], [2, whole]);
  const lines = JSON.stringify(ANSWER, null, 1).split("\n").map((line) => `data: ${line}\n`);
  assertEquals(ofStream(...lines, "\n"), [event(ANSWER)]);
});

Deno.test("McpResponseParser: a batch yields its relevant messages", () => {
  assertEquals(ofStream(event([NOTE, PING, ANSWER, PING])), [event(PING) + event(ANSWER)]);
  assertEquals(ofJson([NOTE, PING, ANSWER, PING]), [PING, ANSWER]);
  assertEquals(ofJson(ANSWER), [ANSWER]);
});

Deno.test("McpResponseParser: properties that the library rejects are removed", () => {
  assertEquals(ofJson({ ...ANSWER, id: "7", took: 3, result: { content: [], _meta: 1 } }), [
    ANSWER,
  ]);
  assertEquals(ofJson([{ ...PING, params: "none" }, ANSWER]), [PING, ANSWER]);
  const error = { code: -32_601, message: "no such tool" };
  const answer = { jsonrpc: "2.0", id: 7, error };
  assertEquals(ofJson({ ...answer, error: { ...error, data: [] } }), [answer]);
});

Deno.test("McpResponseParser: rejects more than 2,000 messages in events or batches", () => {
  const notes = (n: number) => Array.from({ length: n }, () => NOTE);
  const tooMany = (read: () => unknown) =>
    assertEquals(assertThrows(read, EgressError).code, "tool_response_too_large");
  assertEquals(ofJson([...notes(1_999), ANSWER]), [ANSWER]);
  tooMany(() => ofJson([...notes(2_000), ANSWER]));
  assertEquals(ofStream(...notes(1_999).map(event), event(ANSWER)), [event(ANSWER)]);
  tooMany(() => ofStream(...notes(2_001).map(event), event(ANSWER)));
  tooMany(() => ofStream("data: \n\n".repeat(2_001)));
  tooMany(() => ofStream(event(notes(1_000)), event(notes(1_001))));
});

Deno.test("McpResponseParser: a stream can be resumed from an id that fits in a header", () => {
  const idOf = (text: string) => {
    const reader = new McpResponseParser(ASKED, true);
    reader.feed(bytes(text));
    return reader.lastEventId;
  };
  assertEquals(idOf("id: e1\ndata: \n\nid: e 2\ndata: \n\n"), "e 2");
  for (const id of ["", "\u00e9", "a\tb", "x".repeat(1_025)]) {
    assertEquals(idOf(`id: ${id}\ndata: \n\n`), undefined);
  }
  assertEquals(ofStream("retry: 5\nretry: 99999999999\nid: e1\ndata: \n\n"), [
    "id: e1\ndata: \n\n",
    "retry: 30000\n\n",
  ]);
  const message = "the server ended its answer without a result";
  assertThrows(() => ofStream(event(NOTE)), EgressError, message);
});
