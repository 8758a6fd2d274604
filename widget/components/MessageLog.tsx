import type { WidgetState } from "../state.ts";
import { STRINGS } from "../strings.ts";
import { useStickyEnd } from "../use_sticky_end.ts";
import { Greeting } from "./Greeting.tsx";
import { ArrowDownIcon } from "./icons.tsx";
import { Message } from "./Message.tsx";
import { Notice } from "./Notice.tsx";
import { Thinking } from "./Thinking.tsx";

export interface MessageLogProps {
  readonly state: WidgetState;
  readonly greeting: string;
  readonly onRetry: () => void;
}

/**
 * The log itself is not live: a screen reader would read every single word as it arrives. The
 * panel's status line says each answer once, when it is complete.
 */
export function MessageLog({ state, greeting, onRetry }: MessageLogProps) {
  const { turns, phase, usingTool, failure } = state;
  const { log, away, toEnd, onScroll } = useStickyEnd(state);
  /** The pressed button vanishes; the focus must not fall back onto the page with it. */
  const keepFocus = (action: () => void) => () => {
    action();
    log.current?.focus({ preventScroll: true });
  };
  const last = turns.at(-1);
  return (
    <div class="stage">
      <div
        ref={log}
        class="log"
        role="log"
        aria-live="off"
        aria-busy={phase !== "idle"}
        aria-label={STRINGS.log}
        tabIndex={0}
        onScroll={onScroll}
      >
        {turns.length === 0 && <Greeting text={greeting} />}
        {turns.map((turn) => (
          <Message key={turn.id} turn={turn} live={phase === "answering" && turn === last} />
        ))}
        {(phase === "waiting" || usingTool) && <Thinking usingTool={usingTool} />}
        {failure && phase === "idle" && <Notice failure={failure} onRetry={keepFocus(onRetry)} />}
      </div>
      {away && (
        <button type="button" class="latest" aria-label={STRINGS.latest} onClick={keepFocus(toEnd)}>
          <ArrowDownIcon />
        </button>
      )}
    </div>
  );
}
