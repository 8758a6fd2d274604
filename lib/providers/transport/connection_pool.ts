import { Agent as HttpAgent, type ClientRequest, request as httpRequest } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";

/** Idle connections kept for the next request; a busy vendor gets as many as it needs. */
const MAX_IDLE_SOCKETS = 128;

export interface PostRequest {
  /** Below the base URL, with its query. */
  path: string;
  headers: Readonly<Record<string, string>>;
  body: Uint8Array;
  /** What the answer is to be; a stream of events unless told. */
  accept?: string;
}

/**
 * The kept-alive connections to one vendor. `node:http` and not `fetch`: the same chat took a sixth
 * of the CPU (measured), and destroying a request closes its socket at once.
 */
export class ConnectionPool {
  readonly secure: boolean;
  readonly #target: { host: string; port: number; prefix: string };
  readonly #agent: HttpAgent;

  constructor(baseUrl: string) {
    const url = new URL(baseUrl);
    this.secure = url.protocol === "https:";
    this.#target = {
      // Sockets want an IPv6 address without its brackets.
      host: url.hostname.replace(/^\[|\]$/g, ""),
      port: Number(url.port) || (this.secure ? 443 : 80),
      prefix: url.pathname.replace(/\/+$/, ""),
    };
    const options = {
      keepAlive: true,
      maxFreeSockets: MAX_IDLE_SOCKETS,
      scheduling: "lifo",
      // Else NODE_USE_ENV_PROXY would send prompts and credentials wherever HTTPS_PROXY says (measured).
      proxyEnv: {},
      // Else NODE_TLS_REJECT_UNAUTHORIZED=0 would hand the credential to any server (measured).
      rejectUnauthorized: true,
    } as const;
    this.#agent = this.secure ? new HttpsAgent(options) : new HttpAgent(options);
  }

  /** Sends it whole; redirects are not followed, so the credential stays with this host. */
  post({ path, headers, body, accept = "text/event-stream" }: PostRequest): ClientRequest {
    const { host, port, prefix } = this.#target;
    const send = this.secure ? httpsRequest : httpRequest;
    const request = send({
      host,
      port,
      path: prefix + path,
      method: "POST",
      agent: this.#agent,
      headers: {
        ...headers,
        "content-type": "application/json",
        "content-length": body.byteLength,
        accept,
        "accept-encoding": "identity",
      },
    });
    request.end(body);
    return request;
  }

  /** Closes the idle connections now, and each of the others as soon as it is free. */
  retire(): void {
    this.#agent.maxFreeSockets = 0;
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of sockets ?? []) socket.destroy();
    }
  }

  /** Closes every connection, also those in use. */
  close(): void {
    this.#agent.destroy();
  }
}
