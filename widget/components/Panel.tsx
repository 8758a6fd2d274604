import type { RefObject } from "preact";
import type { WidgetConfig } from "../config.ts";
import type { Conversation } from "../conversation.ts";
import type { WidgetHandle } from "../handle.ts";
import type { WidgetState } from "../state.ts";
import { STRINGS } from "../strings.ts";
import { Composer } from "./Composer.tsx";
import { Header } from "./Header.tsx";
import { MessageLog } from "./MessageLog.tsx";

export interface PanelProps {
  readonly state: WidgetState;
  readonly conversation: Conversation;
  readonly handle: WidgetHandle;
  readonly config: WidgetConfig;
  readonly input: RefObject<HTMLTextAreaElement>;
}

export function Panel({ state, conversation, handle, config, input }: PanelProps) {
  const title = config.title ?? STRINGS.title;
  const startAfresh = () => {
    handle.newConversation();
    input.current?.focus();
  };
  return (
    <section id="panel" class="panel" role="dialog" aria-label={title}>
      <Header
        title={title}
        onNew={state.turns.length > 0 ? startAfresh : undefined}
        onClose={handle.close}
      />
      <MessageLog
        state={state}
        greeting={config.greeting ?? STRINGS.greeting}
        onRetry={() => conversation.retry()}
      />
      <Composer
        busy={state.phase !== "idle"}
        input={input}
        onSend={handle.send}
        onStop={handle.stop}
      />
      <p class="hidden" role="status">{state.open ? state.announcement : ""}</p>
    </section>
  );
}
