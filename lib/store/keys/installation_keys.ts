/** Keys without a tenant: a part of `keys`, under the same rules. */
export const INSTALLATION_KEYS = {
  /** A released script: `{ v, at, parts }`; `name` is a `ScriptName`. */
  scriptRelease: (name: string, hash12: string) => ["script_releases", name, hash12],
  scriptReleases: (name: string) => ["script_releases", name],
  /** Chunk `n` of its bytes. */
  scriptReleaseChunk: (name: string, hash12: string, n: number) => [
    "script_release_parts",
    name,
    hash12,
    n,
  ],

  /** The ids of the encryption keys that values may be sealed with: `{ v, ids }`. */
  encryptionKeys: () => ["installation", "encryption_keys"],
  /** The ids of the HMAC secrets that API keys may be hashed with: `{ v, signing, ids }`. */
  hmacSecrets: () => ["installation", "hmac_secrets"],
  /** Written and deleted by `deno task doctor`. */
  storeProbe: (name: string) => ["store_probes", name],
  /** The key of message digests, sealed: `{ v, sealed }`. */
  contentDigestKey: () => ["installation", "content_digest_key"],
  /** The keys that sign seals of runs and exports, private parts sealed: `{ v, keys }`. */
  signingKeys: () => ["installation", "signing_keys"],
  /**
   * Facts of the installation by name: `default_tenant`, `demo_agent`, `setup`, `write_probe`,
   * `audit_upkeep`.
   */
  installation: (name: string) => ["installation", name],
} as const satisfies Record<string, (...args: never[]) => Deno.KvKey>;
