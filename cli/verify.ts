/**
 * `deno task verify`: checks a sealed export of a conversation without a service and without a network. Needs
 * no permission but to read the file.
 */
import {
  ExportRejectedError,
  UntrustedKeyError,
  type VerifiedExport,
  verifyExport,
} from "../lib/services/seals/verify_export.ts";
import { agentDigest } from "../lib/chat/seals/seal_digests.ts";
import { base64url } from "../lib/platform/crypto/signer.ts";
import { agentSchema } from "../lib/schemas/agent.ts";
import { pathFromCaller, UsageError } from "./arguments.ts";
import { formatTable } from "./table.ts";
import { parseVerifyArgs, VERIFY_HELP, type VerifyArgs } from "./verify_args.ts";

if (import.meta.main) Deno.exit(await main(Deno.args));

/** Returns the exit code: 0 proven, 1 rejected, 2 wrong usage. */
async function main(words: string[]): Promise<number> {
  try {
    const args = parseVerifyArgs(words);
    if (args === "help") {
      console.log(VERIFY_HELP);
      return 0;
    }
    return await verify(args);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    console.error(`verify: ${error instanceof Error ? error.message : String(error)}`);
    if (isUsage) console.error("Try: deno task verify --help");
    return isUsage ? 2 : 1;
  }
}

async function verify({ file, key, agent, allowUnproven }: VerifyArgs): Promise<number> {
  const bytes = await Deno.readFile(pathFromCaller(file));
  let proven: VerifiedExport;
  try {
    proven = verifyExport(bytes, { trusted: key ?? "" });
  } catch (error) {
    if (!(error instanceof ExportRejectedError)) throw error;
    console.error(`REJECTED: ${key === undefined ? withoutKey(error) : error.message}`);
    return key === undefined && error instanceof UntrustedKeyError ? 2 : 1;
  }
  if (agent !== undefined) await requireVersion(proven, agent);
  console.log(report(proven));
  if (proven.unproven.length === 0 || allowUnproven) return 0;
  console.error(
    `REJECTED: ${proven.unproven.length} of its runs have no complete seal, so that only the export ` +
      `vouches for them: ${proven.unproven.join(", ")}. Accept that with --allow-unproven`,
  );
  return 1;
}

function withoutKey(error: ExportRejectedError): string {
  if (!(error instanceof UntrustedKeyError)) return error.message;
  return `the file is intact and signed with the key ${error.keyId}. If that is the key of your ` +
    `service (GET /v1/seal-keys), repeat this with --key ${error.keyId}`;
}

/** Every run must be of the version in the file, as `GET /v1/agents/:id/versions/:n` returns it. */
async function requireVersion({ statements }: VerifiedExport, file: string): Promise<void> {
  const parsed = agentSchema.safeParse(JSON.parse(await Deno.readTextFile(pathFromCaller(file))));
  if (!parsed.success) throw new UsageError(`${file} is not an agent as the API returns it`);
  const { id, version } = parsed.data;
  const digest = base64url(agentDigest(parsed.data));
  const ofVersion = statements.filter((one) => one.agentId === id && one.agentVersion === version);
  if (ofVersion.length === 0) throw new Error(`no run is of version ${version} of agent ${id}`);
  if (ofVersion.some((one) => one.agentDigest !== digest)) {
    throw new Error(`version ${version} of agent ${id} was not what ${file} says when it answered`);
  }
}

function report(
  { conversationId, exportedAt, keyId, statements, missing }: VerifiedExport,
): string {
  const rows = statements.map((run) => [
    run.endedAt,
    run.runId,
    String(run.agentVersion),
    run.model,
    run.finishReason,
    String(run.frames),
    run.costUsd.toFixed(6),
  ]);
  const head = ["ENDED", "RUN", "VERSION", "MODEL", "FINISH", "FRAMES", "USD"];
  const total = statements.reduce((sum, { costUsd }) => sum + costUsd, 0);
  return [
    formatTable([head, ...rows]),
    `PROVEN: conversation ${conversationId}, exported ${exportedAt}, signed with the key ${keyId}; ` +
    `${statements.length} runs for ${total.toFixed(6)} USD.`,
    ...missing > 0
      ? [`MISSING: by their numbers, ${missing} earlier runs are not in it: expired, or deleted.`]
      : [],
  ].join("\n");
}
