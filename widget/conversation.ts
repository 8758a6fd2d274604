/** One conversation: sends, streams, stops and retries. Does not touch the DOM. */
import type { Frame } from "../lib/schemas/frames.ts";
import {
  appendText,
  completeSentencesLength,
  currentAnswer,
  dropAnswer,
  stripMarkup,
} from "./answer_text.ts";
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
import { initialState, type SavedState, type State, type TranscriptMessage } from "./state.ts";
import { beginTool, endTool } from "./tool_frames.ts";

export interface ConversationOptions extends Omit<ChatRunOptions, "onLink"> {
  readonly session: Session;
  readonly emitter: Emitter;
  readonly saved?: SavedState | undefined;
  /** The visitor's message for a failure. */
  readonly describe: (failure: Failure) => string;
  /** Shows a hint to the site's developer. */
  readonly warn: (code: string, requestId: string | undefined) => void;
  /** Called after each change of `state`; `save` if the change must survive a reload. */
  readonly changed: (save?: boolean) => void;
}

export class Conversation {
  state: State;
  #options: ConversationOptions;
  /** The run whose answer is shown. */
  #run: ChatRun | undefined;
  /** Length of the answer that was announced to screen readers. */
  #announcedLength = 0;
  #error: Failure | undefined;
  /** The message went to a person. The text of its run is no answer: the extras show it while it is true. */
  #isHeld: string | undefined;
  /** A new token repeats a rejected question once, so that a page with bad tokens does not loop. */
  #mayResend = true;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.state = initialState(options.saved);
  }

  /** Continues an answer that a reload interrupted, or that another page began. */
  resume(): void {
    const { attempt } = this.state;
    this.#announcedLength = currentAnswer(this.state)?.text.length ?? 0;
    if (attempt) this.#begin(attempt);
  }

  show(open: boolean): void {
    if (this.state.open === open) return;
    Object.assign(this.state, { open, unread: false, announcements: [] });
    this.#options.emitter.emit(open ? "open" : "close", undefined);
    this.#options.changed(true);
  }

  /**
   * False when there is nothing to send, an answer is still arriving, or a file is being uploaded. A
   * message needs a text: without one it is the names of its files.
   */
  send(text: string, more?: Pick<TranscriptMessage, "files" | "replaces">): boolean {
    const { state } = this;
    const names = state.files?.map(({ name }) => name) ?? [];
    const content = truncate(text.trim() || names.join(", "));
    if (state.busy || !more && state.uploading?.() || !content) return false;
    state.turns.push({
      ...{ id: state.nextId++, role: "user", text: content, files: state.files, ...more },
    });
    if (!more) state.files = undefined;
    this.#options.emitter.emit("message", { text: content });
    this.#mayResend = true;
    this.#sendQuestion();
    return true;
  }

  /**
   * Asks a question again: for another answer, or with another text. What followed it leaves the
   * conversation; the service keeps both. False while an answer is arriving.
   */
  branch(question: TranscriptMessage, text = question.text): boolean {
    const { state } = this;
    if (state.busy) return false;
    const [{ files, run }] = state.turns.splice(state.turns.indexOf(question)) as [typeof question];
    return this.send(text, { files, replaces: run });
  }

  /** Sends the last question again after a failure. */
  retry(): void {
    const { busy, failure, attempt } = this.state;
    if (busy || !failure || failure.retry === "never") return;
    if (failure.retry === "same" && attempt) return this.#begin(attempt);
    dropAnswer(this.state);
    this.#sendQuestion();
  }

  /** Ends the answer here and cancels the run, so that it costs nothing more. */
  stop(): void {
    if (this.#detach()) this.#end("cancelled");
  }

  /**
   * Shows a new conversation, and cancels the answer that is arriving. With `other` it shows that one,
   * follows its answer, and cancels nothing: the answer goes on, for who opens its conversation again.
   */
  restart(other?: Partial<SavedState>): void {
    if (other) this.#run = undefined;
    else this.#detach();
    const { open, nextId, draft, files, uploading } = this.state;
    this.state = { ...initialState(), open, nextId, draft, files, uploading, ...other };
    this.#options.changed(true);
    this.resume();
  }

  /** Uses this token from now on, and sends the question that the old token could not. */
  setSessionToken(token: string): void {
    this.#options.session.set(token);
    if (!this.#mayResend || !needsToken(this.state.failure)) return this.#options.changed();
    this.#mayResend = false;
    this.retry();
  }

  /** Reconnects if the connection was silent for this long (ms). With 0 the network is back. */
  wake(silence: number): void {
    this.#run?.wake(silence);
    if (!silence && this.state.failure === NETWORK_FAILURE) this.retry();
  }

  /** Shows a failure that does not end the answer. */
  fail(code: string, stringId: number): void {
    const failure: Failure = { code, stringId, retry: "never" };
    this.state.failure = failure;
    this.#options.warn(code, undefined);
    this.announceText(this.#options.describe(failure));
  }

  /** Announces a text to screen readers. */
  announceText(text: string): void {
    this.state.announcements.push(text);
    this.#options.changed();
  }

  /** Removes announcements that were read. */
  clearAnnouncements(): void {
    this.state.announcements = [];
    this.#options.changed();
  }

  #sendQuestion(): void {
    const { turns, conversationId } = this.state;
    this.#announcedLength = 0;
    this.#begin({
      key: this.#options.newId(),
      messages: toChatMessages(turns),
      conversationId,
      replaces: turns.at(-1)!.replaces,
      n: 0,
    });
  }

  #begin(attempt: Attempt): void {
    this.#error = undefined;
    delete currentAnswer(this.state)?.partial;
    Object.assign(this.state, { attempt, busy: true, failure: undefined, announcements: [] });
    const run: ChatRun = this.#run = new ChatRun(attempt, {
      ...this.#options,
      onLink: (up) => {
        const { state } = this;
        const lost = !up && this.#run === run;
        if (lost && !state.lost) this.announceText(this.#options.describe(NETWORK_FAILURE));
        state.lost = lost;
        this.#options.changed();
      },
    });
    this.#options.changed(true);
    this.#follow(run).catch(reportError);
  }

  /** Reads the run to its end, but stops showing it once it is no longer the current one. */
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
    const { handoff, name } = frame as Partial<Record<"handoff" | "name", string>>;
    // By the run itself, or by the model's tool: the extras look at it once the run has ended.
    if (handoff || name === "hand_off") state.handoff = { ...state.handoff, news: true };
    switch (frame.type) {
      case "start":
        // Each frame arrives once, so this is another run, which starts its answer over.
        dropAnswer(state);
        this.#announcedLength = 0;
        state.conversationId = frame.conversationId;
        state.turns.at(-1)!.run = frame.runId;
        this.#isHeld = handoff;
        this.#options.emitter.emit("start", {
          conversationId: frame.conversationId,
          runId: frame.runId,
        });
        break;
      case "delta":
        // The words of a message that went to a person are no answer.
        if (!this.#isHeld) appendText(state, frame.text);
        break;
      case "tool_call":
        beginTool(state, frame);
        break;
      case "tool_result":
        endTool(state, frame);
        break;
      case "error":
        this.#error = failureFromErrorFrame(frame.code);
        break;
      case "done":
        return this.#end(frame.finishReason);
      default:
        frame satisfies { type: "usage" };
    }
    this.#options.changed(frame.type === "start");
  }

  /** Announces complete sentences to screen readers, or with `whole` all the rest. */
  announceAnswer(whole?: boolean): void {
    const rest = currentAnswer(this.state)?.text.slice(this.#announcedLength) ?? "";
    const length = whole ? rest.length : completeSentencesLength(rest);
    const text = stripMarkup(rest.slice(0, length));
    this.#announcedLength += length;
    if (text) this.state.announcements.push(text);
  }

  /** Handles the end of the run. */
  #end(finishReason: string): void {
    const { emitter } = this.#options;
    const answer = currentAnswer(this.state);
    const stopped = finishReason === "cancelled";
    this.announceAnswer(true);
    if (answer) answer.partial = finishReason !== "stop";
    emitter.emit("answer", { text: answer?.text ?? "", finishReason });
    const failure = this.#error ?? (answer || stopped || this.#isHeld ? undefined : EMPTY_ANSWER);
    this.#finish(failure);
  }

  #reject(rejection: Rejection): void {
    const answer = currentAnswer(this.state);
    if (answer) answer.partial = true;
    this.#finish(failureFromRejection(rejection, this.#options.now()));
  }

  #finish(failure: Failure | undefined): void {
    const { state } = this;
    const requestId = this.#run?.requestId;
    this.#run = undefined;
    const { emitter, warn, describe, changed } = this.#options;
    Object.assign(state, { busy: false, lost: false, tool: "", unread: !state.open, failure });
    if (failure?.retry !== "same") state.attempt = state.calls = undefined;
    if (failure) {
      const message = describe(failure);
      state.announcements.push(message);
      warn(failure.code, requestId);
      emitter.emit("error", { code: failure.code, message });
      if (needsToken(failure)) emitter.emit("session-expired", { code: failure.code });
    }
    changed(true);
  }

  /** Stops showing the current run and cancels it. */
  #detach(): boolean {
    const run = this.#run;
    this.#run = undefined;
    run?.stop();
    return !!run;
  }
}
