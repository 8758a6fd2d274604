/** Signs the calls of a session with a key of this browser, so that a copied token is worthless. */

const ECDSA = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
const KEY = "key";
let keyPair: Promise<CryptoKeyPair> | undefined;

/**
 * `fetch` for the API of the service: a request with a session token gets a proof (RFC 9449) in `DPoP`. It
 * keeps the service's last nonce, and repeats a request once if that was missing or too old. For
 * addresses and bodies that can be sent again, so not for a `Request` and not for a stream as body.
 */
export function boundFetch(fetcher: typeof fetch): typeof fetch {
  let nonce: string | undefined;
  const send = async (
    input: string | URL,
    init: RequestInit = {},
    isRepeated?: boolean,
  ): Promise<Response> => {
    const headers = new Headers(init.headers);
    const token = headers.get("x-service-session");
    if (!token) return fetcher(input, init);
    const { origin, pathname } = new URL(input, globalThis.location?.href);
    const claims = {
      htm: init.method ?? "GET",
      htu: origin + pathname,
      iat: Date.now() / 1000,
      jti: crypto.randomUUID(),
      ath: base64url(await crypto.subtle.digest("SHA-256", utf8(token))),
      nonce,
    };
    const sent = nonce;
    headers.set("dpop", await sign(claims));
    const response = await fetcher(input, { ...init, headers });
    nonce = response.headers.get("dpop-nonce") ?? nonce;
    if (response.status !== 401 || isRepeated || nonce === sent) return response;
    response.body?.cancel();
    return send(input, init, true);
  };
  return send as typeof fetch;
}

/** The public key of this browser on this origin, as a JWK of four members. */
export async function publicJwk(): Promise<JsonWebKey> {
  const { publicKey } = await (keyPair ??= loadKeyPair());
  const { kty, crv, x, y } = await crypto.subtle.exportKey("jwk", publicKey);
  // In the order of a thumbprint (RFC 7638).
  return { crv, kty, x, y } as JsonWebKey;
}

export function base64url(bytes: ArrayBuffer): string {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function utf8(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text);
}

async function sign(claims: object): Promise<string> {
  const header = { typ: "dpop+jwt", alg: "ES256", jwk: await publicJwk() };
  const text = [header, claims].map((part) => base64url(utf8(JSON.stringify(part)).buffer)).join(
    ".",
  );
  const { privateKey } = await keyPair!;
  return `${text}.${base64url(await crypto.subtle.sign(ECDSA, privateKey, utf8(text)))}`;
}

/** The stored key, which no script can read. A key that cannot be stored lives as long as the page. */
async function loadKeyPair(): Promise<CryptoKeyPair> {
  const created = await crypto.subtle.generateKey(ECDSA, false, ["sign"]) as CryptoKeyPair;
  return storedKeyPair(created).catch(() => created);
}

/** The key that is stored, or `created`, which is stored now. */
async function storedKeyPair(created: CryptoKeyPair): Promise<CryptoKeyPair> {
  const opening = indexedDB.open("agent-chat", 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(KEY);
  const keys = (await resultOf(opening)).transaction(KEY, "readwrite").objectStore(KEY);
  const stored = await resultOf<CryptoKeyPair | undefined>(keys.get(KEY));
  if (!stored) await resultOf(keys.put(created, KEY));
  return stored ?? created;
}

function resultOf<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = reject;
  });
}
