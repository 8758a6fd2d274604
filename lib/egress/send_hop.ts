import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
} from "node:http";
import { Agent as HttpsAgent, request as requestHttps } from "node:https";
import { isIP, type Socket } from "node:net";
import { EgressError } from "./egress_error.ts";
import { coalesceChunks, MAX_CHUNKS } from "./coalesce_chunks.ts";

/** Where a socket is opened to; tests lead public addresses to a server of their own. */
export type Dial = (target: { address: string; port: number }) => { address: string; port: number };

export interface HopRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
  /** Checked already; tried in turn until one accepts a connection. */
  addresses: readonly string[];
  /** Of the body, decoded: what a connection may bring in all follows from it. */
  maxResponseBytes: number;
  signal: AbortSignal;
  dial: Dial;
  /** Certificate authorities instead of the machine's own, PEM. */
  ca: string | undefined;
}

/** Bytes of a response's head; longer is an error. */
const MAX_HEADER_BYTES = 16_384;
const MAX_ADDRESSES = 3;
/** Around a chunk: its size in up to six digits, two ends of line, and some more. */
const CHUNK_OVERHEAD_BYTES = 16;
/** For heads, early ones among them, and what stands around all the chunks a body may have. */
const MAX_OVERHEAD_BYTES = 262_144 + CHUNK_OVERHEAD_BYTES * MAX_CHUNKS;
/** Heads before the answer's own (`103 Early Hints`); nothing else bounds what they cost to read. */
const MAX_INFORMATIONAL_RESPONSES = 8;
/** No connection was made, so nothing was sent and another address may be tried. */
const CONNECT_ERRORS = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "EAFNOSUPPORT",
]);

/**
 * A connection of its own for each call. Said aloud that no proxy is used: NODE_USE_ENV_PROXY would
 * send every call, checked address and all, wherever HTTPS_PROXY says (measured), and there the
 * guard's checks end.
 */
const DIRECT_CONNECTION = { keepAlive: false, proxyEnv: {} };

export interface HopResponse {
  message: IncomingMessage;
  /** Of `message`, as it is on the wire. */
  body: AsyncGenerator<Uint8Array>;
  address: string;
}

/** One request to one checked address, following nothing. Rejects with the socket's error. */
export async function sendHop(hop: HopRequest): Promise<HopResponse> {
  const candidates = hop.addresses.slice(0, MAX_ADDRESSES);
  for (const [n, address] of candidates.entries()) {
    try {
      return await sendToAddress(address, hop);
    } catch (error) {
      const code = error instanceof Error && "code" in error ? `${error.code}` : "";
      if (n === candidates.length - 1 || !CONNECT_ERRORS.has(code)) throw error;
    }
  }
  throw new Error("there is no address to connect to");
}

/**
 * The socket is opened to the address itself, so there is no name left to resolve a second time;
 * the name goes into SNI, the certificate check and `Host`. Every call has a connection of its own.
 */
function sendToAddress(address: string, hop: HopRequest): Promise<HopResponse> {
  const secure = hop.url.protocol === "https:";
  const name = hop.url.hostname.replace(/^\[|\]$/g, "");
  const port = Number(hop.url.port || (secure ? 443 : 80));
  const target = hop.dial({ address, port });
  const options = {
    method: hop.method,
    host: target.address,
    port: target.port,
    path: hop.url.pathname + hop.url.search,
    headers: { ...hop.headers, host: hop.url.host },
    agent: secure ? new HttpsAgent(DIRECT_CONNECTION) : new HttpAgent(DIRECT_CONNECTION),
    // Said aloud, because an environment variable of Node's could turn it off.
    rejectUnauthorized: true,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal: hop.signal,
    ...(isIP(name) === 0 ? { servername: name.replace(/\.$/, "") } : {}),
    ...(hop.ca === undefined ? {} : { ca: hop.ca }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<HopResponse>();
  const request: ClientRequest = secure ? requestHttps(options) : requestHttp(options);
  let answer: IncomingMessage | undefined;
  // Both listen for the life of the request: an error after the head must not be nobody's.
  request.on("response", (message: IncomingMessage) => {
    answer = message.on("error", () => {});
    resolve({
      message,
      address,
      body: coalesceChunks(message, { maxBytes: hop.maxResponseBytes }),
    });
  });
  request.on("error", reject);
  request.on("socket", (socket: Socket) => {
    limitWireBytes(socket, MAX_OVERHEAD_BYTES + hop.maxResponseBytes, (fault) => {
      reject(fault);
      answer?.destroy(fault);
      request.destroy(fault);
    });
  });
  let early = 0;
  request.on("information", () => {
    if (++early <= MAX_INFORMATIONAL_RESPONSES) return;
    // What came in the same breath may hold the answer too: it is not waited for.
    reject(new Error("the answer never begins"));
    request.destroy();
  });
  request.on("upgrade", (_message, socket) => {
    socket.destroy();
    reject(new Error("the server wanted another protocol"));
  });
  request.end(hop.body);
  return promise;
}

/**
 * Chunks have extensions and trailers that no parser hands on: a server could send those without end
 * and never a byte of body.
 */
function limitWireBytes(socket: Socket, most: number, onMore: (fault: EgressError) => void): void {
  let left = most;
  socket.on("data", (chunk: Uint8Array) => {
    left -= chunk.byteLength;
    if (left >= 0) return;
    const message = `the answer takes more than ${most} bytes on the wire`;
    onMore(new EgressError("tool_response_too_large", message));
  });
}
