import type { SeenRequest } from "./egress_server.ts";
import { rawMcp } from "./raw_mcp.ts";

/**
 * An MCP server whose tool `ask` asks these questions one after the other, and returns the answers that it
 * got.
 */
export function askingMcp(
  questions: readonly unknown[],
): (seen: SeenRequest) => Response | Promise<Response> {
  const answers: unknown[] = [];
  let onAnswer = Promise.withResolvers<void>();
  const stream = (id: number | undefined) =>
    async function* () {
      for (const [n, params] of questions.entries()) {
        onAnswer = Promise.withResolvers();
        yield { jsonrpc: "2.0", id: `question-${n}`, method: "elicitation/create", params };
        await onAnswer.promise;
      }
      const text = JSON.stringify(answers);
      yield { jsonrpc: "2.0", id, result: { content: [{ type: "text", text }] } };
    };
  const inner = rawMcp(({ rpc, id }) => rpc === "tools/call" ? toStream(stream(id)()) : undefined);
  return (seen) => {
    const { id, result, error } = JSON.parse(seen.body || "{}");
    if (!`${id}`.startsWith("question-")) return inner(seen);
    answers.push(result ?? { rejected: error?.code });
    onAnswer.resolve();
    return new Response(null, { status: 202 });
  };
}

/** An MCP server whose tool `ask` asks, and returns its result after `ready` without the answer. */
export function impatientMcp(
  question: unknown,
  ready: Promise<void>,
): (seen: SeenRequest) => Response | Promise<Response> {
  const stream = async function* (id: number | undefined) {
    yield { jsonrpc: "2.0", id: "question", method: "elicitation/create", params: question };
    await ready;
    yield { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } };
  };
  return rawMcp(({ rpc, id }) => rpc === "tools/call" ? toStream(stream(id)) : undefined);
}

function toStream(messages: AsyncGenerator<unknown>): Response {
  const encoder = new TextEncoder();
  const body = ReadableStream.from(async function* () {
    for await (const message of messages) {
      yield encoder.encode(`data: ${JSON.stringify(message)}\n\n`);
    }
  }());
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
