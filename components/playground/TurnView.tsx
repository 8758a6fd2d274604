import type {
  PlaygroundAnswer,
  TimedFrame,
  ToolUse,
} from "../../lib/dashboard/browser/playground_answer.ts";
import type { PlaygroundTurn } from "../../lib/dashboard/browser/playground_chat.ts";
import type { WidgetLook } from "../../lib/dashboard/agents/widget_look.ts";
import { WidgetMessage } from "./WidgetMessage.tsx";
import { formatJson } from "@/lib/dashboard/format_json.ts";
import { t } from "@/lib/dashboard/texts/translate.ts";

export interface TurnViewProps {
  onReply: (n: number, reply: { approve: boolean } | { error: string }) => void;
  turn: PlaygroundTurn;
  busy: boolean;
  look: WidgetLook;
}

/** One message and its answer as visitors see them, with tool calls, timings and cost. */
export function TurnView({ turn, busy, look, onReply }: TurnViewProps) {
  const { message, answer } = turn;
  const { text, tools } = answer;
  return (
    <li class="turn">
      <WidgetMessage look={look} role="user" text={message} />
      {tools.map((use, n) => <ToolUseView key={n} use={use} />)}
      {busy && <PendingCall use={tools.at(-1)} onReply={onReply} />}
      {text !== "" && (
        <WidgetMessage look={look} role="assistant" text={text} tools={tools} live={busy} />
      )}
      {busy && text === "" && <p class="help">…</p>}
      {answer.error !== undefined && <p class="field-error">{answer.error}</p>}
      <Facts answer={answer} />
      {answer.frames.length > 0 && <Frames frames={answer.frames} />}
    </li>
  );
}

function ToolUseView({ use }: { use: ToolUse }) {
  return (
    <details class="tool-use">
      <summary>
        <code>{use.name}</code>
        <span class="help">
          {use.durationMs === undefined ? t("Running…") : seconds(use.durationMs)}
        </span>
      </summary>
      <pre tabIndex={0} aria-label={t("Arguments of {name}", { name: use.name })}>
        <code>{formatJson(use.args)}</code>
      </pre>
      {use.output !== undefined && (
        <pre tabIndex={0} aria-label={t("Output of {name}", { name: use.name })}>
          <code>{JSON.stringify(use.output, null, 2)}</code>
        </pre>
      )}
    </details>
  );
}

const NO_PAGE = "there is no page in the playground";

/** The buttons that a visitor, the team or the page would have. */
function PendingCall(
  { use, onReply }: { use: ToolUse | undefined } & Pick<TurnViewProps, "onReply">,
) {
  if (use?.waitsFor === undefined) return null;
  const { n, name, waitsFor } = use;
  if (waitsFor === "page") {
    return (
      <div class="form-actions" role="group" aria-label={t("Call of {name}", { name })}>
        <p class="help">{t("The visitor's page executes this tool.")}</p>
        <button type="button" class="button" onClick={() => onReply(n, { error: NO_PAGE })}>
          {t("Skip")}
        </button>
      </div>
    );
  }
  return (
    <div class="form-actions" role="group" aria-label={t("Call of {name}", { name })}>
      <button
        type="button"
        class="button button-primary"
        onClick={() => onReply(n, { approve: true })}
      >
        {t("Approve")}
      </button>
      <button type="button" class="button" onClick={() => onReply(n, { approve: false })}>
        {t("Decline")}
      </button>
    </div>
  );
}

function Facts({ answer }: { answer: PlaygroundAnswer }) {
  const { firstTextMs, totalMs, usage, finishReason, model } = answer;
  if (finishReason === undefined) return null;
  const facts = [
    model,
    firstTextMs !== undefined &&
    t("first text {firstTextMs}", { firstTextMs: seconds(firstTextMs) }),
    totalMs !== undefined && `total ${seconds(totalMs)}`,
    usage &&
    t("{inputTokens} input, {outputTokens} output tokens", {
      inputTokens: usage.inputTokens,
      outputTokens: usage.outputTokens,
    }),
    usage && `$${Number(usage.costUsd.toPrecision(3))}`,
    finishReason !== "stop" && finishReason,
  ];
  return <p class="turn-facts">{facts.filter(Boolean).join(" · ")}</p>;
}

/** Consecutive text frames are shown as one line. */
function Frames({ frames }: { frames: TimedFrame[] }) {
  const lines: { ms: number; text: string; deltas: number }[] = [];
  for (const { ms, frame } of frames) {
    const last = lines.at(-1);
    if (frame.type === "delta" && last && last.deltas > 0) {
      last.deltas++;
      last.text = `delta × ${last.deltas}`;
    } else if (frame.type === "delta") lines.push({ ms, text: "delta", deltas: 1 });
    else lines.push({ ms, text: JSON.stringify(frame), deltas: 0 });
  }
  return (
    <details class="frames">
      <summary>{t("{frames} stream events", { frames: frames.length })}</summary>
      <ol tabIndex={0} aria-label={t("Stream events")}>
        {lines.map(({ ms, text }, n) => (
          <li key={n}>
            <span>{seconds(ms)}</span>
            <code>{text}</code>
          </li>
        ))}
      </ol>
    </details>
  );
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(2)} s`;
}
