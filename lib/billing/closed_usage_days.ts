import { z } from "zod";
import { keys } from "../store/keys/keys.ts";
import { parseRecord } from "../store/values/record.ts";
import { addDays, type DayRange } from "../schemas/day_range.ts";
import { USAGE_TTL_MS, usageRowSchema, usageSchema } from "../store/runs/usage_rows.ts";
import {
  addTotals,
  addUsageRow,
  countTotals,
  emptyTotals,
  type GroupedUsage,
  USAGE_GROUPS,
  type UsageGroup,
} from "./usage_totals.ts";

/** A day with fewer rows is read as quickly from these. */
const MIN_ROWS = 16;
/** A total takes at most 300 bytes, and a value of the store 64 KiB. */
const PART_TOTALS = 200;
/** A commit takes 800 KiB. A day with more totals is read from its rows each time. */
const MAX_PARTS = 12;
const LIST_OPTIONS = { batchSize: 500 } as const;

const partSchema = z.object({
  v: z.literal(1),
  /** How many values the totals of the day have. */
  parts: z.int().positive(),
  totals: z.array(z.tuple([z.enum(USAGE_GROUPS), z.string(), usageSchema])),
});
type Part = z.infer<typeof partSchema>;

/**
 * Totals of days that cannot change any more. The first process that adds up the rows of such a day stores
 * what it got, so that a year is read in one list.
 */
export class ClosedUsageDays {
  readonly #kv: Deno.Kv;

  constructor(kv: Deno.Kv) {
    this.#kv = kv;
  }

  /** The totals of each day of a range; days without usage are missing. */
  async read(tenant: string, range: DayRange): Promise<Map<string, GroupedUsage>> {
    const found = await this.#readStored(tenant, range);
    for (const missing of gapsIn(range, found)) {
      for (const [day, totals] of await this.#addUp(tenant, missing)) found.set(day, totals);
    }
    return found;
  }

  async #readStored(tenant: string, { from, to }: DayRange): Promise<Map<string, GroupedUsage>> {
    const days = new Map<string, Part[]>();
    const selector = {
      start: keys.usageDayTotals(tenant, from),
      end: keys.usageDayTotals(tenant, addDays(to, 1)),
    };
    for await (const entry of this.#kv.list(selector, LIST_OPTIONS)) {
      const day = String(entry.key[2]);
      days.set(day, [...days.get(day) ?? [], parseRecord(partSchema, entry)!]);
    }
    // A day of which a part has expired is added up again.
    const whole = [...days].filter(([, parts]) => parts.length === parts[0]!.parts);
    return new Map(whole.map(([day, parts]) => [day, sumOf(parts)]));
  }

  /** Reads the rows of some days, and stores the totals of the busy ones. */
  async #addUp(tenant: string, { from, to }: DayRange): Promise<Map<string, GroupedUsage>> {
    const days = new Map<string, { totals: GroupedUsage; rows: number }>();
    const selector = {
      start: keys.usageDay(tenant, from),
      end: keys.usageDay(tenant, addDays(to, 1)),
    };
    for await (const entry of this.#kv.list(selector, LIST_OPTIONS)) {
      const [day, agentId, source] = entry.key.slice(2).map(String) as [string, string, string];
      const sums = days.get(day) ?? { totals: emptyTotals(), rows: 0 };
      days.set(day, sums);
      addUsageRow(sums.totals, {
        ...{ day, agentId, source },
        models: parseRecord(usageRowSchema, entry)!.models,
      });
      sums.rows++;
    }
    for (const [day, { totals, rows }] of days) {
      if (rows >= MIN_ROWS) await this.#store(tenant, { day, totals });
    }
    return new Map([...days].map(([day, { totals }]) => [day, totals]));
  }

  /** Of processes that do this at once, all write the same. */
  async #store(
    tenant: string,
    { day, totals }: { day: string; totals: GroupedUsage },
  ): Promise<void> {
    const parts = Math.ceil(countTotals(totals) / PART_TOTALS);
    if (parts > MAX_PARTS) return;
    const all = USAGE_GROUPS.flatMap((group) =>
      [...totals[group]].map(([name, usage]): Part["totals"][number] => [group, name, usage])
    );
    const step = this.#kv.atomic();
    for (let n = 0; n < parts; n++) {
      const some = all.slice(n * PART_TOTALS, (n + 1) * PART_TOTALS);
      const part: Part = { v: 1, parts, totals: some };
      step.set(keys.usageDayTotals(tenant, day, n), part, { expireIn: USAGE_TTL_MS });
    }
    // Without it, the day is added up again.
    await step.commit().catch(() => undefined);
  }
}

function sumOf(parts: readonly Part[]): GroupedUsage {
  const sum = emptyTotals();
  for (const { totals } of parts) {
    const some = emptyTotals();
    for (const [group, name, usage] of totals) some[group satisfies UsageGroup].set(name, usage);
    addTotals(sum, some);
  }
  return sum;
}

/** The ranges of days that are not in `found`. */
function* gapsIn({ from, to }: DayRange, found: ReadonlyMap<string, unknown>): Generator<DayRange> {
  let first: string | undefined;
  for (let day = from; day <= to; day = addDays(day, 1)) {
    if (!found.has(day)) first ??= day;
    else if (first !== undefined) {
      yield { from: first, to: addDays(day, -1) };
      first = undefined;
    }
  }
  if (first !== undefined) yield { from: first, to };
}
