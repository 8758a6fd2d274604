import { SEND } from "../../string_ids.ts";
import type { Ui } from "../../ui.ts";
import { EMAIL, MESSAGE } from "./handoff_ids.ts";
import type { VisitorHandoff } from "./visitor_handoff.ts";

export interface ContactFormProps {
  readonly ui: Pick<Ui, "locale" | "log">;
  readonly t: (id: number) => string;
  readonly handoff: Pick<VisitorHandoff, "leaveContact">;
}

/** For an answer by e-mail when nobody is there. The browser checks the fields. */
export function ContactForm({ ui, t, handoff }: ContactFormProps) {
  const submit = async (event: Event) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget as HTMLFormElement);
    // The form disappears, so move the focus to the log instead of losing it to the page.
    if (await handoff.leaveContact(Object.fromEntries(form))) {
      ui.log.current?.focus({ preventScroll: true });
    }
  };
  return (
    <form class="contact" part="contact" onSubmit={submit}>
      <label>
        {t(EMAIL)}
        <input name="email" type="email" autocomplete="email" required maxLength={254} />
      </label>
      <label>
        {t(MESSAGE)}
        <textarea name="message" rows={3} required maxLength={4000} dir="auto" />
      </label>
      <button type="submit" class="retry">{ui.locale.t(SEND)}</button>
    </form>
  );
}
