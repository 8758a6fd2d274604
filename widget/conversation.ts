/** One conversation: asks, follows the answer, stops it, tries again. Knows no DOM. */
import type { Frame } from "../lib/schemas/frames.ts";
import { type Attempt, ChatRun, type ChatRunOptions } from "./client/chat_run.ts";
import type { Rejection } from "./client/rejection.ts";
import type { Emitter } from "./emitter.ts";
import {
  EMPTY_ANSWER,
  type Failure,
  failureFromErrorFrame,
  failureFromRejection,
  needsToken,
  NETWORK_FAILURE,
} from "./failure.ts";
import { toChatMessages, truncate } from "./history.ts";
import type { Session } from "./session.ts";
import {
  addSources,
  completeSentencesLength,
  currentAnswer,
  initialState,
  type SavedState,
  type State,
  stripMarkup,
} from "./state.ts";

export interface ConversationOptions extends Omit<ChatRunOptions, "onLink"> {
  readonly session: Session;
  readonly emitter: Emitter;
  readonly saved?: SavedState | undefined;
  /** The visitor's sentence for a failure. */
  readonly sentence: (failure: Failure) => string;
  /** Where hints for the site's developer go. */
  readonly warn: (code: string, requestId: string | undefined) => void;
  /** Called after each change of `state`; `kept` when a reload should find it as it is now. */
  readonly changed: (kept: boolean) => void;
}

