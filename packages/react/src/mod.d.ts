/** Types of `@agent-chat/react`, as published. */
import type { ChatOptions, Feedback, FinishReason, Frame, PageTool } from "@agent-chat/client";

export interface ToolCall {
  /** Number of its frame. */
  readonly n: number;
  readonly name: string;
  readonly args: unknown;
  /** Undefined while the tool runs. A tool that failed has `{ error: { code, message } }`. */
  readonly output?: unknown;
}

/** A call of a tool that waits for somebody's decision. */
export interface Approval {
  /** A key for lists. */
  readonly id: string;
  readonly name: string;
  /** What people call the tool. */
  readonly title: string;
  /** What is decided on. It is the model's: show it as text. */
  readonly args: unknown;
  /** A `person` of the owner's team decides in the inbox; only the visitor's can be decided here. */
  readonly waitsFor: "visitor" | "person";
  /** ISO 8601. Then it counts as rejected. */
  readonly expiresAt: string;
}

export interface AgentMessage {
  /** Stays the same over reloads: a key for lists. */
  readonly id: string;
  readonly role: "user" | "assistant";
  /** Markdown for answers. */
  readonly text: string;
  /** The tools that an answer has called so far, in order. */
  readonly tools: readonly ToolCall[];
  /** The run that answers a question, or answered it last; undefined before its first frame. */
  readonly runId?: string | undefined;
  /** Why an answer ended; undefined while it arrives or if it broke off. */
  readonly finishReason?: FinishReason | undefined;
  /** How the visitor rated an answer; undefined if it is not rated. */
  readonly feedback?: Feedback | undefined;
}

export interface AgentChatFailure {
  /**
   * The service's error code, that of your backend, or `network_error`, `unexpected_response`,
   * `session_token_missing`, `session_token_invalid`, `session_exhausted`, `empty_answer`.
   */
  readonly code: string;
  /** For developers, in English. */
  readonly message: string;
  /** HTTP status; 0 when there was no response or the answer failed after it had begun. */
  readonly status: number;
  /** False if `retry()` cannot help. */
  readonly canRetry: boolean;
  /** The service rejects a retry before this time, in milliseconds since the epoch. */
  readonly retryAt?: number | undefined;
  /** To quote in a support request. */
  readonly requestId: string;
}

/** `submitted` until the first frame arrives, then `streaming`. */
export type AgentChatStatus = "ready" | "submitted" | "streaming" | "error";

/** The part of `Storage` that is used. */
export type AgentChatStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export interface AgentChatOptions extends
  Pick<
    ChatOptions,
    | "apiBase"
    | "agentId"
    | "provider"
    | "model"
    | "temperature"
    | "maxOutputTokens"
    | "fetch"
  > {
  /** Address of your backend that mints session tokens. */
  readonly sessionEndpoint?: string | undefined;
  /** A token, or a function that fetches one, instead of `sessionEndpoint`. */
  readonly sessionToken?: ChatOptions["sessionToken"] | undefined;
  /** Names the conversation if a page has several with one agent. Default: the agent's id. */
  readonly id?: string | undefined;
  /** Keeps the conversation over reloads. Default: the tab's `sessionStorage`; `false`: nothing. */
  readonly storage?: AgentChatStorage | false | undefined;
  /**
   * Functions of the page that the agent may call, by the names of its tools of type `client`. Each call
   * is answered once, also over reloads and in a copy of the tab.
   */
  readonly tools?: Readonly<Record<string, PageTool>> | undefined;
  /** Called with every frame, once. */
  readonly onFrame?: ((frame: Frame) => void) | undefined;
  /** Called when an answer has ended, also after `stop()`. */
  readonly onFinish?: ((answer: AgentMessage) => void) | undefined;
  readonly onError?: ((failure: AgentChatFailure) => void) | undefined;
}

export interface AgentChatState {
  /** Oldest first. */
  readonly messages: readonly AgentMessage[];
  readonly status: AgentChatStatus;
  /** The connection broke and is being retried. */
  readonly reconnecting: boolean;
  /** Set while `status` is `error`. */
  readonly error: AgentChatFailure | undefined;
  readonly conversationId: string | undefined;
  /** Messages that the session may still send; undefined until the first response. */
  readonly messagesLeft: number | undefined;
  /** The calls that wait for a decision, in order. */
  readonly approvals: readonly Approval[];
}

export interface AgentChatHelpers extends AgentChatState {
  /** Sends a message. False if it is empty or an answer is still arriving. */
  readonly send: (text: string) => boolean;
  /** Ends the answer here and cancels its run, so that it costs nothing more. */
  readonly stop: () => void;
  /** Sends the last message again after a failure. False if that cannot help. */
  readonly retry: () => boolean;
  /**
   * Asks the last question again; the new answer replaces the old one. False if there is no question or an
   * answer is still arriving.
   */
  readonly regenerate: () => boolean;
  /**
   * Changes a question, named by the `id` or index of its message, and asks it. The messages after it are
   * dropped. False if it is no question, the text is empty or an answer is still arriving.
   */
  readonly edit: (message: string | number, text: string) => boolean;
  /**
   * Rates an ended answer by the `id` of its message; `undefined` withdraws that. The message has the
   * `feedback` at once. If the service rejects it, the message has the earlier one again, and the
   * promise rejects with a `ChatError`.
   */
  readonly rate: (id: string, feedback: Feedback | undefined) => Promise<void>;
  /**
   * Lets the agent do what it asks for, by the `id` of the approval, which then disappears; also if it was
   * decided elsewhere. The promise rejects with a `ChatError` if the service could not be reached: the
   * approval stays.
   */
  readonly approve: (id: string) => Promise<void>;
  /** The opposite of `approve`. */
  readonly refuse: (id: string) => Promise<void>;
  /** Stops any answer, and deletes the conversation from the page. */
  readonly reset: () => void;
}

