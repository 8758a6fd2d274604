import type { Model, ModelMessage } from "../../providers/model.ts";
import type { Guardrails, GuardrailSide } from "../../schemas/guardrails.ts";
import type { AgentEvent, AgentOutcome } from "../agent_run_options.ts";
import type { Toolset } from "../tools/toolset.ts";
import type { Verdict } from "./classifier.ts";
import type { StopAction } from "./guard_input.ts";
import { GuardedModel } from "./guarded_model.ts";
import { GuardedOutput } from "./guarded_output.ts";
import type { GuardrailHits } from "./guardrail_hits.ts";
import { compileRules, type TextRule } from "./guardrail_rules.ts";
import { maskValue } from "./mask_value.ts";

/** Shown unless the agent has its own message. */
export const DEFAULT_MESSAGE = "I cannot help with that.";
/** What the model reads of a message that a classifier blocked. */
const BLOCKED_MESSAGE = "[removed]";
const HIDDEN_ARGUMENTS = {
  code: "tool_refused",
  message: "the call needs an approval, and a part of its arguments is hidden from people, so it " +
    "was not made",
};

/** Why an answer ends early: a rule of one side, or no money for a check. */
export type Stop = { side: GuardrailSide; action: StopAction } | { outcome: AgentOutcome };

export interface RunGuardOptions {
  settings: Guardrails;
  /** What the rules decided about the message before the run. */
  inputStop?: StopAction | undefined;
  /** What visitors read when a person comes. */
  handoffMessage?: string | undefined;
  /** Those of the message, to which the run's are added. */
  hits: GuardrailHits;
  /** Asks the classifier of a side. */
  judge: (side: GuardrailSide, text: string, signal: AbortSignal) => Promise<Verdict>;
  signal: AbortSignal;
}

/** The guardrails of one run, and what they did. */
export class RunGuard {
  readonly output: GuardedOutput;
  readonly #options: RunGuardOptions;
  readonly #rules: readonly TextRule[];
  readonly #stopped = new AbortController();
  #stop: Stop | undefined;

  constructor(options: RunGuardOptions) {
    const { settings, inputStop, hits } = options;
    this.#options = options;
    if (inputStop !== undefined) this.#stop = { side: "input", action: inputStop };
    this.#rules = compileRules(settings.output ?? {});
    this.output = new GuardedOutput({
      rules: this.#rules,
      onMatch: ({ rule, action }) => {
        hits.add({ side: "output", rule, action });
        if (action !== "mask") this.#stop ??= { side: "output", action };
      },
      check: settings.output?.classifier && ((text) => this.#isAllowed("output", text)),
      onStop: () => this.#stopped.abort(),
    });
  }

  get stop(): Stop | undefined {
    return this.#stop;
  }

  messageOf(side: GuardrailSide): string {
    return this.#options.settings[side]?.message ?? DEFAULT_MESSAGE;
  }

  /** Judges what the model is about to read; `stop` is set if it is not allowed. */
  async checkInput(messages: readonly ModelMessage[]): Promise<void> {
    if (this.#stop !== undefined || this.#options.settings.input?.classifier === undefined) return;
    await this.#isAllowed("input", inputToJudge(messages));
  }

  /** Removes what a classifier blocked before, which clients send again with the conversation. */
  withoutBlocked(messages: readonly ModelMessage[]): readonly ModelMessage[] {
    const { settings: { input }, handoffMessage } = this.#options;
    if (input?.classifier === undefined) return messages;
    const shown = [this.messageOf("input")];
    if (input.classifier.action === "hand_off" && handoffMessage) shown.push(handoffMessage.trim());
    return messages.map((message, n) => {
      const answer = messages[n + 1];
      const isBlocked = message.role === "user" && answer?.role === "assistant" &&
        shown.includes(answer.content.trim());
      return isBlocked ? { role: "user", content: BLOCKED_MESSAGE } : message;
    });
  }

  /** The model itself if nothing that it writes is checked. */
  guardModel(model: Model): Model {
    if (this.#options.settings.output === undefined) return model;
    return new GuardedModel(model, {
      output: this.output,
      stopped: this.#stopped.signal,
      maskName: (name) => this.#mask(name) as string,
    });
  }

  /**
   * Masks what frames show of tools, and what is stored of the model's reasoning. The tools get the
   * arguments as they are, and the model the results.
   */
  guardEvent(event: AgentEvent): AgentEvent {
    if (event.type === "tool_call") return { ...event, args: this.#mask(event.args) };
    if (event.type === "tool_result") return { ...event, output: this.#mask(event.output) };
    if (event.type === "reasoning" && this.#rules.length > 0) {
      // It was not shown, so it counts as no hit.
      return { ...event, text: String(maskValue(event.text, { rules: this.#rules })) };
    }
    return event;
  }

  /**
   * Masks the arguments of tools that store them, and rejects calls that somebody would approve without
   * seeing what they send. A page reads the arguments from the frame, so it gets the masked ones.
   */
  guardTools(tools: Toolset): Toolset {
    const stores = (name: string) => tools.traitsOf(name).storesArguments === true;
    const isApproved = (name: string) => {
      const { wait } = tools.traitsOf(name);
      return wait !== undefined && wait.for !== "page";
    };
    return {
      ...tools,
      check: async (name, args) =>
        await tools.check(name, args) ??
          (isApproved(name) && this.#hides(args) ? { error: HIDDEN_ARGUMENTS } : undefined),
      execute: (name, args, ...rest) =>
        tools.execute(name, stores(name) ? this.#mask(args) : args, ...rest),
    };
  }

  #mask(value: unknown): unknown {
    const { hits } = this.#options;
    const onMatch = ({ rule }: TextRule) => hits.add({ side: "output", rule, action: "mask" });
    return this.#rules.length === 0 ? value : maskValue(value, { rules: this.#rules, onMatch });
  }

  /** A frame would not show all of a value. */
  #hides(value: unknown): boolean {
    const shown = maskValue(value, { rules: this.#rules });
    return JSON.stringify(shown) !== JSON.stringify(value);
  }

  async #isAllowed(side: GuardrailSide, text: string): Promise<boolean> {
    const { settings, judge, hits, signal } = this.#options;
    const { action, failClosed = false } = settings[side]!.classifier!;
    const verdict = await judge(side, text, signal);
    signal.throwIfAborted();
    if (typeof verdict === "object") {
      this.#stop ??= { outcome: verdict.ended };
      return false;
    }
    if (verdict === "allow") return true;
    const isUnavailable = verdict === "unavailable";
    const isAllowed = isUnavailable && !failClosed;
    const hit = {
      side,
      rule: "classifier" as const,
      action: isAllowed ? "allow" as const : action,
    };
    hits.add(isUnavailable ? { ...hit, unavailable: true } : hit);
    if (!isAllowed) this.#stop ??= { side, action };
    return isAllowed;
  }
}

/** What a classifier reads before the model: everything that the client sent, not only the last message. */
export function inputToJudge(messages: readonly ModelMessage[]): string {
  const texts = messages.map((message) =>
    `${message.role}: ${message.role === "tool" ? "" : message.content}`
  );
  return texts.join("\n\n");
}
