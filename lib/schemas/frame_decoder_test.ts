import { assertEquals } from "@std/assert";
import type { Frame } from "./frames.ts";
import { FrameDecoder, SseDecoder } from "./frame_decoder.ts";

const RUN = "0b6c7a1e-57c3-4a52-9c1c-3d9a5a1f0e77";
const FRAMES: Frame[] = [
  { type: "delta", text: "Grüße, 世界 👋\n" },
  { type: "tool_call", name: "look", args: { q: "a\u2028b" } },
  { type: "tool_result", name: "look", output: [1, null] },
  { type: "done", finishReason: "stop" },
];

function encode(frames: Frame[], newline: string): Uint8Array {
  const lines = frames.flatMap((frame, index) => [
    `id: ${RUN}.${index + 1}`,
    `event: ${frame.type}`,
    `data: ${JSON.stringify(frame)}`,
    "",
  ]);
  return new TextEncoder().encode(["retry: 1500", "", ": ping", "", ...lines, ""].join(newline));
}

for (const [name, newline] of [["LF", "\n"], ["CRLF", "\r\n"], ["CR", "\r"]] as const) {
  Deno.test(`FrameDecoder: gives the same frames wherever a ${name} stream is split`, () => {
    const bytes = encode(FRAMES, newline);
    for (const size of [1, 2, 3, 5, 7, 64, bytes.length]) {
      const decoder = new FrameDecoder();
      const decoded = [];
      for (let at = 0; at < bytes.length; at += size) {
        decoded.push(...decoder.push(bytes.subarray(at, at + size)));
      }
      assertEquals(decoded.map((frame) => frame.data), FRAMES);
      assertEquals(decoded.map((frame) => frame.id), [1, 2, 3, 4].map((n) => `${RUN}.${n}`));
    }
  });
}

Deno.test("FrameDecoder: skips unknown types, invalid JSON and data other than objects", () => {
  const decoder = new FrameDecoder();
  const decoded = decoder.push(
    'data: {"type":"from_the_future","x":1}\n\ndata: {"type":"del\n\ndata: null\n\ndata: 7\n\n' +
      'data: {"type":"toString"}\n\ndata: {"type":"delta","text":"still here"}\n\n',
  );
  assertEquals(decoded.map((frame) => frame.data), [{ type: "delta", text: "still here" }]);
});

Deno.test("SseDecoder: joins data lines and strips at most one space", () => {
  const events = new SseDecoder().push("event: note\ndata:  two\ndata:three\ndata\n\n");
  assertEquals(events, [{ id: "", type: "note", data: " two\nthree\n" }]);
});

Deno.test("SseDecoder: keeps the last id for later events; unnamed events are message", () => {
  const events = new SseDecoder().push("id: 4\ndata: a\n\nid: 5\0\ndata: b\n\n");
  assertEquals(events, [
    { id: "4", type: "message", data: "a" },
    { id: "4", type: "message", data: "b" },
  ]);
});

Deno.test("SseDecoder: ignores comments, blocks without data and an incomplete end", () => {
  const decoder = new SseDecoder();
  assertEquals(decoder.push(": ping\n\nevent: empty\n\nretry: soon\n\ndata: never finished\n"), []);
});

Deno.test("SseDecoder: dispatches at a CR without waiting for a possible LF", () => {
  const decoder = new SseDecoder();
  assertEquals(decoder.push("data: a\r\r").length, 1);
  assertEquals(decoder.push("\ndata: b\r\n\r").map((event) => event.data), ["b"]);
  assertEquals(decoder.push("\n"), []);
});