export class Conversation {
  state: State;
  #options: ConversationOptions;
  /** The answer that is shown as it arrives. */
  #run: ChatRun | undefined;
  /** Length of the answer that has been read aloud. */
  #announcedLength = 0;
  #error: Failure | undefined;
  /** A new token repeats a refused question once: a page that mints bad tokens must not loop. */
  #mayResend = true;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.state = initialState(options.saved);
  }

  /** Goes on with what a reload interrupted. */
  resume(): void {
    const { attempt } = this.state;
    this.#announcedLength = currentAnswer(this.state)?.text.length ?? 0;
    if (attempt) this.#begin(attempt);
  }

  show(open: boolean): void {
    if (this.state.open === open) return;
    Object.assign(this.state, { open, unread: false, said: [] });
    this.#options.emitter.emit(open ? "open" : "close", undefined);
    this.#options.changed(true);
  }

  /** False when there is nothing to send or an answer is still arriving. */
  send(text: string): boolean {
    const content = truncate(text.trim());
    const { state } = this;
    if (!content || state.busy) return false;
    state.turns.push({ id: state.nextId++, role: "user", text: content });
    this.#options.emitter.emit("message", { text: content });
    this.#mayResend = true;
    this.#sendQuestion();
    return true;
  }

  /** Asks the last question again after a failure. */
  retry(): void {
    const { busy, failure, attempt } = this.state;
    if (busy || !failure || failure.retry === "never") return;
    if (failure.retry === "same" && attempt) return this.#begin(attempt);
    this.#dropAnswer();
    this.#sendQuestion();
  }

  /** Ends the answer here at once; the service is told so that it stops paying for the rest. */
  stop(): void {
    if (this.#detach()) this.#end("cancelled");
  }

  /** Forgets everything said so far. */
  restart(): void {
    this.#detach();
    const { open, nextId, draft } = this.state;
    this.state = { ...initialState(), open, nextId, draft };
    this.#options.changed(true);
  }

  /** Later requests use this token; a question that the old one could not ask is asked now. */
  setSessionToken(token: string): void {
    this.#options.session.set(token);
    if (!this.#mayResend || !needsToken(this.state.failure)) return this.#options.changed(false);
    this.#mayResend = false;
    this.retry();
  }

  /** The network may be back: a connection that has been silent too long (ms) is opened anew. */
  wake(silence: number): void {
    this.#run?.wake(silence);
  }

  /** Tells a screen reader. */
  announceText(text: string): void {
    this.state.said.push(text);
    this.#options.changed(false);
  }

  /** What was told has been heard. */
  clearAnnouncements(): void {
    this.state.said = [];
    this.#options.changed(false);
  }

  #sendQuestion(): void {
    const { turns, conversationId } = this.state;
    this.#announcedLength = 0;
    this.#begin({
      key: this.#options.newId(),
      messages: toChatMessages(turns),
      conversationId,
      n: 0,
    });
  }

  #begin(attempt: Attempt): void {
    this.#error = undefined;
    delete currentAnswer(this.state)?.partial;
    Object.assign(this.state, { attempt, busy: true, failure: undefined, said: [] });
    const run: ChatRun = this.#run = new ChatRun(attempt, {
      ...this.#options,
      onLink: (up) => {
        const { state } = this;
        const lost = !up && this.#run === run;
        if (lost && !state.lost) this.announceText(this.#options.sentence(NETWORK_FAILURE));
        state.lost = lost;
        this.#options.changed(false);
      },
    });
    this.#options.changed(true);
    this.#follow(run).catch(reportError);
  }

  /** What was stopped is read to its end all the same, but no longer shown. */
  async #follow(run: ChatRun): Promise<void> {
    const frames = run.frames();
    for (;;) {
      const { done, value } = await frames.next();
      if (this.#run === run) {
        if (!done) this.#handleFrame(value);
        else if (value) this.#reject(value);
        else this.#end("stop");
      }
      if (done) return;
    }
  }

  #handleFrame(frame: Frame): void {
    const { state } = this;
    switch (frame.type) {
      case "start":
        // A frame is taken once, so this is another run: its answer begins anew.
        this.#dropAnswer();
        state.conversationId = frame.conversationId;
        this.#options.emitter.emit("start", {
          conversationId: frame.conversationId,
          runId: frame.runId,
        });
        break;
      case "delta":
        this.#append(frame.text);
        break;
      case "tool_call":
        state.tool = frame.name;
        break;
      case "tool_result":
        state.tool = "";
        addSources(state.turns.at(-1)!, frame);
        break;
      case "usage":
        break;
      case "error":
        this.#error = failureFromErrorFrame(frame.code);
        break;
      case "done":
        return this.#end(frame.finishReason);
      default:
        frame satisfies never;
    }
    this.#options.changed(frame.type === "start");
  }

  #append(text: string): void {
    const { state } = this;
    const answer = currentAnswer(state);
    if (answer) answer.text += text;
    // With what was found for it before its first word.
    else if (text) {
      state.turns.push({ ...state.turns.at(-1)!, id: state.nextId++, role: "assistant", text });
    }
  }

  /** Tells a screen reader the sentences that are complete, or all there is. */
  announceAnswer(whole?: boolean): void {
    const rest = currentAnswer(this.state)?.text.slice(this.#announcedLength) ?? "";
    const length = whole ? rest.length : completeSentencesLength(rest);
    const words = stripMarkup(rest.slice(0, length));
    this.#announcedLength += length;
    if (words) this.state.said.push(words);
  }

  #dropAnswer(): void {
    if (currentAnswer(this.state)) this.state.turns.pop();
    delete this.state.turns.at(-1)?.sources;
    this.#announcedLength = 0;
  }

  /** The run is over. */
  #end(finishReason: string): void {
    const { emitter } = this.#options;
    const answer = currentAnswer(this.state);
    const stopped = finishReason === "cancelled";
    this.announceAnswer(true);
    if (answer) answer.partial = finishReason !== "stop";
    emitter.emit("answer", { text: answer?.text ?? "", finishReason });
    const failure = this.#error ?? (answer || stopped ? undefined : EMPTY_ANSWER);
    // A budget that ended the answer is said below it, and is nothing to be repaired.
    this.#finish(failure);
  }

  #reject(refusal: Rejection): void {
    const answer = currentAnswer(this.state);
    if (answer) answer.partial = true;
    this.#finish(failureFromRejection(refusal, this.#options.now()));
  }

  #finish(failure: Failure | undefined): void {
    const { state } = this;
    const requestId = this.#run?.requestId;
    this.#run = undefined;
    const { emitter, warn, sentence, changed } = this.#options;
    Object.assign(state, { busy: false, lost: false, tool: "", unread: !state.open, failure });
    if (failure?.retry !== "same") state.attempt = undefined;
    if (failure) {
      const message = sentence(failure);
      state.said.push(message);
      warn(failure.code, requestId);
      emitter.emit("error", { code: failure.code, message });
      if (needsToken(failure)) emitter.emit("session-expired", { code: failure.code });
    }
    changed(true);
  }

  /** Lets go of the run under way and has it cancelled. */
  #detach(): boolean {
    const run = this.#run;
    this.#run = undefined;
    run?.stop();
    return !!run;
  }
}
