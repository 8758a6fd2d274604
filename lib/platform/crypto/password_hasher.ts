import { scrypt } from "node:crypto";
import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { base64url } from "./signer.ts";

/** The parameters of scrypt, stored with each hash so that they can be raised. */
export type ScryptCost = { N: number; r: number; p: number };

/**
 * The cost of new hashes. OWASP lists this and N=2^17, p=1 as equally strong. Measured on two cores with
 * two concurrent hashes: 0.32 s and 65 MiB, against 0.57 s and 256 MiB.
 */
const PASSWORD_COST: ScryptCost = { N: 2 ** 15, r: 8, p: 3 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORMAT = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([\w-]{22})\$([\w-]{43})$/;

/** Hashes passwords with scrypt. Callers bound how many run concurrently. */
export class PasswordHasher {
  readonly #randomBytes: (n: number) => Uint8Array<ArrayBuffer>;
  /** Tests use a cheap one; no configuration sets it. */
  readonly #cost: ScryptCost;
  readonly #derive: typeof derive;

  constructor(options: {
    randomBytes: (n: number) => Uint8Array<ArrayBuffer>;
    cost?: ScryptCost | undefined;
    derive?: typeof derive;
  }) {
    this.#randomBytes = options.randomBytes;
    this.#cost = options.cost ?? PASSWORD_COST;
    this.#derive = options.derive ?? derive;
  }

  /** `scrypt$N$r$p$salt$hash`, the last two in base64url. */
  async hash(password: string): Promise<string> {
    const { N, r, p } = this.#cost;
    const salt = this.#randomBytes(SALT_BYTES);
    const hash = await this.#derive(password, salt, this.#cost);
    return ["scrypt", N, r, p, base64url(salt), base64url(hash)].join("$");
  }

  /**
   * True if `stored` is a hash of `password`. A wrong password costs the same work for a missing hash, an
   * old cheap one and a current one, so timing does not reveal which accounts exist.
   */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const { cost, salt, hash } = parseHash(stored ?? "") ?? this.#decoy();
    const actual = await this.#derive(password, salt, cost);
    const matches = timingSafeEqual(actual, hash) && stored !== undefined;
    if (!matches) await this.#addMissingWork(cost, password);
    return matches;
  }

  /** True if `stored` costs at least as much as new hashes. */
  isCurrent(stored: string): boolean {
    const cost = parseHash(stored)?.cost;
    return cost !== undefined && work(cost) >= work(this.#cost);
  }

  /** Does the work that a cheaper hash saved. */
  async #addMissingWork(cost: ScryptCost, password: string): Promise<void> {
    const { N, r } = this.#cost;
    const p = Math.round((work(this.#cost) - work(cost)) / (N * r));
    if (p >= 1) await this.#derive(password, new Uint8Array(SALT_BYTES), { N, r, p });
  }

  #decoy(): ParsedHash {
    return {
      cost: this.#cost,
      salt: new Uint8Array(SALT_BYTES),
      hash: new Uint8Array(HASH_BYTES),
    };
  }
}

interface ParsedHash {
  cost: ScryptCost;
  salt: Uint8Array<ArrayBuffer>;
  hash: Uint8Array<ArrayBuffer>;
}

function parseHash(stored: string): ParsedHash | undefined {
  const match = FORMAT.exec(stored);
  if (match === null) return undefined;
  const [, n, r, p, salt, hash] = match;
  const decode = (text: string) => Uint8Array.fromBase64(text, { alphabet: "base64url" });
  return {
    cost: { N: Number(n), r: Number(r), p: Number(p) },
    salt: decode(salt!),
    hash: decode(hash!),
  };
}

/** Hashing time is proportional to this. */
function work({ N, r, p }: ScryptCost): number {
  return N * r * p;
}

function derive(
  password: string,
  salt: Uint8Array<ArrayBuffer>,
  cost: ScryptCost,
): Promise<Uint8Array<ArrayBuffer>> {
  // Keyboards differ: the same password may arrive composed or decomposed.
  const text = password.normalize("NFKC");
  const options = { ...cost, maxmem: 256 * cost.N * cost.r };
  return new Promise((resolve, reject) => {
    scrypt(text, salt, HASH_BYTES, options, (error, key) => {
      if (error) reject(error);
      else resolve(new Uint8Array(key));
    });
  });
}
