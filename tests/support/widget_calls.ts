import type { Agent } from "@/lib/schemas/agent.ts";
import type { TestService } from "./service.ts";

/** Options of a widget's `POST /v1/chat/stream`. */
export interface WidgetCall {
  sessionToken: string;
  headers?: HeadersInit;
  /** Body fields to set, or to omit with `undefined`. */
  body?: Record<string, unknown>;
}

/** A message like the widget's, with the token in header and body. */
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

/** A user message. */
export function say(content: string) {
  return { role: "user" as const, content };
}

interface Embed {
  key: string;
  agent: Agent;
  sessionToken: string;
}

/** The allowed origin of test agents. */
export const ORIGIN = "https://shop.example.com";

/** A key, an agent that `ORIGIN` may embed, and a session for that page. */
export async function embed(
  service: TestService,
  change: Record<string, unknown> = {},
): Promise<Embed> {
  const key = await service.key();
  const agent = await service.agent(key, { allowedOrigins: [ORIGIN], ...change });
  return { key, agent, sessionToken: await service.mint(key, agent.id, ORIGIN) };
}

/** A message like a backend's; `body` needs the `agentId`. */
export function byKey(
  service: TestService,
  call: { key: string; body: Record<string, unknown>; headers?: HeadersInit },
): Promise<Response> {
  const json = { messages: [say("Hello")], ...call.body };
  const headers = call.headers ?? {};
  return service.fetch("/v1/chat/stream", { method: "POST", key: call.key, json, headers });
}

/** Like `chat`, from the session's origin. */
export function onPage(
  service: TestService,
  call: { agent: { id: string }; sessionToken: string; body?: Record<string, unknown> },
): Promise<Response> {
  return chat(service, call.agent, { ...call, headers: { origin: ORIGIN } });
}

/** An assistant message, as the client sends it. */
export function answered(content: string) {
  return { role: "assistant" as const, content };
}
