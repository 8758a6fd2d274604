import type { Fleet } from "../fleet.ts";
import { sessionCap, slots } from "./caps.ts";
import { resumeElsewhere, stopElsewhere } from "./follow.ts";
import { killed } from "./kills.ts";
import { heldMoney, moneyMoves, moneySpread } from "./money.ts";
import { outage } from "./outage.ts";
import { moneyChanges, slotsChange } from "./plans.ts";
import { windows } from "./windows.ts";

type Scenario = (fleet: Fleet) => Promise<void>;

/** The scenarios by their names, for every kind of fleet; each creates its own tenants. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  "200 messages of one session at once are 50 answers": sessionCap,
  "a tenant's 10 slots are reached and not passed, through one process and through all": slots,
  "a day's money is spent to the last token and not passed, with load on all processes":
    moneySpread,
  "a day's money is spent to the last token when load moves to one process": moneyMoves,
  "money that running runs hold is not spent twice, and what they give back is spent": heldMoney,
  "slots of a changed plan are there or gone for the next message at every process": slotsChange,
  "money of a changed plan is there or gone for the next message at every process": moneyChanges,
  "a run is followed at every process": resumeElsewhere,
  "a run is stopped at every process": stopElsewhere,
  "an outage of the store loses nothing and doubles nothing": outage,
};

/** The sentences of those that let a minute pass, or half of one. */
export const SLOW_SCENARIOS: Readonly<Record<"windows" | "killed", readonly [string, Scenario]>> = {
  windows: ["the windows of keys and addresses are exact in any 60 seconds", windows],
  killed: [
    "kill -9: slots are back within 30 seconds, and what may have been spent is spent",
    killed,
  ],
};
