/** One conversation: sends, streams, stops, retries and resumes. Knows nothing of React. */
import { type Chat, chat, type Frame, type PageTool, sessionTokens } from "@agent-chat/client";
import { toChatMessages, truncate } from "../../../widget/history.ts";
import { approvalsAfter } from "./approvals.ts";
import { applyFrame, changeAnswer, currentAnswer, findQuestion } from "./answer.ts";
import { emptyAnswer, frameFailure, type KnownFailure, thrownFailure } from "./failure.ts";
import {
  type ConversationStorage,
  createStorage,
  type PendingMessage,
} from "./conversation_storage.ts";
import type { AgentChatHelpers, AgentChatOptions, AgentChatState, AgentMessage } from "./mod.d.ts";
import { sessionActions } from "./session_actions.ts";
import { StateHolder } from "./state_holder.ts";

export const NO_CONVERSATION: AgentChatState = {
  messages: [],
  status: "ready",
  reconnecting: false,
  error: undefined,
  conversationId: undefined,
  messagesLeft: undefined,
  approvals: [],
};

type Methods = Omit<AgentChatHelpers, keyof AgentChatState>;

export class AgentChat {
  readonly methods: Methods;
  readonly subscribe: (listener: () => void) => () => void;
  readonly getState: () => AgentChatState;
  #holder = new StateHolder(NO_CONVERSATION);
  #options: AgentChatOptions;
  #storage: ConversationStorage;
  #tokens: AgentChatOptions["sessionToken"];
  /** The message whose answer is shown. */
  #call: Chat | undefined;
  #pending: PendingMessage | undefined;
  #failure: KnownFailure | undefined;
  #loaded = false;

