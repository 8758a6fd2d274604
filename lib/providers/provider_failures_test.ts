/** Error responses, broken streams and garbage in each protocol, over real sockets. */
import { assert, assertEquals, assertInstanceOf } from "@std/assert";
import type { Script } from "@/tests/support/mock_providers/script.ts";
import {
  type Answer,
  KEYS,
  onlyEvent,
  PROTOCOLS,
  ProviderConnections,
} from "@/tests/support/provider_connections.ts";
import { ModelError } from "./model.ts";

const THREE = [1, 2, 3];

/** Asserts a failure before any output, after which a fallback may be tried. */
function assertRefused(answer: Answer, code: ModelError["code"]): void {
  assertInstanceOf(answer.error, ModelError);
  assertEquals([answer.error.code, answer.accepted, answer.events], [code, false, []]);
}

/** Asserts a failure after output, which stays and is charged, if necessary by a high estimate. */
function assertBroken(answer: Answer, code: ModelError["code"] = "provider_error"): void {
  assertInstanceOf(answer.error, ModelError);
  assertEquals([answer.error.code, answer.accepted], [code, true]);
  assertEquals(answer.text, "Half an ans");
  const usage = onlyEvent(answer.events, "usage");
  assert(usage.outputTokens >= 5 && usage.inputTokens > 10, JSON.stringify(usage));
  assertEquals(usage.estimated, true);
  assertEquals(answer.events.at(-1)?.type, "usage");
}

const half = (change: Script): Script => ({
  say: [{ text: "Half an ans" }],
  end: "none",
  ...change,
});

