import { assertEquals } from "@std/assert";
import type { VisitorAccount, VisitorLimits } from "../store/visitors/visitor_account_record.ts";
import { visitorAccountSchema } from "../store/visitors/visitor_account_record.ts";
import {
  accountRetention,
  admitVisitorRun,
  chargeVisitorRun,
  NEW_ACCOUNT,
  raiseVisitorHold,
  remainingMessages,
  remainingVisitorBudget,
  untilReset,
  usedIn,
  visitorRejection,
} from "./visitor_account.ts";

const NOON = Date.UTC(2026, 0, 31, 12);
const DAY = 86_400_000;
const HOUR = 3_600_000;

const limited = (limits: VisitorLimits): VisitorAccount => ({ ...NEW_ACCOUNT, limits });
const used = (cost: number) => ({ cost, inputTokens: 10, outputTokens: 20 });

/** A message of `hold` that was answered for `cost`. */
function afterRun(
  account: VisitorAccount,
  { runId = "r", hold = 0, cost = hold, at = NOON }: {
    runId?: string;
    hold?: number;
    cost?: number;
    at?: number;
  },
): VisitorAccount {
  const admitted = admitVisitorRun(account, { runId, hold, now: at, sentAt: at });
  return chargeVisitorRun(admitted, { runId, used: used(cost), endedAt: at });
}

function reject(account: VisitorAccount, { minHold = 0, now = NOON } = {}) {
  return visitorRejection(account, { minHold, now, sentAt: now, sessionEndsIn: 5_000 });
}

Deno.test("visitor account: counts messages, cost and tokens by day, month and in total", () => {
  const first = afterRun(NEW_ACCOUNT, { cost: 30 });
  const second = afterRun(first, { cost: 12, at: NOON + DAY });
  const sum = { cost: 42, messages: 2, inputTokens: 20, outputTokens: 40 };
  assertEquals(usedIn(second, "total", NOON), sum);
  assertEquals(usedIn(second, "day", NOON).cost, 30);
  assertEquals(usedIn(second, "month", NOON).cost, 30);
  assertEquals(usedIn(second, "month", NOON + DAY).cost, 12);
  assertEquals(usedIn(second, "day", NOON + 2 * DAY).messages, 0);
  assertEquals(visitorAccountSchema.parse(second), second);
});

Deno.test("visitor account: messages are rejected at the limit until the period ends", () => {
  const account = afterRun(limited({ messages: 2, per: "day" }), {});
  assertEquals([remainingMessages(account, NOON), reject(account)], [1, undefined]);
  const full = afterRun(account, {});
  assertEquals(reject(full), {
    ...{ scope: "visitor_messages", limit: 2, windowSeconds: 86_400, retryAfterMs: 12 * HOUR },
  });
  assertEquals(reject(full, { now: NOON + 12 * HOUR }), undefined);
  const monthly = { ...full, limits: { messages: 2, per: "month" } as const };
  assertEquals(reject(monthly)?.retryAfterMs, 12 * HOUR, "the month ends with the day");
  assertEquals(untilReset("month", NOON + DAY), 27 * DAY + 12 * HOUR);
  const total = { ...full, limits: { messages: 2, per: "total" } as const };
  assertEquals(reject(total, { now: NOON + 400 * DAY })?.retryAfterMs, 5_000, "with the session");
  assertEquals(reject(limited({ messages: 0, per: "day" }))?.scope, "visitor_messages");
});

Deno.test("visitor account: cost is rejected when it is spent, and soon free when it is only held", () => {
  const account = limited({ cost: 100, per: "day" });
  const message = { runId: "a", hold: 80, now: NOON, sentAt: NOON };
  const held = admitVisitorRun(account, message);
  assertEquals(remainingVisitorBudget(held, { now: NOON }), 20);
  assertEquals(remainingVisitorBudget(held, { now: NOON, runId: "a" }), 100);
  assertEquals(reject(held, { minHold: 20 }), undefined);
  assertEquals(reject(held, { minHold: 21 })?.retryAfterMs, 2_000);
  const spent = chargeVisitorRun(held, { runId: "a", used: used(90), endedAt: NOON });
  assertEquals(reject(spent, { minHold: 10 }), undefined);
  const rejection = { scope: "visitor_cost", limit: 0.0001, windowSeconds: 86_400 };
  assertEquals(reject(spent, { minHold: 11 }), { ...rejection, retryAfterMs: 12 * HOUR } as never);
  const gone = afterRun(spent, { runId: "b", cost: 10 });
  assertEquals(reject(gone)?.retryAfterMs, 12 * HOUR, "free runs too");
  assertEquals(reject(gone, { now: NOON + 12 * HOUR, minHold: 100 }), undefined);
});

