import type { TestService } from "./service.ts";

/** What a widget's call of `POST /v1/chat/stream` may differ in. */
export interface WidgetCall {
  sessionToken: string;
  headers?: HeadersInit;
  /** Fields of the body to set, or to leave out by `undefined`. */
  body?: Record<string, unknown>;
}

/** A message as the widget sends it: the token in header and body. */
export function chat(
  service: TestService,
  agent: { id: string },
  { sessionToken, headers, body }: WidgetCall,
): Promise<Response> {
  const all = new Headers(headers);
  if (!all.has("x-service-session")) all.set("x-service-session", sessionToken);
  const json = { agentId: agent.id, sessionToken, messages: [say("Hello")], ...body };
  return service.fetch("/v1/chat/stream", { method: "POST", json, headers: all });
}

/** A message of the person. */
export function say(content: string) {
  return { role: "user", content };
}
