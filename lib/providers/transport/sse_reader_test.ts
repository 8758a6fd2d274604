import { assertEquals, assertThrows } from "@std/assert";
import { SseReader } from "./sse_reader.ts";
import { ProviderError } from "../provider_error.ts";

const encode = (text: string) => new TextEncoder().encode(text);

Deno.test("SseReader: an event split at any byte is the same event", () => {
  const bytes = encode("\uFEFFevent: x\r\ndata: a ü 🗼\r\n\r\n: c\n\ndata: b\ndata: c\n\n");
  for (let cut = 1; cut < bytes.length; cut++) {
    const events: string[] = [];
    const reader = new SseReader((data) => events.push(data));
    for (let at = 0; at < bytes.length; at += cut) reader.feed(bytes.subarray(at, at + cut));
    assertEquals(events, ["a ü 🗼", "b\nc"], `cut at ${cut}`);
  }
});

for (
  const [name, piece] of [
    ["on one line", "a".repeat(65_536)],
    ["on many lines", `data: ${"a".repeat(1000)}\n`],
  ] as const
) {
  Deno.test(`SseReader: an endless event ${name} is rejected after a mebibyte`, () => {
    const reader = new SseReader(() => {});
    reader.feed(encode("data: "));
    let fed = 0;
    assertThrows(() => {
      for (; fed < 2_000_000; fed += piece.length) reader.feed(encode(piece));
    }, ProviderError);
    assertEquals(fed < 1_200_000, true);
  });
}

Deno.test("SseReader: endless bytes without an event are not buffered", () => {
  const events: string[] = [];
  const reader = new SseReader((data) => events.push(data));
  const noise = encode("<p>".repeat(20_000));
  for (let n = 0; n < 100; n++) reader.feed(noise);
  reader.feed(encode("\n\ndata: after\n\n"));
  assertEquals(events, ["after"]);
});
