/** Calls of tools that wait: cards for what the visitor decides, and the functions of the page. */
import type { WaitingCall } from "../../state.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { problemOf } from "../problem_of.ts";
import { END, type Slot } from "../slot.ts";
import { answerCall } from "./answer_call.ts";
import { CallCard } from "./CallCard.tsx";
import { ALLOW, ALLOW_THIS, DO_NOT_ALLOW, WAITING } from "./calls_ids.ts";
import { pageCalls } from "./page_calls.ts";

export function callsFeature(context: ExtrasContext): Slot {
  const { ui: { conversation, handle }, t, callService, changed } = context;
  const callPage = pageCalls(context);
  /** What the visitor has pressed in this tab, in order: a text. */
  const decided = new Map<WaitingCall, number>();
  /** Those that were announced, and why the last press has changed nothing: a string of the panel's. */
  const problems = new Map<WaitingCall, number>();
  const describe = (one: WaitingCall) => {
    const decision = decided.get(one);
    return `${one.title}: ${t(decision ?? WAITING)}${decision ? " ✓" : ""}`;
  };

  const decide = async (one: WaitingCall, approve: boolean) => {
    const { state } = conversation;
    problems.set(one, 0);
    changed(false);
    const status = await answerCall(one, { approve }, callService);
    const isDone = status === 204;
    if (isDone) {
      decided.set(one, approve ? ALLOW : DO_NOT_ALLOW);
      conversation.announceText(describe(one));
    }
    // Decided by another press or in another tab, or too late: nothing is left to decide.
    if (isDone || /40[49]/.test(`${status}`)) {
      state.calls = state.calls?.filter((other) => other !== one);
    } else problems.set(one, problemOf(status));
    changed(true);
  };

  const renderDecided = (one: WaitingCall) => (
    <p key={one.n} class="working" part="call" dir="auto">
      {!decided.has(one) && <i class="dot" />}
      {describe(one)}
    </p>
  );
  const render = (one: WaitingCall) => {
    if (one.waitsFor === "page") return;
    const isMine = one.waitsFor === "visitor";
    if (!problems.has(one)) {
      problems.set(one, 0);
      // Also on the next page, while the panel is closed.
      if (isMine) conversation.state.unread = !conversation.state.open;
      conversation.announceText(isMine ? `${t(ALLOW_THIS)} ${one.title}` : describe(one));
    }
    const onDecide = (isApproved: boolean) => decide(one, isApproved);
    return isMine
      ? <CallCard key={one.n} {...{ context, call: one, problem: problems.get(one), onDecide }} />
      : renderDecided(one);
  };
  // What was announced in a closed panel was not heard.
  handle.on("open", () => problems.clear());
  return (place) => {
    if (place !== END) return;
    callPage();
    const { calls, turns } = conversation.state;
    const last = turns.at(-1)?.run;
    return [
      [...decided.keys()].map((one) => one.run === last && renderDecided(one)),
      calls?.map(render),
    ];
  };
}
