/** The visitor's side of a conversation that people were asked for. Does not touch the DOM. */
import type { Handoff, State } from "../../state.ts";
import { GENERIC_ERROR } from "../../string_ids.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { pause } from "../pause.ts";
import type { ServiceRequest } from "../service_call.ts";
import { readFeed } from "./read_feed.ts";

export interface VisitorHandoffOptions extends Pick<ExtrasContext, "callService" | "changed"> {
  readonly conversation: Pick<
    ExtrasContext["ui"]["conversation"],
    "state" | "send" | "fail" | "announceText"
  >;
  /** The agent lets visitors ask for a person. */
  readonly isOffered: () => boolean | undefined;
  /** What a screen reader announces. */
  readonly describe: (handoff: Handoff) => string;
}

export interface VisitorHandoff {
  /** To be called at each draw: notices what has changed in the conversation. */
  notice(): void;
  /** The conversation waits for a person or has one. */
  isOpen(): boolean;
  /** The person is typing. */
  isTyping(): boolean;
  /** Asks for a person. A conversation begins with these words. */
  request(words: string): void;
  /** Shows the person that the visitor types. */
  sendTyping(): void;
  /** False if the service did not take it: the visitor can try again. */
  leaveContact(details: { readonly email?: string; readonly message?: string }): Promise<boolean>;
  /** Ends the feed. */
  stop(): void;
}

/** A poll is answered within 25 seconds, so that this silence means a dead connection. */
const SILENCE_MS = 40_000;
const MAX_RETRY_SECONDS = 16;
const SHOW_TYPING_MS = 8_000;
const SEND_TYPING_MS = 4_000;

const noop = () => {};
const isOpenState = (handoff: Handoff | undefined) =>
  /waiting|taken/.test(handoff?.["state"] ?? "");

export function visitorHandoff(
  { callService, changed, conversation, isOffered, describe }: VisitorHandoffOptions,
): VisitorHandoff {
  /** Asked for before there is a conversation. */
  let isWanted: boolean | undefined;
  /** The conversation that was looked at. */
  let known: string | undefined;
  /** Of the feed that is followed. */
  let following: symbol | undefined;
  let onIdle = noop;
  let sentTypingAt = 0;
  let typingUntil = 0;
  const isOpen = () => isOpenState(conversation.state.handoff);
  const ask = (path: string, request?: ServiceRequest) =>
    callService(`conversations/${known}/${path}`, request);
  const post = (path: string, body?: Record<string, unknown>) =>
    ask(path, { method: "POST", body }).catch(noop);
  const fail = () => conversation.fail("handoff_failed", GENERIC_ERROR);
  /** Nothing if it should be asked again. */
  const readStatus = async (response: Response | void): Promise<Handoff | undefined> => {
    if (response?.ok) return await response.json();
    // Nobody can answer here, or the conversation was deleted.
    if (/40[49]/.test(`${response?.status}`)) return { ["state"]: "none" };
  };

  const apply = (state: State, said: Handoff) => {
    const { handoff: before } = state;
    const isOver = !isOpenState(said);
    // It was over before.
    if (isOver && !before?.news && !isOpenState(before)) return;
    const now = { ...before, ...said, news: false, until: isOver ? state.nextId : undefined };
    // Not the one of an earlier hand-off.
    if (now["state"] === "waiting") now.person = undefined;
    state.handoff = now;
    if (now["state"] !== before?.["state"]) conversation.announceText(describe(now));
    changed(true);
  };

  /** True if the feed goes on. By polls, which arrive also through proxies that buffer streams. */
  const poll = async (state: State, mine: symbol) => {
    const after = state.handoff?.after ?? state.turns.findLast(({ eventId }) => eventId)?.eventId;
    const response = await ask("stream?wait=25", {
      signal: AbortSignal.timeout(SILENCE_MS),
      headers: { "last-event-id": after ?? "" },
    });
    const text = response.status === 200 && await response.text();
    // What a person writes follows the answer that is arriving.
    while (state.busy) await new Promise<void>((resolve) => onIdle = resolve);
    if (!text || following !== mine) return;
    let said: Handoff | undefined;
    for (const event of readFeed(text)) {
      const { id, type, text = "", person } = event;
      typingUntil = 0;
      if (type === "state") said = { ...said, ...event };
      else if (type === "message") {
        state.turns.push({ id: state.nextId++, role: "person", text, person, eventId: id });
        state.unread = !state.open;
        conversation.announceText(`${person}: ${text}`);
      } else {
        typingUntil = Date.now() + SHOW_TYPING_MS;
        setTimeout(changed, SHOW_TYPING_MS, false);
      }
      if (id) state.handoff = { ...state.handoff, after: id };
    }
    if (said) apply(state, said);
    changed(true);
    return true;
  };

  /** Shows what people do and write, until the agent has the conversation again. */
  const follow = async (state: State) => {
    const mine = following = Symbol();
    const isLive = () => following === mine && (state.handoff?.news || isOpenState(state.handoff));
    let seconds = 1;
    do {
      const status = await readStatus(await ask("handoff").catch(noop));
      if (isOpenState(status) && following === mine) apply(state, status!);
      // People may have written before they gave it back.
      while (isLive() && await poll(state, mine).catch(noop)) seconds = 1;
      if (status && !isOpenState(status)) apply(state, status);
      if (isLive()) await pause(seconds);
      seconds = Math.min(2 * seconds, MAX_RETRY_SECONDS);
    } while (isLive());
    if (following === mine) following = undefined;
  };

  return {
    isOpen,
    isTyping: () => Date.now() < typingUntil,
    stop: () => following = undefined,
    async notice() {
      const { state } = conversation;
      const { handoff, conversationId, busy, nextId } = state;
      const isNew = known !== conversationId;
      if (isNew) following = undefined;
      known = conversationId;
      if (!busy) {
        onIdle();
        // What was said since has pushed its end out of sight.
        if (!handoff?.news && handoff?.until! < nextId) state.handoff = undefined;
        if (conversationId && !following && (handoff?.news || isOpen() || isNew && isOffered())) {
          follow(state);
        }
      }
      if (!isWanted || !conversationId && busy) return;
      isWanted = false;
      if (!conversationId) return;
      const status = await readStatus(await post("handoff"));
      if (!status) return fail();
      state.handoff = { ...state.handoff, news: true };
      apply(state, status);
    },
    request(words) {
      isWanted = true;
      if (!conversation.state.conversationId) conversation.send(words);
      changed(false);
    },
    sendTyping() {
      const now = Date.now();
      if (conversation.state.handoff?.["state"] !== "taken") return;
      if (now < sentTypingAt + SEND_TYPING_MS) return;
      sentTypingAt = now;
      post("typing");
    },
    async leaveContact(details) {
      const { state } = conversation;
      const response = await post("contact", details);
      if (!response?.ok) {
        fail();
        return false;
      }
      state.failure = undefined;
      state.handoff = { ...state.handoff, ...details, form: false };
      conversation.announceText(describe(state.handoff));
      changed(true);
      return true;
    },
  };
}
