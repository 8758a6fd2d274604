import { createLocalJWKSet, errors, type JWTPayload, jwtVerify, type JWTVerifyOptions } from "jose";
import type { Runtime } from "../../platform/runtime.ts";

/** Signatures with the client's secret, and none at all, are not among them. */
const ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
/** Tokens with unknown keys do not make this service ask the provider more often. */
const MIN_RELOAD_MS = 10_000;
const MAX_AGE_MS = 3_600_000;
const CLOCK_TOLERANCE_S = 60;

type KeySet = { at: number; keys: ReturnType<typeof createLocalJWKSet> };

/** The keys of a provider. A token with a new key makes it read them again. */
export class OidcKeys {
  readonly #load: () => Promise<unknown>;
  readonly #runtime: Pick<Runtime, "now">;
  #known: KeySet | undefined;

  constructor(load: () => Promise<unknown>, runtime: Pick<Runtime, "now">) {
    this.#load = load;
    this.#runtime = runtime;
  }

  /** The claims of a token with a valid signature and time, for one of `audience`, of `issuer`. */
  async verify(
    token: string,
    expected: Pick<JWTVerifyOptions, "issuer" | "audience" | "requiredClaims" | "maxTokenAge">,
  ): Promise<JWTPayload> {
    const set = await this.#current();
    try {
      return await this.#verify(token, set, expected);
    } catch (error) {
      const isUnknownKey = error instanceof errors.JWKSNoMatchingKey;
      if (!isUnknownKey || this.#runtime.now() - set.at < MIN_RELOAD_MS) throw error;
      return await this.#verify(token, await this.#reload(), expected);
    }
  }

  async #verify(token: string, { keys }: KeySet, expected: JWTVerifyOptions): Promise<JWTPayload> {
    const { payload } = await jwtVerify(token, keys, {
      ...expected,
      algorithms: ALGORITHMS,
      clockTolerance: CLOCK_TOLERANCE_S,
      currentDate: new Date(this.#runtime.now()),
    });
    return payload;
  }

  async #current(): Promise<KeySet> {
    const set = this.#known;
    const isFresh = set !== undefined && this.#runtime.now() - set.at < MAX_AGE_MS;
    return isFresh ? set : await this.#reload();
  }

  async #reload(): Promise<KeySet> {
    const keys = createLocalJWKSet(await this.#load() as Parameters<typeof createLocalJWKSet>[0]);
    return this.#known = { at: this.#runtime.now(), keys };
  }
}