for (const protocol of PROTOCOLS) {
  for (
    const [status, code, attempts] of [
      [400, "provider_error", 1],
      [401, "provider_error", 1],
      [403, "provider_error", 1],
      [404, "provider_error", 1],
      [302, "provider_error", 1],
      [408, "provider_timeout", 3],
      [429, "provider_rate_limited", 3],
      [500, "provider_error", 3],
      [502, "provider_error", 3],
      [503, "provider_error", 3],
      [504, "provider_timeout", 3],
      [529, "provider_error", 3],
    ] as const
  ) {
    Deno.test(`${protocol}: status ${status} is ${code} after ${attempts} attempts`, async () => {
      await using vendors = await ProviderConnections.start();
      const body = `{"error":{"message":"our own words"}}`;
      const answer = await vendors.ask(protocol, THREE.map(() => ({ status, body })));
      assertRefused(answer, code);
      assertEquals(vendors.mock.requests.length, attempts);
      assertEquals(
        vendors.reports.map(({ status, attempt }) => [status, attempt]),
        [
          [status, 1],
          [status, 2],
          [status, 3],
        ].slice(0, attempts),
      );
      assert(!answer.error.message.includes("own words"));
    });
  }

  Deno.test(`${protocol}: the provider's error body is reported without secrets, limited and not thrown`, async () => {
    await using vendors = await ProviderConnections.start();
    const key = KEYS[protocol];
    const said = `<html>bad key ${key}, sk-other-0123456789, Authorization: Bearer abc.def ${key}`;
    const body = said + "é".repeat(20_000);
    const answer = await vendors.ask(protocol, { status: 401, body });
    const [report] = vendors.reports;
    const words = report?.words ?? "";
    assert(words.startsWith("<html>bad key [secret], [secret], Authorization: Bearer [secret]"));
    assert(new TextEncoder().encode(words).length <= 2048);
    assert(words.endsWith("é"), "no half character");
    const told = JSON.stringify([answer.error, answer.error.message, answer.error.stack, report]);
    for (const secret of [key, "sk-other", "abc.def"]) assert(!told.includes(secret), secret);
    assert(!answer.error.message.includes("html"));
  });

  Deno.test(`${protocol}: an HTML page with status 200 is an error`, async () => {
    await using vendors = await ProviderConnections.start();
    const headers = { "content-type": "text/html; charset=utf-8" };
    const answer = await vendors.ask(protocol, {
      headers,
      say: [{ raw: "<h1>Sign in</h1>" }],
      end: "none",
    });
    assertRefused(answer, "provider_error");
    assert(vendors.reports[0]?.words?.includes("<h1>Sign in</h1>"));
  });

  Deno.test(`${protocol}: a stream without an event is an error and retried`, async () => {
    await using vendors = await ProviderConnections.start();
    const empty: Script = { garbage: STREAM_HEAD };
    assertEquals((await vendors.ask(protocol, [empty, {}])).text, "Hello there.");
    assertRefused(await vendors.ask(protocol, [empty, empty, empty]), "provider_error");
  });

  for (const garbage of ["\x00\x01 not HTTP at all\r\n\r\n", "SSH-2.0-OpenSSH_9.6\r\n", ""]) {
    Deno.test(`${protocol}: ${JSON.stringify(garbage)} instead of HTTP is an error`, async () => {
      await using vendors = await ProviderConnections.start();
      const answer = await vendors.ask(protocol, THREE.map(() => ({ garbage })));
      assertRefused(answer, "provider_error");
    });
  }

  for (const finish of ["reset", "close", "half", "end"] as const) {
    Deno.test(`${protocol}: a response broken by ${finish} is yielded, charged and fails`, async () => {
      await using vendors = await ProviderConnections.start();
      const say = [{ text: "Half an ans" }, { wait: vendors.textRead }];
      assertBroken(await vendors.ask(protocol, half({ say, finish })));
      assertEquals(vendors.mock.requests.length, 1);
      assertEquals(vendors.reports.map(({ attempt }) => attempt), [undefined]);
    });

    Deno.test(`${protocol}: ${finish} inside a tool call yields no call`, async () => {
      await using vendors = await ProviderConnections.start();
      const calls = [{ id: "c", name: "pay", args: ['{"amount":1'] }];
      // One provider sends calls whole, so only a part of the event arrives.
      const piece = protocol === "google" ? { raw: `data: {"candidates": [{"con` } : { calls };
      const say = [{ text: "Half an ans" }, piece, { wait: vendors.textRead }];
      const answer = await vendors.ask(protocol, half({ say, finish }));
      assertBroken(answer);
    });
  }

  for (
    const raw of [
      `data: {"trunc`,
      `data: {"trunc\n\n`,
      "data: [1]\n\n",
      "data: 7\n\n",
      "data: \n\n",
    ]
  ) {
    Deno.test(`${protocol}: ${JSON.stringify(raw)} inside a response fails it`, async () => {
      await using vendors = await ProviderConnections.start();
      // Before that, everything is one event that can be read.
      const answer = await vendors.ask(protocol, half({ say: [{ text: "Half an ans" }, { raw }] }));
      assertBroken(answer);
    });
  }

  Deno.test(`${protocol}: random bytes inside a response fail it`, async () => {
    await using vendors = await ProviderConnections.start();
    const raw = Uint8Array.from({ length: 4096 }, (_, n) => (n * 197 + (n >> 3) * 31) % 256);
    assertBroken(await vendors.ask(protocol, half({ say: [{ text: "Half an ans" }, { raw }] })));
  });

  Deno.test(`${protocol}: JSON of another shape is ignored, and a response without output fails`, async () => {
    await using vendors = await ProviderConnections.start();
    const shapes = [
      {},
      { choices: null, candidates: null, type: null },
      { choices: [null], candidates: [null], type: "content_block_delta" },
      { choices: [{ delta: { content: 7, tool_calls: [null, {}, { index: "x" }] } }] },
      { candidates: [{ content: { parts: [null, { text: 7 }, { functionCall: 1 }] } }] },
      { type: "content_block_delta", index: "x", delta: { type: "text_delta", text: {} } },
      { type: "content_block_start", content_block: [] },
      { type: "message_delta", usage: 7, delta: [] },
      { usage: [], usageMetadata: "x", __proto__: { type: "text" } },
    ];
    const raw = shapes.map((shape) => `data: ${JSON.stringify(shape)}\n\n`).join("");
    const script: Script = { say: [{ raw }], end: "none" };
    // For one protocol a call is among them, and so the beginning of an answer.
    const answer = await vendors.ask(protocol, THREE.map(() => script));
    assertEquals((answer.error as ModelError).code, "provider_error");
    assertEquals(answer.text, "");
  });

  for (
    const [error, code, attempts] of [
      ["overloaded", "provider_error", 3],
      ["rate_limit", "provider_rate_limited", 3],
      ["timeout", "provider_timeout", 3],
      ["invalid", "provider_error", 1],
    ] as const
  ) {
    Deno.test(`${protocol}: the error ${error} inside a response is ${code}`, async () => {
      await using vendors = await ProviderConnections.start();
      const script = half({ say: [{ text: "Half an ans" }, { error }] });
      assertBroken(await vendors.ask(protocol, script), code);
      assert(vendors.reports[0]?.words?.includes("error"), "the operator reads it");
    });

    Deno.test(`${protocol}: the error ${error} instead of a response is a rejection`, async () => {
      await using vendors = await ProviderConnections.start();
      const raw = errorEvent[protocol][error];
      const scripts = THREE.map((): Script => ({ garbage: STREAM_HEAD + raw }));
      assertRefused(await vendors.ask(protocol, scripts), code);
      assertEquals(vendors.mock.requests.length, attempts);
    });
  }

  Deno.test(`${protocol}: an event that is not a JSON object is reported by its size only`, async () => {
    await using vendors = await ProviderConnections.start();
    for (const data of ["my thoughts on Ada", '"my thoughts on Ada"']) {
      const raw = `data: ${data}\n\n`;
      assertBroken(await vendors.ask(protocol, half({ say: [{ text: "Half an ans" }, { raw }] })));
    }
    const kinds = [
      "an event of 18 characters is not JSON",
      "an event of 20 characters is a string",
    ];
    assertEquals(vendors.reports.map(({ words }) => words), kinds);
  });

  Deno.test(`${protocol}: a whole response instead of a stream is reported with its error only`, async () => {
    await using vendors = await ProviderConnections.start();
    const headers = { "content-type": "application/json" };
    const said = { choices: [{ message: { content: "my thoughts on Ada" } }] };
    const failed = { ...said, error: { message: "out of memory" } };
    for (const body of [said, failed].map((answer) => JSON.stringify(answer))) {
      assertRefused(await vendors.ask(protocol, { headers, body }), "provider_error");
    }
    assertEquals(vendors.reports.map(({ words }) => words), [
      "application/json of 58 characters",
      "application/json of 94 characters: out of memory",
    ]);
  });

  Deno.test(`${protocol}: an event longer than a mebibyte fails the response`, async () => {
    await using vendors = await ProviderConnections.start();
    const raw = `data: {"x": "${"a".repeat(1_200_000)}`;
    assertBroken(await vendors.ask(protocol, half({ say: [{ text: "Half an ans" }, { raw }] })));
  });

  Deno.test(`${protocol}: a response that loses only its end mark is whole`, async () => {
    await using vendors = await ProviderConnections.start();
    const scripted: Script = { say: [{ text: "All of it" }], finish: "close" };
    const answer = await vendors.ask(protocol, scripted);
    assertEquals([answer.text, answer.error], ["All of it", undefined]);
    assertEquals(onlyEvent(answer.events, "end").reason, "stop");
  });

  Deno.test(`${protocol}: an unreachable provider is a provider_error`, async () => {
    // Nothing listens on port 1 of loopback; one that was free a moment ago may be somebody's now.
    await using vendors = await ProviderConnections.start({
      baseUrl: () => "http://127.0.0.1:1/v1",
    });
    assertRefused(await vendors.ask(protocol, []), "provider_error");
    assertEquals(vendors.reports.map(({ cause }) => cause), Array(3).fill("ECONNREFUSED"));
  });
}

/** An event stream that ends with its connection. */
const STREAM_HEAD =
  "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n";

const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`;
const anthropic = (type: string) =>
  `event: error\n${data({ type: "error", error: { type, message: "m" } })}`;
const openai = (type: string, code: string | null = null) => data({ error: { type, code } });
const google = (code: number, status: string) => data({ error: { code, status } });

const errorEvent = {
  openai: {
    overloaded: openai("server_error"),
    rate_limit: openai("requests", "rate_limit_exceeded"),
    timeout: openai("timeout"),
    invalid: openai("invalid_request_error"),
  },
  anthropic: {
    overloaded: anthropic("overloaded_error"),
    rate_limit: anthropic("rate_limit_error"),
    timeout: anthropic("timeout_error"),
    invalid: anthropic("invalid_request_error"),
  },
  google: {
    overloaded: google(503, "UNAVAILABLE"),
    rate_limit: google(429, "RESOURCE_EXHAUSTED"),
    timeout: google(504, "DEADLINE_EXCEEDED"),
    invalid: google(400, "INVALID_ARGUMENT"),
  },
} as const;
