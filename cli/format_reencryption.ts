import type { CommandInput, CommandOutputs } from "../lib/process/commands.ts";

type Report = CommandOutputs["secrets.reencrypt"];

/** What was encrypted anew, for a terminal. */
export function formatReencryption({ changed, retired }: Report): string {
  const kinds = Object.entries(changed);
  const counts = kinds.map(([kind, n]) => `  ${kind}: ${n}`);
  const lines = kinds.length === 0
    ? ["Everything is already encrypted under the first key of ENCRYPTION_KEY."]
    : ["Encrypted under the first key of ENCRYPTION_KEY, in values:", ...counts];
  if (retired.length > 0) {
    lines.push(`The key ${retired.join(", ")} is no longer in use and may be removed.`);
  }
  if (kinds.length > 0) {
    lines.push(
      "Replaced values remain in unused parts of the store's file. To erase them, stop the service " +
        "and run deno task compact.",
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
    return `some values cannot be decrypted and were left unchanged (${kinds.join(", ")}). ` +
      "Add their key to ENCRYPTION_KEY and run this again, or give them up with " +
      "--forget";
  }
  if (pending === 0) return undefined;
  return `${pending} values belong to active runs: run this again in two minutes`;
}
