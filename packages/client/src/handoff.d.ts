/** Types of `@agent-chat/client/handoff`. */

export interface HandoffOptions {
  /** Address of the service. */
  readonly apiBase: string;
  /** From the `start` frame. */
  readonly conversationId: string;
  /** As for `chat`; `sessionTokens()` of `@agent-chat/client` returns one. */
  readonly sessionToken: string | ((rejected: string) => string | Promise<string>);
  readonly fetch?: typeof fetch | undefined;
}

/** `none`: nobody has asked for a person. */
export type HandoffState = "none" | "waiting" | "taken" | "returned" | "closed";

export interface HandoffStatus {
  conversationId: string;
  /** Whether the visitor may ask for a person now. */
  offered: boolean;
  state: HandoffState;
  /** Why the agent has the conversation again without a person's decision. */
  cause?: "outside_hours" | "no_answer" | "switched_off";
  /** The name that the person shows. */
  person?: string;
  requestedAt?: string;
  /** While `waiting`: until when. ISO 8601. */
  answerBy?: string;
  message?: string;
  /** Whether the visitor may leave an e-mail address and a message. */
  form: boolean;
}

/** Ignore types that you do not know. `id` is "" before the first event that has one. */
export type HandoffEvent =
  & { readonly id: string }
  & (
    | {
      type: "state";
      state: Exclude<HandoffState, "none">;
      cause?: HandoffStatus["cause"];
      person?: string;
      form: boolean;
    }
    /** What the person wrote; `at` is ISO 8601. */
    | { type: "message"; text: string; person: string; at: string }
    /** Show it for 8 seconds. */
    | { type: "typing" }
  );

export interface Handoff {
  status(): Promise<HandoffStatus>;
  /** Asks for a person; repeated, it changes nothing. */
  request(): Promise<HandoffStatus>;
  /** Allowed while `form` is true. */
  leaveContact(contact: { email: string; message: string }): Promise<void>;
  /** Send it at most every 3 seconds while the visitor types. */
  sendTyping(): Promise<void>;
  /**
   * What people do and write, after the event `after` if given. Reconnects by itself; ends when the
   * agent has the conversation again, when it is closed, or when `signal` is aborted.
   */
  events(options?: {
    after?: string | undefined;
    signal?: AbortSignal | undefined;
  }): AsyncGenerator<HandoffEvent>;
}

/** The hand-off of one conversation. Methods throw a `ChatError` when the service rejects a call. */
export function handoff(options: HandoffOptions): Handoff;
