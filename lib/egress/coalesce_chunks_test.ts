import { assertEquals, assertRejects } from "@std/assert";
import { Readable } from "node:stream";
import { EgressError } from "./egress_error.ts";
import { coalesceChunks } from "./coalesce_chunks.ts";

const BOUNDS = { maxBytes: 1_000_000 };
const BYTE = new Uint8Array(1);

function source(): Readable {
  return new Readable({ read() {} });
}

function push(stream: Readable, chunks: number): void {
  for (let n = 0; n < chunks; n++) stream.push(BYTE);
}

/** Sizes of all pieces, and the error at the end. */
async function drain(pieces: AsyncIterable<Uint8Array>): Promise<[number[], string]> {
  const sizes: number[] = [];
  try {
    for await (const piece of pieces) sizes.push(piece.length);
    return [sizes, "end"];
  } catch (error) {
    return [sizes, error instanceof EgressError ? error.message : "broken"];
  }
}

Deno.test("coalesceChunks: all chunks since the last read form one piece", async () => {
  const stream = source();
  const pieces = coalesceChunks(stream, BOUNDS);
  push(stream, 10_000);
  assertEquals((await pieces.next()).value?.length, 10_000);
  push(stream, 3);
  stream.push(null);
  assertEquals(await drain(pieces), [[3], "end"]);
});

Deno.test("coalesceChunks: a chunk resolves a waiting read at once", async () => {
  const stream = source();
  const pieces = coalesceChunks(stream, BOUNDS);
  for (let event = 0; event < 2_000; event++) {
    const next = pieces.next();
    push(stream, 4);
    assertEquals((await next).value?.length, 4);
  }
  stream.push(null);
  assertEquals(await drain(pieces), [[], "end"]);
});

Deno.test("coalesceChunks: one chunk too many ends the stream after the data before it", async () => {
  const stream = source();
  const pieces = coalesceChunks(stream, { ...BOUNDS, maxChunks: 10 });
  push(stream, 11);
  assertEquals(stream.destroyed, true);
  assertEquals(await drain(pieces), [[10], "the response comes in more than 10 chunks"]);
});

Deno.test("coalesceChunks: one byte too many ends the stream after the data before it", async () => {
  const stream = source();
  const pieces = coalesceChunks(stream, { maxBytes: 5 });
  stream.push(new Uint8Array(3));
  stream.push(new Uint8Array(3));
  assertEquals(stream.destroyed, true);
  assertEquals(await drain(pieces), [[5], "the response is larger than 5 bytes"]);
  const exact = source();
  const whole = coalesceChunks(exact, { maxBytes: 5 });
  push(exact, 5);
  exact.push(null);
  assertEquals(await drain(whole), [[5], "end"]);
});

Deno.test("coalesceChunks: an error of the source reaches the reader, even a late one", async () => {
  const stream = source().on("error", () => {});
  const pieces = coalesceChunks(stream, BOUNDS);
  const waiting = pieces.next();
  stream.destroy(new Error("reset"));
  await assertRejects(() => waiting, Error, "reset");
  const cut = source();
  const late = coalesceChunks(cut, BOUNDS);
  push(cut, 2);
  cut.destroy();
  assertEquals(await drain(late), [[2], "broken"]);
});

Deno.test("coalesceChunks: a reader that stops destroys the source", async () => {
  const stream = source();
  push(stream, 1);
  for await (const _piece of coalesceChunks(stream, BOUNDS)) break;
  assertEquals(stream.destroyed, true);
});
