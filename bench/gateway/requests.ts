import type { SeededCaller } from "./seed_store.ts";

/** What the clients request. */
export interface RequestOptions {
  /** A model of the mock: `mock-<chunks>-<milliseconds between them>`. */
  model: string;
}

/** The bytes of the `n`-th request; the next call may reuse them. */
export type RequestFactory = (n: number) => Uint8Array;

interface ChatRequestOptions extends RequestOptions {
  /** By default, that of the format. */
  path?: string;
  /** The request goes to the provider, in its own format. */
  isProvider?: boolean;
  /** The callers, round-robin, for a server that requires credentials. */
  callers?: readonly SeededCaller[];
  /** The format of a request to the service. */
  format?: ServiceFormat;
}

/** Formats in which the service is asked. */
export const SERVICE_FORMATS = ["native", "AI SDK", "OpenAI"] as const;
export type ServiceFormat = typeof SERVICE_FORMATS[number];

const FORMAT_PATHS: Readonly<Record<ServiceFormat, string>> = {
  native: "/v1/chat/stream",
  "AI SDK": "/v1/chat/stream?protocol=ai-sdk-ui",
  OpenAI: "/v1/openai/chat/completions",
};

const encoder = new TextEncoder();
const MESSAGES = [{
  role: "user",
  content: "Tell me what the weather is like in sixty-four words.",
}];

/** An address may send 20 messages a minute, so a run uses many. */
const ADDRESSES = 8_000;

/**
 * Chats as whole HTTP requests, encoded once. Those for the service use API keys and addresses
 * round-robin; the addresses are in the header that a proxy would set.
 */
export function chatRequests(
  { model, format = "native", path = FORMAT_PATHS[format], isProvider, callers }:
    ChatRequestOptions,
): RequestFactory {
  if (callers === undefined) {
    const more = isProvider ? { stream: true, stream_options: { include_usage: true } } : {};
    const bytes = encode(path, { body: { model, messages: MESSAGES, ...more } });
    return () => bytes;
  }
  const templates = callers.map(({ agents, secret }) =>
    encode(path, {
      body: format === "OpenAI"
        ? { model: agents[model], messages: MESSAGES, stream: true }
        : { agentId: agents[model], messages: MESSAGES },
      headers: { "x-forwarded-for": "10.100.100.100", authorization: `Bearer ${secret}` },
    })
  );
  // The same offset in all, because the path and the address come before the key.
  const at = new TextDecoder().decode(templates[0]).indexOf("10.100.100.100") + "10.1".length;
  return (n) => {
    const bytes = templates[n % templates.length]!;
    const address = n % ADDRESSES;
    const digits = [address % 100, Math.floor(address / 100)];
    digits.forEach((value, part) => {
      bytes[at + 4 * part] = 48 + Math.floor(value / 10);
      bytes[at + 4 * part + 1] = 48 + value % 10;
    });
    return bytes;
  };
}

function encode(
  path: string,
  { body, headers = {} }: { body: unknown; headers?: Record<string, string> },
): Uint8Array {
  const json = JSON.stringify(body);
  const all = {
    host: "127.0.0.1",
    ...headers,
    "content-type": "application/json",
    "content-length": String(encoder.encode(json).length),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`).join("");
  return encoder.encode(`POST ${path} HTTP/1.1\r\n${lines}\r\n${json}`);
}
