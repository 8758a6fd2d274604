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

/** Where to open the socket; tests redirect public addresses to their own server. */
export type Dial = (target: { address: string; port: number }) => { address: string; port: number };

export type OnRequest = (request: ClientRequest, target: { method: string; url: URL }) => void;

export interface HopRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
  /** Checked before; tried in turn until one accepts a connection. */
  addresses: readonly string[];
  /** Of the decoded body; the limit of the connection follows from it. */
  maxResponseBytes: number;
  signal: AbortSignal;
  dial: Dial;
  /** Certificate authorities that replace the system's, PEM. */
  ca: string | undefined;
  onRequest?: OnRequest | undefined;
}

const MAX_HEADER_BYTES = 16_384;
const MAX_ADDRESSES = 3;
/** The size in up to six digits, two line ends, and some slack. */
const CHUNK_OVERHEAD_BYTES = 16;
/** For headers, informational responses and the framing of chunks. */
const MAX_OVERHEAD_BYTES = 262_144 + CHUNK_OVERHEAD_BYTES * MAX_CHUNKS;
/** `103 Early Hints` and the like, whose number Node does not limit. */
const MAX_INFORMATIONAL_RESPONSES = 8;
/** Nothing was sent, so another address may be tried. */
const CONNECT_ERRORS = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "EAFNOSUPPORT",
]);

/**
 * One connection per call, and explicitly no proxy: with NODE_USE_ENV_PROXY, Node would send every
 * call to HTTPS_PROXY (measured), which bypasses the check of addresses.
 */
const DIRECT_CONNECTION = { keepAlive: false, proxyEnv: {} };

export interface HopResponse {
  message: IncomingMessage;
  body: AsyncGenerator<Uint8Array>;
  address: string;
}

/** Sends one request without following redirects. Rejects with the socket's error. */
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

/** Connects to the address itself; the name is used for SNI, the certificate check and `Host`. */
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
    // Explicit, because an environment variable of Node could disable it.
    rejectUnauthorized: true,
    maxHeaderSize: MAX_HEADER_BYTES,
    signal: hop.signal,
    ...(isIP(name) === 0 ? { servername: name.replace(/\.$/, "") } : {}),
    ...(hop.ca === undefined ? {} : { ca: hop.ca }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<HopResponse>();
  const request: ClientRequest = secure ? requestHttps(options) : requestHttp(options);
  let response: IncomingMessage | undefined;
  // Both listen for the life of the request, or a late error would be uncaught.
  request.on("response", (message: IncomingMessage) => {
    response = message.on("error", () => {});
    resolve({
      message,
      address,
      body: coalesceChunks(message, { maxBytes: hop.maxResponseBytes }),
    });
  });
  request.on("error", reject);
  request.on("socket", (socket: Socket) => {
    limitWireBytes(socket, MAX_OVERHEAD_BYTES + hop.maxResponseBytes, (error) => {
      reject(error);
      response?.destroy(error);
      request.destroy(error);
    });
  });
  let informational = 0;
  request.on("information", () => {
    if (++informational <= MAX_INFORMATIONAL_RESPONSES) return;
    reject(new Error("the response never starts"));
    request.destroy();
  });
  request.on("upgrade", (_message, socket) => {
    socket.destroy();
    reject(new Error("the server switched to another protocol"));
  });
  hop.onRequest?.(request, hop);
  request.end(hop.body);
  return promise;
}

/** Bounds what the parser does not report: a server could send chunk extensions without end. */
function limitWireBytes(
  socket: Socket,
  maxBytes: number,
  onExceeded: (error: EgressError) => void,
): void {
  let left = maxBytes;
  socket.on("data", (chunk: Uint8Array) => {
    left -= chunk.byteLength;
    if (left >= 0) return;
    const message = `the response takes more than ${maxBytes} bytes on the wire`;
    onExceeded(new EgressError("tool_response_too_large", message));
  });
}
