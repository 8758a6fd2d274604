import type { CommandInput, CommandOutputs } from "../lib/process/commands.ts";

type Report = CommandOutputs["secrets.reencrypt"];

/** What was encrypted anew, for a terminal. */
export function formatReencryption({ changed, retired }: Report): string {
  const kinds = Object.entries(changed);
  const counts = kinds.map(([kind, n]) => `  ${kind}: ${n}`);
  const lines = kinds.length === 0
    ? ["Everything is encrypted under the first key of ENCRYPTION_KEY already."]
    : ["Encrypted under the first key of ENCRYPTION_KEY, in values:", ...counts];
  if (retired.length > 0) {
    lines.push(`Nothing is under the key ${retired.join(", ")} any more: it may be dropped.`);
  }
  if (kinds.length > 0) {
    lines.push(
      "What was replaced stands in unused parts of the store's file for a while: stop the service " +
        "and run deno task compact to rewrite the file.",
    );
  }
  return lines.join("\n");
}

/** Why not all is encrypted anew; `undefined` when it is. */
export function reencryptionFailure(
  { unreadable, pending }: Report,
  { forget = false }: CommandInput<"secrets.reencrypt">,
): string | undefined {
  const kinds = Object.entries(unreadable).map(([kind, n]) => `${kind}: ${n}`);
  if (kinds.length > 0 && !forget) {
    return `some values cannot be decrypted and are left as they are (${kinds.join(", ")}). ` +
      "Put the key they are under into ENCRYPTION_KEY and run this again, or give them up with " +
      "--forget";
  }
  if (pending === 0) return undefined;
  return `${pending} values belong to runs that go on: run this again in two minutes`;
}
