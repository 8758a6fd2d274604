/** A passkey without a device: creates a key pair and signs as browsers and authenticators do. */

const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const HAS_CREDENTIAL = 0x40;

export interface SoftOptions {
  /** The origin that the browser reports. */
  origin: string;
  /** The relying party that the browser accepted; the host of `origin` by default. */
  rpId?: string;
  /** Whether the authenticator verified the person, by PIN or fingerprint; true by default. */
  isVerified?: boolean;
}

interface Challenge {
  challenge: string;
}

/** One authenticator with at most one passkey. */
export class SoftAuthenticator {
  readonly #id = crypto.getRandomValues(new Uint8Array(16));
  #keys: CryptoKeyPair | undefined;
  #userHandle = "";
  /** Counts signatures; the next one has this number plus one. */
  counter = 0;

  /** What `navigator.credentials.create` returns, as JSON. */
  async create(
    options: Challenge & { user: { id: string } },
    { origin, rpId = new URL(origin).hostname, isVerified = true }: SoftOptions,
  ): Promise<unknown> {
    const algorithm = { name: "ECDSA", namedCurve: "P-256" };
    this.#keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
    this.#userHandle = options.user.id;
    const point = new Uint8Array(await crypto.subtle.exportKey("raw", this.#keys.publicKey));
    const [x, y] = [point.slice(1, 33), point.slice(33)];
    const flags = USER_PRESENT | HAS_CREDENTIAL | (isVerified ? USER_VERIFIED : 0);
    const authData = Uint8Array.of(
      ...await authenticatorData(rpId, { flags, counter: this.counter }),
      ...new Uint8Array(16),
      ...[0, this.#id.length],
      ...this.#id,
      // A map: key type EC2, ES256, curve P-256, x, y.
      ...[0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01],
      ...[0x21, 0x58, 0x20, ...x, 0x22, 0x58, 0x20, ...y],
    );
    const attestation = Uint8Array.of(
      0xa3,
      ...[...cborText("fmt"), ...cborText("none"), ...cborText("attStmt"), 0xa0],
      ...[...cborText("authData"), 0x59, authData.length >> 8, authData.length & 0xff],
      ...authData,
    );
    return {
      ...this.#shared(),
      response: {
        clientDataJSON: encode(clientData("webauthn.create", options, origin)),
        attestationObject: encode(attestation),
        transports: ["internal"],
      },
    };
  }

  /** What `navigator.credentials.get` returns, as JSON. */
  async sign(
    options: Challenge,
    { origin, rpId = new URL(origin).hostname, isVerified = true }: SoftOptions,
  ): Promise<unknown> {
    const flags = USER_PRESENT | (isVerified ? USER_VERIFIED : 0);
    const authData = await authenticatorData(rpId, { flags, counter: ++this.counter });
    const client = clientData("webauthn.get", options, origin);
    const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", client));
    const signed = await crypto.subtle.sign(
      { name: "ECDSA", hash: "SHA-256" },
      this.#keys!.privateKey,
      Uint8Array.of(...authData, ...hash),
    );
    return {
      ...this.#shared(),
      response: {
        clientDataJSON: encode(client),
        authenticatorData: encode(authData),
        signature: encode(toDer(new Uint8Array(signed))),
        userHandle: this.#userHandle,
      },
    };
  }

  #shared() {
    const id = encode(this.#id);
    return { id, rawId: id, type: "public-key", clientExtensionResults: {} };
  }
}

async function authenticatorData(
  rpId: string,
  { flags, counter }: { flags: number; counter: number },
): Promise<Uint8Array<ArrayBuffer>> {
  const name = new TextEncoder().encode(rpId);
  const data = new Uint8Array(37);
  data.set(new Uint8Array(await crypto.subtle.digest("SHA-256", name)));
  data[32] = flags;
  new DataView(data.buffer).setUint32(33, counter);
  return data;
}

function clientData(
  type: string,
  { challenge }: Challenge,
  origin: string,
): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify({ type, challenge, origin, crossOrigin: false }));
}

/** Of fewer than 24 characters. */
function cborText(text: string): number[] {
  return [0x60 + text.length, ...new TextEncoder().encode(text)];
}

/** WebCrypto gives `r` and `s` side by side; WebAuthn has them as a DER sequence. */
function toDer(signature: Uint8Array): Uint8Array {
  const integers = [signature.slice(0, 32), signature.slice(32)].flatMap((bytes) => {
    let start = 0;
    while (start < 31 && bytes[start] === 0) start++;
    const rest = [...bytes.slice(start)];
    if (rest[0]! >= 0x80) rest.unshift(0);
    return [0x02, rest.length, ...rest];
  });
  return Uint8Array.of(0x30, integers.length, ...integers);
}

function encode(bytes: Uint8Array): string {
  return bytes.toBase64({ alphabet: "base64url", omitPadding: true });
}
