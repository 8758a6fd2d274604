import { ServerSentEventParseStream } from "@std/http/server-sent-event-parse-stream";
import { assertEquals } from "@std/assert";

function read(
  chunks: Uint8Array[],
  options: { ignoreComments?: boolean } = {},
) {
  return Array.fromAsync(
    ReadableStream.from(chunks).pipeThrough(
      new ServerSentEventParseStream(options),
    ),
  );
}

const bytes = (text: string) => new TextEncoder().encode(text);

Deno.test("ServerSentEventParseStream: parses the same for any chunks", async () => {
  const all = bytes(
    ":c\r\nevent: e\r\ndata: ä1\r\ndata:\r\nid: 7\r\nretry: 20\r\n\r\ndata: last\r\n\r\n",
  );
  const expected = [
    { comment: "c", event: "e", data: "ä1\n", id: "7", retry: 20 },
    { data: "last" },
  ];
  for (let cut = 0; cut <= all.length; cut++) {
    assertEquals(
      await read([all.slice(0, cut), all.slice(cut)]),
      expected,
      `cut at ${cut}`,
    );
  }
});

Deno.test("ServerSentEventParseStream: ignores what the standard ignores", async () => {
  assertEquals(
    await read([bytes("nonsense: 1\n\nid: a\0b\n\nretry: 1s\n\n\n\n")]),
    [],
  );
  assertEquals(await read([bytes("data\n\n")]), [{ data: "" }]);
});

Deno.test("ServerSentEventParseStream: can ignore comments", async () => {
  const stream = bytes(": ping\n\n: x\ndata: 1\n\n");
  assertEquals(await read([stream]), [{ comment: " ping" }, {
    comment: " x",
    data: "1",
  }]);
  assertEquals(await read([stream], { ignoreComments: true }), [{ data: "1" }]);
});

Deno.test("ServerSentEventParseStream: emits an incomplete message at the end", async () => {
  assertEquals(await read([bytes("data: a\n\ndata: half")]), [{ data: "a" }, {
    data: "half",
  }]);
  assertEquals(await read([bytes("data: a\r")]), [{ data: "a" }]);
});
