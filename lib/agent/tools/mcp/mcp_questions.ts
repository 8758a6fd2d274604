import type { Client } from "@modelcontextprotocol/sdk/client";
// @ts-types="@modelcontextprotocol/sdk/types"
import { ElicitRequestSchema, type ElicitResult } from "@modelcontextprotocol/sdk/types.js";
import { type Runtime, setTimer } from "../../../platform/runtime.ts";
import type { AskVisitor } from "../callable_tool.ts";
import type { Redactor } from "../redactor.ts";
import { ToolError } from "../tool_error.ts";
import { readQuestion, toElicitResult } from "./mcp_elicitation.ts";

/** The longest that a visitor is waited for. */
const ASK_TIMEOUT_MS = 60_000;

interface CallOptions {
  signal: AbortSignal;
  /** Of the server, in milliseconds. */
  timeout: number;
}

interface ActiveCall {
  signal: AbortSignal;
  hasAsked: boolean;
  /** Settles when the visitor is no longer asked. */
  question?: Promise<unknown>;
  /** Stops the server's time. */
  pause: () => void;
  /** Starts the server's time again. */
  restart: () => void;
}

export interface McpQuestionsDeps {
  askVisitor: AskVisitor;
  redactor: Redactor;
  runtime: Pick<Runtime, "sleep">;
}

/** Questions of a server to the visitor, which it may ask while it executes a call. */
export class McpQuestions {
  readonly #deps: McpQuestionsDeps;
  /** Calls are sequential, so a question belongs to this one. */
  #call: ActiveCall | undefined;

  constructor(deps: McpQuestionsDeps) {
    this.#deps = deps;
  }

  answerFrom(client: Client): void {
    client.setRequestHandler(ElicitRequestSchema, ({ params }) => this.#answer(params));
  }

  /** Runs a call whose time does not pass while the visitor is asked. */
  async during<T>(
    send: (options: CallOptions) => Promise<T>,
    { signal, timeout }: CallOptions,
  ): Promise<T> {
    const late = new AbortController();
    const expired = Promise.withResolvers<never>();
    const onLate = () => {
      expired.reject(new ToolError("tool_timeout", `there was no result within ${timeout} ms`));
      late.abort();
    };
    const start = () => setTimer(this.#deps.runtime, timeout, onLate);
    let pause = start();
    const ended = new AbortController();
    const call: ActiveCall = {
      ...{ signal: AbortSignal.any([signal, ended.signal]), hasAsked: false },
      pause: () => pause(),
      restart: () => pause = start(),
    };
    this.#call = call;
    try {
      const both = AbortSignal.any([signal, late.signal]);
      const longest = 2 * timeout + ASK_TIMEOUT_MS;
      return await Promise.race([send({ signal: both, timeout: longest }), expired.promise]);
    } finally {
      this.#call = undefined;
      pause();
      // A server that does not wait for the answer: its question ends before its call does.
      ended.abort();
      await call.question;
    }
  }

  /** A server may ask once in a call: more would wear a visitor down until they agree. */
  async #answer(params: { message: string; requestedSchema?: unknown }): Promise<ElicitResult> {
    const question = readQuestion(params);
    const call = this.#call;
    if (question === undefined || call === undefined || call.hasAsked) return { action: "decline" };
    call.hasAsked = true;
    call.pause();
    const { askVisitor, redactor } = this.#deps;
    try {
      const asking = askVisitor(redactor.redactText(question.message), call.signal);
      call.question = asking.catch(() => {});
      return toElicitResult(question, await asking);
    } catch {
      return { action: "cancel" };
    } finally {
      if (this.#call === call) call.restart();
    }
  }
}
