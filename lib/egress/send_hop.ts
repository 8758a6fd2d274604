import { type ClientRequest, type IncomingMessage, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { isIP } from "node:net";

/** Where a socket is opened to; tests lead public addresses to a server of their own. */
export type Dial = (target: { address: string; port: number }) => { address: string; port: number };

export interface HopRequest {
  method: string;
  url: URL;
  headers: Record<string, string>;
  body: Uint8Array | undefined;
  /** Checked already; tried in turn until one accepts a connection. */
  addresses: readonly string[];
  signal: AbortSignal;
  dial: Dial;
  /** Certificate authorities instead of the machine's own, PEM. */
  ca: string | undefined;
}

/** Bytes of a response's head; longer is an error. */
const MAX_HEAD_BYTES = 16_384;
const MAX_ADDRESSES = 3;
/** Heads before the answer's own (`103 Early Hints`); nothing else bounds what they cost to read. */
const MAX_EARLY_HEADS = 8;
/** No connection was made, so nothing was sent and another address may be tried. */
const NOT_CONNECTED = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "EAFNOSUPPORT",
]);

/** One request to one checked address, following nothing. Rejects with the socket's error. */
export async function sendHop(
  hop: HopRequest,
): Promise<{ message: IncomingMessage; address: string }> {
  const candidates = hop.addresses.slice(0, MAX_ADDRESSES);
  for (const [n, address] of candidates.entries()) {
    try {
      return { message: await sendTo(address, hop), address };
    } catch (error) {
      const code = error instanceof Error && "code" in error ? `${error.code}` : "";
      if (n === candidates.length - 1 || !NOT_CONNECTED.has(code)) throw error;
    }
  }
  throw new Error("there is no address to connect to");
}

/**
 * The socket is opened to the address itself, so there is no name left to resolve a second time;
 * the name goes into SNI, the certificate check and `Host`. Every call has a connection of its own.
 */
function sendTo(address: string, hop: HopRequest): Promise<IncomingMessage> {
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
    agent: false as const,
    // Said aloud, because an environment variable of Node's could turn it off.
    rejectUnauthorized: true,
    maxHeaderSize: MAX_HEAD_BYTES,
    signal: hop.signal,
    ...(isIP(name) === 0 ? { servername: name.replace(/\.$/, "") } : {}),
    ...(hop.ca === undefined ? {} : { ca: hop.ca }),
  };
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request: ClientRequest = secure ? requestHttps(options) : requestHttp(options);
  // Both listen for the life of the request: an error after the head must not be nobody's.
  request.on("response", (message: IncomingMessage) => resolve(message.on("error", () => {})));
  request.on("error", reject);
  let early = 0;
  request.on("information", () => {
    if (++early <= MAX_EARLY_HEADS) return;
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
