import type { SealContext, Sealer } from "../../platform/crypto/sealing.ts";
import type { ResealTask } from "../encryption/reseal_task.ts";
import { keys } from "../keys/keys.ts";
import { parseRecord } from "../values/record.ts";
import { accountSecuritySchema } from "./account_security.ts";
import type { UserName } from "./account_security_store.ts";

export const FACTORS_PURPOSE = "second factors";

/** Seals the secrets of authenticator apps, each for its user. */
export class TotpSecrets {
  readonly #sealer: Sealer;

  /** The sealer's purpose is `FACTORS_PURPOSE`. */
  constructor(sealer: Sealer) {
    this.#sealer = sealer;
  }

  seal({ tenant, id }: UserName, secret: string): Uint8Array<ArrayBuffer> {
    const plain = new TextEncoder().encode(secret);
    return this.#sealer.sealSync(plain, contextOf(keys.accountSecurity(tenant, id)));
  }

  /** Throws `UnsealError` after a change of the encryption key. */
  async unseal({ tenant, id }: UserName, sealed: Uint8Array): Promise<string> {
    const context = contextOf(keys.accountSecurity(tenant, id));
    return new TextDecoder().decode(await this.#sealer.unseal(sealed, context));
  }
}

export function resealTotpSecrets(sealer: Sealer): ResealTask {
  return {
    kind: "second factors",
    prefix: keys.allAccountSecurity(),
    async *reseal(entry) {
      const record = parseRecord(accountSecuritySchema, entry)!;
      const sealed = record.totp && await sealer.reseal(record.totp.sealed, contextOf(entry.key));
      if (sealed === undefined) return;
      const next = { ...record, totp: { ...record.totp!, sealed } };
      yield { entry, write: (step) => step.set(entry.key, next) };
    },
  };
}

function contextOf(key: Deno.KvKey): SealContext {
  return key.map(String);
}