  /** Has no effects, because React may create it and never use it. */
  constructor(options: AgentChatOptions) {
    this.#options = options;
    this.subscribe = this.#holder.subscribe;
    this.getState = this.#holder.get;
    this.#storage = createStorage(
      options.id ?? options.agentId,
      () => this.#options.storage ?? globalThis.sessionStorage,
    );
    const actions = sessionActions({
      session: () => ({
        apiBase: this.#options.apiBase,
        fetch: this.#options.fetch,
        sessionToken: (rejected) => this.#token(rejected),
      }),
      getState: this.getState,
      change: (change) => {
        this.#update(change);
        this.#save();
      },
    });
    this.methods = {
      send: (text) => this.#send(text),
      stop: () => this.#stop(),
      retry: () => this.#retry(),
      regenerate: () => this.#regenerate(),
      edit: (target, text) => this.#edit(target, text),
      rate: (id, given) => actions.rate(id, given),
      approve: (id) => actions.decide(id, true),
      refuse: (id) => actions.decide(id, false),
      reset: () => this.#reset(),
    };
  }

  /** Later messages use these; the conversation stays the same. */
  configure(options: AgentChatOptions): void {
    this.#options = options;
  }

  /** Loads what is stored and resumes an answer. Returns the function that lets go of the page. */
  attach(): () => void {
    if (!this.#loaded) this.#load();
    const save = () => this.#save();
    globalThis.addEventListener?.("pagehide", save);
    if (this.#pending && !this.#failure) this.#follow(this.#pending);
    return () => {
      globalThis.removeEventListener?.("pagehide", save);
      save();
      this.#call?.close();
      this.#call = undefined;
      this.#holder.flush();
    };
  }

  #load(): void {
    this.#loaded = true;
    const { pending, ...stored } = this.#storage.load() ?? {};
    this.#pending = pending;
    this.#update(stored);
  }

  #save(): void {
    const { messages, conversationId, approvals } = this.getState();
    this.#storage.save({ messages, conversationId, approvals, pending: this.#pending });
  }

  #send(text: string): boolean {
    return this.#askAfter(this.getState().messages, { text });
  }

  /** Asks a question after `before`; `runId` is the run that it replaces. */
  #askAfter(
    before: readonly AgentMessage[],
    { text, runId }: { text: string; runId?: string | undefined },
  ): boolean {
    const content = truncate(text.trim());
    if (!content || this.#call) return false;
    const id = crypto.randomUUID();
    const question: AgentMessage = { id, role: "user", text: content, tools: [] };
    this.#update({ messages: [...before, runId ? { ...question, runId } : question] });
    this.#ask({ idempotencyKey: id, replaces: runId });
    return true;
  }

  #edit(target: string | number, text: string): boolean {
    const asked = findQuestion(this.getState().messages, target);
    return asked !== undefined && this.#askAfter(asked.before, { ...asked, text });
  }

  /** Asks the last question again. */
  #regenerate(): boolean {
    const { messages } = this.getState();
    const asked = findQuestion(messages);
    if (asked === undefined || this.#call) return false;
    this.#update({ messages: messages.slice(0, asked.before.length + 1) });
    this.#ask({ idempotencyKey: crypto.randomUUID(), replaces: asked.runId });
    return true;
  }

  #retry(): boolean {
    const retry = this.#failure?.retry ?? "never";
    if (retry === "never" || this.#call) return false;
    if (retry === "same" && this.#pending) {
      this.#follow(this.#pending);
      return true;
    }
    return this.#regenerate();
  }

  #stop(): void {
    const call = this.#call;
    if (!call) return;
    // Its loop goes on until the service has cancelled the run.
    this.#call = undefined;
    call.stop();
    this.#finish("cancelled", call.requestId);
  }

  #reset(): void {
    const call = this.#call;
    this.#call = undefined;
    call?.stop();
    this.#pending = this.#failure = undefined;
    this.#update(NO_CONVERSATION);
    this.#save();
  }

  #ask(of: Pick<PendingMessage, "idempotencyKey" | "replaces">): void {
    const messages = toChatMessages(this.getState().messages);
    this.#follow({ ...of, messages, position: "" });
  }

  #follow(pending: PendingMessage): void {
    const { apiBase, agentId, provider, model, temperature, maxOutputTokens, fetch, tools } =
      this.#options;
    const { messages, idempotencyKey, position, replaces } = pending;
    this.#pending = pending;
    this.#failure = undefined;
    const call: Chat = this.#call = chat({
      ...{ apiBase, agentId, provider, model, temperature, maxOutputTokens, fetch },
      ...{ messages, idempotencyKey, conversationId: this.getState().conversationId, replaces },
      ...position && { after: position },
      // The newest ones, which components make again when they are drawn.
      ...tools && { tools: (name) => this.#findTool(name) },
      sessionToken: (rejected) => this.#token(rejected),
      onLink: (up) => this.#call === call && this.#update({ reconnecting: !up }),
    });
    this.#update({ status: position ? "streaming" : "submitted", error: undefined });
    this.#save();
    this.#read(call);
  }

  #findTool(name: string): PageTool | undefined {
    const { tools = {} } = this.#options;
    return Object.hasOwn(tools, name) ? tools[name] : undefined;
  }

  async #token(rejected: string): Promise<string> {
    const { sessionToken, sessionEndpoint, fetch } = this.#options;
    if (typeof sessionToken === "string") return sessionToken;
    if (sessionToken) return await sessionToken(rejected);
    if (!sessionEndpoint) return "";
    const tokens = this.#tokens ??= sessionTokens(sessionEndpoint, { fetch });
    return await (tokens as (rejected: string) => Promise<string>)(rejected);
  }

  /** Reads the frames to their end, but stops showing them once the call is not the current one. */
  async #read(call: Chat): Promise<void> {
    const shown = () => this.#call === call;
    try {
      for await (const frame of call) if (shown()) this.#handle(frame, call);
      // A resumed run of which nothing is left.
      if (shown()) this.#finish(undefined, call.requestId);
    } catch (error) {
      if (shown()) this.#fail(thrownFailure(error, Date.now()));
    }
  }

  #handle(frame: Frame, call: Chat): void {
    const { position, requestId, messagesLeft } = call;
    this.#pending = { ...this.#pending!, position };
    const { messages: before, approvals: waiting } = this.getState();
    const messages = applyFrame(before, frame, position);
    const approvals = approvalsAfter(waiting, frame, position);
    this.#update({ messages, approvals, status: "streaming", messagesLeft });
    // A call that was seen is not answered again after a reload.
    if (frame.type === "tool_call" && frame.pending) this.#save();
    this.#report(() => this.#options.onFrame?.(frame));
    if (this.#call !== call) return;
    if (frame.type === "start") {
      this.#update({ conversationId: frame.conversationId });
      this.#save();
    }
    if (frame.type === "error") this.#failure = frameFailure(frame, requestId);
    if (frame.type === "done") this.#finish(frame.finishReason, requestId);
  }

  /** `finishReason` is undefined if the end was not seen. */
  #finish(finishReason: AgentMessage["finishReason"], requestId: string): void {
    const { messages } = this.getState();
    if (currentAnswer(messages)) {
      const change = () => ({ finishReason });
      this.#update({ messages: changeAnswer(messages, { id: "", change }) });
    } else if (finishReason !== "cancelled") this.#failure ??= emptyAnswer(requestId);
    const answer = currentAnswer(this.getState().messages);
    if (this.#failure) this.#fail(this.#failure);
    else this.#end({ status: "ready" });
    if (answer) this.#report(() => this.#options.onFinish?.(answer));
  }

  #fail(failure: KnownFailure): void {
    this.#failure = failure;
    this.#end({ status: "error", error: failure.shown });
    this.#report(() => this.#options.onError?.(failure.shown));
  }

  #end(change: Partial<AgentChatState>): void {
    this.#call = undefined;
    const isOver = this.#failure?.retry !== "same";
    if (isOver) this.#pending = undefined;
    this.#update({ ...change, reconnecting: false, ...isOver && { approvals: [] } });
    this.#holder.flush();
    this.#save();
  }

  #update(change: Partial<AgentChatState>): void {
    this.#holder.set({ ...this.getState(), ...change });
  }

  /** A callback that throws must not break the chat; its error still reaches the console. */
  #report(callback: () => void): void {
    try {
      callback();
    } catch (error) {
      reportError(error);
    }
  }
}
