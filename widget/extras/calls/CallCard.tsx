import type { WaitingCall } from "../../state.ts";
import type { ExtrasContext } from "../extras_context.ts";
import { Action } from "../Form.tsx";
import { ALLOW, ALLOW_THIS, DO_NOT_ALLOW } from "./calls_ids.ts";
import { readArguments, type ShownArgument } from "./read_arguments.ts";

export interface CallCardProps {
  readonly context: ExtrasContext;
  readonly call: WaitingCall;
  /** Why the last press has changed nothing: a string of the panel's. */
  readonly problem: number | undefined;
  readonly onDecide: (isApproved: boolean) => void;
}

/** Longer values are cut, and shown by a press. */
const MAX_LENGTH = 80;

/** What the agent wants to do, and two buttons. It takes no focus: visitors who type must not allow by accident. */
export function CallCard({ context, call, problem, onDecide }: CallCardProps) {
  const { ui, t } = context;
  const { title, args } = call;
  return (
    <div class="notice call" part="call" role="group" aria-label={title}>
      <p>{t(ALLOW_THIS)}</p>
      <h3 dir="auto">{title}</h3>
      <dl>{readArguments(args).map(Argument)}</dl>
      {!!problem && <p role="alert">{ui.locale.t(problem)}</p>}
      <div class="form">
        <Action label={t(DO_NOT_ALLOW)} onPress={() => onDecide(false)} />
        <Action label={t(ALLOW)} onPress={() => onDecide(true)} />
      </div>
    </div>
  );
}

function Argument({ label, text }: ShownArgument) {
  return (
    <div>
      <dt class="subtitle" dir="auto">{label}</dt>
      <dd dir="auto">
        {text.length > MAX_LENGTH
          ? (
            <details>
              <summary>{text.slice(0, MAX_LENGTH)}…</summary>
              <p tabIndex={0}>{text}</p>
            </details>
          )
          : text}
      </dd>
    </div>
  );
}
