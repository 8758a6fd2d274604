/** Reading the feed of a hand-off by polls, where a proxy buffers streams: docs/protocol.md. */
import { setImmediate } from "node:timers";
import { assert, assertEquals } from "@std/assert";
import { expectError, expectInvalid } from "./support/expect_response.ts";
import { HANDOFF, Visitor } from "./support/handoffs.ts";
import { ManualClock } from "./support/manual_clock.ts";
import { openTestKv } from "./support/open_kv.ts";
import { TestService } from "./support/service.ts";
import { embed } from "./support/widget_calls.ts";

/** Turns of the event loop for each second of the clock. */
const TURNS = 500;
const EMPTY = ": ping\n\n";

async function open() {
  const clock = new ManualClock();
  const kv = await openTestKv();
  const service = await TestService.start({ runtime: clock.runtime, kv, keepKv: true });
  const { key, agent, sessionToken } = await embed(service, {
    handoff: { ...HANDOFF, answerWithinMinutes: 60 },
  });
  const visitor = new Visitor(service, { agent, sessionToken });
  await visitor.say("Hi");
  const { handoffs } = service.service;
  const { name } = (await handoffs.locate(await service.tenant(), visitor.id, {}))!;
  const take = () => handoffs.act(name, { type: "take", person: { id: "anna", name: "Anna" } });
  const say = (text: string) => handoffs.act(name, { type: "say", userId: "anna", text });
  const poll = (after: number, wait = "25") =>
    visitor.fetch(`stream?wait=${wait}`, {
      headers: { "last-event-id": `${visitor.id}.${after}` },
    });
  return {
    ...{ clock, service, key, visitor, handoffs, name, take, say, poll },
    async [Symbol.asyncDispose]() {
      await service[Symbol.asyncDispose]();
      kv.close();
    },
  };
}

Deno.test("GET …/conversations/:id/stream?wait: the events of the stream after every position, complete, then 204", async () => {
  await using fixture = await open();
  const { visitor, handoffs, name, take, say, poll } = fixture;
  assertEquals((await poll(0)).status, 204, "nobody was asked for");
  await visitor.ask();
  await take();
  for (const text of ["one", "two ☕"]) await say(text);
  await visitor.say("Not repeated");
  await handoffs.act(name, { type: "close" });
  const streamed = await (await visitor.fetch("stream")).text();
  const events = streamed.split("\n\n").slice(1, -1);
  assertEquals(events.length, 5);
  for (const [at, event] of events.entries()) {
    const n = Number(/^id: .*\.(\d+)$/m.exec(event)![1]);
    const polled = await poll(n - 1);
    const text = await polled.text();
    assertEquals(text, events.slice(at).map((one) => `${one}\n\n`).join(""));
    const { headers } = polled;
    assertEquals(headers.get("content-type"), "text/event-stream; charset=utf-8");
    assertEquals(headers.get("content-length"), `${new TextEncoder().encode(text).length}`);
    assertEquals(headers.get("transfer-encoding"), null);
  }
  const last = Number(/\.(\d+)$/m.exec(events.at(-1)!)![1]);
  assertEquals((await poll(last)).status, 204);
});

Deno.test("GET …/conversations/:id/stream?wait: waits for the next event or typing, and ends after that many seconds", async () => {
  await using fixture = await open();
  const { clock, visitor, handoffs, name, take, say, poll } = fixture;
  await visitor.ask();
  await take();
  const waiting = poll(2);
  // Its own message ends no wait.
  await visitor.say("Hello?");
  await say("There you are");
  const text = await (await waiting).text();
  assertEquals(text.match(/^event: .*/gm), ["event: message"]);
  let isAnswered = false;
  const typed = poll(4).finally(() => isAnswered = true);
  // A poll reports typing that begins while it waits.
  for (let turn = 0; !isAnswered; turn++) {
    // Seldom, so that its time is not up before it has begun to wait.
    if (turn % TURNS === 0) {
      await handoffs.recordTyping(name, "person");
      await clock.advance(1_000);
    }
    await new Promise<void>((wake) => setImmediate(wake));
  }
  const typing = await (await typed).text();
  assert(typing === `event: typing\ndata: {"type":"typing"}\n\n`, typing);
  isAnswered = false;
  const idle = poll(4, "7").finally(() => isAnswered = true);
  for (let turn = 0; !isAnswered; turn++) {
    if (turn % TURNS === 0) await clock.advance(1_000);
    await new Promise<void>((wake) => setImmediate(wake));
  }
  assertEquals(await (await idle).text(), EMPTY);
});

Deno.test("GET …/conversations/:id/stream?wait: ends with its session and with the conversation, and leaves its place", async () => {
  await using fixture = await open();
  const { clock, service, key, visitor, poll } = fixture;
  await visitor.ask();
  // More than an address may have open at a time.
  for (let n = 0; n < 101; n++) await (await poll(0)).body?.cancel();
  const waiting = poll(1, "20");
  await clock.asleepUntil(20_000);
  const init = { method: "DELETE", key, json: { sessionToken: visitor.sessionToken } };
  assertEquals((await service.fetch("/v1/widget/session", init)).status, 204);
  assertEquals(await (await waiting).text(), EMPTY);
  await expectError(await poll(1), "session_token_invalid");
});

Deno.test("GET …/conversations/:id/stream?wait: takes whole seconds from 1 to 25", async () => {
  await using fixture = await open();
  const { visitor, poll } = fixture;
  await visitor.ask();
  for (const wait of ["0", "26", "1.5", "", "x", "5&wait=5", "5&protocol=ag-ui"]) {
    await expectInvalid(await poll(0, wait), ["wait"]);
  }
});
