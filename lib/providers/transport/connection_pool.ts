import { Agent as HttpAgent, type ClientRequest, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/** Idle connections kept for reuse; the number of busy ones is not limited. */
const MAX_IDLE_SOCKETS = 128;

export interface ProviderRequest {
  /** Relative to the base URL, with query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  /** JSON; a request without a body is a GET. */
  body?: Uint8Array;
  /** Default: `text/event-stream`. */
  accept?: string;
}

/**
 * The keep-alive connections to one provider. Uses `node:http` instead of `fetch`, because a chat took
 * a sixth of the CPU time (measured) and destroying a request closes its socket immediately.
 */
export class ConnectionPool {
  readonly secure: boolean;
  readonly #target: { host: string; port: number; prefix: string };
  readonly #agent: HttpAgent;

  constructor(baseUrl: string) {
    const url = new URL(baseUrl);
    this.secure = url.protocol === "https:";
    this.#target = {
      // Sockets expect an IPv6 address without brackets.
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port) || (this.secure ? 443 : 80),
      prefix: url.pathname.replace(/\/+$/, ""),
    };
    const options = {
      keepAlive: true,
      maxFreeSockets: MAX_IDLE_SOCKETS,
      scheduling: "lifo",
      // Otherwise NODE_USE_ENV_PROXY would send prompts and API keys to HTTPS_PROXY (measured).
      proxyEnv: {},
      // Otherwise NODE_TLS_REJECT_UNAUTHORIZED=0 would send the API key to any server (measured).
      rejectUnauthorized: true,
    } as const;
    this.#agent = this.secure ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** Sends a request. Redirects are not followed, so the API key stays with this host. */
  send({ path, headers, body, accept = "text/event-stream" }: ProviderRequest): ClientRequest {
    const { host, port, prefix } = this.#target;
    const send = this.secure ? httpsRequest : httpRequest;
    const request = send({
      host,
      port,
      path: prefix + path,
      method: body === undefined ? "GET" : "POST",
      agent: this.#agent,
      headers: {
        ...headers,
        ...body && { "content-type": "application/json", "content-length": body.byteLength },
        accept,
        "accept-encoding": "identity",
      },
    });
    request.end(body);
    return request;
  }

  /** Closes idle connections now and the others once they are idle. */
  retire(): void {
    this.#agent.maxFreeSockets = 0;
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  /** Closes all connections, also those in use. */
  close(): void {
    this.#agent.destroy();
  }
}
