/** `chat()` that answers the calls of the page's tools. */
import {
  type Chat,
  chat as startChat,
  ChatError,
  type ChatOptions as PlainOptions,
} from "../../../widget/client/client.ts";
import {
  actInOneTab,
  callPageTool,
  failedCall,
  type PageTool,
  type ToolAnswer,
} from "../../../widget/client/page_tool.ts";
import { pause } from "../../../widget/client/pause.ts";
import { toolCalls } from "./tool_calls.ts";

/** Documented in client.d.ts. */
export interface ChatOptions extends PlainOptions {
  readonly tools?:
    | Readonly<Record<string, PageTool>>
    | ((name: string) => PageTool | undefined)
    | undefined;
}

/** A call that is being answered. */
interface PageCall {
  readonly runId: string;
  readonly n: number;
  readonly name: string;
  readonly args: unknown;
}

/** Longer than any call waits. */
const MAX_ATTEMPTS = 7;

export function chat({ tools, ...options }: ChatOptions): Chat {
  const reply = startChat(options);
  if (!tools) return reply;
  const find = (name: string): PageTool | undefined => {
    if (typeof tools !== "function") return Object.hasOwn(tools, name) ? tools[name] : undefined;
    try {
      return tools(name);
    } catch (error) {
      // Answers the call like a tool that throws.
      return () => Promise.reject(error);
    }
  };
  const { sendToolOutput } = toolCalls(options);
  const running = new Map<number, AbortController>();
  const end = (n: number) => {
    running.get(n)?.abort();
    running.delete(n);
  };
  const endAll = () => [...running.keys()].forEach(end);

  const send = async ({ runId, n, name }: PageCall, answer: ToolAnswer, signal: AbortSignal) => {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        return await sendToolOutput(runId, n, answer);
      } catch (error) {
        const status = error instanceof ChatError ? error.status : 0;
        if ((status === 400 || status === 413) && "output" in answer) {
          answer = failedCall(name, error);
        } else if (status && status < 429 || signal.aborted) return;
        else await pause(500 * 2 ** attempt, signal);
      }
    }
  };

  const begin = (call: PageCall) => {
    const controller = new AbortController();
    const { signal } = controller;
    running.set(call.n, controller);
    const act = async () =>
      await send(call, await callPageTool(find(call.name), { ...call, signal }), signal);
    // Only pages have tabs.
    if (globalThis.document) actInOneTab(`${call.runId}.${call.n}`, act);
    else act();
  };

  return {
    get position() {
      return reply.position;
    },
    idempotencyKey: reply.idempotencyKey,
    get requestId() {
      return reply.requestId;
    },
    get messagesLeft() {
      return reply.messagesLeft;
    },
    stop() {
      endAll();
      reply.stop();
    },
    close: () => reply.close(),
    async *[Symbol.asyncIterator]() {
      try {
        for await (const frame of reply) {
          const [runId = "", n] = reply.position.split(".");
          if (frame.type === "tool_result") end(frame.call ?? 0);
          if (frame.type === "done") endAll();
          yield frame;
          // Only now: a caller that stores the position of each frame never gets the same call again.
          if (frame.type === "tool_call" && frame.waitsFor === "page") {
            begin({ runId, n: Number(n), name: frame.name, args: frame.args });
          }
        }
      } finally {
        // The caller has left the answer, or its stream has failed.
        endAll();
      }
    },
  };
}