Deno.test("visitor account: a hold counts in every period until its run is settled", () => {
  const account = limited({ cost: 100, per: "day" });
  const late = { runId: "a", hold: 60, now: NOON, sentAt: NOON };
  const held = raiseVisitorHold(admitVisitorRun(account, late), { runId: "a", hold: 70 });
  const tomorrow = NOON + 13 * HOUR;
  assertEquals(remainingVisitorBudget(held, { now: tomorrow }), 30);
  const charged = chargeVisitorRun(held, { runId: "a", used: used(50), endedAt: tomorrow });
  assertEquals(remainingVisitorBudget(charged, { now: tomorrow }), 50);
  assertEquals(usedIn(charged, "day", NOON), {
    ...{ cost: 0, messages: 1, inputTokens: 0, outputTokens: 0 },
  });
});

Deno.test("visitor account: a run is charged once, and a message that no model accepts is refunded", () => {
  const account = limited({ messages: 1, per: "day" });
  const admitted = admitVisitorRun(account, { runId: "a", hold: 9, now: NOON, sentAt: NOON });
  const charge = { runId: "a", used: used(0), endedAt: NOON + DAY, refundedAt: NOON };
  const refunded = chargeVisitorRun(admitted, charge);
  assertEquals([reject(refunded), refunded.runs], [undefined, {}]);
  assertEquals(chargeVisitorRun(refunded, charge), refunded);
  assertEquals(chargeVisitorRun(NEW_ACCOUNT, charge), NEW_ACCOUNT);
  assertEquals(raiseVisitorHold(refunded, { runId: "a", hold: 5 }), refunded);
});

Deno.test("visitor account: other limits apply to what the period has used", () => {
  const used = afterRun(afterRun(NEW_ACCOUNT, { cost: 30, at: NOON - DAY }), { cost: 12 });
  const left = (limits: VisitorLimits) =>
    remainingVisitorBudget({ ...used, limits }, { now: NOON });
  assertEquals(left({ cost: 100, per: "day" }), 88);
  assertEquals(left({ cost: 100, per: "month" }), 58);
  assertEquals(left({ cost: 40, per: "total" }), -2);
  assertEquals(left({ per: "total" }), Infinity);
});

Deno.test("visitor account: a clock that goes back finds its day as it left it", () => {
  let account = afterRun(limited({ messages: 1, per: "day" }), {});
  for (const days of [1, 400, 2]) account = afterRun(account, { at: NOON + days * DAY });
  assertEquals(reject(account)?.scope, "visitor_messages");
  // A wrong clock may run for long: few days are remembered, the latest used ones.
  for (let n = 0; n < 50; n++) account = afterRun(account, { at: NOON + n * DAY });
  assertEquals(Object.keys(account.days).length, 5);
});

Deno.test("visitor account: a run that nobody settles is charged its hold after a day", () => {
  const account = limited({ cost: 100, per: "total" });
  const lost = admitVisitorRun(account, { runId: "lost", hold: 40, now: NOON, sentAt: NOON });
  const next = { runId: "b", hold: 1, now: NOON + DAY, sentAt: NOON + DAY };
  const later = admitVisitorRun(lost, next);
  assertEquals([later.total.cost, Object.keys(later.runs)], [40, ["b"]]);
});

Deno.test("visitor account: expires unless it has limits", () => {
  assertEquals(accountRetention(NEW_ACCOUNT), { expireIn: 400 * DAY });
  assertEquals(accountRetention(limited({ per: "total" })), {});
});
