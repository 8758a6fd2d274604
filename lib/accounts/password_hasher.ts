import { scrypt } from "node:crypto";
import { timingSafeEqual } from "@std/crypto/timing-safe-equal";
import { base64url } from "../credentials/hashing.ts";
import { Semaphore } from "./semaphore.ts";

/** What new hashes cost: 32 MiB and about 0.1 s each. Stored with each hash, so it can be raised. */
const COST = { N: 2 ** 15, r: 8, p: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;
const FORMAT = /^scrypt\$(\d{1,8})\$(\d{1,3})\$(\d{1,3})\$([\w-]{22})\$([\w-]{43})$/;

type Cost = typeof COST;

/**
 * Hashes passwords with scrypt, few at once: each takes 32 MiB, so unbounded sign-ins would be a
 * way to take the process's memory. Both methods throw `BusyError` when too many wait.
 */
export class PasswordHasher {
  #randomBytes: (n: number) => Uint8Array<ArrayBuffer>;
  #slots: Semaphore;

  constructor(options: {
    randomBytes: (n: number) => Uint8Array<ArrayBuffer>;
    /** Hashes computed at once. */
    atOnce?: number;
    /** Callers that may wait for a slot. */
    waiting?: number;
  }) {
    this.#randomBytes = options.randomBytes;
    this.#slots = new Semaphore(options.atOnce ?? 2, options.waiting ?? 32);
  }

  /** `scrypt$N$r$p$salt$hash`, the last two in base64url. */
  async hash(password: string): Promise<string> {
    const salt = this.#randomBytes(SALT_BYTES);
    const hash = await this.#slots.run(() => derive(password, salt, COST));
    return ["scrypt", COST.N, COST.r, COST.p, base64url(salt), base64url(hash)].join("$");
  }

  /**
   * Whether `password` is the one behind `stored`. Without a stored hash it is false, after the same
   * work, so that the time taken does not tell which accounts exist.
   */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const { cost, salt, hash } = parseHash(stored ?? "") ?? decoy();
    const actual = await this.#slots.run(() => derive(password, salt, cost));
    return timingSafeEqual(actual, hash) && stored !== undefined;
  }
}

interface ParsedHash {
  cost: Cost;
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

function decoy(): ParsedHash {
  return { cost: COST, salt: new Uint8Array(SALT_BYTES), hash: new Uint8Array(HASH_BYTES) };
}

function derive(
  password: string,
  salt: Uint8Array<ArrayBuffer>,
  cost: Cost,
): Promise<Uint8Array<ArrayBuffer>> {
  // NFKC: the same password typed on two keyboards may arrive composed or decomposed.
  const text = password.normalize("NFKC");
  const options = { ...cost, maxmem: 256 * cost.N * cost.r };
  return new Promise((resolve, reject) => {
    scrypt(text, salt, HASH_BYTES, options, (error, key) => {
      if (error) reject(error);
      else resolve(new Uint8Array(key));
    });
  });
}
