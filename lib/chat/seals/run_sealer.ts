import { LRUCache } from "lru-cache";
import type { SettleHook } from "../../billing/decide_settlement.ts";
import { HashChain } from "../../platform/crypto/hash_chain.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Agent } from "../../schemas/agent.ts";
import type { Frame } from "../../schemas/frames.ts";
import type { ContentCipher } from "../../store/encryption/content_cipher.ts";
import { keepsNothing, type RunFacts } from "../../store/runs/run_record.ts";
import type { SigningKeys } from "../../store/signing/signing_keys.ts";
import { NONCE_BYTES } from "./pack_seal.ts";
import {
  agentDigest,
  canonicalFrame,
  questionDigest,
  type SealedMessage,
  statementText,
} from "./seal_digests.ts";
import { encryptSeal, toStatement } from "./stored_seal.ts";

/** Bytes of a seal in a commit. */
const SEAL_BYTES = 512;
/** Versions of agents whose digests are in memory. */
const MAX_DIGESTS = 1_000;

/** A run that ends. */
interface EndingRun {
  facts: RunFacts;
  /** The message that was answered, as it is stored; `undefined` if it was lost. */
  question: SealedMessage | undefined;
  /** The agent as it answered; `undefined` for a run whose process died. */
  agent: Agent | undefined;
  frames: readonly Frame[];
  /** The frames that follow, which depend on what was charged (micro-USD). */
  finalFrames: (charged: number) => readonly Frame[];
}

/** Chains the frames of each run and signs their head in the commit that settles it. */
export class RunSealer {
  readonly #signing: SigningKeys;
  readonly #content: ContentCipher;
  readonly #runtime: Pick<Runtime, "randomBytes">;
  readonly #digests = new LRUCache<string, Uint8Array>({ max: MAX_DIGESTS });

  constructor(
    signing: SigningKeys,
    deps: { content: ContentCipher; runtime: Pick<Runtime, "randomBytes"> },
  ) {
    this.#signing = signing;
    this.#content = deps.content;
    this.#runtime = deps.runtime;
  }

  /** A hook that adds the seal to the run's record; `undefined` for a run of which nothing is kept. */
  settleHook({ facts, question, agent, frames, finalFrames }: EndingRun): SettleHook | undefined {
    if (keepsNothing(facts)) return undefined;
    const nonce = this.#runtime.randomBytes(NONCE_BYTES);
    const chain = new HashChain(nonce);
    for (const frame of frames) chain.add(canonicalFrame(frame));
    const digests = {
      ...question && { question: questionDigest(question, nonce) },
      ...agent && { agentDigest: this.#agentDigest(agent) },
    };
    return {
      keys: [],
      estimatedBytes: SEAL_BYTES,
      write() {},
      sealOf: (run) => {
        const ends = finalFrames(run.cost);
        const whole = chain.copy();
        for (const frame of ends) whole.add(canonicalFrame(frame));
        if (whole.length === 0) return undefined;
        const signed = { ...digests, frames: whole.length, head: whole.head };
        const { signer, published } = this.#signing;
        const signature = signer.sign(statementText(toStatement(run, signed)));
        const seal = { ...signed, nonce, key: published.length - 1, signature };
        return encryptSeal(run, { seal, ends, content: this.#content });
      },
    };
  }

  #agentDigest(agent: Agent): Uint8Array {
    const known = this.#digests.get(`${agent.id} ${agent.version}`);
    if (known !== undefined) return known;
    const digest = agentDigest(agent);
    this.#digests.set(`${agent.id} ${agent.version}`, digest);
    return digest;
  }
}
