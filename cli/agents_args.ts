import { parseOptions, rejectExtra, unknownAction, UsageError } from "./arguments.ts";
import { type ServiceAddress, serviceAddress } from "./service_address.ts";

export type AgentsArgs =
  & ServiceAddress
  & { folder: string }
  & (
    | { action: "export"; force: boolean }
    | { action: "diff"; prune: boolean }
    | {
      action: "apply";
      prune: boolean;
      yes: boolean;
      dryRun: boolean;
      takeOver: boolean;
      /** Seconds to wait for another apply to end. */
      wait: number;
    }
  );

export const AGENTS_HELP = `Keeps agents, knowledge bases and test sets as files.

  deno task agents export FOLDER [--force]
  deno task agents diff FOLDER [--prune]
  deno task agents apply FOLDER [--yes] [--prune] [--dry-run] [--wait SECONDS] [--take-over]

  export       writes everything of the tenant to a new folder, without secrets
  diff         shows field by field what apply would change
  apply        shows the same, asks, and changes the service to what the files say

  --yes        does not ask; needed without a terminal. If the service changes meanwhile, the plan
               is made again and applied
  --prune      also deletes what has a key and is not in the folder: agents, bases, test sets,
               and documents and cases of those that are
  --dry-run    checks everything and changes nothing
  --wait       waits that long for another apply to end; by default 0 seconds
  --take-over  stops another apply, whose next change is then rejected
  --force      writes into a folder that is not empty, and overwrites its files

  The service and the key come from AGENT_CHAT_URL and AGENT_CHAT_API_KEY, or from --url. The key
  needs the scopes agents:write and knowledge:write; to export or compare, agents:read and
  knowledge:read.

Exit codes of export and apply: 0 done, 1 failed, 2 wrong usage. Exit codes of diff: 0 no
difference, 1 differences, 2 wrong usage or failed.`;

/** Parses the arguments of `deno task agents`. Throws `UsageError`. */
export function parseAgentsArgs(
  words: string[],
  env: (name: string) => string | undefined,
): AgentsArgs | { action: "help" } {
  const { values, positionals } = parseOptions(words, {
    url: { type: "string" },
    yes: { type: "boolean" },
    prune: { type: "boolean" },
    "dry-run": { type: "boolean" },
    "take-over": { type: "boolean" },
    wait: { type: "string" },
    force: { type: "boolean" },
  });
  const [action, folder, ...rest] = positionals;
  if (values.help || action === "help") return { action: "help" };
  if (action !== "export" && action !== "diff" && action !== "apply") {
    throw unknownAction(action, "export, diff or apply");
  }
  if (folder === undefined) throw new UsageError("name the folder");
  rejectExtra(rest);
  rejectOthers(action, values);
  const of = { ...serviceAddress(values.url, env), folder };
  const { yes = false, prune = false, force = false } = values;
  switch (action) {
    case "export":
      return { ...of, action, force };
    case "diff":
      return { ...of, action, prune };
    case "apply":
      return {
        ...{ ...of, action, yes, prune, wait: secondsOf(values.wait) },
        dryRun: values["dry-run"] ?? false,
        takeOver: values["take-over"] ?? false,
      };
  }
}

const OPTIONS_OF: Record<AgentsArgs["action"], readonly string[]> = {
  export: ["force"],
  diff: ["prune"],
  apply: ["yes", "prune", "dry-run", "wait", "take-over"],
};

/** An option without effect is a mistake: report it. */
function rejectOthers(action: AgentsArgs["action"], values: Record<string, unknown>): void {
  const allowed = [...OPTIONS_OF[action], "url", "help"];
  const other = Object.keys(values).find((name) => !allowed.includes(name));
  if (other !== undefined) throw new UsageError(`${action} has no option --${other}`);
}

function secondsOf(text = "0"): number {
  if (/^\d{1,5}$/.test(text)) return Number(text);
  throw new UsageError("--wait takes a number of seconds");
}
