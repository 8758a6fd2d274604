import { createHash } from "node:crypto";
import { canonicalFrame, questionDigest, statementText } from "../../chat/seals/seal_digests.ts";
import { type Ed25519Jwk, Ed25519Verifier, toJwk } from "../../platform/crypto/ed25519.ts";
import { HashChain } from "../../platform/crypto/hash_chain.ts";
import { base64url } from "../../platform/crypto/signer.ts";
import type { SealStatement } from "../../schemas/run_seal.ts";
import {
  type SealedEndLine,
  type SealedExportLine,
  sealedExportLineSchema,
  type SealedRunLine,
} from "../../schemas/sealed_export.ts";
import { exportText } from "./export_signature.ts";

/** Why an export is not what the service has written. */
export class ExportRejectedError extends Error {
  override name = "ExportRejectedError";
}

/** The export is intact, but signed with a key that the caller does not trust. */
export class UntrustedKeyError extends ExportRejectedError {
  override name = "UntrustedKeyError";
  readonly keyId: string;

  constructor(keyId: string) {
    super(`it is signed with the key ${keyId}, which you did not name`);
    this.keyId = keyId;
  }
}

/** What an export proves. */
export interface VerifiedExport {
  conversationId: string;
  exportedAt: string;
  keyId: string;
  /** What was signed about each run, in the order of the export. */
  statements: SealStatement[];
  /** Runs without a seal, or without the frames that it covers: nothing but the export proves them. */
  unproven: string[];
  /** How many runs before the last one are not in the export: expired, erased, or left out. */
  missing: number;
}

/**
 * Verifies a sealed export without asking any service: every byte is covered by the signature of the last
 * line, and of each run the question, all frames in their order, the version and the price by the seal that
 * was signed when the run ended. `trusted` is the id of the installation's key. Throws
 * `ExportRejectedError`.
 */
export function verifyExport(bytes: Uint8Array, { trusted }: { trusted: string }): VerifiedExport {
  const { lines, end } = splitExport(bytes);
  const verifiers = toVerifiers(end.keys);
  const verifier = verifiers.get(end.keyId) ??
    reject("its last line names a key that it does not have");
  const { signature, ...signed } = end;
  if (!verifier.verify(exportText(signed), signature)) {
    reject("its last line has a wrong signature");
  }
  if (end.keyId !== trusted) throw new UntrustedKeyError(end.keyId);
  const [head, ...runs] = lines;
  if (head?.type !== "export") reject("its first line is not that of an export");
  const { conversation: { id: conversationId }, exportedAt } = head as Extract<
    SealedExportLine,
    { type: "export" }
  >;
  const verified: VerifiedExport = {
    ...{ conversationId, exportedAt, keyId: end.keyId },
    ...{ statements: [], unproven: [], missing: 0 },
  };
  /** The number that the next run has if none is missing. */
  let next = 0;
  for (const run of runs) {
    if (run.type !== "run") return reject("it has a line that is not a run");
    if (run.seal === undefined || run.frames === undefined) verified.unproven.push(run.runId);
    const statement = run.seal && verifyRun(run, { conversationId, verifiers });
    const { number = next } = statement ?? {};
    if (number < next) reject(`run ${run.runId}: it is not at its place, or there twice`);
    verified.missing += number - next;
    next = number + 1;
    if (statement !== undefined) verified.statements.push(statement);
  }
  return verified;
}

function splitExport(bytes: Uint8Array): { lines: SealedExportLine[]; end: SealedEndLine } {
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return reject("it is not UTF-8 text");
  }
  if (!text.endsWith("\n")) {
    reject("it does not end with a line feed: its last line may be cut off");
  }
  const lines = text.slice(0, -1).split("\n");
  const last = parseLine(lines.at(-1)!, lines.length);
  if (last.type !== "end") return reject("its last line is missing");
  // Another form of the same line would be another file.
  if (JSON.stringify(last) !== lines.at(-1)) reject("its last line was changed");
  if (last.lines !== lines.length - 1) reject("it has more or fewer lines than its last line says");
  const before = text.slice(0, text.length - lines.at(-1)!.length - 1);
  const digest = createHash("sha256").update(before).digest("base64url");
  if (digest !== last.digest) {
    reject("its text was changed: it is not what its last line was made for");
  }
  return { lines: lines.slice(0, -1).map((line, n) => parseLine(line, n + 1)), end: last };
}

function parseLine(line: string, n: number): SealedExportLine {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return reject(`line ${n} is not JSON`);
  }
  const parsed = sealedExportLineSchema.safeParse(value);
  if (parsed.success) return value as SealedExportLine;
  const where = parsed.error.issues[0]?.path.join(".") ?? "";
  return reject(`line ${n} is not a line of a sealed export${where && ` (${where})`}`);
}

function toVerifiers(keys: readonly Ed25519Jwk[]): Map<string, Ed25519Verifier> {
  return new Map(keys.map(({ x, kid }) => {
    if (toJwk(x).kid !== kid) reject(`the key ${kid} does not have the id that it should have`);
    try {
      return [kid, new Ed25519Verifier(x)];
    } catch {
      return reject(`the key ${kid} is not an Ed25519 key`);
    }
  }));
}

function verifyRun(
  { runId, question, frames, seal }: SealedRunLine,
  { conversationId, verifiers }: {
    conversationId: string;
    verifiers: ReadonlyMap<string, Ed25519Verifier>;
  },
): SealStatement {
  const { statement, nonce, keyId, signature } = seal!;
  const no = (reason: string): never => reject(`run ${runId}: ${reason}`);
  const verifier = verifiers.get(keyId) ?? no("its seal names an unknown key");
  if (!verifier.verify(statementText(statement), signature)) no("its seal has a wrong signature");
  if (statement.runId !== runId) no("its seal is that of another run");
  if (statement.conversationId !== conversationId) no("its seal is of another conversation");
  const seed = Uint8Array.fromBase64(nonce, { alphabet: "base64url" });
  const asked = question && base64url(questionDigest(question, seed));
  if (statement.question !== undefined && asked !== statement.question) {
    no("its question was changed");
  }
  if (frames === undefined) return statement;
  if (frames.length !== statement.frames) {
    no(`it has ${frames.length} frames, but its seal covers ${statement.frames}`);
  }
  const chain = new HashChain(seed);
  for (const frame of frames) chain.add(canonicalFrame(frame));
  if (base64url(chain.head) !== statement.head) no("its frames were changed");
  return statement;
}

function reject(reason: string): never {
  throw new ExportRejectedError(reason);
}
