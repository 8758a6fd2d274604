import { useEffect, useState } from "preact/hooks";
import { HandoffMessage } from "@/components/handoff/HandoffMessage.tsx";
import { followHandoff, reportTyping } from "@/lib/dashboard/browser/follow_handoff.ts";
import type { PersonFeedEvent } from "@/lib/dashboard/handoff/person_feed_encoder.ts";
import { rich, t } from "@/lib/dashboard/texts/translate.ts";

/** How long the visitor's typing is shown, milliseconds. */
const TYPING_SHOWN_MS = 8_000;

type Message = Extract<PersonFeedEvent, { text: string }>;

export interface HandoffFeedProps {
  src: string;
  typingUrl: string;
  /** Id of the field that the person types in. */
  field: string;
}

/** What the visitor writes, as it arrives, and that the visitor types. */
export default function HandoffFeed({ src, typingUrl, field }: HandoffFeedProps) {
  const [messages, setMessages] = useState<readonly Message[]>([]);
  const [typedAt, setTypedAt] = useState(0);
  const [isLost, setLost] = useState(false);
  useEffect(() =>
    followHandoff(src, {
      onMessage: (message) => {
        setTypedAt(0);
        setMessages((before) => [...before, message]);
      },
      onTyping: () => setTypedAt(Date.now()),
      onState: () => location.reload(),
      onLost: () => setLost(true),
    }), [src]);
  useEffect(() => {
    const control = document.getElementById(field);
    return control === null ? undefined : reportTyping(control, typingUrl);
  }, [field, typingUrl]);
  useEffect(() => {
    if (typedAt === 0) return;
    const timer = setTimeout(() => setTypedAt(0), TYPING_SHOWN_MS);
    return () => clearTimeout(timer);
  }, [typedAt]);
  return (
    <div class="said-list" aria-live="polite">
      {messages.map(({ type, text, name }, n) => (
        <HandoffMessage key={n} from={type} name={name} text={text} />
      ))}
      {typedAt > 0 && <p class="help">{t("The visitor is typing…")}</p>}
      {isLost && (
        <p class="help">
          {rich("The connection was lost. {link}", { link: <a href="">{t("Reload")}</a> })}
        </p>
      )}
    </div>
  );
}
