/** docs/operations.md: its figures match the code and other tests, and its commands are tested. */
import { assert, assertEquals } from "@std/assert";
import { HEARTBEAT_MS } from "@/lib/billing/ledger.ts";
import { IDLE_INTERVAL_MS, SWEEP_INTERVAL_MS } from "@/lib/billing/orphaned_run_sweeper.ts";
import { SILENCE_TIMEOUT_MS } from "@/lib/billing/failure_detector.ts";
import {
  CHAT_BUDGETS,
  costOf,
  DEPLOY_PRICES,
  FREE_WRITE_UNITS,
  IDLE_LISTS_PER_MINUTE,
  type KvCostBudget,
  LISTS_OF_CRON,
} from "./support/kv_cost_budget.ts";
import {
  blocksOf,
  joined,
  readOperations,
  sectionOf,
  unstatedFigures,
} from "./support/operations_doc.ts";

const ROOT = new URL("../", import.meta.url);
/** The files that run the document's blocks, each by its name. */
const RUNNERS = [
  "tests/operations_routing_test.ts",
  "tests/operations_denokv_alone_test.ts",
  "tests/support/documented_denokv.ts",
];
const MINUTES_A_MONTH = 30 * 24 * 60;

const read = (path: string) => Deno.readTextFile(new URL(path, ROOT));

/** The value of a numeric constant that its module does not export. */
async function constantIn(path: string, name: string): Promise<number> {
  const value = new RegExp(`const ${name} = ([\\d_]+);`).exec(await read(path))?.[1];
  if (value === undefined) throw new Error(`${path} has no ${name}`);
  return Number(value.replaceAll("_", ""));
}

/** The anchor of a heading. */
function slug(heading: string): string {
  return heading.toLowerCase().replaceAll(/[^\w -]/g, "").replaceAll(" ", "-");
}

