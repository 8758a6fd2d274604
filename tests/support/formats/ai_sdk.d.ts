/** What tests use of the package `ai`, whose own types the type checker cannot read. */

export interface UiMessageFields {
  id: string;
  role: "user" | "assistant" | "system";
  // deno-lint-ignore no-explicit-any -- parts differ by version
  parts: any[];
  // deno-lint-ignore no-explicit-any -- ours
  metadata?: any;
}

export class DefaultChatTransport {
  constructor(options: {
    api?: string;
    headers?: Record<string, string>;
    fetch?: (url: string, init?: RequestInit) => Promise<Response>;
    prepareSendMessagesRequest?: (request: { messages: UiMessageFields[] }) => { body: object };
  });
  sendMessages(request: {
    chatId: string;
    messages: UiMessageFields[];
    trigger: "submit-message";
    abortSignal?: AbortSignal;
  }): Promise<ReadableStream<unknown>>;
}

export function readUIMessageStream(options: {
  stream: ReadableStream<unknown>;
  onError?: (error: unknown) => void;
}): AsyncIterable<UiMessageFields>;
