import { parseOptions, rejectExtra, unknownAction, UsageError } from "./arguments.ts";
import { type ServiceAddress, serviceAddress } from "./service_address.ts";

interface RunArgs {
  action: "run";
  /** Id or name. */
  set: string;
  agent: string | undefined;
  version: "draft" | "published" | number;
  /** From 0 to 1; by default the set's. */
  threshold: number | undefined;
  budgetUsd: number | undefined;
  out: string | undefined;
  json: boolean;
}

export type EvalsArgs =
  & ServiceAddress
  & (
    | RunArgs
    /** `from` is the first line, from 1. */
    | { action: "import"; set: string; file: string; from: number }
    | { action: "export"; set: string; file: string | undefined }
  );

export const EVALS_HELP = `Runs test sets of a service, as in CI.

  deno task evals run SET [--version draft|published|NUMBER] [--agent ID] [--min-passed PERCENT]
                          [--budget USD] [--out FILE] [--json]
  deno task evals import SET FILE [--from LINE]
  deno task evals export SET [FILE]

  SET           the id or the name of a test set
  --version     which version of the agent answers; by default draft, what was saved last
  --agent       another agent than that of the set
  --min-passed  the share of the cases that must pass, such as 95%; by default that of the set
  --budget      the most that the run may cost; by default that of the set
  --out         writes all results to a file, as CSV if its name ends so, else as lines of JSON
  --json        prints the run as JSON instead of a report
  --from        begins with this line of the file

  The service and the key come from AGENT_CHAT_URL and AGENT_CHAT_API_KEY, or from --url. The key
  needs the scopes agents:write and agents:read. Interrupting it stops the run.

Exit codes of run: 0 enough cases passed, 1 not enough, 2 wrong usage, or the service failed.`;

/** Parses the arguments of `deno task evals`. Throws `UsageError`. */
export function parseEvalsArgs(
  words: string[],
  env: (name: string) => string | undefined,
): EvalsArgs | { action: "help" } {
  const { values, positionals } = parseOptions(words, {
    url: { type: "string" },
    agent: { type: "string" },
    version: { type: "string" },
    "min-passed": { type: "string" },
    budget: { type: "string" },
    out: { type: "string" },
    json: { type: "boolean" },
    from: { type: "string" },
  });
  const [action, set, file, ...rest] = positionals;
  if (values.help || action === "help") return { action: "help" };
  if (action !== "run" && action !== "import" && action !== "export") {
    throw unknownAction(action, "run, import or export");
  }
  if (set === undefined) throw new UsageError("name the test set");
  const address = serviceAddress(values.url, env);
  switch (action) {
    case "run":
      rejectExtra([file, ...rest]);
      return {
        ...{ ...address, action, set, agent: values.agent, json: values.json ?? false },
        version: versionOf(values.version),
        threshold: shareOf(values["min-passed"]),
        budgetUsd: numberOf(values.budget, "--budget takes an amount in USD"),
        out: values.out,
      };
    case "import": {
      rejectExtra(rest);
      if (file === undefined) throw new UsageError("name the file with the cases");
      const from = numberOf(values.from, "--from takes the number of a line") ?? 1;
      if (!Number.isInteger(from) || from < 1) {
        throw new UsageError("--from takes the number of a line");
      }
      return { ...address, action, set, file, from };
    }
    case "export":
      rejectExtra(rest);
      return { ...address, action, set, file };
  }
}

function versionOf(text = "draft"): "draft" | "published" | number {
  if (text === "draft" || text === "published") return text;
  if (/^[1-9]\d{0,8}$/.test(text)) return Number(text);
  throw new UsageError("--version takes draft, published or a number");
}

/** "95" and "95%". "1" and "0.95" could be meant as shares of one, and would pass nearly everything. */
function shareOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const [, digits, sign] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const percent = Number(digits);
  const isClear = sign === "%" || percent > 1 || digits === "0";
  if (digits !== undefined && percent <= 100 && isClear) return percent / 100;
  throw new UsageError("--min-passed takes a percentage from 0% to 100%");
}

function numberOf(text: string | undefined, message: string): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (text.trim() === "" || !Number.isFinite(number)) throw new UsageError(message);
  return number;
}