Deno.test("docs/operations.md: the table of contents names every section, and every link has a target", async () => {
  const text = await readOperations();
  const headings = [...text.matchAll(/^##+ (.*)$/gm)].map(([, heading]) => heading!);
  const slugs = new Set(headings.map(slug));
  const contents = text.slice(0, text.indexOf("\n## "));
  for (const [, heading] of text.matchAll(/^## (.*)$/gm)) {
    assert(contents.includes(`[${heading}](#${slug(heading!)})`), heading);
  }
  for (const [, path, anchor] of text.matchAll(/\]\((?!http)([^)#]*)#?([^)]*)\)/g)) {
    const target = path === "" ? slugs : new Set(
      [...(await read(`docs/${path}`)).matchAll(/^##+ (.*)$/gm)].map(([, one]) => slug(one!)),
    );
    if (anchor !== "") assert(target.has(anchor!), `${path}#${anchor}`);
  }
});

Deno.test("docs/operations.md: every block of commands or configuration is run by a test, or states why not", async () => {
  const blocks = blocksOf(await readOperations());
  const sources = await Promise.all(RUNNERS.map((path) => read(path)));
  const names: string[] = [];
  for (const { language, text, mark } of blocks) {
    // An unmarked text block is a program's output.
    if (language === "text" && mark === undefined) continue;
    assert(mark !== undefined, `no test runs ${text}`);
    if (mark.kind === "test") names.push(mark.about);
  }
  assert(names.length >= 10);
  for (const name of names) {
    assert(sources.some((source) => source.includes(`"${name}"`)), `no test runs "${name}"`);
  }
});

Deno.test("docs/operations.md: contains no path of a particular machine", async () => {
  const paths = (await readOperations()).match(/(?<![\w.~$"}-])\/(?:[\w.-]+\/)*[\w.-]+/g) ?? [];
  const wrong = paths.filter((path) => /^\/(work|home|root|tmp|opt|Users)\b/.test(path));
  assertEquals(wrong, []);
});

Deno.test("docs/operations.md: the capacity of one process is as measured", async () => {
  const performance = await read("docs/performance.md");
  const row = /^\| this service +\| +\d+ \| +(\d+) \| +\d+ \| +(\d+) \| +(\d+) \|/m
    .exec(performance);
  const slow = /^\| 64, 10 ms apart +\| +200 \| +\d+ \| +(\d+) % \|/m.exec(performance);
  const [, ten, fifty, hundred] = row!;
  const statements = [
    "two shared cores",
    `${ten} chats a second to 10 simultaneous clients, ${fifty} to 50 and ${hundred} to 100`,
    `200 open answers whose pieces come 10 ms apart took ${slow![1]} % of a core`,
    "they answer 503",
  ];
  const section = sectionOf(await readOperations(), "## Choosing a store");
  assertEquals(unstatedFigures(section, statements), []);
});

Deno.test("docs/operations.md: the section on running denokv states only figures that are tested", async () => {
  const statements = ["A token has at least 12 characters."];
  const section = sectionOf(await readOperations(), "## Running denokv");
  assertEquals(unstatedFigures(section, statements), []);
});

Deno.test("docs/operations.md: times and limits of several processes are those of the code", async () => {
  const shutDown = "lib/server/process/shut_down.ts";
  const grace = await constantIn(shutDown, "GRACE_MS");
  const deadline = await constantIn(shutDown, "DEADLINE_MS");
  const ping = await constantIn("lib/http/sse_response.ts", "HEARTBEAT_MS");
  assert(deadline < 10_000);
  // A sweep every `SWEEP_INTERVAL_MS` treats a lease unchanged for `SILENCE_TIMEOUT_MS` as dead.
  const statements = [
    `TRUSTED_PROXY_HOPS=1`,
    "At 0 all visitors share the proxy's limits",
    "200 while the store answers, else 503",
    "it is 200 while the process lives",
    `comment every ${ping / 1_000} s`,
    "(nginx's 60 s are)",
    "up to 20 MiB",
    `SIGTERM and 10 s before SIGKILL. Its runs have ${grace / 1_000} s to end`,
    `free again within ${(SILENCE_TIMEOUT_MS + SWEEP_INTERVAL_MS) / 1_000} s`,
    `it takes up to ${(SILENCE_TIMEOUT_MS + IDLE_INTERVAL_MS + SWEEP_INTERVAL_MS) / 1_000} s`,
  ];
  const section = sectionOf(await readOperations(), "## Routing to several processes");
  assertEquals(unstatedFigures(section, statements), []);
});

/** The cells of a row in the cost table. */
function costRow({ commits, writeUnits, readUnits }: KvCostBudget): string {
  const usd = (1_000 * costOf({ writeUnits, readUnits })).toFixed(3);
  return `| ${commits} | ${writeUnits} | ${readUnits} | ${usd} USD |`;
}

function monthOf(listsAMinute: number): string {
  const readUnits = listsAMinute * MINUTES_A_MONTH;
  return costOf({ writeUnits: 0, readUnits }).toFixed(2);
}

Deno.test("docs/operations.md: the costs of Deno Deploy follow from the store's budgets", async () => {
  const free = (name: keyof typeof CHAT_BUDGETS) => {
    const chats = Math.floor(FREE_WRITE_UNITS / CHAT_BUDGETS[name].writeUnits / 1_000) * 1_000;
    return chats.toLocaleString("en");
  };
  const { millionWriteUnits, millionReadUnits, gibibyteMonth } = DEPLOY_PRICES;
  const statements = [
    "each value read by 4 KiB",
    "1,000 chats |",
    `answered at once ${costRow(CHAT_BUDGETS["at once"])}`,
    `of 10 s, in 200 pieces ${costRow(CHAT_BUDGETS["10 s"])}`,
    `a heartbeat's write unit every ${HEARTBEAT_MS / 1_000} s`,
    `at most ${IDLE_LISTS_PER_MINUTE} lists a minute, which is ` +
    `${monthOf(IDLE_LISTS_PER_MINUTE)} USD in a month of 30 days`,
    `cron asks for each minute is ${monthOf(LISTS_OF_CRON)} USD`,
    `${millionWriteUnits.toFixed(2)} USD per million write units, ` +
    `${millionReadUnits.toFixed(2)} USD per million read units, ` +
    `${gibibyteMonth.toFixed(2)} USD per GiB and month (as published in May 2026`,
    `includes ${FREE_WRITE_UNITS.toLocaleString("en")} write units a month (September 2026): ` +
    `${free("10 s")} chats of 10 s, or ${free("at once")} answered at once`,
  ];
  const section = sectionOf(await readOperations(), "### What Deno Deploy costs");
  assertEquals(unstatedFigures(section, statements), []);
});

Deno.test("docs/operations.md: figures on outages and writes match the decision records", async () => {
  const text = joined(await readOperations());
  const silent = joined(await read("docs/decisions/2026-11-22-silent-store.md"));
  for (const figure of ["4,730 lines", "80 now", "4.5 s"]) {
    const stated = figure === "4.5 s" ? "4.5 seconds" : figure === "80 now" ? "is 80 now" : figure;
    assert(silent.includes(figure) && text.includes(stated), figure);
  }
  assert(
    text.includes(
      `does not answer within ${
        await constantIn("lib/server/process/open_store.ts", "REMOTE_OPEN_TIMEOUT_MS") / 1_000
      } seconds`,
    ),
  );
});