/**
 * A conversation with an agent. It survives reloads of the tab, also in the middle of an answer, and
 * continues when the component is mounted again.
 */
export function useAgentChat(options: AgentChatOptions): AgentChatHelpers;

/** What the widget says and how it looks, unless a prop says it. */
export type WidgetAppearance = Readonly<Record<string, unknown>>;

/** Details of the widget's events. */
export interface WidgetEvents {
  open: undefined;
  close: undefined;
  message: { readonly text: string };
  start: { readonly conversationId: string; readonly runId: string };
  answer: { readonly text: string; readonly finishReason: string };
  error: { readonly code: string; readonly message: string };
  "session-expired": { readonly code: string };
  destroy: undefined;
}

/** The widget's methods. */
export interface WidgetHandle {
  open(): void;
  close(): void;
  toggle(): void;
  /** Sends as if the visitor had typed it. False if empty or while an answer arrives. */
  send(text: string): boolean;
  stop(): void;
  newConversation(): void;
  setSessionToken(token: string): void;
  /** A BCP 47 tag. A change of a prop returns to `lang`. */
  setLocale(tag: string): void;
  setAppearance(appearance: WidgetAppearance): void;
  /** Registers a function that the agent may call. Returns the function that unregisters it. */
  registerTool(name: string, tool: PageTool): () => void;
  /** Adds a listener and returns the function that removes it. */
  on<K extends keyof WidgetEvents>(
    name: K,
    listener: (detail: WidgetEvents[K]) => void,
  ): () => void;
  destroy(): void;
}

/** The attributes of the widget's script tag in camel case, the script's address, and its events. */
export interface ChatWidgetProps {
  readonly apiBase: string;
  /** The agent's UUID. */
  readonly agentId: string;
  readonly sessionEndpoint?: string | undefined;
  readonly sessionToken?: string | undefined;
  readonly theme?: "auto" | "light" | "dark" | undefined;
  /** `#rrggbb`. */
  readonly accent?: string | undefined;
  readonly position?: "left" | "right" | undefined;
  /** Whether visitors can rate answers. */
  readonly feedback?: "on" | "off" | undefined;
  /** Whether visitors see their earlier conversations. */
  readonly history?: "on" | "off" | undefined;
  /** Whether visitors can dictate messages and have answers read aloud. */
  readonly voice?: "on" | "off" | undefined;
  /** Whether visitors can switch on a sound for answers. */
  readonly sound?: "on" | "off" | undefined;
  /** Whether visitors can widen the panel. */
  readonly wide?: "on" | "off" | undefined;
  /** Whether visitors see what is left of their limits. */
  readonly limits?: "on" | "off" | undefined;
  readonly title?: string | undefined;
  readonly greeting?: string | undefined;
  readonly suggestions?: readonly string[] | undefined;
  /** A BCP 47 tag. */
  readonly lang?: string | undefined;
  readonly launcher?: "hidden" | undefined;
  /** A letter, an emoji, or a `data:` address of an image. */
  readonly avatar?: string | undefined;
  /** A `data:` address of an image, shown in the header instead of the avatar. */
  readonly logo?: string | undefined;
  readonly privacyText?: string | undefined;
  readonly privacyUrl?: string | undefined;
  readonly layout?: "page" | undefined;
  /** The panel is open from the start. */
  readonly open?: boolean | undefined;
  readonly imageOrigins?: readonly string[] | undefined;
  /** What visitors may do beyond writing. Default: what the agent offers. */
  readonly offers?: readonly ("images" | "documents" | "handoff" | "memory")[] | undefined;
  /** The browser signs its calls, so that a copied token is worthless. */
  readonly bind?: boolean | undefined;
  /** The script. Default: `/widget.v1.js` of the service. */
  readonly src?: string | undefined;
  /** The script's hash, for a pinned `src`. */
  readonly integrity?: string | undefined;
  /** For a Content-Security-Policy with nonces. */
  readonly nonce?: string | undefined;
  /** Called with the widget's methods when it runs. */
  readonly onReady?: ((handle: WidgetHandle) => void) | undefined;
  /** Called when the script cannot be loaded. */
  readonly onLoadError?: (() => void) | undefined;
  readonly onOpen?: (() => void) | undefined;
  readonly onClose?: (() => void) | undefined;
  readonly onMessage?: ((detail: WidgetEvents["message"]) => void) | undefined;
  readonly onStart?: ((detail: WidgetEvents["start"]) => void) | undefined;
  readonly onAnswer?: ((detail: WidgetEvents["answer"]) => void) | undefined;
  readonly onError?: ((detail: WidgetEvents["error"]) => void) | undefined;
  readonly onSessionExpired?: ((detail: WidgetEvents["session-expired"]) => void) | undefined;
}

/** Puts the widget on the page while it is mounted. Renders nothing itself. */
export function ChatWidget(props: ChatWidgetProps): null;
