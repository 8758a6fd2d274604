import { assertEquals } from "@std/assert";
import type { Agent } from "@/lib/schemas/agent.ts";
import { ProofKey, type ProofOf } from "./proofs.ts";
import type { TestService } from "./service.ts";
import { ORIGIN, say } from "./widget_calls.ts";

/** A call of a bound session; the proof fits unless it is changed. */
export interface BoundCall {
  method?: string;
  json?: unknown;
  body?: BodyInit;
  headers?: Record<string, string>;
  /** What signs; nothing if null. */
  key?: ProofKey | null;
  proof?: Partial<ProofOf>;
  /** The header, instead of a proof. */
  dpop?: string | undefined;
}

/** A session, and the page with the key that it is bound to, or will be. */
export class BoundSession {
  readonly key: ProofKey;
  readonly token: string;
  readonly #service: TestService;
  readonly #agent: Agent;
  /** What the page sends with each call. */
  headers: Record<string, string> = { origin: ORIGIN };

  constructor(
    service: TestService,
    { key, token, agent }: { key: ProofKey; token: string; agent: Agent },
  ) {
    this.#service = service;
    this.#agent = agent;
    this.key = key;
    this.token = token;
  }

  /** Minted with `bind` in `mint`, and its key, which signs from the first call on. */
  static async mint(
    service: TestService,
    { apiKey, agent, key, mint = { bind: true }, headers = { origin: ORIGIN } }: {
      apiKey: string;
      agent: Agent;
      key?: ProofKey;
      mint?: Record<string, unknown>;
      headers?: Record<string, string>;
    },
  ): Promise<BoundSession> {
    const response = await mintSession(service, { apiKey, agent, mint, headers });
    const text = await response.text();
    assertEquals(response.status, 201, text);
    const { sessionToken: token } = JSON.parse(text);
    const session = new BoundSession(service, {
      token,
      agent,
      key: key ?? await ProofKey.create(),
    });
    session.headers = headers;
    return session;
  }

  /** The same session, as seen by another process. */
  on(service: TestService, key: ProofKey = this.key): BoundSession {
    const session = new BoundSession(service, { token: this.token, agent: this.#agent, key });
    session.headers = this.headers;
    return session;
  }

  async nonce(): Promise<string> {
    return await this.#service.service.proofNonces.current();
  }

  async prove(method: string, url: string, change: Partial<ProofOf> = {}): Promise<string> {
    const nonce = await this.nonce();
    return await this.key.sign({ method, url, token: this.token, nonce, ...change });
  }

  async call(path: string, call: BoundCall = {}): Promise<Response> {
    const { method = "GET", key = this.key, proof, json, body } = call;
    const signed = key && await this.on(this.#service, key).prove(method, path, proof);
    const dpop = "dpop" in call ? call.dpop : signed;
    return await this.#service.fetch(path, {
      method,
      ...json !== undefined && { json },
      ...body !== undefined && { body },
      headers: {
        ...{ ...this.headers, "x-service-session": this.token },
        ...dpop && { dpop },
        ...call.headers,
      },
    });
  }

  /** A message of the session. */
  async send(call: BoundCall & { question?: string } = {}): Promise<Response> {
    const messages = [say(call.question ?? "Hello")];
    const json = { agentId: this.#agent.id, sessionToken: this.token, messages };
    return await this.call("/v1/chat/stream", { method: "POST", json, ...call });
  }
}

export function mintSession(
  service: TestService,
  { apiKey, agent, mint, headers }: {
    apiKey: string;
    agent: { id: string };
    mint: Record<string, unknown>;
    headers: Record<string, string>;
  },
): Promise<Response> {
  const json = { agentId: agent.id, ...mint };
  return service.fetch("/v1/widget/session", { method: "POST", key: apiKey, json, headers });
}

/** Expects the 401 of a bound session without a valid proof, with a nonce for the next one. */
export async function expectUnproven(
  response: Response,
  code: "session_token_invalid" | "use_dpop_nonce" = "session_token_invalid",
): Promise<void> {
  const text = await response.text();
  assertEquals(response.status, 401, text);
  assertEquals(JSON.parse(text).code, code);
  const error = code === "use_dpop_nonce" ? code : "invalid_token";
  const challenge = `DPoP realm="agent-chat", error="${error}", algs="ES256"`;
  assertEquals(response.headers.get("www-authenticate"), challenge);
  assertEquals(/^[\w-]{43}$/.test(response.headers.get("dpop-nonce") ?? ""), true);
}
