import {
  type ServerSentEventMessage,
  ServerSentEventStream,
} from "@std/http/server-sent-event-stream";
import { ServerSentEventParseStream } from "@std/http/server-sent-event-parse-stream";
import { assertEquals, assertRejects } from "@std/assert";

function write(messages: ServerSentEventMessage[]): ReadableStream<Uint8Array> {
  return ReadableStream.from(messages).pipeThrough(new ServerSentEventStream());
}

function written(messages: ServerSentEventMessage[]): Promise<string> {
  return new Response(write(messages) as BodyInit).text();
}

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

Deno.test("ServerSentEventStream: fields are written in a fixed order and end in a blank line", async () => {
  assertEquals(
    await written([{
      retry: 1500,
      id: "run.1",
      data: "{}",
      event: "start",
      comment: "hi",
    }]),
    ":hi\nevent:start\ndata:{}\nid:run.1\nretry:1500\n\n",
  );
  assertEquals(
    await written([{ id: 0, data: "" }, { comment: " ping" }]),
    "data:\nid:0\n\n: ping\n\n",
  );
});

Deno.test("ServerSentEventStream: each line of the data gets its own field", async () => {
  assertEquals(
    await written([{ data: "a\nb\r\nc\rd" }]),
    "data:a\ndata:b\ndata:c\ndata:d\n\n",
  );
});

Deno.test("ServerSentEventStream: a newline in event or id cannot forge a field", async () => {
  await assertRejects(
    () => written([{ event: "a\ndata:x" }]),
    SyntaxError,
    "message.event",
  );
  await assertRejects(
    () => written([{ id: "1\rretry:0" }]),
    SyntaxError,
    "message.id",
  );
});

Deno.test("ServerSentEventParseStream: any cut of the bytes reads the same", async () => {
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

Deno.test("ServerSentEventParseStream: what the standard says to ignore is ignored", async () => {
  assertEquals(
    await read([bytes("nonsense: 1\n\nid: a\0b\n\nretry: 1s\n\n\n\n")]),
    [],
  );
  assertEquals(await read([bytes("data\n\n")]), [{ data: "" }]);
});

Deno.test("ServerSentEventParseStream: comments can be left out", async () => {
  const stream = bytes(": ping\n\n: x\ndata: 1\n\n");
  assertEquals(await read([stream]), [{ comment: " ping" }, {
    comment: " x",
    data: "1",
  }]);
  assertEquals(await read([stream], { ignoreComments: true }), [{ data: "1" }]);
});

Deno.test("ServerSentEventParseStream: what was written comes back", async () => {
  const messages = [{ event: "delta", data: '{"text":"a\\nb"}', id: "r.2" }, {
    data: "x\ny",
  }];
  const back = await Array.fromAsync(
    write(messages).pipeThrough(new ServerSentEventParseStream()),
  );
  assertEquals(back, messages);
});

Deno.test("ServerSentEventParseStream: a message cut short at the end is passed on", async () => {
  assertEquals(await read([bytes("data: a\n\ndata: half")]), [{ data: "a" }, {
    data: "half",
  }]);
  assertEquals(await read([bytes("data: a\r")]), [{ data: "a" }]);
});
